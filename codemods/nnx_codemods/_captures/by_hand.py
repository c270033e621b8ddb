"""What a person writes to pass a captured object, where no rewrite does that."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from nnx_migrate.analysis.flax.transforms import (
    CONTROL_FLOW,
    NNX_TRANSFORMS,
    ONLY_OF_JAX,
    TRANSFORMS,
)
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.refusal import Cause, Reason


@enum.unique
class ByHand(Cause):
    """Each begins with what to do."""

    CARRY = (
        "let {transform} carry {names}: pass {names} with the initial values, and return {names} "
        "from the function in the same place"
    )
    ADD_OPERAND = (
        "add {names} to the parameters of every branch, and pass {names} to {transform} behind the "
        "other operands"
    )
    ADD_ARGUMENT = (
        "add {names} to the parameters of the function, and pass {names} at each call, as in: "
        "{transform}(f)(x, {listed})"
    )
    ADD_AT_ONCE = (
        "add {names} to the parameters of the function, and pass {names}, as in: "
        "{transform}(f, x, {listed})"
    )
    COLLECT = (
        "give the function {names} as an argument, call it under nnx.capture there, and return the "
        "sown values"
    )
    USE_OBJECT = (
        "give the function the object itself, as an argument or in the carry of a loop, and use "
        "that instead of {names}"
    )
    UNBIND = (
        "use a function that gets the object as an argument, as in: lambda model, x: model.step(x)"
    )
    PASS_ON = (
        "pass {which} as an argument, from the call of the transformed function through all "
        "functions in between"
    )
    SPLIT = (
        "split the object before the call (graphdef, state = nnx.split(model)), merge a copy in "
        "the function (nnx.merge(graphdef, state, copy=True)), return its State beside the result "
        "(has_aux=True), and write that back after the call (nnx.update)"
    )


def ways_to_pass(
    site: Site, objects: Sequence[str], holders: Sequence[str] = (), sows: bool = False
) -> tuple[Reason, ...]:
    """What a person does about a function under a transform that updates what it captures.

    Args:
        objects: the names of what it captures.
        holders: those of what it reaches them through: a list, a partial.
        sows: the update is that it sows.
    """
    spec, transform = site.spec, _of_nnx(site)
    names, listed = " and ".join(objects), ", ".join(objects)
    if site.transform in ONLY_OF_JAX and transform == site.written:
        return (ByHand.SPLIT,)
    if holders:
        return (ByHand.USE_OBJECT.about(names=" and ".join(holders)),)
    if sows:
        return (ByHand.COLLECT.about(names=names),)
    if spec.is_loop or spec.iterates:
        way = ByHand.CARRY
    elif spec.operands is not None:
        way = ByHand.ADD_OPERAND
    else:
        way = ByHand.ADD_AT_ONCE if spec.calls_at_once else ByHand.ADD_ARGUMENT
    return (way.about(transform=transform, names=names, listed=listed),)


def ways_to_unbind(site: Site) -> tuple[Reason, ...]:
    """The same, about a method, or a partial, that updates what it is bound to."""
    split = site.transform in ONLY_OF_JAX and _of_nnx(site) == site.written
    return (ByHand.SPLIT if split else ByHand.UNBIND,)


def _of_nnx(site: Site) -> str:
    """The transform to write: that of nnx where there is one, because those of jax drop updates."""
    spec = site.spec
    name = spec.becomes or spec.twin or site.transform.removeprefix("jax.")
    known = name in NNX_TRANSFORMS | TRANSFORMS | CONTROL_FLOW
    return f"nnx.{name}" if spec.of_jax and known else site.written
