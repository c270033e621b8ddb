"""What an nnx.Dict gets under a name after it was made: `table.a = x`, `table.update(a=x)`.

Which Dict that is said of is not told apart. What is stored by a key, `table["a"] = x`, is found
where the attribute is read that holds the Dict.
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.dunder_dispatch import elements
from nnx_migrate.analysis.callgraph.lattice import unsettled
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    PLAIN,
    ContainerValue,
    Instance,
    Located,
    Scope,
    Value,
    Values,
)
from nnx_migrate.analysis.interp.containers.without_elements import has_no_elements
from nnx_migrate.analysis.ir import nodes as ir

_DICT = "flax.nnx.Dict"
#: What containers have under a name, which is no item.
_OF_CONTAINERS = frozenset({*dir(dict), *dir(list)})


def is_dict_of_nnx(evaluator: Evaluation, value: Value) -> bool:
    """Whether a value is one, or of a class below it."""
    if not isinstance(value, Instance):
        return False
    return _DICT in evaluator.hierarchy.ancestry(value.class_name).classes


def put_by_name(evaluator: Evaluation, value: Value) -> Values:
    """What code puts into Dicts by name, where a value is one."""
    if not is_dict_of_nnx(evaluator, value):
        return NOTHING
    return evaluator.fixpoint.get(
        ("put into dicts",),
        lambda: (
            NOTHING.union(*(evaluator.values(put.scope, put.expr) for put in _stores(evaluator)))
            - PLAIN
        ),
        NOTHING,
        unsettled,
    )


def items_of(evaluator: Evaluation, value: Value) -> Values:
    """What indexing a value, or iterating over it, gives."""
    if has_no_elements(evaluator, value):
        return NOTHING
    return elements(evaluator, value) | put_by_name(evaluator, value)


def item_by_name(value: Value, name: str) -> Values:
    """What `table.a` may be of what `table["a"] = x` put into what may be an nnx.Dict."""
    match value:
        case ContainerValue(element=held, keyed="yes" | "maybe") if name not in _OF_CONTAINERS:
            return held
        case _:
            return NOTHING


def _stores(evaluator: Evaluation) -> Iterator[Located]:
    mentions = evaluator.callers.mentions
    for name in sorted(mentions.names_written_outside()):
        for scope, write in mentions.outside_writes(name):
            target = write.target
            if write.how != "set" or write.value is None or not isinstance(target, ir.Attribute):
                continue
            if _may_be_dict(evaluator, scope, target.base):
                yield Located(scope, write.value)
    for scope, call in mentions.calls_of("setattr"):
        if len(call.args) == 3 and _may_be_dict(evaluator, scope, call.args[0]):
            yield Located(scope, call.args[2])
    for scope, call in mentions.calls_of("update"):
        if isinstance(call.func, ir.Attribute) and _may_be_dict(evaluator, scope, call.func.base):
            yield from (Located(scope, ir.Element(given)) for given in call.args)
            yield from (
                Located(scope, value if name else ir.Element(value))
                for name, value in call.keywords
            )


def _may_be_dict(evaluator: Evaluation, scope: Scope, expr: ir.Expr) -> bool:
    return any(is_dict_of_nnx(evaluator, value) for value in evaluator.values(scope, expr))
