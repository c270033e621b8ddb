"""The hash of a program: of each of its outputs, by how it is computed from the inputs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from jax.extend import core

from nnx_migrate.check.proof.evaluation import Evaluation
from nnx_migrate.check.proof.values import Refusal, Value, digest

#: Calls that call calls can stand for more equations than anyone could wait for.
LIMIT = 5_000_000


@dataclasses.dataclass(frozen=True)
class Program:
    """A traced program, up to what does not change its values.

    Attributes:
        outputs: a hash for each output, in order. Where those of two programs are equal, so are
            their outputs, for equal inputs and wherever both programs end.
        weak: of each output, whether its type is weak. That is no part of the value or its hash.
        equations: how many were looked at, loop bodies once for each round.
    """

    outputs: tuple[str, ...]
    weak: tuple[bool, ...]
    equations: int


@dataclasses.dataclass(frozen=True)
class Refused:
    """A program that is not spoken for, and why."""

    reason: str


def canonical_program(
    closed_jaxpr: core.ClosedJaxpr, input_names: Sequence[str], *, limit: int = LIMIT
) -> Program | Refused:
    """The canonical hash of every output of a traced program.

    Args:
        input_names: what each input is (the path of an argument, of a Variable), in the order of
            the jaxpr's inputs. Programs are comparable where these mean the same.
        limit: how many equations to look at before the program is refused.
    """
    jaxpr = closed_jaxpr.jaxpr
    if len(input_names) != len(jaxpr.invars):
        raise ValueError(f"{len(input_names)} names for {len(jaxpr.invars)} inputs")
    if len(set(input_names)) != len(input_names):
        raise ValueError("two inputs of one name")
    if jaxpr.effects:
        kinds = sorted({type(effect).__name__ for effect in jaxpr.effects})
        return Refused(f"it has effects: {', '.join(kinds)}")
    evaluation = Evaluation(limit)
    try:
        inputs = [
            Value(digest(b"input", name.encode(), evaluation.first_order.aval(variable.aval)))
            for name, variable in zip(input_names, jaxpr.invars, strict=True)
        ]
        outputs = evaluation.run(closed_jaxpr, inputs, (1 << len(jaxpr.outvars)) - 1)
    except Refusal as refusal:
        return Refused(str(refusal))
    except RecursionError:
        return Refused("calls are nested too deeply")
    return Program(
        tuple(value.name.hex() for value in outputs if value is not None),
        tuple(bool(getattr(v.aval, "weak_type", False)) for v in jaxpr.outvars),
        evaluation.equations,
    )
