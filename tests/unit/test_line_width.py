"""Where long new lines are broken."""

from __future__ import annotations

import pytest

from nnx_migrate.rewrite.style.line_width import one_by_one, within_width

_LONG = "quite_a_long_name_of_something_that_is_given_to_it"


@pytest.mark.parametrize("line", ["x = 1", "return f(a, b)", f"{_LONG} = {_LONG}{_LONG}"])
def test_a_line_that_fits_or_has_no_brackets_stays(line: str) -> None:
    assert within_width(line, 0, "    ") == [line]


def test_what_the_last_brackets_hold_stands_between_them() -> None:
    line = f"    (a, *_), b = outer({_LONG}, inner(1, 2))"
    assert within_width(line, 20, "    ") == [
        "    (a, *_), b = outer(",
        f"        {_LONG}, inner(1, 2)",
        "    )",
    ]


def test_what_is_still_too_long_stands_on_lines_of_its_own() -> None:
    line = f"def run({_LONG}, pair=(1, 2), {_LONG}2):"
    assert within_width(line, 0, "  ") == [
        "def run(",
        f"  {_LONG},",
        "  pair=(1, 2),",
        f"  {_LONG}2,",
        "):",
    ]


def test_the_line_is_measured_with_what_stands_in_front_of_it() -> None:
    line = f"return f({_LONG})"
    assert within_width(line, 0, "  ") == [line]
    assert within_width(line, 45, "  ") == ["return f(", f"  {_LONG}", ")"]


def test_what_follows_the_brackets_follows_them() -> None:
    assert within_width(f"return f({_LONG}, {_LONG})[0]", 0, "  ")[-1] == ")[0]"


def test_a_tuple_stands_on_lines_of_its_own() -> None:
    line = f"if split({_LONG}) != ({_LONG[:20]}, params, nondiff):"
    assert within_width(line, 10, "    ") == [
        f"if split({_LONG}) != (",
        f"    {_LONG[:20]},",
        "    params,",
        "    nondiff,",
        "):",
    ]


def test_the_brackets_of_a_dict_are_broken_where_that_is_asked() -> None:
    line = f'"state": {{name: state({_LONG}, name) for name, part in {_LONG}.items()}}'
    assert within_width(line, 4, "    ", displays=True) == [
        '"state": {',
        f"    name: state({_LONG}, name) for name, part in {_LONG}.items()",
        "}",
    ]
    assert within_width(line, 4, "    ") == [line]


def test_what_is_looked_up_stays_on_its_line() -> None:
    line = f'"state": states["{_LONG}{_LONG}"]'
    assert within_width(line, 4, "    ", displays=True) == [line]


def test_one_argument_is_given_no_comma() -> None:
    text = f'"{_LONG}{_LONG}"'
    assert within_width(f"raise ValueError({text})", 0, "    ") == [
        "raise ValueError(",
        f"    {text}",
        ")",
    ]


@pytest.mark.parametrize("inner", ["lambda a, b: ", "a for a, b in "])
def test_commas_within_an_expression_end_no_line(inner: str) -> None:
    text = f"{inner}{_LONG}({_LONG})"
    assert within_width(f"run({text})", 0, "    ") == ["run(", f"    {text}", ")"]


def test_a_lambda_keeps_its_parameters_together() -> None:
    line = f"return f(lambda a, b: (a, b), {_LONG}, lambda *, c={{1: 2}}, d: c, {_LONG})"
    assert within_width(line, 0, "    ")[1:-1] == [
        "    lambda a, b: (a, b),",
        f"    {_LONG},",
        "    lambda *, c={1: 2}, d: c,",
        f"    {_LONG},",
    ]


def test_a_tab_is_as_wide_as_formatters_take_it() -> None:
    line = f"\treturn ({_LONG}, {_LONG[:30]})"
    assert within_width(line, 5, "\t") == [line]
    assert within_width(line, 6, "\t")[0] == "\treturn ("


@pytest.mark.parametrize(
    ("inner", "parts"),
    [
        ("a, *b, c=(1, 2)", ["a,", "*b,", "c=(1, 2),"]),
        ("a, b,", ["a,", "b,"]),
        ("lambda x, y: x, z", ["lambda x, y: x,", "z,"]),
        ("f(a, b)", ["f(a, b)"]),
        ("x for x, y in pairs", ["x for x, y in pairs"]),
    ],
)
def test_each_argument_has_its_comma(inner: str, parts: list[str]) -> None:
    assert one_by_one(inner) == parts
