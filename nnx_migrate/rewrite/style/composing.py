"""Edits to a text that edits have changed already, as edits to the text as it was."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from nnx_migrate.rewrite.model.causes import LayoutCause
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.text.edits import Edit, apply_edits


def shifted(edits: Iterable[Edit], place: int) -> int:
    """Where a character is once these edits, none of which holds it, are made."""
    return place + sum(_growth(edit) for edit in edits if edit.end <= place)


def _growth(edit: Edit) -> int:
    return len(edit.replacement) - (edit.end - edit.start)


def composed(first: Sequence[Edit], second: Sequence[Edit]) -> list[Edit]:
    """Edits that do what `first` does, and then `second`.

    Args:
        first: in their order.

    Raises:
        CannotEmit: an edit of the second replaces a part of what one of the first wrote.
    """
    within: dict[Edit, list[Edit]] = {edit: [] for edit in first}
    result: list[Edit] = []
    for edit in second:
        before = after = 0
        for earlier in first:
            start = earlier.start + after
            end = start + len(earlier.replacement)
            if start <= edit.start and edit.end <= end:
                moved = (edit.start - start, edit.end - start)
                within[earlier].append(Edit(*moved, edit.replacement))
                break
            if edit.end <= start:
                result.append(Edit(edit.start - before, edit.end - after, edit.replacement))
                break
            if edit.start <= start and end <= edit.end:
                within.pop(earlier, None)
            elif edit.start < end:
                raise CannotEmit(LayoutCause.SPELLED_OUT_REPLACED)
            else:
                before += _growth(earlier)
            after += _growth(earlier)
        else:
            result.append(Edit(edit.start - before, edit.end - after, edit.replacement))
    result += [
        dataclasses.replace(edit, replacement=apply_edits(edit.replacement, inner))
        for edit, inner in within.items()
    ]
    return result
