"""Patterns of .gitignore and CODEOWNERS files, matched in time that no pattern can make explode.

Libraries turn `*a*a*b` into `[^/]*a[^/]*a[^/]*b`, for which Python's `re` tries every way to share
the characters of a name among the stars. The earliest match of each part but the last is as good
as any later one, so these parts become atomic groups: one try each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathspec

#: `**` may stand for any number of folders, and each one more multiplies the ways to match.
MOST_DOUBLE_STARS = 6
_STAR = re.escape("[^/]*")
# What stands for one character, in the words of both libraries.
_ONE = r"(?:\\.|\[\^/\](?!\*)|\[(?!\^/\])\^?\]?[^\]]*\]|[^\\\[\]()|*+?/^$.{}])"
_STARS = re.compile(rf"{_STAR}{_ONE}+(?={_STAR})")


def ignore_patterns(lines: Iterable[str]) -> pathspec.GitIgnoreSpec:
    """Patterns in .gitignore syntax.

    Args:
        lines: one pattern each; empty ones and comments count for nothing.

    Raises:
        ValueError: one of them is none, or has too many `**`.
    """
    import pathspec

    taken = list(lines)
    for line in taken:
        require_few_double_stars(line)
    try:
        found = pathspec.GitIgnoreSpec.from_lines(taken)
    except re.error as error:  # a range that ends before it begins, say: pathspec checks none
        raise ValueError(f"a pattern that cannot be read: {error}") from error
    if not any(map(_may_explode, taken)):
        return found
    for pattern in found.patterns:
        if isinstance(pattern, pathspec.RegexPattern) and pattern.regex is not None:
            pattern.regex = without_explosion(pattern.regex)
    # Made anew: it may have compiled the patterns already.
    return pathspec.GitIgnoreSpec(found.patterns)


def without_explosion(regex: re.Pattern[str]) -> re.Pattern[str]:
    """The same pattern, whose stars are matched one after the other.

    Args:
        regex: of `pathspec` or `codeowners`.
    """
    text = _STARS.sub(lambda part: f"(?>[^/]*?{part[0][len('[^/]*') :]})", regex.pattern)
    return re.compile(text)


def _may_explode(line: str) -> bool:
    return line.count("*") > 2


def require_few_double_stars(line: str) -> None:
    """Refuse a pattern that could be matched in too many ways.

    Raises:
        ValueError: it has more than `MOST_DOUBLE_STARS` times `**`.
    """
    if line.count("**") > MOST_DOUBLE_STARS:
        raise ValueError(f"more than {MOST_DOUBLE_STARS} times ** in the pattern {line[:80]!r}")
