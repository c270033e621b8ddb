"""Files that calls wrote, beside each other.

Equal bytes are equal. Text of other words is another text. Text that differs in its numbers alone,
and bytes of anything else, may differ by rounding, by the time of day or by a change: from here
nobody can tell, so they are not compared.
"""

from __future__ import annotations

import re

from nnx_migrate.check.compare.forms import Leaf, Plain

#: Where in a view they are.
ROOT = "it writes"
_KINDS = ("file", "text file")
_NUMBER = re.compile(r"[-+]?\b\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?")


def why_not_compared(path: str, old: Leaf | None, new: Leaf | None) -> str:
    """Says why two files that differ cannot be compared.

    Args:
        path: in a view.
        old: what the reference wrote.
        new: what the other wrote.

    Returns:
        "" where they are equal, or can be told apart; what is no file is not looked at.
    """
    if not (_is_written(path, old) and _is_written(path, new)) or old == new:
        return ""
    assert isinstance(old, Plain)
    assert isinstance(new, Plain)
    if old.kind != new.kind or "is gone" in (old.text, new.text):
        return ""
    if old.kind == "file":
        return "its bytes differ"
    left, right = _first_lines(old.text, new.text)
    if _NUMBER.sub("0", old.text) != _NUMBER.sub("0", new.text):
        return ""
    return f"it differs in numbers alone, first in {left!r} and {right!r}"


def shown_apart(old: Plain, new: Plain) -> tuple[str, str] | None:
    """The first lines that differ of two text files; None for anything else.

    Args:
        old: what the reference wrote.
        new: what the other wrote.
    """
    if old.kind != "text file" or new.kind != "text file":
        return None
    left, right = _first_lines(old.text, new.text)
    return f"the line {left!r}", f"the line {right!r}"


def is_of_files(path: str) -> bool:
    """Whether a path in a view is that of a file.

    Args:
        path: in a view.
    """
    return path.startswith(f"{ROOT}/")


def told(path: str) -> str:
    """What a call does to a file, in words.

    Args:
        path: in a view.
    """
    return path.replace("/", " ", 1)


def _is_written(path: str, leaf: Leaf | None) -> bool:
    return is_of_files(path) and isinstance(leaf, Plain) and leaf.kind in _KINDS


def _first_lines(old: str, new: str) -> tuple[str, str]:
    lefts, rights = old.splitlines(), new.splitlines()
    for left, right in zip(lefts, rights, strict=False):
        if left != right:
            return left[:80], right[:80]
    number = min(len(lefts), len(rights))
    rest = [lines[number][:80] if len(lines) > number else "" for lines in (lefts, rights)]
    return rest[0], rest[1]
