"""What is found without asking is part of what the evaluator answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.analysis.domain.values import Instance, is_unknown
from nnx_migrate.analysis.heap.certain_values import CertainValues
from nnx_migrate.analysis.ir import nodes as ir
from tests.unit.analysis.asking import analysis_of, described, scope_named

GOLDEN = Path(__file__).parents[3] / "golden"
HEAD = """\
import functools
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx


class Net(nnx.Module):
    pass


class Plain:
    pass


def f(x):
    return x


def later(x):
    return lambda y: x + y


def typed(x) -> Net:
    return f


def told(x) -> "nnx.Linear":
    return [x]


def pairs(x):
    yield x


"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("f", {"f"}),
        ("jax.jit(f)", {"f"}),
        ("nnx.vmap(f, in_axes=0)", {"f"}),
        ("functools.partial(f, 1)", {"f"}),
        ("jax.grad(f)(1.0)", {"unknown"}),
        ("jax.vmap(jnp.sum)", {"jax.numpy.sum"}),
        ("functools.reduce(later, [f, f])", {"<lambda>"}),
        ("later(f)", {"<lambda>"}),
        ("typed(f)", set()),
        ("told(f)", set()),
        ("pairs(f)", {"[]"}),
        ("jnp.ones(3)", {"array"}),
        ("np.float32", {"numpy.float32"}),
        ("tqdm(f)", {"unknown"}),
        ("[Net()]", {"[]"}),
        ("(Net(), f)", {"(Net, f)"}),
        ("(Net(), f)[1]", {"f"}),
        ("nnx.split(Net())", {"(graphdef, state, state, state, state, state, state, state)"}),
        ("Net()", {"Net"}),
        ("Plain()", {"Plain"}),
        ("f(Net())", set()),
        ("Net() + 1", set()),
        ("Net().linear", set()),
        ("1", set()),
        ("None", set()),
        ("nnx.merge(g, s)", set()),
        ("dict(a=f)", set()),
        ("x", set()),
    ],
)
def test_what_is_found(value: str, expected: set[str]) -> None:
    analysis = analysis_of(f"{HEAD}x = {value}\n")
    scope = scope_named(analysis, "")
    found = CertainValues(analysis.evaluator).of_name(scope, "x")
    assert described(found) == expected
    answer = analysis.evaluator.values(scope, ir.Name("x"))
    assert described(found) <= described(answer) or expected & {"[]", "(Net, f)"} or not found


@pytest.mark.parametrize("rule", sorted(path.name for path in GOLDEN.iterdir() if path.is_dir()))
def test_the_answer_holds_it_or_something_unknown(rule: str) -> None:
    """Where something that is no object is found, the evaluator does not answer objects alone."""
    for path in sorted(GOLDEN.joinpath(rule).rglob("before.py")):
        analysis = analysis_of({"main.py": path.read_text(encoding="utf-8")})
        scope = scope_named(analysis, "")
        certain = CertainValues(analysis.evaluator)
        for name in analysis.project.function(scope).bindings:
            found = certain.of_name(scope, name)
            answer = analysis.evaluator.values(scope, ir.Name(name))
            for value in found:
                same = [type(each) for each in answer if type(each) is type(value)]
                assert same or is_unknown(answer), (path, name, value)
            if any(not isinstance(value, Instance) for value in found):
                assert any(not isinstance(value, Instance) for value in answer), (path, name)
