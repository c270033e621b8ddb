"""The edits of a round, of which none meets those of another site."""

from __future__ import annotations

from nnx_migrate.rewrite.text.edits import Edit, hull, indents


class DisjointEdits:
    """What has been taken: the site that comes first; the other one waits for the next round."""

    def __init__(self) -> None:
        self.taken: list[Edit] = []
        self._indented: list[tuple[int, int]] = []

    def accept(self, edits: list[Edit]) -> bool:
        """Take a site's edits unless they meet those of another, which then goes first."""
        fresh = [edit for edit in edits if edit not in self.taken]
        if any(self._meets(edit) for edit in fresh):
            return False
        if indents(edits):
            start, end = hull(edits)
            if any(start < other.end and other.start < end for other in self.taken):
                return False
            self._indented.append((start, end))
        self.taken += fresh
        return True

    def _meets(self, edit: Edit) -> bool:
        """Whether an edit overlaps a planned one, stands at its place, or lies in code it moves.

        Inserts of two sites at one place would stand in the order of the sites, which is no reason:
        a merge at the top of a function must come before the split of what it merges.
        """
        if edit.start == edit.end and any(e.start == e.end == edit.start for e in self.taken):
            return True
        if any(edit.start < e.start == e.end < edit.end for e in self.taken):
            return True
        spans = [(e.start, e.end) for e in self.taken if e.start < e.end] + self._indented
        return any(
            (edit.start < end and start < edit.end) or (start < edit.start == edit.end < end)
            for start, end in spans
        )
