"""The object that a graphdef is of, which `nnx.merge` makes again."""

from __future__ import annotations

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    Instance,
    Located,
    ParameterOf,
    Scope,
    Values,
    is_unknown,
)
from nnx_migrate.analysis.ir import nodes as ir

#: What nnx.merge gives, for all that is known.
_ANY_MODULE: Values = frozenset({Instance("flax.nnx.Module", exact=False, origin="nnx.merge")})
#: Over how many names and parameters a graphdef is followed to the object that it is of.
_MAX_HANDED_ON = 4


def merged(evaluator: Evaluation, scope: Scope, graphdef: ir.Expr) -> Values:
    """What `nnx.split` was called on to get the graphdef, and any Module where not all is seen.

    What is seen counts even then: of a name that is bound again and again, or a function that
    is called with several graphdefs, one may be of an object that tree mode refuses.
    """
    found: Values = NOTHING
    for source in graphdef_sources(evaluator, scope, graphdef):
        values = evaluator.values(source.scope, source.expr) if source else NOTHING
        if is_unknown(values):
            found |= _ANY_MODULE | {v for v in values if isinstance(v, Instance)}
        else:
            found |= values
    return found or _ANY_MODULE


def graphdef_sources(
    evaluator: Evaluation, scope: Scope, graphdef: ir.Expr, depth: int = 0
) -> list[Located | None]:
    """The objects that a graphdef may be of; None among them for one that is not seen."""
    match graphdef:
        case ir.Name(id=name) if depth <= _MAX_HANDED_ON:
            found: list[Located | None] = []
            for binding in evaluator.project.bindings(scope, name):
                if isinstance(binding, Located):
                    found += graphdef_sources(evaluator, binding.scope, binding.expr, depth + 1)
                else:
                    found += _passed(evaluator, binding, depth + 1)
            return list(dict.fromkeys(found)) or [None]
        case ir.Unpacked(base=ir.Name(id=name), index=0) if depth <= _MAX_HANDED_ON:
            bindings = evaluator.project.bindings(scope, name)
            found = [
                source
                for b in bindings
                if isinstance(b, Located)
                for source in graphdef_sources(
                    evaluator, b.scope, ir.Unpacked(b.expr, 0), depth + 1
                )
            ]
            return list(dict.fromkeys(found)) or [None]
        case ir.Unpacked(base=made, index=0) | ir.Element(base=made) | ir.Starred(value=made):
            return [_taken_apart(evaluator, scope, made, "split")]
        case _:
            return [_taken_apart(evaluator, scope, graphdef, "graphdef")]


def _passed(evaluator: Evaluation, parameter: ParameterOf, depth: int) -> list[Located | None]:
    function = evaluator.project.function(parameter.scope)
    return [
        source
        for given in evaluator.callers.arguments(parameter.scope, function, parameter.parameter)
        for source in graphdef_sources(evaluator, given.scope, given.expr, depth)
    ] or [None]


def _taken_apart(
    evaluator: Evaluation, scope: Scope, made: ir.Expr, function: str
) -> Located | None:
    """The object of `nnx.split(object)` or `nnx.graphdef(object)`."""
    match made:
        case ir.Call(func=func, args=(first, *_)):
            name = evaluator.project.nnx_name(scope, func)
            if name is not None and name.removeprefix("compat.") == function:
                return Located(scope, first)
    return None
