"""Who owns a file, by CODEOWNERS as GitHub reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pathspec

Owners = Callable[[str], tuple[str, ...]]

_PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
# A space in a pattern is written with a backslash before it; a comment may follow the owners.
_WORD = re.compile(r"(?:\\.|[^\s\\])+")


def owners_below(root: Path) -> Owners:
    """Return what tells the owners of a path that is relative to the root of a repository.

    Args:
        root: of the repository; without a CODEOWNERS file in one of GitHub's places nothing in
            it has an owner.
    """
    for place in _PLACES:
        try:
            text = (root / place).read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            continue
        return owners_from(text.splitlines())
    return owners_from(())


def owners_from(lines: Sequence[str]) -> Owners:
    """Return what tells the owners of a path, by the lines of a CODEOWNERS file.

    Args:
        lines: patterns with their owners behind them. The last one that matches counts; without
            owners it takes them away.
    """
    entries = []
    for line in lines:
        words = _WORD.findall(line)
        if not words or words[0].startswith("#"):
            continue
        owners = tuple(_until_comment(words[1:]))
        try:
            entries.append((pathspec.GitIgnoreSpec.from_lines([words[0]]), owners))
        except ValueError:
            # GitHub skips a line that it cannot read, too.
            continue
    entries.reverse()

    def owners_of(path: str) -> tuple[str, ...]:
        return next((owners for spec, owners in entries if spec.match_file(path)), ())

    return owners_of


def _until_comment(words: Sequence[str]) -> Sequence[str]:
    ends = [place for place, word in enumerate(words) if word.startswith("#")]
    return words[: ends[0]] if ends else words
