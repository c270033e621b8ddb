"""Who calls a function, and with what: every call in the project that can reach it."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from nnx_migrate.facts import ir
from nnx_migrate.facts.combining import is_container
from nnx_migrate.facts.handles import Handle, Handles
from nnx_migrate.facts.library import elements_of
from nnx_migrate.facts.mentions import Mentions
from nnx_migrate.facts.project import Project, nnx_name
from nnx_migrate.facts.transforms import OPERANDS
from nnx_migrate.facts.values import ClassValue, FunctionValue, Located, Scope, Value, scope_around
from nnx_migrate.facts.witnesses import in_order

if TYPE_CHECKING:
    from nnx_migrate.facts.evaluation import Evaluation

#: Where a call is, the call, and the function it calls.
Caller = tuple[Scope, ir.Call, FunctionValue]
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
        self.handles: Handles = Handles(project, evaluator.hierarchy, self.mentions, known)

    def of(self, scope: Scope) -> tuple[Caller, ...]:
        """Every call that reaches the function `scope`: where, the call, how it was reached."""
        return self.evaluator.fixpoint.get(
            ("callers", scope), lambda: self._callers(scope), (), lambda found: found
        )

    def _callers(self, scope: Scope) -> tuple[Caller, ...]:
        function = self.project.function(scope)
        found: dict[int, Caller] = {}
        for handle in self.handles.of(scope):
            for caller in self._reached(handle).get(scope, ()):
                found[id(caller[1])] = caller
        if function.name == "<lambda>":
            for where, call in self._lambda_calls(scope, function):
                for value in in_order(self.evaluator.values(where, call.func)):
                    if isinstance(value, FunctionValue) and value.scope == scope:
                        found[id(call)] = (where, call, value)
        return tuple(found.values())

    def _reached(self, handle: Handle) -> Mapping[Scope, tuple[Caller, ...]]:
        """The functions that calls by that handle reach, each with those calls."""
        return self.evaluator.fixpoint.get(
            ("reached", handle), lambda: self._resolved(handle), _NO_CALLERS, lambda found: found
        )

    def _resolved(self, handle: Handle) -> Mapping[Scope, tuple[Caller, ...]]:
        found: dict[Scope, list[Caller]] = collections.defaultdict(list)
        for where, call in self.handles.calls(handle):
            for value in in_order(self.evaluator.values(where, call.func)):
                called = self._behind(value)
                if isinstance(called, FunctionValue):
                    found[called.scope].append((where, call, called))
        return {scope: tuple(callers) for scope, callers in found.items()}

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
            for where, call in self.handles.calls(handle)
        }
        for where, call in rows.values():
            for value in in_order(self.evaluator.values(where, call.func)):
                if isinstance(value, ClassValue) and value.class_name == class_name:
                    yield where, call

    def _lambda_calls(self, scope: Scope, function: ir.Function) -> Iterator[tuple[Scope, ir.Call]]:
        outer = scope_around(scope, function)
        for call in self.project.function(outer).calls:
            if _holds_function(call.func, function.key):
                yield outer, call

    def arguments(
        self, scope: Scope, function: ir.Function, parameter: ir.Parameter
    ) -> Iterator[Located]:
        """What each call in the project passes for `parameter`."""
        for where, call, value in self.of(scope):
            offset = (1 if value.bound else 0) + value.partial_args
            argument = argument_for(function, parameter, call, offset)
            if argument is not None:
                yield Located(where, argument)
            elif parameter.kind in {"star", "double_star"}:
                yield Located(where, _rest(function, parameter, call, offset))
            elif _tells_kind(parameter.default):
                continue
            else:
                hidden = [value for keyword, value in call.keywords if keyword is None]
                yield from (Located(where, ir.Element(value)) for value in hidden)
        yield from self._operand_arguments(scope, function, parameter)
        yield from self._partial_arguments(scope, function, parameter)

    def _behind(self, value: Value) -> Value:
        """The function that runs when a value is called, if it is one of the project."""
        if isinstance(value, ClassValue):
            method = self.evaluator.hierarchy.method(value.class_name, "__init__")
            if isinstance(method, Scope):
                return FunctionValue(method, method.function, bound=True)
        return value

    def _partial_arguments(
        self, scope: Scope, function: ir.Function, parameter: ir.Parameter
    ) -> Iterator[Located]:
        """What `functools.partial(f, a)` and its like bind ahead of the calls."""
        if parameter.kind not in {"positional", "keyword"}:
            return
        index = function.parameters.index(parameter)
        names = {function.name}
        if function.owner is not None and function.name == "__init__":
            names = set(self.handles.made_classes(scope, function))
        for name in sorted(names):
            for where, call in self.mentions.partials_of(name):
                for value in in_order(self.evaluator.values(where, call.args[0])):
                    value = self._behind(value)
                    if not isinstance(value, FunctionValue) or value.scope != scope:
                        continue
                    place = 1 + index - (1 if value.bound else 0) - value.partial_args
                    if parameter.kind == "positional" and 1 <= place < len(call.args):
                        yield Located(where, call.args[place])
                    for keyword, given in call.keywords:
                        if keyword in {parameter.name, None}:
                            yield Located(where, given if keyword else ir.UNSEEN)

    def _operand_arguments(
        self, scope: Scope, function: ir.Function, parameter: ir.Parameter
    ) -> Iterator[Located]:
        """Operands that a loop, a conditional or eval_shape passes to a function given to it."""
        if parameter.kind != "positional":
            return
        index = function.parameters.index(parameter)
        outer = scope_around(scope, function)
        calls = [(outer, call) for call in self.project.function(outer).calls]
        passing = self.mentions.calls_with_operands(function.name)
        calls += [row for row in passing if row[0] != outer]
        for where, call in calls:
            name = _operand_name(self.project.dotted(where, call.func))
            if name is None:
                continue
            functions, start, skipped = OPERANDS[name]
            given = [call.args[i] for i in functions if i < len(call.args)]
            for value in self._references(where, given, scope):
                first = skipped + value.partial_args + (1 if value.bound else 0)
                place = start + index - first
                if index >= first and place < len(call.args):
                    yield Located(where, call.args[place])

    def _references(
        self, where: Scope, exprs: Iterable[ir.Expr], scope: Scope
    ) -> frozenset[FunctionValue]:
        """What the function is, as expressions or elements of lists give it to something."""
        return frozenset(
            v
            for expr in exprs
            for held in in_order(self.evaluator.values(where, expr))
            for v in (elements_of(held) if is_container(held) else (held,))
            if isinstance(v, FunctionValue) and v.scope == scope
        )


def argument_for(
    function: ir.Function, parameter: ir.Parameter, call: ir.Call, offset: int
) -> ir.Expr | None:
    """The expression that `call` passes for `parameter`; None when it passes none or it is hidden.

    Args:
        offset: how many leading parameters are already bound (self, a partial's arguments).
    """
    return argument_at(function.parameters, parameter, call, offset)


def argument_at(
    parameters: tuple[ir.Parameter, ...], parameter: ir.Parameter, call: ir.Call, offset: int
) -> ir.Expr | None:
    """The same of what has these parameters."""
    for keyword, value in call.keywords:
        if keyword == parameter.name:
            return value
    if parameter.kind != "positional":
        return None
    place = parameters.index(parameter) - offset
    if place < 0:
        return None
    for i, arg in enumerate(call.args[: place + 1]):
        if isinstance(arg, ir.Starred):
            return ir.Element(arg.value) if i <= place else None
    return call.args[place] if place < len(call.args) else None


def _tells_kind(default: ir.Expr | None) -> bool:
    """Whether a default shows what a parameter is; what `**options` hides is taken for the same."""
    return default is not None and default != ir.Constant("none")


def _rest(function: ir.Function, parameter: ir.Parameter, call: ir.Call, offset: int) -> ir.Expr:
    """What `*args` or `**options` collects from a call."""
    if parameter.kind == "star":
        positional = sum(p.kind == "positional" for p in function.parameters)
        return ir.Sequence(call.args[max(positional - offset, 0) :], is_tuple=True)
    named = {p.name for p in function.parameters}
    values = [v if k else ir.Element(v) for k, v in call.keywords if k not in named]
    return ir.Sequence(tuple(values), is_tuple=False)


def _operand_name(dotted: str | None) -> str | None:
    if dotted is None:
        return None
    name = nnx_name(dotted)
    if name is not None:
        name = name.removeprefix("compat.")
    elif dotted.startswith("jax.lax."):
        name = dotted.removeprefix("jax.lax.")
    elif dotted.startswith("jax."):
        name = dotted.removeprefix("jax.")
    return name if name in OPERANDS else None


def _holds_function(expr: ir.Expr, key: str) -> bool:
    match expr:
        case ir.FunctionRef(key=other):
            return other == key
        case ir.Call(func=func, args=args):
            return _holds_function(func, key) or any(_holds_function(a, key) for a in args)
        case _:
            return False
