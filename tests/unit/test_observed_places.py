"""What applies a transform tells that it runs: a statement, and a part of one that may not run."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from nnx_migrate.observe.command import _places
from nnx_migrate.observe.places import Span, told_of_places
from nnx_migrate.sources.facts.observed_facts import SeenPlace


def ran_lines(code: str, **given: Any) -> tuple[dict[str, Any], dict[int, bool]]:
    """What a file leaves in its names, and of which of its lines facts say that they ran."""
    tree = ast.parse(code)
    told: list[dict[str, Any]] = []

    def tells(span: Span, node: ast.stmt | ast.expr) -> ast.expr:
        told.append({"file": "a.py", "span": span, "ran": False})
        call = ast.Call(ast.Name("runs", ast.Load()), [ast.Constant(len(told) - 1)], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def runs(number: int) -> None:
        told.append({**told[number], "ran": True})

    bodies = [each.body for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    for body in (tree.body, *bodies):
        told_of_places(body, frozenset({"jit", "grad"}), tells)
    names: dict[str, Any] = {
        "runs": runs,
        "jit": lambda f: ("jit", f),
        "grad": lambda f: ("grad", f),
    }
    names |= given
    exec(compile(tree, "a.py", "exec"), names)
    places = _places(told).get("a.py", {})
    return names, {line: place.ran for line, place in places.items()}


@pytest.mark.parametrize("fast", [False, True])
def test_a_branch_of_an_expression_ran_if_it_did(fast: bool) -> None:
    names, ran = ran_lines("step = jit(f) if fast else f\n", f=1, fast=fast)
    assert names["step"] == (("jit", 1) if fast else 1)
    assert ran == {1: fast}


def test_branches_on_lines_of_their_own_are_told_from_each_other() -> None:
    code = "step = (\n    jit(f)\n    if fast\n    else grad(f)\n)\n"
    names, ran = ran_lines(code, f=1, fast=False)
    assert names["step"] == ("grad", 1)
    assert ran == {1: True, 2: False, 3: True, 4: True, 5: True}


@pytest.mark.parametrize(
    ("code", "ran"),
    [
        ("x = off and jit(1)\n", {1: False}),
        ("x = 1 and jit(1)\n", {1: True}),
        ("x = jit(1) and off\n", {1: True}),
        ("x = [jit(each) for each in ()]\n", {1: False}),
        ("x = {each: jit(each) for each in (1,)}\n", {1: True}),
        ("x = list(each for each in (1,) if each > 1 and jit(each))\n", {1: False}),
        ("x = lambda: jit(1)\n", {1: False}),
        ("x = (lambda: jit(1))()\n", {1: True}),
        # Two of one line, of which one ran: facts do not tell which.
        ("x = jit(1) if off else grad(1)\n", {1: False}),
        # At the top of a file, and in a class, too.
        ("if off:\n    x = jit(1)\n", {2: False}),
        ("if not off:\n    x = jit(1)\n", {2: True}),
        ("class Net:\n    'text'\n    x = jit(1)\n", {3: True}),
        ("def f():\n    return jit(1)\nx = f\n", {2: False}),
        ("def f():\n    return jit(1)\nx = f()\n", {2: True}),
    ],
)
def test_what_ran(code: str, ran: dict[int, bool]) -> None:
    assert ran_lines(code, off=0)[1] == ran


def test_processes_add_up_before_parts_of_a_line_do() -> None:
    spans = [(1, 4, 1, 9), (1, 15, 1, 20)]
    lines = [
        {"file": "a.py", "span": span, "ran": each} for span in spans for each in (False, True)
    ]
    assert _places(lines)["a.py"][1] == SeenPlace(True)
    assert _places(lines[:-1])["a.py"][1] == SeenPlace(False)
