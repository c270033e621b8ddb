"""What SARIF and the pull-request texts say of a rule: its manual page, in parts."""

from __future__ import annotations

import re
from typing import Any

from nnx_migrate.rewrite.model.registry import (
    BrokenRule,
    UnknownRule,
    find_rule,
    rule_entries,
)
from nnx_migrate.rewrite.model.rule import Rule

_SECTION = re.compile(r"^(?P<title>\S.*)\n-{3,}\n", re.MULTILINE)
_REFERENCE = re.compile(r"^Reference: (https://\S+)$", re.MULTILINE)
#: What the engine finds without a rule.
_ENGINE = {
    "broken-link": "The path is a link to something that is not there.",
    "changed-file": "The file was changed by another program during the run.",
    "failed-file": "The file could not be migrated.",
    "internal-error": "A bug in nnx-migrate; please report it.",
    "large-file": "The file is too large to be Python that people write.",
    "link-out-of-tree": "The path is a link to a place outside of what was named.",
    "missing-path": "A path that was named does not exist.",
    "reverted-file": "What was written for the file did not pass the gate; it was left as it was.",
    "skipped-file": "The file was left out by its own comment.",
    "special-file": "The path is a pipe, a socket or a device.",
    "syntax-error": "The file is not Python that this interpreter can read.",
    "too-deep": "The code is nested too deeply to be read.",
    "too-slow": "The file took more time than it may (`timeout`).",
    "too-little-memory": "There was too little memory to read the file or to plan it.",
    "quarantined-file": "A batch run gave up on the file: too slow, too large, or it crashed.",
    "unread-code": "Code in a document that says nnx and could not be read.",
    "unreadable-file": "The file could not be read.",
    "unread-name": "A name that rewrites have left behind, and that could not be taken out.",
    "unused-ignore": "A comment that looks as if it kept code out, and does not.",
    "unwritable-file": "The file could not be replaced.",
}


def manual_of(rule: str) -> str:
    """The manual page of a rule, or a sentence about what the engine finds itself."""
    try:
        return find_rule(rule).manual()
    except (UnknownRule, BrokenRule):
        return _ENGINE.get(rule, "Told by the engine.")


def is_rule(name: str) -> bool:
    """Whether a finding of this name is a rule's, and not the engine's own."""
    return name in rule_entries()


def way_out_of(rule: str) -> str:
    """What a person would change so that no pin of the rule is needed; "" if nothing is known."""
    try:
        loaded = find_rule(rule).load()
    except (UnknownRule, BrokenRule):
        return ""
    return loaded.way_out if isinstance(loaded, Rule) else ""


def summary_of(rule: str) -> str:
    """The first line of the manual page."""
    return manual_of(rule).splitlines()[0]


def section_of(rule: str, title: str) -> str:
    """One section of the manual page; "" when it has none of that title."""
    parts = _SECTION.split(manual_of(rule))
    return dict(zip(parts[1::2], parts[2::2], strict=True)).get(title, "").strip()


def rule_descriptor(rule: str) -> dict[str, Any]:
    """The reportingDescriptor of a rule (SARIF 3.49)."""
    manual = manual_of(rule)
    reference = _REFERENCE.search(manual)
    return {
        "id": rule,
        "shortDescription": {"text": summary_of(rule)},
        "fullDescription": {"text": _flat(section_of(rule, "Why it matters")) or summary_of(rule)},
        "help": {"text": manual, "markdown": manual},
        **({"helpUri": reference[1]} if reference else {}),
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["flax", "nnx", "migration"]},
    }


def _flat(text: str) -> str:
    return " ".join(text.split())
