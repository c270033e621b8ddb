"""Plain English in what users read: the Google developer documentation style, by textlint.

The pages that were written or edited by the style guide are listed; a page joins them when it is
edited. The table of messages has all sentences that the code has for people. Vale, for which Google
publishes its style, is in no registry as a program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from nnx_migrate.rewrite.model.registry import rule_entries
from tests.node import node_modules, run
from tests.unit.messages import Message, messages

ROOT = Path(__file__).parents[2]
PLAIN = ROOT / "tests" / "node" / "plain.js"
EDITED = (
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "docs/batch.md",
    "docs/check-bed.md",
    "docs/check.md",
    "docs/command-line.md",
    "docs/commands.md",
    "docs/comparison.md",
    "docs/concepts.md",
    "docs/configuration.md",
    "docs/ecosystem.md",
    "docs/editors.md",
    "docs/glossary.md",
    "docs/index.md",
    "docs/json.md",
    "docs/notebooks.md",
    "docs/observe.md",
    "docs/outcomes.md",
    "docs/performance.md",
    "docs/permissions.md",
    "docs/pins.md",
    "docs/proof.md",
    "docs/python-api.md",
    "docs/reliability.md",
    "docs/reports.md",
    "docs/review-page.md",
    "docs/rules-table.md",
    "docs/security.md",
    "docs/semantics.md",
    "docs/silence.md",
    "docs/troubleshooting.md",
    "docs/tutorial.md",
    "docs/writing-rules.md",
)
#: Pages that list the questions of the analysis.
ASKING = tuple(f"docs/developers/{name}.md" for name in ("analysis", "performance", "transforms"))
#: What the preset asks for and we do not hold to: contractions in reference text, and bold colons.
#: The others do not tell names, code, and images from words.
_GOOGLE = {
    "abbreviations": False,
    "capitalization": False,
    "clause-order": False,
    "colons": False,
    "contractions": False,
    "possessives": False,
    "slashes": False,
}


def complaints(folder: Path, *pages: Path, google: Mapping[str, bool] = _GOOGLE) -> list[str]:
    """What textlint says of some pages; `google` turns rules of its preset off."""
    rules = {"@textlint-rule/preset-google": google, str(PLAIN): True}
    configuration = folder / "textlintrc.json"
    configuration.write_text(json.dumps({"rules": rules}))
    options = ["--config", str(configuration), "--format", "json"]
    done = run("textlint", *options, *map(str, pages), cwd=node_modules().parent)
    assert done.stdout, done.stderr
    return [
        f"{Path(file['filePath']).name}:{each['line']}: {each['message'].splitlines()[0]}"
        for file in json.loads(done.stdout)
        for each in file["messages"]
    ]


def test_what_users_read_is_plain(tmp_path: Path) -> None:
    assert complaints(tmp_path, *(ROOT / page for page in EDITED)) == []


def test_what_developers_read_is_plain(tmp_path: Path) -> None:
    google = {**_GOOGLE, "exclamation-points": False}  # that rule is for question marks, too
    assert complaints(tmp_path, *(ROOT / page for page in ASKING), google=google) == []


def test_the_manual_pages_of_the_rules_are_plain(tmp_path: Path) -> None:
    pages = []
    for name, entry in rule_entries().items():
        pages.append(tmp_path / f"{name}.md")
        pages[-1].write_text(entry.manual(), encoding="utf-8")
    assert len(pages) > 20
    assert complaints(tmp_path, *pages) == []


#: "did you mean" is a question, and the articles of `an nnx.Module` are not seen to be right.
_OF_MESSAGES = {**_GOOGLE, "articles": False, "exclamation-points": False}
#: Words that a translation has and the style guide has not, with those to use.
_STIFF = {
    r"\b(?<!there )(?:is|are|was) no (?!longer\b)\w+": "is not a",
    r"\blook(?:ed|s)? (?:at|into)\b": "read, check",
    r"\bgo(?:es)? on\b": "continue",
    r"\bhand(?:ed|s)? (?:\w+ )?on\b": "pass on",
    r"\b(?:is|are|was|were) told\b": "is reported",
    r"\banew\b": "again",
    r"\bleft alone\b": "unchanged",
    r"\bin front of\b": "before",
    r"\bwants\b": "takes, needs",
    r"\bl(?:ie|ies|ay)\b": "is",
    r"\b(?:is|are) gone\b": "no longer exists",
    r"\bnobody\b": "no code, no person",
    r"\botherwise\b": "if not, differently",
    r"\bis (?:not )?to be\b": "must, can",
    r"^of (?!weak type)": "for, in",
}


def test_the_table_of_messages_is_plain(tmp_path: Path) -> None:
    table = list(messages())
    assert len(table) > 1000
    page = tmp_path / "messages.md"
    page.write_text("".join(f"{each.text}\n\n" for each in table), encoding="utf-8")
    found = [each.split(":", 2) for each in complaints(tmp_path, page, google=_OF_MESSAGES)]
    told = [f"{table[(int(line) - 1) // 2]}: {what}" for _, line, what in found]
    assert told + [f"{each}: {why}" for each in table for why in stiff(each)] == []


def stiff(message: Message) -> list[str]:
    """What of a message reads like a translation."""
    found = ((re.search(pattern, message.text), word) for pattern, word in _STIFF.items())
    return [f"{seen[0]!r}: use {word!r}" for seen, word in found if seen]


def test_a_stiff_message_is_seen() -> None:
    assert stiff(Message("a.py:1", "it is no function of the project"))
    assert stiff(Message("a.py:1", "the file is left alone"))
    assert not stiff(Message("a.py:1", "there is no such file; name another one"))


def test_what_is_not_plain_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "What is known of that place is told.\n\n"
        f"This sentence {'goes on and ' * 20} ends.\n\nIt has one, two and three.\n"
    )
    found = " ".join(complaints(tmp_path, page))
    assert "is known of" in found
    assert "is told" in found
    assert "A sentence of" in found
    assert "comma" in found
