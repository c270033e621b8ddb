"""The ways in which syntax binds names, held against Python's own table of symbols."""

from __future__ import annotations

import ast
import symtable

import pytest

from nnx_migrate.sources.bound_names import are_bound_in, binds, bound_names, inside

WAYS = [
    "x = 1",
    "x: int = 1",
    "x += 1",
    "x, (y, *z) = value",
    "table[x] = y",
    "thing.x = y",
    "del x",
    "(x := 1)",
    "print(x)",
    "for x, y in value: z = 1",
    "with value as x, other as (y, z): pass",
    "def x(y): z = 1",
    "async def x(y): z = 1",
    "class x: y = 1",
    "import x.y",
    "import x.y as z",
    "from x import y, z as w",
    "try:\n    pass\nexcept ValueError as x:\n    pass",
    "match value:\n    case [x, *y]: pass\n    case {'a': z, **w}: pass\n    case int() as v: pass",
    "match value:\n    case _: pass",
]


@pytest.mark.parametrize("code", WAYS)
def test_names_are_those_that_python_binds(code: str) -> None:
    table = symtable.symtable(code, "<code>", "exec")
    expected = {
        each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported()
    }
    own = [node for node in ast.walk(ast.parse(code)) if not _is_in_definition(code, node)]
    assert {name for node in own for name in bound_names(node)} == expected


def test_declarations_and_star_imports_count() -> None:
    declared, everything = ast.parse("global x, y\nfrom somewhere import *").body
    assert [*bound_names(declared)] == ["x", "y"]
    assert binds(everything, {"anything"})
    assert not binds(declared, {"z"})


def test_own_parameters_are_not_bound_anew() -> None:
    function = ast.parse("def step(model, *rest, x, **more): return model(x)").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert not are_bound_in(inside(function), {"model", "rest", "x", "more", "step"})


@pytest.mark.parametrize(
    "line",
    ["model = other", "lambda model: 1", "def model(): pass", "import model", "[m for model in a]"],
)
def test_what_binds_a_parameter_anew(line: str) -> None:
    function = ast.parse(f"def step(model):\n    {line}").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert are_bound_in(inside(function), {"model"})


def _is_in_definition(code: str, node: ast.AST) -> bool:
    """Whether a node stands in the body of a function or of a class."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    bodies = (each.body for each in ast.parse(code).body if isinstance(each, kinds))
    lines = {(n.lineno, n.col_offset) for body in bodies for each in body for n in [each]}
    place = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    return any(place >= start for start in lines)
