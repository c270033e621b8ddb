// @ts-check
// Why a hunk is as it is: findings with their evidence, and what the check says.

import { element, plural } from "./dom.js";
import { isChosen } from "./filters.js";
import { state } from "./state.js";

// A hunk in which this many cases have a say is told of the first ones.
const MOST_CASES = 25;

/**
 * @param {FileEntry} file
 * @param {number} line
 */
export function address(file, line = 0) {
  const parameters = new URLSearchParams({ file: file.name });
  if (line) parameters.set("line", String(line));
  return `#${parameters}`;
}

/** @param {string} word */
export function badge(word) {
  return element("span", { class: `badge ${word.replaceAll(" ", "-")}` }, word);
}

/** @param {string} rule */
function ruleName(rule) {
  if (!Object.hasOwn(state.index.rules, rule)) return element("span", { class: "rule" }, rule);
  return element(
    "button",
    { class: "rule", type: "button", "data-rule": rule, title: `What ${rule} finds` },
    rule,
  );
}

/** @param {Told} finding */
function evidenceList(finding) {
  if (!finding.evidence.length) return null;
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const [, proof] of finding.evidence) counts.set(proof, (counts.get(proof) ?? 0) + 1);
  const words = [...counts].map(([proof, count]) => `${count} ${proof}`).join(", ");
  const unproved = finding.evidence.some(([, proof]) => proof === "assumed");
  const items = finding.evidence.map(([claim, proof, where, file, line]) => {
    const target = file === undefined ? null : state.index.files[file];
    const place = target
      ? element("a", { class: "place", href: address(target, line) }, `${target.name}:${line}`)
      : element("span", { class: "place" }, where);
    return element("li", {}, badge(proof), ` ${claim} `, where ? place : null);
  });
  return element(
    "details",
    { class: "evidence", open: unproved || state.evidence || state.printing },
    element("summary", {}, `Evidence: ${words}`),
    element("ul", {}, ...items),
  );
}

/**
 * @param {Told} finding
 * @param {number} line that stands above it already; 0 for none
 */
export function card(finding, line = 0) {
  const other = isChosen(finding) ? "" : " other";
  return element(
    "div",
    { class: `card ${finding.outcome}${other}` },
    element(
      "p",
      { class: "told" },
      badge(finding.outcome),
      ruleName(finding.rule),
      element("span", { class: "message" }, finding.message),
      line && finding.line === line ? null : element("span", { class: "place" }, finding.place),
    ),
    ...finding.help.map((way) => element("p", { class: "help" }, element("b", {}, "Help: "), way)),
    evidenceList(finding),
  );
}

/**
 * @param {FileEntry} file
 * @param {Body} body
 * @param {number[]} numbers
 */
export function followsFrom(file, body, numbers) {
  if (!numbers.length) return null;
  const links = numbers.flatMap((number, count) => {
    const { rule, line, outcome, place } = body.findings[number];
    const where = place.replace(/, column \d+$/, "");
    const link = element("a", { href: address(file, line) }, where);
    return [count ? "; " : "", badge(outcome), " ", ruleName(rule), " at ", link];
  });
  return element("p", { class: "card follows" }, "Goes with ", ...links);
}

// Columns of which there is nothing to say stand beside the name of the case.
/** @param {Case} its */
function caseItem({ name, verdict, columns, scripts }) {
  /** @param {Case["columns"][0]} column */
  const column = ([its, word, said]) => [`${its}: `, badge(word), said ? ` ${said}` : " "];
  const quiet = columns.filter(([, , said]) => !said).flatMap(column);
  const telling = columns.filter(([, , said]) => said).map((each) => element("li", {}, ...column(each)));
  const again = scripts.map((script) =>
    element("li", {}, "again with: ", element("code", {}, script)),
  );
  return element(
    "li",
    {},
    badge(verdict),
    ` ${name} `,
    element("span", { class: "columns" }, ...quiet),
    telling.length || again.length ? element("ul", {}, ...telling, ...again) : null,
  );
}

const VERDICT_ORDER = ["different", "not checked", "by callers", "close", "equal", "proved"];

/**
 * @param {PieceEntry} piece
 * @param {number[]} numbers
 */
export function verdictOf(piece, numbers) {
  if (!piece.verdict) return null;
  if (!numbers.length) {
    return element("p", { class: "verdict" }, badge(piece.verdict), " No case of the check ran this file.");
  }
  const cases = numbers.map((number) => state.index.cases[number]);
  cases.sort((a, b) => VERDICT_ORDER.indexOf(a.verdict) - VERDICT_ORDER.indexOf(b.verdict));
  const items = cases.slice(0, MOST_CASES).map(caseItem);
  if (cases.length > MOST_CASES) {
    items.push(element("li", {}, `and ${plural(cases.length - MOST_CASES, "more case")}`));
  }
  return element(
    "details",
    { class: "verdict", open: piece.verdict === "different" || state.printing },
    element("summary", {}, "Check: ", badge(piece.verdict), ` by ${plural(cases.length, "case")}`),
    element("ul", {}, ...items),
  );
}
