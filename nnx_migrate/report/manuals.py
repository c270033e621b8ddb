"""What SARIF and the pull-request texts say of a rule: its manual page, in parts."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from nnx_migrate.rewrite.model.registry import (
    BrokenRule,
    UnknownRule,
    find_rule,
    rule_entries,
)

_SECTION = re.compile(r"^(?P<title>\S.*)\n-{3,}\n", re.MULTILINE)
#: " (docs/semantics.md: GRD-1, GRD-2)", " (API-3)".
_CODES = re.compile(
    r"\s*\((?:docs/semantics\.md:\s+)?[A-Z]{3}-\w+(?:(?:,|\s+to)\s+[A-Z]{3}-\w+)*\)"
)
_REFERENCE = re.compile(r"^Reference: (https://\S+)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True, slots=True)
class EngineFinding:
    """What is found without a rule.

    Args:
        what: happened.
        todo: about it.
    """

    what: str
    todo: str


#: What the engine finds without a rule.
ENGINE_FINDINGS = {
    "broken-link": EngineFinding(
        "The path is a link to something that doesn't exist.",
        "Remove the link, or make it lead to a file.",
    ),
    "changed-file": EngineFinding(
        "Another program changed the file during the run.",
        "Run `nnx-migrate` again; nothing was written to the file.",
    ),
    "failed-file": EngineFinding(
        "`nnx-migrate` couldn't migrate the file.",
        "Read the reason in the finding. If it is a bug, report it; the other files are done.",
    ),
    "internal-error": EngineFinding(
        "A bug in nnx-migrate.",
        "Report it with the file, or leave the file out with `exclude`.",
    ),
    "large-file": EngineFinding(
        "The file is larger than code that people write.",
        "Split the file, or leave it out with `exclude`.",
    ),
    "link-out-of-tree": EngineFinding(
        "The path is a link to a place outside the paths that you named.",
        "Name the folder that the link leads to, if you want it migrated.",
    ),
    "missing-path": EngineFinding(
        "A path that you named doesn't exist.",
        "Correct the path.",
    ),
    "other-file": EngineFinding(
        "You named a file that doesn't look like Python code.",
        "Name a file that ends in `.py`, `.ipynb`, `.md`, or `.rst`. If it is Python, rename it, "
        "or give it the first line `#!/usr/bin/env python3`.",
    ),
    "reverted-file": EngineFinding(
        "The new text didn't pass the last checks, so the file stays as it was.",
        "Report it; the file is as it was.",
    ),
    "skipped-file": EngineFinding(
        "A comment in the file leaves it out.",
        "Nothing, or remove the comment `# nnx-migrate: skip-file`.",
    ),
    "special-file": EngineFinding(
        "The path is a pipe, a socket or a device.",
        "Nothing; it holds no code.",
    ),
    "syntax-error": EngineFinding(
        "The file isn't Python that this interpreter can read.",
        "Correct the file, or leave it out with `exclude`.",
    ),
    "too-deep": EngineFinding(
        "The code is nested too deeply to read.",
        "Split the expression, or leave the file out with `exclude`.",
    ),
    "too-slow": EngineFinding(
        "The file took longer than `timeout` allows.",
        "Raise `timeout` in the configuration, or leave the file out.",
    ),
    "too-little-memory": EngineFinding(
        "Memory ran out while the file was read or planned.",
        "Use fewer `--jobs`, or more memory.",
    ),
    "quarantined-file": EngineFinding(
        "A batch run gave up on the file: it was too slow or too large, or it crashed.",
        "Read the reason in the finding, then run `apply` on the file alone.",
    ),
    "unread-code": EngineFinding(
        "A block of a document mentions nnx, but isn't Python that can be read.",
        "Correct the block, or mark it as something other than Python.",
    ),
    "unreadable-file": EngineFinding(
        "The file couldn't be read.",
        "Give yourself permission to read it, or leave it out with `exclude`.",
    ),
    "unread-name": EngineFinding(
        "After the rewrites, a name is left that `nnx-migrate` can't remove.",
        "Remove the name by hand if nothing else uses it.",
    ),
    "unused-ignore": EngineFinding(
        "A comment looks as if it silences a finding, but silences none.",
        "Remove the comment.",
    ),
    "unwritable-file": EngineFinding(
        "The file couldn't be replaced.",
        "Give yourself permission to write it, and run `apply` again.",
    ),
}


def manual_of(rule: str) -> str:
    """The manual page of a rule, or a sentence about what the engine finds itself."""
    try:
        return without_codes(find_rule(rule).manual())
    except (UnknownRule, BrokenRule):
        found = ENGINE_FINDINGS.get(rule)
        return f"{found.what} {found.todo}" if found else "A finding of the engine."


def without_codes(manual: str) -> str:
    """A manual page for those who have not the pages that explain the codes in it."""
    return _CODES.sub("", manual)


def is_rule(name: str) -> bool:
    """Whether a finding of this name is a rule's, and not the engine's own."""
    return name in rule_entries()


def way_out_of(rule: str) -> str:
    """What a person would change so that no pin of the rule is needed; "" if nothing is known."""
    try:
        loaded = find_rule(rule).load()
    except (UnknownRule, BrokenRule):
        return ""
    return str(getattr(loaded, "way_out", ""))


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
