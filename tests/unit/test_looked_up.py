"""What is looked up by a literal text is read as what it finds."""

from __future__ import annotations

import ast

import pytest

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from tests.hazards.running import migrated


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        ('import_module("flax.nnx").jit', "flax.nnx.jit"),
        ('import_module("..nnx", package="flax.core").jit', "flax.nnx.jit"),
        ('__import__("flax.nnx").nnx', "flax.nnx"),
        ('__import__("flax.nnx", None, None, ["jit"])', "flax.nnx"),
        ('sys.modules["flax.nnx"]', "flax.nnx"),
        ('vars(nnx)["jit"]', "nnx.jit"),
        ('nnx.__dict__.get("jit", None)', "nnx.jit"),
        ('operator.attrgetter("a.b")(m)', "m.a.b"),
        ('operator.methodcaller("f", x)(m)', ""),
        ('vars(m).get("f", other)', ""),  # it may be the other
        ('operator.attrgetter("a", "b")(m)', ""),
        ("sys.modules[name]", ""),
        ('table["jit"]', ""),
        ('import_module(".nnx")', ""),  # nobody can say of which package
    ],
)
def test_is_read_as_what_it_finds(code: str, meant: str) -> None:
    assert ir.path_of(lower_expr(ast.parse(code, mode="eval").body)) == meant


@pytest.mark.parametrize(
    "found",
    ['vars(tools)["jit"]', 'sys.modules["tools"].jit', 'operator.attrgetter("jit")(tools)'],
)
def test_a_function_of_the_same_name_elsewhere_is_none_of_nnx(found: str) -> None:
    program = f"""
        import operator, sys
        import tools
        from flax import nnx

        class Net(nnx.Module):
            def __init__(self):
                self.n = 0

        def step(m: Net):
            m.n += 1

        run = {found}(step)
        run(Net())
        """
    assert not migrated(program).findings
