"""What a nested function has from the functions around it, for a call that stands outside of them.

`make(net)` gives a function that uses its `net`: for `run = make(model); run(model)` both are what
the call of `make` passes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import Held, Object, Variable, mapped
from nnx_migrate.analysis.points_to.call_results import in_terms_of
from nnx_migrate.analysis.points_to.object_finder import ObjectFinder
from nnx_migrate.analysis.points_to.repeated_objects import objects


def as_made(
    evaluator: Evaluator,
    finder: ObjectFinder,
    nested: Scope,
    where: Scope,
    call: ir.Call,
    whole: Held,
) -> Held:
    """A value in terms of a function that calls a nested one.

    Args:
        nested: the function that is called, in whose terms the value was.
        where: the function that calls it.
        call: the call.
        whole: the value, with what the call passes in the place of its parameters.
    """
    project = evaluator.project
    parent = project.function(nested).parent
    if parent is None or parent == ir.MODULE_SCOPE:
        return whole
    outer = Scope(nested.module, parent)
    if where in project.within(outer) or not any(
        _is_parameter_of(found.object, outer) for found in objects(whole, guessed=True)
    ):
        return whole
    if project.function(outer).owner is not None:
        return _as_kept(evaluator, finder, outer, where, whole)
    for maker in _makers(evaluator, where, call.func):
        for at, made, value in evaluator.callers.of(outer):
            if made == maker:
                return in_terms_of(
                    finder, outer, whole, made, {}, (at, made), made.line, value.partial_args
                )
    return whole


def _is_parameter_of(one: Object, scope: Scope) -> bool:
    root = one.root
    return isinstance(root, Variable) and root.scope == scope and not root.version


def _makers(evaluator: Evaluator, where: Scope, func: ir.Expr) -> Iterator[ir.Call]:
    """The call that gives what is called: `make(net)` of `make(net)(x)`, and by a name."""
    match func:
        case ir.Call():
            yield func
        case ir.Name(id=name):
            for bound in evaluator.project.bindings(where, name):
                if isinstance(bound, Located) and isinstance(bound.expr, ir.Call):
                    yield bound.expr


def _as_kept(
    evaluator: Evaluator, finder: ObjectFinder, method: Scope, where: Scope, whole: Held
) -> Held:
    """What a method was passed, as the object keeps it of which another method is called."""
    project = evaluator.project
    own = project.function(method).owner
    caller = project.function(where)
    if own != caller.owner or method.module != where.module or not caller.parameters:
        return whole
    name = caller.parameters[0].name
    places = {
        held.object.root: place
        for place, held, _ in finder.kept(method)
        if held.object is not None and not held.object.path
    }
    itself = Variable(method, project.function(method).parameters[0].name, 0)

    def change(each: Held) -> Held:
        assert each.object is not None
        root = each.object.root
        place = () if root == itself else places.get(root)
        if place is None or not isinstance(root, Variable) or root.version:
            return each
        kept = Object(Variable(where, name, 0), (*place, *each.object.path), each.object.place, "")
        return dataclasses.replace(each, object=kept)

    return mapped(whole, change)
