"""What is put into a container that a name is bound to, where its bindings do not say so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import NOTHING, ContainerValue, Located, Scope, Values
from nnx_migrate.analysis.interp.containers.put_by_functions import put_by_functions
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Binding


def holds_container(values: Values) -> bool:
    """Whether a list, a dict or the like is among some values."""
    return any(isinstance(value, ContainerValue) for value in values)


def put_under(value: ir.Expr, key: str) -> ir.Sequence:
    """What `xs[k] = value` puts into a list or a dict."""
    keys = (key,) if key else ()
    return ir.Sequence((value,), is_tuple=False, keyed="maybe", keys=keys)


def stored_by(scope: Scope, write: ir.Write) -> Located:
    """What a store makes of an attribute: of `xs[k] = value`, a container of the value."""
    assert write.value is not None
    put = put_under(write.value, write.key) if write.how == "key" else write.value
    return Located(scope, put)


def put_under_name(evaluator: Evaluation, bindings: Sequence[Binding], name: str) -> Values:
    """What is put into it: by other names of it, by functions that it is passed, in other files.

    Args:
        bindings: what the name is bound to, so that it is told from others like it.
    """
    where = bindings[0].scope
    found = NOTHING
    for put in evaluator.project.function(where).puts:
        if put.target == ir.Name(name) and put.value is not None:
            found |= evaluator.values(where, put.value)
    for each in put_by_functions(evaluator, name):
        if each.base is None and _is_bound_in(evaluator, each.where, name, where):
            found |= evaluator.values(each.put.scope, each.put.expr)
    for stored in _by_other_files(evaluator, where, name):
        found |= evaluator.values(stored.scope, stored.expr)
    return found


def _is_bound_in(evaluator: Evaluation, scope: Scope, name: str, where: Scope) -> bool:
    bindings = evaluator.project.bindings(scope, name)
    return bool(bindings) and bindings[0].scope == where


def _by_other_files(evaluator: Evaluation, where: Scope, name: str) -> Iterator[Located]:
    """What is put into it as `module.name`, and by files that import it."""
    if where.function != ir.MODULE_SCOPE:
        return
    mentions, dotted = evaluator.callers.mentions, f"{where.module}.{name}"
    writes = (row for row in mentions.outside_writes(name) if row[1].how in {"key", "grow"})
    for scope, write in (*writes, *mentions.outside_puts(name)):
        if evaluator.project.dotted(scope, write.target) == dotted and write.value is not None:
            yield stored_by(scope, write)
