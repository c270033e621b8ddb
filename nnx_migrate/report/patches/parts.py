"""A migration in parts that are reviewed on their own: by file, folder, owner or rule.

By file, folder and owner every file is in one part, and no part needs another. By rule, a file may
be in several. What cannot be had apart in a file (its units) goes to a part for all its rules.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.core.findings import FileResult, SourceEdit, apply_source_edits
from nnx_migrate.report.patches.patch import patched_name
from nnx_migrate.report.patches.split_by import SplitBy
from nnx_migrate.rewrite.gate.checks import Gate, Refused
from nnx_migrate.rewrite.gate.untouched_nodes import Version
from nnx_migrate.rewrite.text.edits import Edit, Text
from nnx_migrate.sources.documents.kinds import is_document
from nnx_migrate.sources.text import Source, decode


@dataclasses.dataclass(frozen=True, slots=True)
class FilePart:
    """What a part makes of a file.

    Args:
        result: the file.
        edits: those of its edits that the part makes; None for all that happens to it.
    """

    result: FileResult
    edits: tuple[SourceEdit, ...] | None = None

    def findings(self) -> set[int]:
        """Places of the findings that the part is for."""
        if self.edits is None:
            return set(range(len(self.result.findings)))
        return {place for edit in self.edits for place in edit.findings}


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """One unit of review.

    Args:
        key: what it was split by: rules, a file, a folder or owners.
        files: what it makes of which file, by name from the root.
    """

    key: tuple[str, ...]
    files: Mapping[str, FilePart]


def split(
    results: Iterable[FileResult], by: SplitBy, root: Path, owners: Callable[[str], tuple[str, ...]]
) -> list[Part]:
    """Split a migration, in an order that puts parts of one rule before those of several.

    Args:
        results: the files that change.
        by: what goes together.
        root: absolute folder that names start from.
        owners: who owns a file, by its name from the root.
    """
    found: dict[tuple[str, ...], dict[str, FilePart]] = {}
    teams: dict[frozenset[str], tuple[str, ...]] = {}
    for result in results:
        name = patched_name(result.path, root)
        if by == "rule":
            for rules, part in _by_rule(result).items():
                found.setdefault(rules, {})[name] = part
        else:
            key = {"file": (name,), "dir": (_folder(name),)}.get(by) or owners(name)
            # Lines may name the same people in another order.
            key = teams.setdefault(frozenset(key), key)
            found.setdefault(key, {})[name] = FilePart(result)
    return [Part(key, found[key]) for key in sorted(found, key=lambda k: (len(k), k))]


def state(result: FileResult, parts: Sequence[FilePart]) -> bytes:
    """A file as some parts leave it."""
    if any(part.edits is None for part in parts):
        return result.after
    edits = sorted((e for p in parts for e in p.edits or ()), key=lambda e: e.start)
    return apply_source_edits(result.before, edits, result.encoding)


def _folder(name: str) -> str:
    return name.rpartition("/")[0] or "."


def _by_rule(result: FileResult) -> dict[tuple[str, ...], FilePart]:
    """Parts of a file by their rules; a document is one part."""
    units: dict[int, list[SourceEdit]] = {}
    for edit in result.edits:
        units.setdefault(edit.unit, []).append(edit)
    found: dict[tuple[str, ...], list[SourceEdit]] = {}
    for edits in units.values():
        rules = sorted({rule for edit in edits for rule in result.rules_of(edit)})
        found.setdefault(tuple(rules), []).extend(edits)
    parts = {
        rules: FilePart(result, tuple(sorted(edits, key=lambda e: e.start)))
        for rules, edits in found.items()
    }
    whole = is_document(result.path)
    if len(parts) > 1 and not whole and _each_stands_alone(result, list(parts.values())):
        return parts
    edited = {place for edit in result.edits for place in edit.findings}
    places = edited or range(len(result.findings))
    return {tuple(sorted({result.findings[p].rule for p in places})): FilePart(result)}


def _each_stands_alone(result: FileResult, parts: Sequence[FilePart]) -> bool:
    """Whether the file is whole Python with each part alone, and with all parts but one."""
    kept = {frozenset(part.edits or ()) for part in parts}
    kept |= {frozenset(result.edits) - edits for edits in kept}
    try:
        source = decode(result.path, result.before)
        before = Version(Text(source.text), parse(source.text))
        places = {edit: _edit(source, edit) for edit in result.edits}
        gate = Gate(before)
        for edits in kept:
            gate.changed(before, [places[edit] for edit in edits])
    except (ValueError, SyntaxError, Refused):
        return False
    return True


def _edit(source: Source, edit: SourceEdit) -> Edit:
    """An edit of a file as one of its text."""
    head = len(source.data) - len(source.text.encode(source.encoding))
    start = len(source.data[head : edit.start].decode(source.encoding))
    length = len(source.data[edit.start : edit.end].decode(source.encoding))
    return Edit(start, start + length, edit.replacement)
