"""The nodes of a syntax tree: which there are, below what they stand, and in which function."""

import ast
import itertools
from pathlib import Path

import pytest

from nnx_migrate.analysis.ir.parse import children, parse
from nnx_migrate.analysis.sites.tree import AnyFunction, Tree
from nnx_migrate.analysis.symbols.program import Project

_SHARED = ast.expr_context | ast.operator | ast.unaryop | ast.cmpop | ast.boolop
_GOLDEN = Path(__file__).parents[3] / "golden"
_EVERYTHING = """
from m import *
import a.b as c
@decorated(by=1)
async def f(p, /, q: int = 1, *r, s=None, t, **u) -> str:
    global g
    async with x as y, z: await w
    async for i in j: yield i
    return [*k, {1: 2, **v}, f"{k!r:>{n}}", (l := 3), not a < b <= c or a and -b]
class C(B, metaclass=M):
    x: int = 0
    def m(self): nonlocal_ = lambda a=d: a; del self.x[1:2, ..., ::3]
try: raise E from e
except* (E, F) as e: pass
else: assert a, b
match s:
    case {"k": [1, *rest], **others} | D(x, y=None) as whole if t: x @= 1
    case _: x = {i async for i in j if k for l in m}
"""


@pytest.mark.parametrize("source", [_EVERYTHING, *sorted(_GOLDEN.glob("*/*/before.py"))[::20]])
def test_children_are_those_of_the_library_without_what_stands_nowhere(source: str | Path) -> None:
    text = source if isinstance(source, str) else source.read_text()
    for node in ast.walk(parse(text)):
        expected = [c for c in ast.iter_child_nodes(node) if not isinstance(c, _SHARED)]
        assert children(node) == expected


def test_each_node_is_known_by_its_kind_and_its_parent() -> None:
    tree = Tree(parse(_EVERYTHING), "m", Project([]))
    of_kinds = [node for kind in {type(n) for n in tree.nodes} for node in tree.of_kind(kind)]
    assert sorted(of_kinds, key=id) == sorted(tree.nodes, key=id)
    for node in tree.nodes:
        assert all(tree.parents[child] is node for child in children(node))
    assert tree.of_kind(ast.YieldFrom) == ()


_NESTED = """
@outer_decorator
def outer(default=outer_default):
    in_outer
    @inner_decorator
    def inner(other=inner_default, annotated: inner_annotation = 0) -> inner_result:
        in_inner
        class C(base):
            in_class
            def method(self):
                in_method
    return lambda x=lambda_default: in_lambda
"""


@pytest.mark.parametrize("backwards", [False, True])
def test_the_function_around_a_node_is_the_one_whose_body_holds_it(backwards: bool) -> None:
    tree = Tree(parse(_NESTED), "m", Project([]))
    names = sorted(tree.of_kind(ast.Name), key=lambda name: name.lineno, reverse=backwards)
    found = {name.id: _named(tree.function_around(name)) for name in names}
    assert found == {
        "outer_decorator": "",
        "outer_default": "",
        "in_outer": "outer",
        "inner_decorator": "outer",
        "inner_default": "outer",
        "inner_annotation": "outer",
        "inner_result": "outer",
        "in_inner": "inner",
        "base": "inner",
        "in_class": "inner",
        "in_method": "method",
        "lambda_default": "outer",
        "in_lambda": "<lambda>",
    }


def _named(function: AnyFunction | None) -> str:
    return "" if function is None else getattr(function, "name", "<lambda>")


def test_a_tree_of_many_levels_is_no_deeper_on_the_stack() -> None:
    depth = 80
    text = "".join("    " * i + f"def f{i}():\n" for i in range(depth)) + "    " * depth + "here"
    tree = Tree(parse(text), "m", Project([]))
    (here,) = tree.of_kind(ast.Name)
    function = tree.function_around(here)
    for i in itertools.count(depth - 1, -1):
        if function is None:
            assert i == -1
            break
        assert _named(function) == f"f{i}"
        function = tree.function_around(function)
