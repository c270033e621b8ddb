"""Hunks hold all that differs and nothing twice, and are cut where functions are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nnx_migrate.report.html.hunks import Hunk, excerpt, hunks_of
from nnx_migrate.report.html.lines import Line, split_lines

LINES = st.lists(
    st.sampled_from(["def f():", "  x = 1", "", "@nnx.jit", "  y(x)", "z"]), max_size=60
)


def lines(texts: list[str]) -> list[Line]:
    return [Line(text, "\n") for text in texts]


def applied(old: list[Line], new: list[Line], hunks: list[Hunk]) -> list[Line]:
    """The old lines with what the rows of the hunks say."""
    result: list[Line] = []
    position = 0
    for hunk in hunks:
        result += old[position : hunk.old.start]
        for row in hunk.rows:
            if row.equal and row.old is not None:
                result.append(old[row.old])
            elif row.new is not None:
                result.append(new[row.new])
        position = hunk.old.stop
    return result + old[position:]


@given(LINES, LINES)
def test_the_rows_are_the_change(before: list[str], after: list[str]) -> None:
    old, new = lines(before), lines(after)
    hunks = list(hunks_of(old, new))
    assert applied(old, new, hunks) == new
    assert bool(hunks) == (old != new)
    for hunk in hunks:
        assert [row.old for row in hunk.rows if row.old is not None] == list(hunk.old)
        assert [row.new for row in hunk.rows if row.new is not None] == list(hunk.new)
        assert not all(row.equal for row in hunk.rows)


TWO = """\
def first(x):
  return one(x)


def second(x):
  y = x
  return one(y)
"""


def test_changes_of_two_functions_are_two_hunks() -> None:
    old, new = split_lines(TWO), split_lines(TWO.replace("one(", "two("))
    first, second = hunks_of(old, new)
    assert (first.old, second.old) == (range(0, 4), range(4, 7))
    joined = hunks_of(old, split_lines(TWO.replace("y = x", "y = 2").replace("one(y", "two(y")))
    assert [hunk.old for hunk in joined] == [range(2, 7)]


def test_versions_of_a_line_stand_side_by_side() -> None:
    old = split_lines("  loss, grads = nnx.grad(f)(model)\n")
    new = split_lines("  model = nnx.merge(g, p)\n  loss, grads = nnx.grad(f)(params)\n")
    (hunk,) = hunks_of(old, new)
    assert [(row.old, row.new) for row in hunk.rows] == [(None, 0), (0, 1)]
    assert hunk.rows[1].old_marks == ((28, 33),)
    assert hunk.rows[1].new_marks == ((28, 34),)


def test_frequent_lines_are_still_the_same() -> None:
    # difflib takes what is more than a hundredth of a long text for noise.
    old = [Line(text, "\n") for n in range(150) for text in ("", "  return x", f"x = {n}")]
    new = [Line("x = 'changed'", "\n") if line.text == "x = 9" else line for line in old]
    (hunk,) = hunks_of(old, new)
    assert sum(not row.equal for row in hunk.rows) == 1


def test_lines_end_where_python_ends_them() -> None:
    text = "a\fb\r\nc\x85d\re\u2028f\n\n"
    assert [line.text for line in split_lines(text)] == ["a\fb", "c\x85d", "e\u2028f", ""]
    assert [line.end for line in split_lines(text)] == ["\r\n", "\r", "\n", "\n"]
    assert split_lines("") == []
    assert split_lines("a") == [Line("a", "")]


def test_an_excerpt_is_what_is_around() -> None:
    shown = excerpt(1, lines(["a", "b", "c", "d", "e", "f"]))
    assert (shown.old, len(shown.rows), len(shown.new)) == (range(0, 5), 5, 0)
