"""Lines are shown whole and true: escapes for what cannot be seen, and stretches that add up."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnx_migrate.report.html.colours import Colours
from nnx_migrate.report.html.display import shown_line, visible
from nnx_migrate.report.html.lines import split_lines
from nnx_migrate.report.html.words import differing_words


def stretches(shown: list[str] | str) -> list[tuple[str, str]]:
    """Letters and texts, cut the way that JavaScript cuts: by UTF-16 units."""
    if isinstance(shown, str):
        return [("_", shown)]
    units = shown[0].encode("utf-16-le")
    found, position = [], 0
    for letter, size in re.findall(r"([A-Za-z_])(\d+)", shown[1]):
        end = position + 2 * int(size)
        found.append((letter, units[position:end].decode("utf-16-le")))
        position = end
    assert position == len(units)
    return found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢 😀", "plain é 漢 😀"),
        ("\tindented", "\tindented"),
        ("a\x1b[31m", r"a\x1b[31m"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("a\u2028b\x85c\x0cd", r"a\u2028b\x85c\x0cd"),
        ("no\u00a0break \u200b\ufeff", r"no\xa0break \u200b\ufeff"),
        ("\u3164 \u2800 \ufe0f", r"\u3164 \u2800 \ufe0f"),
        ("bad\udcff.py", r"bad\xff.py"),
        ("two\nlines", r"two\nlines"),
    ],
)
def test_what_cannot_be_seen_is_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_escapes_are_apart_from_the_text() -> None:
    shown = shown_line("ab\u202ecd", [("s", 5)], [(1, 4)])
    assert stretches(shown) == [("s", "a"), ("S", "b"), ("X", "\\u202e"), ("S", "c"), ("s", "d")]
    assert shown_line("plain", [("_", 5)]) == "plain"


def test_long_lines_are_cut_around_what_differs() -> None:
    line = "a" * 10_000 + "b" + "c" * 10_000
    found = stretches(shown_line(line, [], [(10_000, 10_001)]))
    assert found[0] == ("g", "[9,800 characters before]")
    assert ("M", "b") in found
    assert found[-1] == ("g", "[8,201 more characters]")
    assert sum(len(text) for letter, text in found if letter != "g") == 2_000


ANY = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=80)


@given(ANY, ANY)
def test_stretches_add_up_to_the_line(old: str, new: str) -> None:
    marks, _ = differing_words(old, new)
    (coloured,) = Colours("a.py", split_lines(old + "\n")).of(range(1))
    found = stretches(shown_line(old, coloured, marks))
    assert "".join(text for _, text in found) == visible(old)


@given(ANY, ANY)
def test_lines_that_differ_have_a_mark(old: str, new: str) -> None:
    gone, come = differing_words(old, new)
    assert (old == new) == (not gone and not come)
    for text, marks in ((old, gone), (new, come)):
        edges = [edge for mark in marks for edge in mark]
        assert edges == sorted(edges)
        assert all(0 <= start < stop <= len(text) for start, stop in marks)


def letters(text: str, line: int, name: str = "a.py") -> str:
    (found,) = Colours(name, split_lines(text)).of(range(line, line + 1))
    return "".join(letter * size for letter, size in found)


def test_python_is_coloured_from_any_line_on() -> None:
    assert letters("def f(x): return 1  # c\n", 0).startswith("kkk_f")
    text = 'x = """one\ndef f\n""" + y\nclass A: pass\n'
    assert letters(text, 1) == "sssss"
    assert letters(text, 2) == "sss____"
    assert letters(text, 3).startswith("kkkkk_t")
    assert letters('# """ no string\ndef f(): pass\n', 1).startswith("kkk")
    assert letters('x = \'"""\'\ndef f(): pass\n', 1).startswith("kkk")
    assert letters("rb'''\nx\n'''\n", 1) == "s"


def test_other_files_have_their_own_colours() -> None:
    assert set(letters("# Title\n", 0, "a.md")) == {"f"}
    assert Colours("a.py", split_lines("x" * 3_000)).of(range(1)) == [[]]
