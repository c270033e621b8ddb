"""Versions of the checker: what is told to people makes no other one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.check.machine.digests import digest_of

_CODE = """\
def judged(a, b):
    \"\"\"Whether they are the same.\"\"\"
    query = "SELECT a FROM b"
    kind = "plain"
    # They may not be.
    return NotDone(f"{a} is not the same as {b}", kind, query) if a != b else None
"""


def _digest(folder: Path, text: str) -> str:
    file = folder / "judging.py"
    file.write_text(text)
    return digest_of([file])


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("Whether they are the same.", "If they are alike, or not.", True),
        ("# They may not be.", "# Nobody knows that.", True),
        (" is not the same as ", " is something else than ", True),
        ("a != b", "a is not b", False),
        ('"plain"', '"other"', False),
        ("SELECT a FROM b", "SELECT b FROM b", False),
    ],
)
def test_messages_comments_and_docstrings_do_not_count(
    old: str, new: str, same: bool, tmp_path: Path
) -> None:
    assert old in _CODE
    found = _digest(tmp_path, _CODE.replace(old, new))
    assert (found == _digest(tmp_path, _CODE)) is same


def test_a_definition_may_move_to_another_file(tmp_path: Path) -> None:
    one, two, both = (tmp_path / name for name in ("one.py", "two.py", "both.py"))
    one.write_text("from two import b\n\n\ndef a():\n    return b()\n")
    two.write_text("def b():\n    return 1\n")
    both.write_text("def b():\n    return 1\n\n\ndef a():\n    return b()\n")
    assert digest_of([one, two]) == digest_of([both])
    both.write_text("def b():\n    return 2\n\n\ndef a():\n    return b()\n")
    assert digest_of([one, two]) != digest_of([both])
