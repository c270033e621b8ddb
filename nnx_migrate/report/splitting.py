"""A migration in parts that are reviewed on their own: by file, folder, owner or rule.

By file, folder and owner every file is in one part, and no part needs another. By rule, a file may
be in several. What cannot be had apart in a file (its units) goes to a part for all its rules, and
files that change together are in one part, whatever it is split by.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from nnx_migrate.outcomes import FileResult, SourceEdit, apply_source_edits
from nnx_migrate.partners import groups
from nnx_migrate.report.patch import patched_name
from nnx_migrate.rewrite.gate import gate
from nnx_migrate.sources.text import UndecodableSource, decode

SplitBy = Literal["rule", "file", "owner", "dir"]


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
    results = list(results)

    def key_of(result: FileResult) -> tuple[str, ...]:
        name = patched_name(result.path, root)
        if by == "rule":
            return _rules(result)
        return {"file": (name,), "dir": (_folder(name),)}.get(by) or owners(name)

    for members in _together(results):
        key = tuple(sorted({each for member in members for each in key_of(member)}))
        for member in members:
            found.setdefault(key, {})[patched_name(member.path, root)] = FilePart(member)
    inseparable = {member.path for members in _together(results) for member in members}
    for result in results:
        name = patched_name(result.path, root)
        if result.path in inseparable:
            continue
        if by == "rule":
            for rules, part in _by_rule(result).items():
                found.setdefault(rules, {})[name] = part
        else:
            found.setdefault(key_of(result), {})[name] = FilePart(result)
    return [Part(key, found[key]) for key in sorted(found, key=lambda k: (len(k), k))]


def _together(results: Sequence[FileResult]) -> list[list[FileResult]]:
    """The files that change together, where there are several."""
    by_path = {result.path: result for result in results}
    found = [[by_path[p] for p in group if p in by_path] for group in groups(results)]
    return [members for members in found if len(members) > 1]


def state(result: FileResult, parts: Sequence[FilePart]) -> bytes:
    """A file as some parts leave it."""
    if any(part.edits is None for part in parts):
        return result.after
    edits = sorted((e for p in parts for e in p.edits or ()), key=lambda e: e.start)
    return apply_source_edits(result.before, edits, result.encoding)


def _folder(name: str) -> str:
    return name.rpartition("/")[0] or "."


def _by_rule(result: FileResult) -> dict[tuple[str, ...], FilePart]:
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
    if len(parts) > 1 and _each_stands_alone(result, list(parts.values())):
        return parts
    return {_rules(result): FilePart(result)}


def _rules(result: FileResult) -> tuple[str, ...]:
    """The rules that a file changes for."""
    edited = {place for edit in result.edits for place in edit.findings}
    places = edited or range(len(result.findings))
    return tuple(sorted({result.findings[place].rule for place in places}))


def _each_stands_alone(result: FileResult, parts: Sequence[FilePart]) -> bool:
    """Whether the file is whole Python with each part alone, and with all parts but one."""
    try:
        before = decode(result.path, result.before).text
        states = [state(result, [part]) for part in parts]
        states += [state(result, [other for other in parts if other is not p]) for p in parts]
        return not any(gate(before, decode(result.path, data).text) for data in states)
    except (UndecodableSource, SyntaxError):
        return False
