"""A case traced: the hash of its program stands for its results at every input of these shapes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import jax
import jax.extend

from nnx_migrate.check.cases.calls import Call, failure
from nnx_migrate.check.compare.files import told
from nnx_migrate.check.compare.forms import Array, NotDone, Traced, View
from nnx_migrate.check.compare.leaves import view_of
from nnx_migrate.check.compare.placements import placements_in
from nnx_migrate.check.proof import Refused, canonical_program
from nnx_migrate.check.worker.module_state import changed, module_state
from nnx_migrate.check.worker.pure import (
    Arrays,
    NotPure,
    PureCall,
    abstract,
    gradients_of,
    pure_call,
)
from nnx_migrate.check.worker.running import takes_gradient


def traced_call(call: Call) -> Traced | NotDone:
    """Traces a call and its gradient.

    Args:
        call: it is not made, and its arguments stay as they are.

    Returns:
        The program; why there is none, where the call cannot be traced or hashed.
    """
    before = view_of((call.arguments, dict(call.keywords)))
    numpys = [
        path for path, leaf in before.form.items() if isinstance(leaf, Array) and leaf.mutable
    ]
    if numpys:
        # A trace sees arrays of jax in their place, which nobody can write to.
        return NotDone(f"the argument {numpys[0]} is an array of numpy")
    held = module_state(call.home)
    try:
        found = _traced(call, pure_call(call), before, {})
    except NotPure as error:
        return NotDone(str(error))
    changes = changed(held, module_state(call.home))
    if changes:
        # A trace leaves traced values there, and no numbers.
        return NotDone(f"it changes a value of its module: {next(iter(changes))}")
    return found


def traced_on_shapes(make: Callable[[], Call]) -> Traced | NotDone:
    """Traces a call whose arguments are never made: a model may be larger than the machine.

    How the arguments are made is part of the program: what two sides initialise otherwise is not
    the same.

    Args:
        make: gives the call; it is run on traced arrays.

    Returns:
        The program; why there is none, where one of its parts cannot be traced or hashed.
    """
    made: list[tuple[Call, PureCall, View]] = []

    def arguments() -> Arrays:
        call = make()
        pure = pure_call(call)
        made[:] = [(call, pure, view_of((call.arguments, dict(call.keywords))))]
        return pure.inputs

    try:
        program, shapes = jax.make_jaxpr(arguments, return_shape=True)()
        call, pure, before = made[0]
    except NotPure as error:
        return NotDone(str(error))
    except BaseException as error:
        return NotDone(f"the case cannot be built: {failure(error)}")
    found = canonical_program(program, ())
    if isinstance(found, Refused):
        return NotDone(f"no proof of how its arguments are made: {found.reason}")
    hashes = dict(zip(sorted(shapes), found.outputs, strict=True))
    built = {f"arguments before/{path}": each for path, each in hashes.items()}
    return _traced(call, dataclasses.replace(pure, inputs=shapes), before, built)


def _traced(call: Call, pure: PureCall, before: View, built: Mapping[str, str]) -> Traced | NotDone:
    tree = call.tree.state() if call.tree is not None else {}
    found = _program(call, pure, before, built)
    written = call.tree.written(tree) if call.tree is not None else {}
    if written and not isinstance(found, NotDone):
        return NotDone(told(next(iter(written))))
    return found


def _program(
    call: Call, pure: PureCall, before: View, built: Mapping[str, str]
) -> Traced | NotDone:
    find = call.conditions.find if call.conditions is not None else None
    try:
        outputs = _hashes(pure.run, pure.inputs, find)
        if isinstance(outputs, NotDone):
            return outputs
        view = pure.view()
    except BaseException as error:
        return NotDone(f"not traceable: {failure(error)}")
    hashes, equations, donated = {**built, **outputs[0]}, outputs[1], outputs[2]
    placements = outputs[3]
    if takes_gradient(call, pure):
        return Traced(before, view, hashes, None, equations, donated, placements)
    try:
        parts = gradients_of(pure, lambda gradient: _hashes(gradient, pure.inputs))
    except BaseException as error:
        # There is none of a while loop, for one.
        why_not = NotDone(f"no gradient: {failure(error)}")
        return Traced(before, view, hashes, why_not, equations, donated, placements)
    gradients: dict[str, str] = {}
    for found in parts:
        if isinstance(found, NotDone):
            return found
        gradients |= found[0]
        equations += found[1]
    return Traced(before, view, hashes, gradients, equations, donated, placements)


def _hashes(
    function: Callable[[Arrays], Arrays],
    inputs: Arrays,
    look: Callable[[jax.extend.core.ClosedJaxpr], None] | None = None,
) -> tuple[dict[str, str], int, frozenset[str], tuple[str, ...]] | NotDone:
    shapes = abstract(inputs)
    program, result = jax.make_jaxpr(function, return_shape=True)(shapes)
    # Dictionaries are flattened in the order of their keys, on both ends.
    found = canonical_program(program, sorted(shapes))
    if isinstance(found, Refused):
        return NotDone(f"no proof: {found.reason}")
    if look is not None:
        look(program)
    hashes = dict(zip(sorted(result), found.outputs, strict=True))
    donated = _donated(program.jaxpr, sorted(shapes))
    return hashes, found.equations, donated, placements_in(program.jaxpr)


def _donated(program: jax.extend.core.Jaxpr, names: Sequence[str]) -> frozenset[str]:
    """The inputs that the caller still has, and whose memory calls in the program may use.

    What graph mode gives back in their place is no input any more.
    """
    left = {id(variable) for variable in program.outvars}
    known = {
        id(variable): name
        for variable, name in zip(program.invars, names, strict=True)
        if id(variable) in left
    }
    return frozenset(
        known[id(variable)]
        for equation in program.eqns
        for variable, gone in zip(
            equation.invars, equation.params.get("donated_invars", ()), strict=False
        )
        if gone and id(variable) in known
    )
