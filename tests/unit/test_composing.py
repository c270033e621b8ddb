"""Edits to a text that was edited already are edits to the text as it was."""

from __future__ import annotations

import pytest

from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.style.composing import composed, shifted
from nnx_migrate.rewrite.text.edits import Edit, apply_edits

TEXT = "loop(self.step, x)"
FIRST = (Edit(0, 0, "def f(): pass\n"), Edit(5, 14, "lambda x: f(x)"))
CHANGED = "def f(): pass\nloop(lambda x: f(x), x)"


def between(old: str, new: str, count: int = 1) -> Edit:
    start = -1
    for _ in range(count):
        start = CHANGED.index(old, start + 1)
    return Edit(start, start + len(old), new)


@pytest.mark.parametrize(
    "second",
    [
        [],
        [between("loop", "nnx.loop")],
        [between("f()", "f(x)"), between("lambda x: f(x)", "f")],
        [between(", x", ", (x, self)")],
        [Edit(CHANGED.index("loop"), CHANGED.index("loop"), "y = ")],
        [between("lambda x", "lambda x, self"), Edit(len(CHANGED) - 1, len(CHANGED) - 1, ", self")],
        [between(", ", ")(")],
    ],
)
def test_both_steps_give_the_same_text(second: list[Edit]) -> None:
    assert apply_edits(TEXT, FIRST) == CHANGED
    assert apply_edits(TEXT, composed(FIRST, second)) == apply_edits(CHANGED, second)


def test_what_was_written_is_not_replaced_in_part() -> None:
    with pytest.raises(CannotEmit):
        composed(FIRST, [between("(x), ", "(x))(")])


def test_places_move_with_what_stands_before_them() -> None:
    assert CHANGED[shifted(FIRST, TEXT.index(", x"))] == ","
    assert CHANGED[shifted(FIRST, 0) :].startswith("loop")
