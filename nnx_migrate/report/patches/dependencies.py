"""Which parts of a migration need which others, so that `git apply` puts each where it belongs.

A part needs an earlier one when, in some file, one of them changes what the other shows around its
own changes. Where git could take another place for the right one, because nothing in a hunk is
found only once, the parts of that file go one after the other, so that line numbers are exact.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence

from nnx_migrate.report.patches.parts import FilePart, Part, state
from nnx_migrate.report.patches.patch import hunk_opcodes, patch_lines


def needs_of(parts: Sequence[Part]) -> list[set[int]]:
    """The parts that each part needs, those that these need included; all of them are earlier."""
    needs: list[set[int]] = [set() for _ in parts]
    sharing: dict[str, list[int]] = {}
    for number, part in enumerate(parts):
        for name in part.files:
            sharing.setdefault(name, []).append(number)
    for name, numbers in sharing.items():
        if len(numbers) > 1:
            here = {number: parts[number].files[name] for number in numbers}
            for former, latter in _pairs(here):
                needs[latter].add(former)
    for number in range(len(parts)):  # an earlier one is complete when a later one reads it
        needs[number] |= {deeper for need in needs[number] for deeper in needs[need]}
    return needs


def _pairs(here: Mapping[int, FilePart]) -> list[tuple[int, int]]:
    """Which parts of one file have to follow which, earlier part first."""
    numbers = sorted(here)
    every = list(itertools.combinations(numbers, 2))
    result = here[numbers[0]].result
    alone = {number: _Hunks(result.before, state(result, [here[number]])) for number in numbers}
    near = [(a, b) for a, b in every if alone[a].meets(alone[b]) or alone[b].meets(alone[a])]
    groups = _connected(numbers, near)
    pairs = [(a, b) for a, b in every if groups[a] == groups[b]]
    once = _found_once(list(here.values()))
    for number in numbers:
        first = [here[a] for a, b in pairs if b == number]
        made = _Hunks(state(result, first), state(result, [*first, here[number]]))
        if not made.are_anchored(once):
            return every
    return pairs


def _connected(numbers: Sequence[int], pairs: Sequence[tuple[int, int]]) -> dict[int, int]:
    """For each number the least one that pairs lead to."""
    least = {number: number for number in numbers}
    for _ in numbers:
        for a, b in pairs:
            least[a] = least[b] = min(least[a], least[b])
    return least


class _Hunks:
    """What a patch from one version of a file to another shows and changes, by lines of the old."""

    def __init__(self, old: bytes, new: bytes) -> None:
        self._lines = patch_lines(old)
        groups = hunk_opcodes(self._lines, patch_lines(new))
        self._shown = [(group[0][1], group[-1][2]) for group in groups]
        self._changed = [(i, j) for group in groups for tag, i, j, *_ in group if tag != "equal"]

    def are_anchored(self, once: set[str]) -> bool:
        """Whether each has a line that no version of the file has twice."""
        return all(
            any(line in once for line in self._lines[start:end]) for start, end in self._shown
        )

    def meets(self, other: _Hunks) -> bool:
        """Whether this changes a line that the other shows, or puts some between or beside them."""
        return any(
            changed[0] <= shown[1] and shown[0] <= changed[1]
            for changed in self._changed
            for shown in other._shown
        )


def _found_once(parts: Sequence[FilePart]) -> set[str]:
    """Lines that the file has at most once, whichever of its parts are made."""
    result = parts[0].result
    mixtures = [[], [*parts], *([part] for part in parts)]
    mixtures += [[other for other in parts if other is not part] for part in parts]
    most: Counter[str] = Counter()
    for made in mixtures:
        most |= Counter(patch_lines(state(result, made)))
    return {line for line, number in most.items() if number == 1}
