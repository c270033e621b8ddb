"""Markdown for GitHub, which takes no comment or description above a length."""

from __future__ import annotations

from collections.abc import Sequence

from nnx_migrate.report.markdown_text import size

#: GitHub's limit; some room is kept for what a workflow adds.
LIMIT = 65_536 - 1_024
_NOTE_ROOM = 200


class CappedPage:
    """Text that takes lists in as far as there is room.

    Args:
        text: what it begins with; nobody cuts that.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def add_list(self, head: str, lines: Sequence[str], foot: str = "") -> None:
        """Add a list, if it holds anything, and say how much of it had no room.

        Args:
            head: what goes above it.
            lines: its entries, without "- ".
            foot: what goes below it.
        """
        if not lines:
            return
        room = LIMIT - size(self.text) - size(head) - size(foot) - _NOTE_ROOM
        shown = 0
        for line in lines:
            room -= size(line) + len("- \n")
            if room < 0:
                break
            shown += 1
        listed = "".join(f"- {line}\n" for line in lines[:shown])
        self.text += f"\n{head}\n\n{listed}"
        if shown < len(lines):
            self.text += (
                f"\n{len(lines) - shown:,} more did not fit here; the report of the run has them "
                "all.\n"
            )
        self.text += f"\n{foot}\n" if foot else ""
