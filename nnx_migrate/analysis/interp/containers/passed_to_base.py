"""What the constructors of classes below one of the library pass to its own.

class TrainState(nnx.ModelAndOptimizer):
    def __init__(self, model, tx, metrics):
        super().__init__(model, tx)
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.ir import nodes as ir

_INIT = "__init__"


def passed_to_base(evaluator: Evaluation, class_name: str, parameter: str) -> Iterator[Located]:
    """What a class of the project passes as the first argument of the library's constructor.

    Args:
        parameter: what the library calls that argument.
    """
    for above in evaluator.hierarchy.ancestry(class_name).classes:
        located = evaluator.project.class_of(above)
        if located is None:
            break
        module, record = located
        key = record.methods.get(_INIT)
        if key is not None:
            yield from _by_super(evaluator, Scope(module, key), parameter)
            return
    for scope, call in evaluator.callers.constructing(class_name):
        yield Located(scope, _first(call.args, call, parameter))


def _by_super(evaluator: Evaluation, init: Scope, parameter: str) -> Iterator[Located]:
    """The same of a constructor that calls the one above it."""
    for call in evaluator.project.function(init).calls:
        match call.func:
            case ir.Attribute(base=base, name="__init__") if ir.is_super(base):
                yield Located(init, _first(call.args, call, parameter))
            case ir.Attribute(base=base, name="__init__"):
                named = evaluator.hierarchy.class_name(init, base)
                if named is not None and layer_of(named) is not None:
                    yield Located(init, _first(call.args[1:], call, parameter))


def _first(args: tuple[ir.Expr, ...], call: ir.Call, parameter: str) -> ir.Expr:
    if args:
        return ir.UNSEEN if isinstance(args[0], ir.Starred) else args[0]
    return next((value for name, value in call.keywords if name == parameter), ir.UNSEEN)
