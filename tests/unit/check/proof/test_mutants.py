"""No mutant of a training step that computes something else has the hash of the original."""

from __future__ import annotations

import ast
import collections
import copy
import inspect
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
nnx = pytest.importorskip("flax.nnx")
pytest.importorskip("optax")

from nnx_migrate.check.proof import Program
from tests.unit.check.proof import train_steps
from tests.unit.check.proof.tracing import trace

pytestmark = pytest.mark.runs_jax

_OTHER = {
    "relu": "gelu",
    "mean": "sum",
    "sum": "mean",
    "abs": "sin",
    "tanh": "sin",
    "max": "min",
    "argmax": "argmin",
    "zeros_like": "ones_like",
    "zeros": "ones",
    "value_and_grad": "value_and_grad",
}
_OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.Lt: ast.LtE,
    ast.Gt: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.BitAnd: ast.BitOr,
    ast.Pow: ast.Mult,
}


def mutants(source: str) -> Iterator[tuple[str, ast.Module]]:
    """Every change of one place, with its kind."""
    tree = ast.parse(source)
    for i, node in enumerate(ast.walk(tree)):
        for kind in _changes(node):
            changed = copy.deepcopy(tree)
            _change(list(ast.walk(changed))[i], kind)
            yield f"{kind} at {getattr(node, 'lineno', 0)}", ast.fix_missing_locations(changed)


def _changes(node: ast.AST) -> list[str]:
    match node:
        case ast.Constant(value=bool() | int() | float()):
            return ["constant"]
        case ast.BinOp() | ast.Compare():
            return ["operator", "operands"]
        case ast.Attribute(attr=attr) if attr in _OTHER:
            return ["attribute"]
        case ast.Call(args=[_, _, *_]) | ast.Tuple(elts=[_, _, *_], ctx=ast.Load()):
            return ["order"]
        case ast.FunctionDef(body=body):
            return [f"drop {k}" for k in range(len(body) - 1)]
    return []


def _change(node: Any, kind: str) -> None:
    if kind == "constant":
        value = node.value
        node.value = (
            not value if isinstance(value, bool) else value + (1 if value == int(value) else 0.01)
        )
    elif kind == "operator" and isinstance(node, ast.BinOp):
        node.op = _OPERATORS[type(node.op)]()
    elif kind == "operator":
        node.ops = [_OPERATORS[type(node.ops[0])]()]
    elif kind == "operands" and isinstance(node, ast.BinOp):
        node.left, node.right = node.right, node.left
    elif kind == "operands":
        node.left, node.comparators = node.comparators[0], [node.left]
    elif kind == "attribute":
        node.attr = _OTHER[node.attr]
    elif kind == "order":
        parts = node.args if isinstance(node, ast.Call) else node.elts
        parts[0], parts[1] = parts[1], parts[0]
    else:
        del node.body[int(kind.split()[1])]


class Step:
    """One step, as a function of the state's leaves by path."""

    def __init__(self, namespace: dict[str, Any], name: str, model: Any) -> None:
        graphdef, state = nnx.split(model)
        leaves, structure = jax.tree_util.tree_flatten_with_path(state)
        names = [jax.tree_util.keystr(path) for path, _ in leaves]
        self.arguments = ({n: x for n, (_, x) in zip(names, leaves, strict=True)}, X, Y)

        def pure(by_name: Any, x: Any, y: Any) -> Any:
            state = jax.tree.unflatten(structure, [by_name[n] for n in names])
            return namespace[name](graphdef, state, x, y)

        self.pure = pure

    def hashes(self) -> tuple[str, ...]:
        traced = trace(self.pure, *self.arguments)
        assert isinstance(traced, Program), traced
        return traced.outputs

    def values(self) -> list[Any]:
        return [
            np.asarray(
                jax.random.key_data(x) if jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x
            )
            for x in jax.tree.leaves(jax.jit(self.pure)(*self.arguments))
        ]


X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3) ** 3
Y = np.linspace(1, 0, 8, dtype=np.float32).reshape(4, 2)
SOURCE = inspect.getsource(train_steps)
STEPS = [name for name in vars(train_steps) if name.endswith("_step")]


def load(tree: ast.Module, name: str) -> Step:
    namespace: dict[str, Any] = {"__name__": "mutant"}
    exec(compile(tree, "mutant", "exec"), namespace)
    # Its own class, so that mutants of the Module's methods run, with the state of the original.
    return Step(namespace, name, namespace["make"]())


def relevant(name: str) -> list[tuple[str, ast.Module]]:
    """The mutants of a step, and of the Module that it runs, but not of what makes that."""
    unchanged = {getattr(node, "name", ""): ast.dump(node) for node in ast.parse(SOURCE).body}
    found = []
    for kind, tree in mutants(SOURCE):
        now = {getattr(node, "name", ""): ast.dump(node) for node in tree.body}
        changed = {n for n in now if now[n] != unchanged[n]}
        if changed and changed <= {name, "Net"}:
            found.append((kind, tree))
    return found


@pytest.mark.parametrize("name", STEPS)
def test_no_mutant_is_accepted_that_computes_something_else(name: str) -> None:
    original = load(ast.parse(SOURCE), name)
    hashes, values = original.hashes(), original.values()
    counts: collections.Counter[str] = collections.Counter()
    for kind, tree in random.Random(0).sample(relevant(name), 40):
        try:
            mutant = load(tree, name)
            found = mutant.hashes()
        except Exception:
            counts["invalid"] += 1
            continue
        if found != hashes:
            counts["caught"] += 1
            continue
        counts["accepted"] += 1
        mutant.arguments = original.arguments
        for old, new in zip(values, mutant.values(), strict=True):
            np.testing.assert_allclose(new, old, rtol=1e-5, atol=1e-6, err_msg=kind)
    print(counts)
    assert counts["caught"] > 10
    assert counts["accepted"] > 2


def test_the_hash_of_a_step_is_the_same_each_time_it_is_traced() -> None:
    for name in STEPS:
        assert load(ast.parse(SOURCE), name).hashes() == load(ast.parse(SOURCE), name).hashes()
