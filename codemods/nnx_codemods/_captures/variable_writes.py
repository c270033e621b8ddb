"""Whether a function may write to what it is given: in place, or because it is a live object."""

from __future__ import annotations

import re

from nnx_codemods._captures.variable_reads import only_reads_values
from nnx_migrate.analysis.callgraph.binding import arguments
from nnx_migrate.analysis.domain.containers import any_leaf
from nnx_migrate.analysis.domain.values import (
    Basic,
    FunctionValue,
    Instance,
    LibraryValue,
    ParameterOf,
    Scope,
    Value,
    Values,
)
from nnx_migrate.analysis.effects.causes import CalleeUnknown, MethodUnknown
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.rewrite.model.context import FileContext

_LIVE = frozenset({"module", "metric", "rngs", "optimizer"})
_WRITING_METHODS = frozenset({"set_value", "copy_from", "update", "set_raw_value", "update_from"})
_ARRAY_METHODS = re.compile(  # and those of dictionaries of arrays
    "all|any|argmax|argmin|argsort|astype|at|clip|conj|copy|cumprod|cumsum|diagonal|dot|flatten|"
    "item|max|mean|min|nonzero|prod|ravel|repeat|reshape|round|set|add|get|shape|sort|squeeze|std|"
    "sum|swapaxes|take|tobytes|tolist|trace|transpose|var|view|items|keys|values"
)


def may_update(context: FileContext, scope: Scope, name: str, values: Values) -> bool:
    """Whether a function may write to its parameter `name`.

    A Module that holds more than Params counts as written to when it is used at all, but for values
    of its Variables that are read: its batch statistics, streams and counters are what a forward
    pass writes to.

    Args:
        scope: the function.
        name: its parameter.
        values: what the parameter can be.
    """
    return any_leaf(values, lambda value: _may_update(context, scope, name, value))


def _may_update(context: FileContext, scope: Scope, name: str, value: Value) -> bool:
    match value:
        case Instance(class_name=class_name):
            kind = context.evaluator.hierarchy.kind(class_name)
            contents = context.analysis.contents.of(frozenset({value}))
            if kind == "plain":  # a tree, of which nothing but the nodes in it is live
                if contents.unseen and _acts(context, scope, name):
                    return True
                live = bool(contents.variables)
            else:
                live = kind in _LIVE
            if live and not contents.only_params:
                return not only_reads_values(context, scope, name)
            return (live or kind == "variable") and _Writes(context).to(scope, name)
        case Basic(sort="state"):
            return _is_merged(context, scope, name) or _Writes(context).to(scope, name)
        case Basic(sort="unknown"):
            return _acts(context, scope, name) or _is_merged(context, scope, name)
        case _:
            return False


def _acts(context: FileContext, scope: Scope, name: str) -> bool:
    """Whether something of which nothing is known is called, or has methods no array has."""
    for effect in context.effects_of(scope, name):
        match effect.cause:
            case CalleeUnknown():
                return True
            case MethodUnknown(name=method) if not _ARRAY_METHODS.fullmatch(method):
                return True
            case _ if effect.kind == "structure":
                return True
    return False


def _is_merged(context: FileContext, scope: Scope, name: str) -> bool:
    """Whether a State is made into a Module, which shares its Variables."""
    return any(
        context.project.nnx_name(where, call.func) in {"merge", "compat.merge", "update"}
        and any(_root(arg) == name for arg in call.args)
        for where in context.project.within(scope)
        for call in context.project.function(where).calls
    )


class _Writes:
    """Follows an object through calls and looks for `m.w[...] = v` and the like."""

    def __init__(self, context: FileContext) -> None:
        self.context = context
        self.seen: set[tuple[Scope, str]] = set()

    def to(self, scope: Scope, name: str) -> bool:
        if (scope, name) in self.seen:
            return False
        self.seen.add((scope, name))
        for where in self.context.project.within(scope):
            function = self.context.project.function(where)
            if any(self._is_part(where, write.target, name) for write in function.writes):
                return True
            if any(self._call(where, call, name) for call in function.calls):
                return True
        return False

    def _is_part(
        self,
        scope: Scope,
        expr: ir.Expr,
        name: str,
        seen: frozenset[tuple[Scope, str]] = frozenset(),
    ) -> bool:
        """Whether an expression is the parameter `name` or a part of it, under any local name."""
        root = _root(expr)
        return root == name or (
            root is not None
            and (scope, root) not in seen
            and any(
                self._is_part(binding.scope, binding.expr, name, seen | {(scope, root)})
                for binding in self.context.project.bindings(scope, root)
                if not isinstance(binding, ParameterOf)
            )
        )

    def _call(self, scope: Scope, call: ir.Call, name: str) -> bool:
        if self._is_part(scope, call.func, name):
            if isinstance(call.func, ir.Attribute):
                if call.func.name in _WRITING_METHODS:
                    return True
                owners = self.context.evaluator.values(scope, call.func.base)
                if self._methods(owners, call.func.name):
                    return True
            if self._methods(self.context.evaluator.values(scope, call.func), "__call__"):
                return True
        given = [
            argument
            for argument in (*call.args, *(value for _, value in call.keywords))
            if self._is_part(scope, argument, name)
        ]
        return bool(given) and any(
            self._passed(value, call, given)
            for value in self.context.evaluator.values(scope, call.func)
        )

    def _methods(self, values: Values, name: str) -> bool:
        for value in values:
            if not isinstance(value, Instance):
                continue
            method = self.context.evaluator.hierarchy.method(value.class_name, name)
            if isinstance(method, Scope):
                parameters = self.context.project.function(method).parameters
                if parameters and self.to(method, parameters[0].name):
                    return True
        return False

    def _passed(self, value: Value, call: ir.Call, given: list[ir.Expr]) -> bool:
        match value:
            case LibraryValue(dotted=dotted):
                return dotted.endswith((".update", ".copy_from"))
            case FunctionValue():
                function = self.context.project.function(value.scope)
                return any(
                    self.to(value.scope, parameter.name)
                    for parameter, argument in arguments(function, value, call)
                    if argument in given
                )
            case _:
                return False


def _root(expr: ir.Expr) -> str | None:
    while isinstance(expr, ir.Attribute | ir.Element | ir.Unpacked):
        expr = expr.base
    return expr.id if isinstance(expr, ir.Name) else None
