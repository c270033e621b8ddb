"""What functions put into lists that they are passed: `put(net.layers, layer)`.

Which function a call means is told by its name alone.
"""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.binding import argument_for
from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir

_NOTHING: Mapping[str, Sequence[PutByFunction]] = {}


class PutByFunction(NamedTuple):
    """A function is passed `base.name`, or what a name is bound to, and puts something into it.

    Args:
        where: the function that passes it.
        base: of which it passes an attribute; None of a name.
        put: what the other function puts in, as a list.
    """

    where: Scope
    base: ir.Expr | None
    put: Located


def put_by_functions(evaluator: Evaluation, name: str) -> Sequence[PutByFunction]:
    """What functions put into what they are passed: an attribute of that name, or what has it."""
    found = evaluator.fixpoint.get(
        ("put by functions",),
        lambda: _by_name(evaluator),
        _NOTHING,
        lambda known: known,
    )
    return found.get(name, ())


def _by_name(evaluator: Evaluation) -> Mapping[str, Sequence[PutByFunction]]:
    found: dict[str, list[PutByFunction]] = collections.defaultdict(list)
    mentions = evaluator.callers.mentions
    for scope, write in mentions.puts_in_parameters():
        function = evaluator.project.function(scope)
        assert isinstance(write.target, ir.Name)
        assert write.value is not None
        put = Located(scope, write.value)
        parameter = next(each for each in function.parameters if each.name == write.target.id)
        bound = function.owner is not None and ir.Name("staticmethod") not in function.decorators
        for where, call in mentions.calls_of(function.name):
            offset = int(bound and isinstance(call.func, ir.Attribute))
            match argument_for(function.parameters, parameter, call, offset):
                case ir.Attribute(base=base, name=name):
                    found[name].append(PutByFunction(where, base, put))
                case ir.Name(id=name):
                    found[name].append(PutByFunction(where, None, put))
    return found
