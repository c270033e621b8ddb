"""The bodies of equations, and what has to be known of an equation before it is looked at further.

A primitive that somebody else defines means whatever its owner's code says, which may have changed
together with the program. So only those that JAX defines are spoken for.
"""

from __future__ import annotations

import sys
from typing import Any

from jax.extend import core

from nnx_migrate.check.proof.primitives import CALLS, KNOWN_PARAMETERS, REFUSED
from nnx_migrate.check.proof.values import Refusal

#: Inside `shard_map`. Those outside are effects of the whole program, which is refused.
_USES_AN_AXIS = "NamedAxisEffect"
_of_jax: set[core.Primitive] = set()


def _is_of_jax(primitive: core.Primitive) -> bool:
    if primitive not in _of_jax:  # may be in a module that was imported since
        for name, module in list(sys.modules.items()):
            if name.startswith(("jax.", "jax._src.")):
                _of_jax.update(v for v in vars(module).values() if isinstance(v, core.Primitive))
    return primitive in _of_jax


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
    kinds = sorted({type(effect).__name__ for effect in equation.effects} - {_USES_AN_AXIS})
    if kinds:
        raise Refusal(f"{name} has effects: {', '.join(kinds)}")
    if name in REFUSED:
        raise Refusal(f"{name} {REFUSED[name]}")
    if not _is_of_jax(equation.primitive):
        raise Refusal(f"{name} is a primitive that JAX does not define")
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
