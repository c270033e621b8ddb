"""A case run with numbers."""

from __future__ import annotations

import inspect
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from nnx_migrate.check.cases.calls import Call, failure
from nnx_migrate.check.compare.forms import Array, Form, NotDone, Observation, View
from nnx_migrate.check.compare.leaves import view_of
from nnx_migrate.check.compare.placements import unplaced
from nnx_migrate.check.worker.observing import observe
from nnx_migrate.check.worker.precision import float32_made_wide
from nnx_migrate.check.worker.pure import Arrays, NotPure, PureCall, gradients_of, pure_call

_Parts = tuple[Observation, Observation, Observation | NotDone, Observation | NotDone]


def run_call(call: Call) -> _Parts:
    """Runs a call as it is, under `jax.jit`, and its gradient, from the same inputs each time.

    Args:
        call: its arguments are changed as the call changes them.

    Returns:
        The arguments before; what came of the call; of the jitted call; of the gradient.
    """
    before = Observation(view_of((call.arguments, dict(call.keywords))))
    try:
        pure = pure_call(call)
        # The call itself may donate or overwrite what it is given.
        inputs = {path: value.copy() for path, value in pure.inputs.items()}
    except NotPure as error:
        return before, observe(call), NotDone(str(error)), NotDone(str(error))
    called = observe(call)
    jitted = _jitted(pure, inputs)
    if isinstance(jitted, NotDone):
        return before, called, jitted, jitted
    if call.conditions is not None:
        call.conditions.follow(pure.run, inputs)
    return before, called, jitted, _gradient(call, pure, inputs)


def run_case(call: Call) -> _Parts | NotDone:
    """Runs what a case file calls: a call that its function does not take checks nothing.

    Args:
        call: as `run_call` takes it.
    """
    found = run_call(call)
    try:
        inspect.signature(call.function).bind(*call.arguments, **call.keywords)
    except ValueError:
        # What is built in may not show what it takes.
        return found
    except TypeError as error:
        if found[1].raised == "TypeError":
            return NotDone(f"the case calls it in a way that fails: {error}")
    return found


def takes_gradient(call: Call, pure: PureCall) -> str:
    """Says why the gradient of a call is not asked for.

    Args:
        call: the call.
        pure: the same.

    Returns:
        "" where it is to be asked for.
    """
    given = jax.tree.leaves(
        (call.arguments, dict(call.keywords)), is_leaf=lambda x: isinstance(x, nnx.Optimizer)
    )
    if any(isinstance(value, nnx.Optimizer) for value in given):
        # Second derivatives of graph mode's custom_vjp are wrong, so a step would differ where
        # its migration is right (CHECK.md).
        return "the call takes its own gradients, because it gets an optimizer"
    if not pure.differentiable:
        return "no input is a float"
    return ""


def _jitted(pure: PureCall, inputs: Arrays) -> Observation | NotDone:
    try:
        outputs = jax.jit(pure.run)(inputs)
    except BaseException as error:
        return NotDone(f"not under jit: {failure(error)}")
    return Observation(_filled(pure.view(), outputs))


def _gradient(call: Call, pure: PureCall, inputs: Arrays) -> Observation | NotDone:
    why_not = takes_gradient(call, pure)
    if why_not:
        return NotDone(why_not)
    try:
        parts = gradients_of(pure, lambda gradient: jax.jit(gradient)(inputs))
    except BaseException as error:
        return NotDone(f"no gradient: {failure(error)}")
    found = view_of({name: each for part in parts for name, each in part.items()})
    # Where a compiled gradient lies is the compiler's choice.
    return Observation(unplaced(found))


def _filled(view: View, outputs: dict[str, Any]) -> View:
    """A view of a traced call, with the numbers that came out of it."""
    form: Form = dict(view.form)
    for path, value in outputs.items():
        leaf = form[path]
        assert isinstance(leaf, Array)
        raw = jax.random.key_data(value) if leaf.kind == "key" else value
        form[path] = Array(leaf.kind, leaf.dtype, leaf.shape, np.asarray(raw))
    for path, leaf in view.form.items():
        if isinstance(leaf, Array) and path not in outputs:
            form[path] = form[view.first_name(path)]
    return View(form, view.shared)


def widened_call(call: Call) -> tuple[Observation | NotDone, Observation | NotDone]:
    """Runs a call and its gradient under `jax.jit` with every float input made a float64.

    Args:
        call: its arguments stay as they are.
    """
    with jax.enable_x64(True):
        try:
            pure = pure_call(call)
        except NotPure as error:
            return NotDone(str(error)), NotDone(str(error))
        wide = {
            path: value.astype(jnp.float64) if value.dtype == jnp.float32 else value
            for path, value in pure.inputs.items()
        }
        with float32_made_wide():
            called = _jitted(pure, wide)
            if isinstance(called, NotDone):
                # It looks at its numbers: they are there without jit.
                called = _by_hand(pure, wide)
            return called, _gradient(call, pure, wide)


def _by_hand(pure: PureCall, inputs: Arrays) -> Observation | NotDone:
    try:
        pure.run(inputs)
    except BaseException as error:
        return NotDone(f"not in float64: {failure(error)}")
    return Observation(pure.view())
