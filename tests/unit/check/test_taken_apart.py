"""What a call taken apart into arrays is given, and what it is given back."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("flax")
pytestmark = pytest.mark.runs_jax

import jax.numpy as jnp
from flax import nnx

from nnx_migrate.check.cases.calls import Call
from nnx_migrate.check.compare.forms import Traced
from nnx_migrate.check.worker.pure import pure_call
from nnx_migrate.check.worker.tracing import traced_call


class Buffer(nnx.Module):
    """Variables that hold what is no array."""

    def __init__(self) -> None:
        self.empty = nnx.Variable(None)
        self.steps = nnx.Variable(3)
        self.window = nnx.Param({"low": jnp.zeros(2), "high": jnp.ones(2)})
        self.scale = nnx.Param(jnp.ones(()))


def grown(buffer: Buffer, x: Any) -> Any:
    """Reads all of them, the number where a number of Python has to stand."""
    low, high = buffer.window.get_value()["low"], buffer.window.get_value()["high"]
    assert buffer.empty.get_value() is None
    return x[: buffer.steps.get_value() - 1] * buffer.scale.get_value() + low - high


def test_each_array_in_a_variable_has_a_name() -> None:
    pure = pure_call(Call(grown, (Buffer(), jnp.arange(4.0)), {}))
    assert sorted(pure.inputs) == ["0/0/scale", "0/0/window/high", "0/0/window/low", "0/1"]
    assert set(pure.differentiable) == set(pure.inputs)
    inputs = {**pure.inputs, "0/0/window/high": jnp.full(2, 5.0)}
    outputs = pure.run(inputs)
    assert outputs["result"].tolist() == [-5.0, -4.0]


def test_variables_without_arrays_do_not_keep_a_call_from_being_traced() -> None:
    traced = traced_call(Call(grown, (Buffer(), jnp.arange(4.0)), {}))
    assert isinstance(traced, Traced), traced
