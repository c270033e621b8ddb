"""A case traced: the hash of its program stands for its results at every input of these shapes."""

from __future__ import annotations

from collections.abc import Callable

import jax

from nnx_migrate.check.calls import Call
from nnx_migrate.check.forms import NotDone, Traced
from nnx_migrate.check.leaves import view_of
from nnx_migrate.check.proof import Refused, canonical_program
from nnx_migrate.check.pure import Arrays, NotPure, abstract, gradient_of, pure_call
from nnx_migrate.check.running import takes_gradient


def traced_call(call: Call) -> Traced | NotDone:
    """Traces a call and its gradient.

    Args:
        call: it is not made, and its arguments stay as they are.

    Returns:
        The program; why there is none, where the call cannot be traced or hashed.
    """
    before = view_of((call.arguments, dict(call.keywords)))
    try:
        pure = pure_call(call)
        outputs = _hashes(pure.run, pure.inputs)
        if isinstance(outputs, NotDone):
            return outputs
        view = pure.view()
    except NotPure as error:
        return NotDone(str(error))
    except Exception as error:
        return NotDone(f"not traceable: {type(error).__name__}: {error}"[:500])
    hashes, equations = outputs
    if takes_gradient(call, pure):
        return Traced(before, view, hashes, None, equations)
    try:
        found = _hashes(gradient_of(pure), pure.inputs)
    except Exception as error:
        # There is none of a while loop, for one.
        why_not = NotDone(f"no gradient: {type(error).__name__}: {error}"[:500])
        return Traced(before, view, hashes, why_not, equations)
    if isinstance(found, NotDone):
        return found
    return Traced(before, view, hashes, found[0], equations + found[1])


def _hashes(
    function: Callable[[Arrays], Arrays], inputs: Arrays
) -> tuple[dict[str, str], int] | NotDone:
    shapes = abstract(inputs)
    program, result = jax.make_jaxpr(function, return_shape=True)(shapes)
    # Dictionaries are flattened in the order of their keys, on both ends.
    found = canonical_program(program, sorted(shapes))
    if isinstance(found, Refused):
        return NotDone(f"no proof: {found.reason}")
    return dict(zip(sorted(result), found.outputs, strict=True)), found.equations
