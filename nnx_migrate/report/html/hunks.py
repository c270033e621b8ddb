"""What differs between two texts, in parts that are looked at one by one."""

from __future__ import annotations

import dataclasses
import difflib
import itertools
from collections.abc import Iterator, Sequence

from nnx_migrate.report.html.lines import Line, Row, changed_rows, same_rows
from nnx_migrate.report.html.scopes import unit_at

_CONTEXT = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that differ, with what is around them.

    Args:
        old: 0-based lines of the old text, the end excluded.
        new: likewise of the new text.
        rows: in their order.
    """

    old: range
    new: range
    rows: tuple[Row, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class _Block:
    """Lines that differ, without a line in common."""

    gone: range
    come: range


def hunks_of(old: Sequence[Line], new: Sequence[Line]) -> Iterator[Hunk]:
    """Yield what differs, with up to three lines around it.

    What lies close together is one hunk, unless it stands in different functions: each of those has
    sites, and reasons, of its own.
    """
    blocks = [
        block
        for rough in _blocks(old, new, _Block(range(len(old)), range(len(new))))
        for block in _blocks(old, new, rough)
    ]
    groups: list[list[_Block]] = []
    for block in blocks:
        if groups and _belong_together(old, new, groups[-1][-1], block):
            groups[-1].append(block)
        else:
            groups.append([block])
    if not groups:
        return
    edges = [_between(left[-1], right[0]) for left, right in itertools.pairwise(groups)]
    before = [_CONTEXT, *(after for _, after in edges)]
    after = [*(before for before, _ in edges), _CONTEXT]
    for group, lead, trail in zip(groups, before, after, strict=True):
        yield _hunk(old, new, group, lead, trail)


def excerpt(place: int, lines: Sequence[Line]) -> Hunk:
    """Return the lines around a 0-based one, nothing of which differs."""
    shown = range(max(0, place - _CONTEXT), min(len(lines), place + _CONTEXT + 1))
    return Hunk(shown, range(0), tuple(same_rows(shown, shown)))


def _blocks(old: Sequence[Line], new: Sequence[Line], within: _Block) -> Iterator[_Block]:
    """What differs within two spans of lines.

    In long spans difflib passes over lines that are frequent, so that what it finds there is to be
    looked through again.
    """
    i, j = within.gone.start, within.come.start
    lines = old[i : within.gone.stop], new[j : within.come.stop]
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, *lines).get_opcodes():
        if tag != "equal":
            yield _Block(range(i + i1, i + i2), range(j + j1, j + j2))


def _hunk(
    old: Sequence[Line], new: Sequence[Line], blocks: Sequence[_Block], lead: int, trail: int
) -> Hunk:
    first, last = blocks[0], blocks[-1]
    i = max(0, first.gone.start - lead)
    j = first.come.start - (first.gone.start - i)
    old_start, new_start = i, j
    rows: list[Row] = []
    for block in blocks:
        rows += same_rows(range(i, block.gone.start), range(j, block.come.start))
        rows += changed_rows(old, new, block.gone, block.come)
        i, j = block.gone.stop, block.come.stop
    stop = min(len(old), last.gone.stop + trail)
    rows += same_rows(range(i, stop), range(j, j + stop - i))
    return Hunk(range(old_start, stop), range(new_start, j + stop - i), tuple(rows))


def _between(left: _Block, right: _Block) -> tuple[int, int]:
    """How many of the lines between two blocks go with each."""
    gap = right.gone.start - left.gone.stop
    return min(_CONTEXT, (gap + 1) // 2), min(_CONTEXT, gap // 2)


def _belong_together(old: Sequence[Line], new: Sequence[Line], left: _Block, right: _Block) -> bool:
    close = right.gone.start - left.gone.stop <= 2 * _CONTEXT
    return close and _last_unit(old, new, left) == _first_unit(old, new, right)


def _last_unit(old: Sequence[Line], new: Sequence[Line], block: _Block) -> str:
    return unit_at(old, block.gone[-1]) if block.gone else unit_at(new, block.come[-1])


def _first_unit(old: Sequence[Line], new: Sequence[Line], block: _Block) -> str:
    return unit_at(old, block.gone[0]) if block.gone else unit_at(new, block.come[0])
