"""Bodies of equations: where they are, and what of an equation has to be understood before they
may be used."""

from __future__ import annotations

from typing import Any

from jax.extend import core

from nnx_migrate.check.proof.primitives import CALLS, KNOWN_PARAMETERS, STATEFUL
from nnx_migrate.check.proof.values import Refusal


def body(equation: core.JaxprEqn) -> core.Jaxpr | core.ClosedJaxpr | None:
    """What a call runs; None of an equation that is no call."""
    parameter = CALLS.get(equation.primitive.name)
    if parameter is None:
        return None
    found = equation.params.get(parameter)
    if not isinstance(found, (core.Jaxpr, core.ClosedJaxpr)):
        raise Refusal(f"{equation.primitive.name} without {parameter}")
    return found


def opened(jaxpr: core.Jaxpr | core.ClosedJaxpr) -> tuple[core.Jaxpr, list[Any]]:
    """A jaxpr and the constants that belong to it."""
    if isinstance(jaxpr, core.ClosedJaxpr):
        return jaxpr.jaxpr, jaxpr.consts
    if jaxpr.constvars:
        raise Refusal("a function with constants that are not given")
    return jaxpr, []


def inspect(equation: core.JaxprEqn) -> None:
    """Raises `Refusal` for what an equation does beyond computing values from values."""
    name = equation.primitive.name
    if equation.effects:
        kinds = sorted({type(effect).__name__ for effect in equation.effects})
        raise Refusal(f"{name} has effects: {', '.join(kinds)}")
    if name in STATEFUL:
        raise Refusal(f"{name} draws from a hidden state")
    context = equation.ctx
    if getattr(context, "compute_type", None) or getattr(context, "xla_metadata", None):
        raise Refusal(f"{name} is compiled in a way of its own")
    known = KNOWN_PARAMETERS.get(name)
    if known is None:
        return
    unknown = equation.params.keys() - known - {CALLS.get(name)}
    if unknown:
        raise Refusal(f"{name} has parameters not known: {', '.join(sorted(unknown))}")
    if equation.params.get("compiler_options_kvs"):
        raise Refusal(f"{name} sets options of the compiler")
