"""The object that a graphdef is of, which `nnx.merge` makes again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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


def merged(evaluator: Evaluation, scope: Scope, graphdef: ir.Expr) -> Values:
    """What `nnx.split` was called on to get the graphdef, and any Module where not all is seen.

    What is seen counts even then: of a name that is bound again and again, or a function that
    is called with several graphdefs, one may be of an object that tree mode refuses.
    """
    found: Values = NOTHING
    for source in graphdef_sources(evaluator, scope, graphdef):
        if source is None:
            found |= _ANY_MODULE
            continue
        # Nothing yet where it is made from itself: `model = nnx.merge(g, s)`, with `g` of `model`.
        values = evaluator.values(source.scope, source.expr)
        found |= {v for v in values if isinstance(v, Instance)} if is_unknown(values) else values
        if values and is_unknown(values):
            found |= _ANY_MODULE
    return found


def graphdef_sources(
    evaluator: Evaluation, scope: Scope, graphdef: ir.Expr
) -> list[Located | None]:
    """The objects that a graphdef may be of; None among them for one that is not seen."""
    found: list[Located | None] = []
    places = [Located(scope, graphdef)]
    for place in places:  # grows while it is walked
        match place.expr:
            case ir.Name(id=name) | ir.Unpacked(base=ir.Name(id=name), index=0):
                bound = list(_bound(evaluator, place, name))
                places += (each for each in dict.fromkeys(bound) if each not in places)
                found += () if bound else (None,)
            case ir.Unpacked(base=made, index=0) | ir.Element(base=made) | ir.Starred(value=made):
                found.append(_taken_apart(evaluator, place.scope, made, "split"))
            case made:
                found.append(_taken_apart(evaluator, place.scope, made, "graphdef"))
    return list(dict.fromkeys(found)) or [None]


def _bound(evaluator: Evaluation, place: Located, name: str) -> Iterator[Located]:
    """What a name is bound to, and passed for where it is a parameter; the first of it, so too."""
    first = isinstance(place.expr, ir.Unpacked)
    for binding in evaluator.project.bindings(place.scope, name):
        given: Iterable[Located] = (binding,) if isinstance(binding, Located) else ()
        if isinstance(binding, ParameterOf):
            function = evaluator.project.function(binding.scope)
            arguments = evaluator.callers.arguments(binding.scope, function, binding.parameter)
            given = tuple(arguments) or (Located(binding.scope, ir.UNSEEN),)
        for each in given:
            yield Located(each.scope, ir.Unpacked(each.expr, 0)) if first else each


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
