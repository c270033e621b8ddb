"""Who calls a function, and with what: every call in the project that can reach it."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from nnx_migrate.analysis.callgraph.binding import argument_for, caught, leading
from nnx_migrate.analysis.callgraph.call_targets import Handles
from nnx_migrate.analysis.callgraph.called_functions import Handle
from nnx_migrate.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Located,
    Scope,
    Value,
    Values,
    scope_around,
    union,
)
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.occurrences import Mentions
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.analysis.symbols.reaching_definitions import meant_at

if TYPE_CHECKING:
    from nnx_migrate.analysis.callgraph.base import Evaluation

#: Where a call is, the call, and the function it calls.
Caller = tuple[Scope, ir.Call, FunctionValue]
_Rows = Iterable[tuple[Scope, ir.Call]]
_Calls = Callable[[Handle], _Rows]
_NO_CALLERS: Mapping[Scope, tuple[Caller, ...]] = {}


class Callers:
    """Finds call sites by the names that a function can be called by, then verifies each."""

    def __init__(
        self, project: Project, evaluator: Evaluation, before: Callers | None = None
    ) -> None:
        self.project = project
        self.evaluator = evaluator
        self.mentions = Mentions(project)
        known = None if before is None else before.handles
        self._before = None if before is None else before.evaluator.fixpoint
        self.handles: Handles = Handles(project, evaluator.hierarchy, self.mentions, known)

    def of(self, scope: Scope) -> tuple[Caller, ...]:
        """Every call that reaches the function `scope`: where, the call, how it was reached."""
        return self.evaluator.fixpoint.get(
            ("callers", scope),
            lambda: self._callers(scope, "reached", self.handles.calls),
            (),
            lambda found: found,
        )

    def implied(self, scope: Scope) -> tuple[Caller, ...]:
        """Every call of it that a library makes: `map(f, xs)`, `partial(f, x)`, `submit(f, x)`.

        What these pass is not all that they pass, nor are they to be found in the source.
        """
        return self.evaluator.fixpoint.get(
            ("implied callers", scope),
            lambda: self._callers(scope, "reached by libraries", self.handles.implied_calls),
            (),
            lambda found: found,
        )

    def _callers(self, scope: Scope, asked: str, calls: _Calls) -> tuple[Caller, ...]:
        function = self.project.function(scope)
        found: dict[int, Caller] = {}
        for handle in self.handles.of(scope):
            for caller in self._reached(handle, asked, calls).get(scope, ()):
                found[id(caller[1])] = caller
        if function.name == "<lambda>":
            outer = scope_around(scope, function)
            if asked == "reached":
                around = [(outer, call) for call in self.project.function(outer).calls]
                rows = [row for row in around if _holds_function(row[1].func, function.key)]
            else:
                rows = list(self.mentions.implied_calls_of(function.key))
            for where, call in rows:
                for value in in_order(self.evaluator.values(where, call.func)):
                    if isinstance(value, FunctionValue) and value.scope == scope:
                        found[id(call)] = (where, call, value)
        return tuple(found.values())

    def _reached(
        self, handle: Handle, asked: str, calls: _Calls
    ) -> Mapping[Scope, tuple[Caller, ...]]:
        """The functions that calls by that handle reach, each with those calls."""
        return self.evaluator.fixpoint.get(
            (asked, handle),
            lambda: self._reached_before(handle, asked, calls) or self._resolved(calls(handle)),
            _NO_CALLERS,
            lambda found: found,
        )

    def _reached_before(
        self, handle: Handle, asked: str, calls: _Calls
    ) -> Mapping[Scope, tuple[Caller, ...]] | None:
        """What was found before the edit of a file, where none of it is about such files."""
        found = self._before.final((asked, handle)) if self._before else None
        if not isinstance(found, Mapping):
            return None
        renewed = self.project.renewed
        callers = itertools.chain.from_iterable(found.values())
        calling = (where for where, _, _ in callers)
        if any(scope.module in renewed for scope in itertools.chain(found, calling)):
            return None
        return None if any(where.module in renewed for where, _ in calls(handle)) else found

    def _resolved(self, rows: _Rows) -> Mapping[Scope, tuple[Caller, ...]]:
        found: dict[Scope, list[Caller]] = collections.defaultdict(list)
        for where, call in rows:
            for value in in_order(self._called(where, call)):
                called = self._behind(value)
                if isinstance(called, FunctionValue):
                    found[called.scope].append((where, call, called))
        return {scope: tuple(callers) for scope, callers in found.items()}

    def _called(self, where: Scope, call: ir.Call) -> Values:
        func = meant_at(self.project, where, call.func, call.line)
        return self.evaluator.values(where, func)

    def constructing(self, class_name: str) -> tuple[tuple[Scope, ir.Call], ...]:
        """Every call in the project that makes an object of a class, by whatever name."""
        return self.evaluator.fixpoint.get(
            ("constructing", class_name),
            lambda: tuple(self._constructing(class_name)),
            (),
            lambda found: found,
        )

    def _constructing(self, class_name: str) -> Iterator[tuple[Scope, ir.Call]]:
        rows = {
            id(call): (where, call)
            for handle in self.handles.of_class(class_name)
            for where, call in (
                *self.handles.calls(handle),
                *self.handles.implied_calls(handle),
            )
        }
        for where, call in rows.values():
            for value in in_order(self._called(where, call)):
                if isinstance(value, ClassValue) and value.class_name == class_name:
                    yield where, call

    def arguments(
        self, scope: Scope, function: ir.Function, parameter: ir.Parameter
    ) -> Iterator[Located]:
        """What each call in the project passes for `parameter`."""
        return (passed for passed, _ in self._passed(scope, function, parameter))

    def values_passed(self, scope: Scope, function: ir.Function, parameter: ir.Parameter) -> Values:
        """The values of these arguments, each at the line of its call."""
        return union(
            self.evaluator.values(
                passed.scope, meant_at(self.project, passed.scope, passed.expr, line)
            )
            for passed, line in self._passed(scope, function, parameter)
        )

    def _passed(
        self, scope: Scope, function: ir.Function, parameter: ir.Parameter
    ) -> Iterator[tuple[Located, int]]:
        """What each call passes, with the line of the call."""
        for where, call, value in self.of(scope):
            parameters = function.parameters
            argument = argument_for(parameters, parameter, call, leading(value), placed=True)
            if value.bound and function.owner is None and parameter == function.parameters[0]:
                argument = call.func.base if isinstance(call.func, ir.Attribute) else None
            if argument is not None:
                yield Located(where, argument), call.line
            elif parameter.kind in {"star", "double_star"}:
                yield Located(where, caught(function, parameter, call, leading(value))), call.line
            elif _tells_kind(parameter.default):
                continue
            else:
                hidden = [value for keyword, value in call.keywords if keyword is None]
                yield from ((Located(where, ir.Element(value)), call.line) for value in hidden)
        for where, call, value in self.implied(scope):
            argument = argument_for(function.parameters, parameter, call, leading(value))
            if argument is not None and argument != ir.UNSEEN:
                yield Located(where, argument), call.line
            elif parameter.kind in {"star", "double_star"}:
                yield Located(where, caught(function, parameter, call, leading(value))), call.line
            elif argument is None and any(keyword is None for keyword, _ in call.keywords):
                yield Located(where, ir.UNSEEN), call.line

    def _behind(self, value: Value) -> Value:
        """The function that runs when a value is called, if it is one of the project."""
        if isinstance(value, ClassValue):
            method = self.evaluator.hierarchy.method(value.class_name, "__init__")
            if isinstance(method, Scope):
                return FunctionValue(method, method.function, bound=True)
        return self.evaluator.hierarchy.run_by_call(value)


def _tells_kind(default: ir.Expr | None) -> bool:
    """Whether a default shows what a parameter is; what `**options` hides is taken for the same."""
    return default is not None and default != ir.Constant("none")


def _holds_function(expr: ir.Expr, key: str) -> bool:
    match expr:
        case ir.FunctionRef(key=other):
            return other == key
        case ir.Call(func=func, args=args):
            return _holds_function(func, key) or any(_holds_function(a, key) for a in args)
        case _:
            return False
