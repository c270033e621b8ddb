"""Attributes written by hand on an object whose class nothing shows: a finding each time."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import Outcome
from tests.hazards.running import migrated

_PROGRAM = """
import builtins, functools, operator
from flax import nnx

def put(attributes):
    attributes["n"] = 1

def look(attributes):
    return sorted(attributes)

@nnx.jit
def step(model, x):
    {}
    return model(x)
"""
WRITTEN = [
    'object.__setattr__(model, "n", 1)',
    'object.__delattr__(model, "n")',
    'model.__setattr__("n", 1)',
    'model.__delattr__("n")',
    'model.lin.__setattr__("n", 1)',
    'model.__dict__["n"] = 1',
    'model.__dict__["n"] += 1',
    'del model.__dict__["n"]',
    "model.__dict__.update(n=1)",
    'model.__dict__.setdefault("n", 1)',
    'model.__dict__.pop("n")',
    'model.__dict__ |= {"n": 1}',
    'model.__dict__.__setitem__("n", 1)',
    'd = model.__dict__; d["n"] = 1',
    "d = model.__dict__; d.update(n=1)",
    "put(model.__dict__)",
    'getattr(model, "__dict__")["n"] = 1',
    'vars(model)["n"] = 1',
    'vars(model.lin)["n"] = 1',
    'vars(model.layers[0])["n"] = 1',
    'del vars(model)["n"]',
    "vars(model).update(n=1)",
    'vars(model).pop("n")',
    'd = vars(model); d["n"] = 1',
    "put(vars(model))",
    'operator.setitem(vars(model), "n", 1)',
    "dict.update(model.__dict__, n=1)",
    'dict.__setitem__(vars(model), "n", 1)',
    'type(model).__setattr__(model, "n", 1)',
    'model.__class__.__setattr__(model, "n", 1)',
    'nnx.Module.__setattr__(model, "n", 1)',
    'nnx.Pytree.__delattr__(model, "n")',
    'super(type(model), model).__setattr__("n", 1)',
    'functools.partial(object.__setattr__, model)("n", 1)',
    'functools.partial(model.__setattr__, "n")(1)',
    'write = model.__setattr__; write("n", 1)',
    'write = object.__setattr__; write(model, "n", 1)',
    'getattr(model, "__setattr__")("n", 1)',
    'operator.methodcaller("__setattr__", "n", 1)(model)',
    'list(map(object.__setattr__, [model], ["n"], [1]))',
    "model.set_mode()",
    'exec("model.n = 1")',
]
READ = [
    'y = model.__dict__["n"]',
    'y = vars(model)["n"]',
    "y = [name for name in vars(model)]",
    "y = look(vars(model))",
    'd = dict(model.__dict__); d["n"] = 1',
    'model["n"] = 1',
    "model.update(n=1)",
    "model.append(1)",
    'operator.setitem(model, "n", 1)',
]


@pytest.mark.parametrize("line", WRITTEN)
def test_is_pinned(line: str) -> None:
    (finding,) = migrated(_PROGRAM.format(line)).findings
    assert (finding.rule, finding.outcome) == ("structural-update", Outcome.PINNED)


@pytest.mark.parametrize("line", READ)
def test_is_left_alone(line: str) -> None:
    """Nothing is written, or on what may be a dictionary or a list of arrays."""
    assert migrated(_PROGRAM.format(line)).findings == ()
