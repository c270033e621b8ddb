"""Who calls a function, and with what: every call in the project that can reach it."""

from __future__ import annotations

import collections
import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from nnx_migrate.facts import ir
from nnx_migrate.facts.library import NNX_TRANSFORMS
from nnx_migrate.facts.project import Project, nnx_name
from nnx_migrate.facts.values import ClassValue, FunctionValue, Located, Scope, Value

if TYPE_CHECKING:
    from nnx_migrate.facts.evaluate import Evaluator

#: Library functions that call one of their arguments: where the function stands, and from which
#: argument on its own arguments follow (LAX_* take a leading loop index or predicate apart).
_OPERANDS = {
    "eval_shape": ((0,), 1, 0),
    "cond": ((1, 2), 3, 0),
    "switch": ((), 2, 0),
    "while_loop": ((0, 1), 2, 0),
    "fori_loop": ((2,), 3, 1),
    "tree.map": ((0,), 1, 0),
    "tree_map": ((0,), 1, 0),
}


_PARTIALS = ("partial", "cached_partial", "jit_partial")
_WRAPPERS = NNX_TRANSFORMS | {
    "partial",
    "wraps",
    "pmap",
    "jit",
    "vmap",
    "checkpoint",
    "staticmethod",
}


#: Where a call is, the call, and the function it calls.
Caller = tuple[Scope, ir.Call, FunctionValue]
_NO_CALLERS: Mapping[Scope, tuple[Caller, ...]] = {}


class Callers:
    """Finds call sites by the names that a function can be called by, then verifies each."""

    def __init__(self, project: Project, evaluator: Evaluator, base: Callers | None = None) -> None:
        self.project = project
        self.evaluator = evaluator
        self.base = base
        self._names: dict[Scope, tuple[str, ...]] = {}

    @functools.cached_property
    def _by_name(self) -> dict[str, list[tuple[Scope, ir.Call]]]:
        calls: dict[str, list[tuple[Scope, ir.Call]]] = collections.defaultdict(list)
        for module, index in self._own_modules():
            for key, function in index.functions.items():
                for call in function.calls:
                    for name in _callee_names(call.func):
                        calls[name].append((Scope(module, key), call))
        return calls

    @functools.cached_property
    def _aliases(self) -> dict[str, set[str]]:
        """Name of a function -> names that something made from it is bound to."""
        aliases: dict[str, set[str]] = collections.defaultdict(set)
        for _, index in self._own_modules():
            for function in index.functions.values():
                for name, values in function.bindings.items():
                    for value in values:
                        for source in self._made_from(value):
                            aliases[source].add(name)
                for write in function.writes:
                    if write.value is not None and isinstance(write.target, ir.Attribute):
                        for source in self._made_from(write.value):
                            aliases[source].add(write.target.name)
                for call in function.calls:
                    for parameter, source in self._handed_on(call):
                        aliases[source].add(parameter)
        return aliases

    @functools.cached_property
    def _class_names(self) -> frozenset[str]:
        return frozenset(
            record.name for _, index in self._own_modules() for record in index.classes.values()
        )

    def _is_function_name(self, name: str) -> bool:
        if name in self._scopes_by_name or name in self._class_names:
            return True
        return self.base is not None and self.base._is_function_name(name)

    def _made_from(self, value: ir.Expr) -> Iterator[str]:
        """Names of functions that a bound value is made from: `g = nnx.jit(f)`, `g = f`."""
        match value:
            case ir.Name(id=name) | ir.Attribute(name=name):
                if self._is_function_name(name):
                    yield name
            case ir.Call(func=func, args=(first, *_)) if ir.last_name(func) in _WRAPPERS:
                if isinstance(first, ir.Name | ir.Attribute):
                    yield ir.last_name(first)
                else:
                    yield from self._made_from(first)
            case ir.Choice(options=options) | ir.Sequence(elements=options):
                for option in options:
                    yield from self._made_from(option)
            case ir.Within(expr=inner):
                yield from self._made_from(inner)

    def _handed_on(self, call: ir.Call) -> Iterator[tuple[str, str]]:
        """Functions that are passed by name to functions of the project, by parameter name."""
        for keyword, value in call.keywords:
            if keyword and (name := ir.last_name(value)) and self._is_function_name(name):
                yield keyword, name
        handed = [
            (i, name)
            for i, a in enumerate(call.args)
            if (name := ir.last_name(a)) and self._is_function_name(name)
        ]
        if not handed or not isinstance(call.func, ir.Name | ir.Attribute):
            return
        name = call.func.id if isinstance(call.func, ir.Name) else call.func.name
        for function in self._functions_called(name):
            offset = 1 if function.owner else 0
            for i, source in handed:
                if i + offset < len(function.parameters):
                    yield function.parameters[i + offset].name, source

    @functools.cached_property
    def _functions_by_name(self) -> dict[str, list[ir.Function]]:
        found: dict[str, list[ir.Function]] = collections.defaultdict(list)
        for _, index in self._own_modules():
            for function in index.functions.values():
                found[function.name].append(function)
            for record in index.classes.values():
                if "__init__" in record.methods:
                    found[record.name].append(index.functions[record.methods["__init__"]])
        return found

    @functools.cached_property
    def _scopes_by_name(self) -> dict[str, list[Scope]]:
        found: dict[str, list[Scope]] = collections.defaultdict(list)
        for module, index in self._own_modules():
            for key, function in index.functions.items():
                found[function.name].append(Scope(module, key))
        return found

    def _own_modules(self) -> list[tuple[str, ir.ModuleIndex]]:
        """The modules that this table is made from: with a base, only the one that was edited."""
        if self.base is None:
            return list(self.project.modules.items())
        return [(self.project.replaced, self.project.modules[self.project.replaced])]

    def functions_named(self, name: str) -> list[Scope]:
        own = self._scopes_by_name.get(name, [])
        if self.base is None:
            return own
        rest = self.base.functions_named(name)
        return own + [scope for scope in rest if scope.module != self.project.replaced]

    def _functions_called(self, name: str) -> list[ir.Function]:
        own = self._functions_by_name.get(name, [])
        return own if self.base is None else own + self.base._functions_called(name)

    def _aliases_of(self, name: str) -> set[str]:
        own = self._aliases.get(name, set())
        return own if self.base is None else own | self.base._aliases_of(name)

    def calls_of(self, name: str) -> list[tuple[Scope, ir.Call]]:
        """Every call in the project of something of that last name."""
        own = self._by_name.get(name, [])
        if self.base is None:
            return own
        rest = self.base.calls_of(name)
        return own + [pair for pair in rest if pair[0].module != self.project.replaced]

    @functools.cached_property
    def _by_keyword(self) -> dict[str, list[tuple[Scope, ir.Call]]]:
        found: dict[str, list[tuple[Scope, ir.Call]]] = collections.defaultdict(list)
        for module, index in self._own_modules():
            for key, function in index.functions.items():
                for call in function.calls:
                    for keyword, _ in call.keywords:
                        if keyword:
                            found[keyword].append((Scope(module, key), call))
        return found

    def calls_with_keyword(self, keyword: str) -> list[tuple[Scope, ir.Call]]:
        """Every call in the project that passes something by that keyword."""
        own = self._by_keyword.get(keyword, [])
        if self.base is None:
            return own
        rest = self.base.calls_with_keyword(keyword)
        return own + [pair for pair in rest if pair[0].module != self.project.replaced]

    @functools.cached_property
    def _outside_writes(self) -> dict[str, list[tuple[Scope, ir.Write]]]:
        """Stores to attributes of anything but a method's own object, by the attribute's name."""
        found: dict[str, list[tuple[Scope, ir.Write]]] = collections.defaultdict(list)
        for module, index in self._own_modules():
            for key, function in index.functions.items():
                own = function.parameters[0].name if function.owner and function.parameters else ""
                for write in writes_in(function):
                    target = write.target
                    if not isinstance(target, ir.Attribute) or write.value is None:
                        continue
                    if target.base != ir.Name(own) and not isinstance(write.value, ir.Constant):
                        found[target.name].append((Scope(module, key), write))
        return found

    @functools.cached_property
    def _properties(self) -> frozenset[str]:
        return frozenset(
            function.name
            for _, index in self._own_modules()
            for function in index.functions.values()
            if function.owner is not None and any(map(ir.is_property, function.decorators))
        )

    def is_property(self, name: str) -> bool:
        """Whether some class of the project has a property of that name."""
        return name in self._properties or (self.base is not None and self.base.is_property(name))

    def outside_writes(self, name: str) -> list[tuple[Scope, ir.Write]]:
        """Every store to an attribute of that name of something else than a method's own object."""
        own = self._outside_writes.get(name, [])
        if self.base is None:
            return own
        rest = self.base.outside_writes(name)
        return own + [pair for pair in rest if pair[0].module != self.project.replaced]

    def names_written_outside(self) -> set[str]:
        rest = self.base.names_written_outside() if self.base is not None else set()
        return rest | self._outside_writes.keys()

    def of(self, scope: Scope) -> tuple[Caller, ...]:
        """Every call that reaches the function `scope`: where, the call, how it was reached."""
        return self.evaluator.fixpoint.get(
            ("callers", scope), lambda: self._callers(scope), (), lambda found: found
        )

    def _callers(self, scope: Scope) -> tuple[Caller, ...]:
        function = self.project.function(scope)
        found: dict[int, Caller] = {}
        for name in self._names_for(scope):
            for caller in self._reached(name).get(scope, ()):
                found[id(caller[1])] = caller
        if function.name == "<lambda>":
            for where, call in self._lambda_calls(scope, function):
                for value in self.evaluator.values(where, call.func):
                    if isinstance(value, FunctionValue) and value.scope == scope:
                        found[id(call)] = (where, call, value)
        return tuple(found.values())

    def _reached(self, name: str) -> Mapping[Scope, tuple[Caller, ...]]:
        """The functions that calls of something of that name reach, each with those calls."""
        return self.evaluator.fixpoint.get(
            ("reached", name), lambda: self._resolved(name), _NO_CALLERS, lambda found: found
        )

    def _resolved(self, name: str) -> Mapping[Scope, tuple[Caller, ...]]:
        found: dict[Scope, list[Caller]] = collections.defaultdict(list)
        for where, call in self.calls_of(name):
            for value in self.evaluator.values(where, call.func):
                called = self._behind(value)
                if isinstance(called, FunctionValue):
                    found[called.scope].append((where, call, called))
        return {scope: tuple(callers) for scope, callers in found.items()}

    def _names_for(self, scope: Scope) -> tuple[str, ...]:
        """The names that a function may be called by, as far as anything is called so."""
        if scope not in self._names:
            self._names[scope] = tuple(
                sorted(name for name in self._all_names(scope) if self._is_called(name))
            )
        return self._names[scope]

    def _is_called(self, name: str) -> bool:
        return name in self._by_name or (self.base is not None and self.base._is_called(name))

    def _made_classes(self, scope: Scope, function: ir.Function) -> Iterator[str]:
        """The names of the classes whose constructor a method is."""
        hierarchy = self.evaluator.hierarchy
        for class_name in hierarchy.descendants(f"{scope.module}:{function.owner}"):
            located = self.project.class_of(class_name)
            if located is not None and hierarchy.method(class_name, "__init__") == scope:
                yield located[1].name

    def _all_names(self, scope: Scope) -> set[str]:
        function = self.project.function(scope)
        names = {function.name}
        if function.owner is not None:
            if function.name == "__call__":
                return set()
            if function.name == "__init__":
                names |= {"cls", *self._made_classes(scope, function)}
        frontier = set(names)
        for _ in range(3):
            frontier = {a for name in frontier for a in self._aliases_of(name)} - names
            names |= frontier
        return names

    def _lambda_calls(self, scope: Scope, function: ir.Function) -> Iterator[tuple[Scope, ir.Call]]:
        outer = Scope(scope.module, function.parent or ir.MODULE_SCOPE)
        for call in self.project.function(outer).calls:
            if _holds_function(call.func, function.key):
                yield outer, call
        for name, values in self.project.function(outer).bindings.items():
            if any(_holds_function(value, function.key) for value in values):
                yield from self.calls_of(name)

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

    @functools.cached_property
    def _partials(self) -> dict[str, list[tuple[Scope, ir.Call]]]:
        found: dict[str, list[tuple[Scope, ir.Call]]] = collections.defaultdict(list)
        for name in _PARTIALS:
            for where, call in self._by_name.get(name, ()):
                if call.args:
                    found[ir.last_name(call.args[0])].append((where, call))
        return found

    def _partials_of(self, name: str) -> list[tuple[Scope, ir.Call]]:
        """Every call of functools.partial, or its like, on something of that name."""
        own = self._partials.get(name, [])
        if self.base is None:
            return own
        rest = self.base._partials_of(name)
        return own + [pair for pair in rest if pair[0].module != self.project.replaced]

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
            names = set(self._made_classes(scope, function))
        for name in sorted(names):
            for where, call in self._partials_of(name):
                for value in self.evaluator.values(where, call.args[0]):
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
        outer = Scope(scope.module, function.parent or ir.MODULE_SCOPE)
        for call in self.project.function(outer).calls:
            dotted = self.project.dotted(outer, call.func)
            name = _operand_name(dotted)
            if name is None:
                continue
            functions, start, skipped = _OPERANDS[name]
            places = functions or range(len(call.args))
            given = [call.args[i] for i in places if i < len(call.args)]
            if not any(self._refers_to(outer, expr, scope) for expr in given):
                continue
            place = start + index - skipped
            if index >= skipped and place < len(call.args):
                yield Located(outer, call.args[place])

    def _refers_to(self, where: Scope, expr: ir.Expr, scope: Scope) -> bool:
        return any(
            isinstance(v, FunctionValue) and v.scope == scope
            for v in self.evaluator.values(where, expr)
        )


def argument_for(
    function: ir.Function, parameter: ir.Parameter, call: ir.Call, offset: int
) -> ir.Expr | None:
    """The expression that `call` passes for `parameter`; None when it passes none or it is hidden.

    Args:
        offset: how many leading parameters are already bound (self, a partial's arguments).
    """
    for keyword, value in call.keywords:
        if keyword == parameter.name:
            return value
    if parameter.kind != "positional":
        return None
    place = function.parameters.index(parameter) - offset
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
    return name if name in _OPERANDS else None


def _callee_names(func: ir.Expr) -> Iterator[str]:
    match func:
        case ir.Name(id=name):
            yield name
        case ir.Attribute(name=name):
            yield name
        case ir.Call(func=inner, args=args):
            yield from _callee_names(inner)
            for arg in args[:1]:
                yield from _callee_names(arg)


def writes_in(function: ir.Function) -> Iterator[ir.Write]:
    """The stores of a function, those by `setattr` with a literal name included."""
    yield from function.writes
    yield from _set_by_name(function)


def _set_by_name(function: ir.Function) -> Iterator[ir.Write]:
    """`setattr(x, "name", value)` as the store that it is."""
    for call in function.calls:
        match call:
            case ir.Call(func=ir.Name(id="setattr"), args=(base, ir.Constant(text=name), value)):
                if name:
                    yield ir.Write(ir.Attribute(base, name), value, "set", call.line)


def _holds_function(expr: ir.Expr, key: str) -> bool:
    match expr:
        case ir.FunctionRef(key=other):
            return other == key
        case ir.Call(func=func, args=args):
            return _holds_function(func, key) or any(_holds_function(a, key) for a in args)
        case _:
            return False
