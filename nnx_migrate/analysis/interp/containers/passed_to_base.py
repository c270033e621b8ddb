"""What the constructors of classes below one of the library pass to its own.

class TrainState(nnx.ModelAndOptimizer):
    def __init__(self, model, tx, metrics):
        super().__init__(model, tx)
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import Instance, Located, Scope
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


def keywords_of(evaluator: Evaluation, instance: Instance) -> frozenset[str]:
    """The keywords that the library's constructor of an object was called with."""
    if layer_of(instance.class_name) is not None:
        return instance.keywords
    return keywords_to_base(evaluator, instance.class_name)


def keywords_to_base(evaluator: Evaluation, class_name: str) -> frozenset[str]:
    """The keywords that a class of the project passes to the library's constructor.

    They are those of its callers where it has none of its own. They may be any ("**") where nobody
    calls it, or where a constructor does not show how it calls the one above.
    """
    found: set[str] = set()
    own = False
    for above in evaluator.hierarchy.ancestry(class_name).classes:
        located = evaluator.project.class_of(above)
        key = located[1].methods.get(_INIT) if located is not None else None
        if located is not None and key is not None:
            own = True
            shown = [call for call, _ in _to_base(evaluator, Scope(located[0], key))]
            found.update(name or ir.UNPACKED for call in shown for name, _ in call.keywords)
            found.update(() if shown else {ir.UNPACKED})
    if own:
        return frozenset(found)
    calls = [call for _, call in evaluator.callers.constructing(class_name)]
    given = {name or ir.UNPACKED for call in calls for name, _ in call.keywords}
    return frozenset(given) if calls else frozenset({ir.UNPACKED})


def _by_super(evaluator: Evaluation, init: Scope, parameter: str) -> Iterator[Located]:
    """The same of a constructor that calls the one above it."""
    for call, args in _to_base(evaluator, init):
        yield Located(init, _first(args, call, parameter))


def _to_base(evaluator: Evaluation, init: Scope) -> Iterator[tuple[ir.Call, tuple[ir.Expr, ...]]]:
    """The calls in a constructor of the one above it, each with its arguments but the object."""
    for call in evaluator.project.function(init).calls:
        match call.func:
            case ir.Attribute(base=base, name="__init__") if ir.is_super(base):
                yield call, call.args
            case ir.Attribute(base=base, name="__init__"):
                named = evaluator.hierarchy.class_name(init, base)
                if named is not None and layer_of(named) is not None:
                    yield call, call.args[1:]


def _first(args: tuple[ir.Expr, ...], call: ir.Call, parameter: str) -> ir.Expr:
    if args:
        return ir.UNSEEN if isinstance(args[0], ir.Starred) else args[0]
    return next((value for name, value in call.keywords if name == parameter), ir.UNSEEN)
