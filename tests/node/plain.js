// Plain words, as the Google developer documentation style guide has them, where its preset has no rule.
"use strict";

const WORDS = [
  [/\bof those (?:that|which)\b/gi, "Say what the words stand for."],
  [/\bis (?:not )?known of\b/gi, "Say who knows what."],
  [/\bis told\b|\bare told\b/gi, "Say what reports it: \"is reported\", or \"the page says\"."],
  [/\bis so\b(?! )/gi, "Repeat the words."],
  [/\bwhat \w+ is is\b/gi, "Turn the sentence around."],
  [/\bnothing but\b|\bno other than\b/gi, "Use \"only\"."],
  [/\bfor which there (?:is|are)\b/gi, "Use \"that has\"."],
  [/\bin the place of\b/gi, "Use \"instead of\"."],
  [/\bas far as\b/gi, "Say which part."],
  [/\bin order to\b/gi, "Use \"to\"."],
  [/\bplease\b/gi, "Leave it out."],
  [/\bsimply\b|\beasily\b|\bobviously\b/gi, "Leave it out."],
  [/\butili[sz]e/gi, "Use \"use\"."],
];
const MOST_WORDS = 34;

module.exports = (context) => {
  const { Syntax, RuleError, report, getSource, locator } = context;
  return {
    [Syntax.Paragraph](node) {
      if (node.parent?.type === "TableCell") return;
      const text = getSource(node).replace(/`[^`]*`/g, (code) => "x".repeat(code.length));
      for (const [pattern, advice] of WORDS) {
        for (const found of text.matchAll(pattern)) {
          report(node, new RuleError(`"${found[0]}": ${advice}`, { padding: locator.at(found.index) }));
        }
      }
      let start = 0;
      for (const sentence of text.split(/(?<=[.:;?!])\s+/)) {
        const words = sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;
        if (words > MOST_WORDS) {
          const message = `A sentence of ${words} words; ${MOST_WORDS} are the most.`;
          report(node, new RuleError(message, { padding: locator.at(text.indexOf(sentence, start)) }));
        }
        start += sentence.length;
      }
    },
  };
};
