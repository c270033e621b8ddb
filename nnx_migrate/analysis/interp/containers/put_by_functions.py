"""What functions put into lists that they are passed: `put(net.layers, layer)`.

Which function a call means is told by its name alone.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.binding import argument_for
from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir

#: Methods that put their last argument into a list or a set, and those that put in all of it.
_PUTTING_ONE = frozenset({"add", "append", "appendleft", "insert"})
_PUTTING_ALL = frozenset({"extend", "extendleft", "update"})
_NOTHING: Mapping[str, Sequence[PutByFunction]] = {}


class PutByFunction(NamedTuple):
    """A function is passed `base.name`, and puts something into it.

    Args:
        where: the function that passes it.
        base: of which it passes an attribute.
        put: what the other function puts in, as a list.
    """

    where: Scope
    base: ir.Expr
    put: Located


def put_by_functions(evaluator: Evaluation, name: str) -> Sequence[PutByFunction]:
    """What functions put into the attribute of that name of something that they are passed."""
    found = evaluator.fixpoint.get(
        ("put by functions",),
        lambda: _by_name(evaluator),
        _NOTHING,
        lambda known: known,
    )
    return found.get(name, ())


def _by_name(evaluator: Evaluation) -> Mapping[str, Sequence[PutByFunction]]:
    found: dict[str, list[PutByFunction]] = collections.defaultdict(list)
    for scope, function, parameter, put in _putting(evaluator):
        bound = function.owner is not None and ir.Name("staticmethod") not in function.decorators
        for where, call in evaluator.callers.mentions.calls_of(function.name):
            offset = int(bound and isinstance(call.func, ir.Attribute))
            passed = argument_for(function.parameters, parameter, call, offset)
            if isinstance(passed, ir.Attribute):
                found[passed.name].append(PutByFunction(where, passed.base, Located(scope, put)))
    return found


def _putting(
    evaluator: Evaluation,
) -> Iterator[tuple[Scope, ir.Function, ir.Parameter, ir.Expr]]:
    """The functions that put something into a parameter, with that and what they put in."""
    for method in sorted(_PUTTING_ONE | _PUTTING_ALL):
        for scope, call in evaluator.callers.mentions.calls_of(method):
            match call:
                case ir.Call(func=ir.Attribute(base=ir.Name(id=name)), args=(*_, last)):
                    function = evaluator.project.function(scope)
                    put = last if method in _PUTTING_ALL else ir.Sequence((last,), is_tuple=False)
                    for parameter in function.parameters:
                        if parameter.name == name:
                            yield scope, function, parameter, put
