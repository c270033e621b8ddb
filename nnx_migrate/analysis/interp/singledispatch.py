"""Functions that run in the place of one that `functools.singledispatch` decorates."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import FunctionValue, Scope, Value
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir

#: Decorators that choose among functions by the type of what they are given.
DISPATCHING = frozenset({"functools.singledispatch", "functools.singledispatchmethod"})


def implementations(evaluator: Evaluator, scope: Scope) -> Iterator[Value]:
    """What `@f.register`, `@f.register(T)` and `f.register(T, g)` add to the function `scope`."""
    for where, call in evaluator.callers.mentions.calls_of("register"):
        named = call.func.func if isinstance(call.func, ir.Call) else call.func
        if not isinstance(named, ir.Attribute) or not call.args:
            continue
        held = evaluator.values(where, named.base)
        if any(isinstance(value, FunctionValue) and value.scope == scope for value in held):
            yield from evaluator.values(where, call.args[-1])
