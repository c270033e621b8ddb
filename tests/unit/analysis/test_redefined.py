"""Names that the body of a module binds again: what they mean at which place."""

from __future__ import annotations

import ast

import pytest

from nnx_migrate.analysis.domain.values import Instance, Scope
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.reaching_statements import ReachingStatements
from nnx_migrate.analysis.sites.tree import Tree
from tests.unit.analysis.asking import MAIN, analysis_of, scope_named, values_of

CLASSES = """
from flax import nnx
class Net(nnx.Module):
    def __init__(self):
        self.first = nnx.Param(1.0)
early = Net()
def make():
    return Net()
def given(net: Net | None):
    return net
class Above(Net):
    pass
class Net(nnx.Module):
    def __init__(self):
        self.second = nnx.BatchStat(1.0)
late = Net()
class Below(Net):
    pass
above, below = Above(), Below()
made = make()
"""


def _lines(analysis: Analysis, name: str, function: str = "") -> set[int]:
    values = values_of(analysis, name, function)
    names = [value.class_name for value in values if isinstance(value, Instance)]
    return {int(name.rpartition(":")[2]) for name in names}


@pytest.mark.parametrize(
    ("name", "function", "lines"),
    [("early", "", {3}), ("late", "", {13}), ("net", "given", {3}), ("made", "", {3, 13})],
)
def test_class_by_line(name: str, function: str, lines: set[int]) -> None:
    assert _lines(analysis_of(CLASSES), name, function) == lines


def test_base_class_by_line() -> None:
    analysis = analysis_of(CLASSES)
    found = {name: analysis.contents.of(values_of(analysis, name)) for name in ("above", "below")}
    assert found["above"].variables == {"Param"}
    assert found["below"].variables == {"BatchStat"}


def test_class_that_a_condition_may_define() -> None:
    source = CLASSES.replace(
        "class Net(nnx.Module):\n    def __init__(self):\n        self.s",
        "if 1:\n  class Net(nnx.Module):\n    def __init__(self):\n        self.s",
    )
    assert "if 1:" in source
    assert _lines(analysis_of(source), "early") == {3}
    assert _lines(analysis_of(source), "late") == {3, 14}


CALLS = """
from flax import nnx
{before}
def f(a): pass
{between}
f(nnx.Rngs(0))
{late}
def f(b): pass
f(nnx.BatchNorm(1, rngs=nnx.Rngs(0)))
"""
NONE: set[str] = set()
FIRST = {"Rngs"}
BOTH = {"Rngs", "BatchNorm"}
DEFINITIONS = {
    "in order": ("", "", "", FIRST),
    "a call in the statement that binds it": ("", "", "f = f(nnx.Rngs(0))", FIRST),
    "one line": ("", "", "f(nnx.Rngs(0)); f = print", FIRST),
    "block": ("", "if f:\n    def f(b): pass", "", FIRST),
    "loop": ("", "for f in (f, f): pass", "", FIRST),
    "function": ("", "def change():\n    global f\n    f = print", "", BOTH),
    "import": ("import f", "", "", FIRST),
    "import in between": ("", "import f", "", NONE),
    "with": ("", "with open('f') as f: pass", "", NONE),
}


@pytest.mark.parametrize("case", DEFINITIONS)
def test_function_that_a_call_runs_by_line(case: str) -> None:
    before, between, late, expected = DEFINITIONS[case]
    analysis = analysis_of(CALLS.format(before=before, between=between, late=late))
    functions = [
        Scope(MAIN, function.key)
        for function in analysis.project.modules[MAIN].functions.values()
        if function.name == "f" and function.parameters[0].name == "a"
    ]
    passed = analysis.evaluator.parameter(
        functions[0], analysis.project.function(functions[0]).parameters[0]
    )
    assert {v.class_name.rpartition(".")[2] for v in passed if isinstance(v, Instance)} == expected


SEEN = """
from flax import nnx
x = nnx.Linear(1, 1, rngs=nnx.Rngs(0))
def early():
    return x
def both(given):
    return given
first = both(x)
x = nnx.Conv(1, 1, (1,), rngs=nnx.Rngs(0))
def late():
    return x
a, b = early(), late()
{more}
"""


@pytest.mark.parametrize(
    ("more", "name", "kinds"),
    [
        ("", "a", {"Linear", "Conv"}),
        ("", "b", {"Conv"}),
        ("", "first", {"Linear"}),
        ("if a:\n    x = 1", "b", {"Conv"}),
        ("if a:\n    x = 1", "first", {"Linear"}),
        ("def change():\n    global x\n    x = 1", "b", {"Conv"}),
        ("for x in (1, 2):\n    pass", "first", {"Linear"}),
        (
            "for i in (1, 2):\n    if i:\n        x = nnx.BatchNorm(1, rngs=nnx.Rngs(0))\n"
            "    else:\n        x = 1\n        def third():\n            return x\nc = third()",
            "c",
            {"BatchNorm"},
        ),
    ],
)
def test_what_functions_see_and_are_given(more: str, name: str, kinds: set[str]) -> None:
    values = values_of(analysis_of(SEEN.format(more=more)), name)
    assert {v.class_name.rpartition(".")[2] for v in values if isinstance(v, Instance)} == kinds


OBJECTS = """
from flax import nnx
x = nnx.Linear(1, 1, rngs=nnx.Rngs(0))
{between}
x = nnx.Conv(1, 1, (1,), rngs=nnx.Rngs(0))
{before}
nnx.jit(x)
x = nnx.BatchNorm(1, rngs=nnx.Rngs(0))
{after}
"""
LAST = "Conv"
ANY = "BatchNorm Conv Linear"
PLACES = {
    "in order": ("", "", "", LAST),
    "name for it": ("", "y = x\nx = 1\nx = y", "", ANY),
    "loop": ("", "", "for _ in range(2):\n    x = 1", LAST),
    "condition": ("if x:\n    x = 1", "", "", LAST),
    "condition behind it": ("", "if x:\n    x = 1", "", ANY),
    "pair": ("x, y = 1, 2", "", "", LAST),
    "pair behind it": ("", "x, y = 1, 2", "", ANY),
    "global": ("def change():\n    global x\n    x = 1", "", "", ANY),
    "import": ("import x", "", "", LAST),
    "with": ("with open('f') as x:\n    pass", "", "", LAST),
    "with behind it": ("", "with open('f') as x:\n    pass", "", ANY),
    "handler": ("try:\n    pass\nexcept OSError as x:\n    pass", "", "", LAST),
    "handler behind it": ("", "try:\n    pass\nexcept OSError as x:\n    pass", "", ANY),
    "walrus": ("print(x := 1)", "", "", LAST),
    "walrus behind it": ("", "print(x := 1)", "", ANY),
    "augmented": ("", "x += 1", "", ANY),
    "star": ("[*x] = 1,", "", "", LAST),
    "star behind it": ("", "[*x] = 1,", "", ANY),
}


@pytest.mark.parametrize("case", PLACES)
def test_object_by_place(case: str) -> None:
    between, before, after, expected = PLACES[case]
    source = OBJECTS.format(between=between, before=before, after=after)
    analysis = analysis_of(source)
    root = ast.parse(source)
    reaching = ReachingStatements(Tree(root, MAIN, analysis.project))
    (call,) = (
        n for n in ast.walk(root) if isinstance(n, ast.Call) and ast.unparse(n.func) == "nnx.jit"
    )
    values = analysis.evaluator.values(scope_named(analysis, ""), reaching.lowered(call.args[0]))
    names = {v.class_name.rpartition(".")[2] for v in values if isinstance(v, Instance)}
    assert names == set(expected.split())


def test_function_keeps_all_meanings() -> None:
    source = "from flax import nnx\nx = 1\ndef f():\n    return nnx.jit(x)\nx = 2\n"
    analysis = analysis_of(source)
    root = ast.parse(source)
    reaching = ReachingStatements(Tree(root, MAIN, analysis.project))
    (name,) = (
        n
        for n in ast.walk(root)
        if isinstance(n, ast.Name) and n.id == "x" and isinstance(n.ctx, ast.Load)
    )
    assert reaching.lowered(name) == ir.Name("x")


MADE = """
from flax import nnx
from elsewhere import other, make
x = make()
print(x)
def make():
    return nnx.Linear(1, 1, rngs=nnx.Rngs(0))
x = make()
nnx.jit(x)
"""


def test_what_a_name_that_is_called_means_by_place() -> None:
    analysis = analysis_of(MADE)
    root = ast.parse(MADE)
    reaching = ReachingStatements(Tree(root, MAIN, analysis.project))
    found = {}
    for call in (node for node in ast.walk(root) if isinstance(node, ast.Call) and node.args):
        values = analysis.evaluator.values(
            scope_named(analysis, ""), reaching.lowered(call.args[0])
        )
        found[ast.unparse(call.func)] = {type(value).__name__ for value in values}
    assert found["print"] == {"Basic"}
    assert found["nnx.jit"] == {"Instance"}


def test_assignment_that_a_function_sees_is_not_the_one_above_it() -> None:
    source = "x = 1\nx = 2\ndef f():\n    return x\ny = 3\ndef g():\n    return y\n"
    analysis = analysis_of(source)
    tree = Tree(ast.parse(source), MAIN, analysis.project)
    seen = analysis.project.bindings(scope_named(analysis, "f"), "x")
    assert len(seen) == 1
    assert tree.assigned_value(scope_named(analysis, "f"), "x") is None
    assert tree.assigned_value(scope_named(analysis, "g"), "y") is not None
