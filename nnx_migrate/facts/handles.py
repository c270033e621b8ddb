"""What a function can be called by: its name, and what it is bound, returned or passed as."""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Iterator
from typing import Literal

from nnx_migrate.facts import ir
from nnx_migrate.facts.hierarchy import Hierarchy
from nnx_migrate.facts.library import NNX_TRANSFORMS
from nnx_migrate.facts.mentions import Mentions, callees
from nnx_migrate.facts.project import Binding, Project
from nnx_migrate.facts.values import Located, ParameterOf, Scope

_WRAPPERS = NNX_TRANSFORMS | {
    "partial",
    "wraps",
    "pmap",
    "jit",
    "vmap",
    "checkpoint",
    "staticmethod",
}
_MAX_HOPS = 6


@dataclasses.dataclass(frozen=True, slots=True)
class Handle:
    """Something that a function may be called by.

    Args:
        name: the last part of what is called; of a result, the name of the function called for it.
        within: the function whose variable it is; None for a name of a module.
        kind: "variable": that one variable; "own": any variable of the name that is not a
            parameter; "attribute": of whatever object; "any": all of these; "result": no name, but
            what a call of that function returns.
    """

    name: str
    within: Scope | None = None
    kind: Literal["variable", "own", "attribute", "any", "result"] = "variable"


class Handles:
    """Follows functions through the names that they are given.

    Args:
        base: the handles of `project.base`, if the project has one.
    """

    def __init__(
        self,
        project: Project,
        hierarchy: Hierarchy,
        mentions: Mentions,
        base: Handles | None = None,
    ) -> None:
        self.project = project
        self.hierarchy = hierarchy
        self.mentions = mentions
        self.base = base
        self._known: dict[Scope, tuple[Handle, ...]] = {}

    def of(self, scope: Scope) -> tuple[Handle, ...]:
        """What a function may be called by, as far as anything is called so."""
        if scope not in self._known:
            found = self._all(scope)
            called = [h for h in found if h.kind != "result" and self.mentions.is_called(h.name)]
            self._known[scope] = tuple(sorted(called, key=str))
        return self._known[scope]

    def calls(self, handle: Handle) -> Iterator[tuple[Scope, ir.Call]]:
        """The calls in the project that are spelled so."""
        for where, call in self.mentions.calls_of(handle.name):
            if any(self._may_mean(handle, where, callee) for callee in callees(call.func)):
                yield where, call

    def _may_mean(self, handle: Handle, where: Scope, callee: ir.Name | ir.Attribute) -> bool:
        if ir.last_name(callee) != handle.name:
            return False
        if isinstance(callee, ir.Attribute):
            if handle.kind in {"attribute", "any"}:
                return True
            return handle.within is None and self.project.dotted(where, callee) is not None
        if handle.kind == "own":
            bindings = self.project.bindings(where, handle.name)
            return not bindings or not all(isinstance(b, ParameterOf) for b in bindings)
        if handle.kind == "variable":
            return handle in self._variables(where, handle.name)
        return handle.kind == "any"

    def _variables(self, scope: Scope, name: str) -> Iterator[Handle]:
        """The variables that a name in `scope` may be, imported ones by their own name."""
        bindings = self.project.bindings(scope, name)
        for binding in bindings:
            local = binding.scope.function != ir.MODULE_SCOPE
            yield Handle(name, binding.scope if local else None)
            if isinstance(binding, Located) and isinstance(binding.expr, ir.ImportRef):
                yield Handle(binding.expr.target.rpartition(".")[2])
        if not bindings:
            yield Handle(name)

    def _all(self, scope: Scope) -> set[Handle]:
        found = frontier = set(self._own(scope, self.project.function(scope)))
        for _ in range(_MAX_HOPS):
            frontier = {a for handle in frontier for a in self._aliases_of(handle)} - found
            found = found | frontier
        return found

    def _own(self, scope: Scope, function: ir.Function) -> Iterator[Handle]:
        """What a function is called by where it is defined."""
        if function.owner is None:
            parent = Scope(scope.module, function.parent or ir.MODULE_SCOPE)
            yield from self._variables(parent, function.name)
            yield Handle(function.name, kind="own")
        elif function.name != "__call__":
            yield Handle(function.name, kind="attribute")
            if function.name == "__init__":
                yield from self._constructors(scope, function)

    def _constructors(self, scope: Scope, function: ir.Function) -> Iterator[Handle]:
        for class_name in self._made(scope, function):
            located = self.project.class_of(class_name)
            assert located is not None
            module, record = located
            yield from self._variables(Scope(module, record.scope), record.name)
            yield Handle(record.name, kind="own")
            yield Handle(record.name, kind="attribute")
            for key, method in self.project.methods_of(module, record.key):
                if any(ir.last_name(d) == "classmethod" for d in method.decorators):
                    first = method.parameters[:1]
                    yield from (Handle(p.name, Scope(module, key)) for p in first)

    def _made(self, scope: Scope, function: ir.Function) -> Iterator[str]:
        """The classes whose constructor a method is."""
        for class_name in self.hierarchy.descendants(f"{scope.module}:{function.owner}"):
            if self.hierarchy.method(class_name, "__init__") == scope:
                yield class_name

    def made_classes(self, scope: Scope, function: ir.Function) -> Iterator[str]:
        """The names of the classes whose constructor a method is."""
        for class_name in self._made(scope, function):
            located = self.project.class_of(class_name)
            if located is not None:
                yield located[1].name

    def _aliases_of(self, handle: Handle) -> Iterator[Handle]:
        yield from self._aliases.get(handle, ())
        if self.base is not None:
            yield from self.base._aliases_of(handle)

    @functools.cached_property
    def _aliases(self) -> dict[Handle, dict[Handle, None]]:
        """Handle of something -> handles of that, or of what is made from it."""
        aliases: dict[Handle, dict[Handle, None]] = collections.defaultdict(dict)
        for module, index in self.mentions.own_modules():
            for key, function in index.functions.items():
                for source, handle in self._given(Scope(module, key), function):
                    aliases[source][handle] = None
        return aliases

    def _given(self, here: Scope, function: ir.Function) -> Iterator[tuple[Handle, Handle]]:
        everywhere = function.key == ir.MODULE_SCOPE
        for name, values in function.bindings.items():
            variable = Handle(name, None if everywhere or name in function.globals else here)
            for value in values:
                for source in self._made_from(here, value):
                    yield source, variable
        for write in function.writes:
            if write.value is not None and isinstance(write.target, ir.Attribute):
                for source in self._made_from(here, write.value):
                    yield source, Handle(write.target.name, kind="attribute")
        for returned in (*function.returns, *function.yields):
            for source in self._made_from(here, returned):
                yield source, Handle(function.name, kind="result")
        for call in function.calls:
            yield from self._handed_on(here, call)

    def _made_from(self, here: Scope, value: ir.Expr) -> Iterator[Handle]:
        """What a value is made from: `f`, `nnx.jit(f)`, `(f, g)`, `make()`."""
        match value:
            case ir.Name(id=name) if self.mentions.is_function_name(name):
                yield from self._variables(here, name)
            case ir.Attribute(name=name) if self.mentions.is_function_name(name):
                yield Handle(name, kind="attribute")
                yield Handle(name)
            case ir.FunctionRef(key=key):
                function = self.project.modules[here.module].functions.get(key)
                if function is not None:
                    yield Handle(function.name, here)
            case ir.Call(func=func, args=(first, *_)) if ir.last_name(func) in _WRAPPERS:
                yield from self._made_from(here, first)
            case ir.Call(func=ir.Name() | ir.Attribute() as func):
                name = ir.last_name(func)
                if self.mentions.is_function_name(name):
                    yield Handle(name, kind="result")
            case ir.Choice(options=parts) | ir.Sequence(elements=parts):
                for part in parts:
                    yield from self._made_from(here, part)
            case ir.Unpacked(base=base):
                yield from self._made_from(here, base)
            case ir.Within(key=key, expr=inner):
                yield from self._made_from(Scope(here.module, key), inner)

    def _handed_on(self, here: Scope, call: ir.Call) -> Iterator[tuple[Handle, Handle]]:
        """Functions that are passed to functions of the project, by parameter."""
        handed = [(i, list(self._made_from(here, arg))) for i, arg in enumerate(call.args)]
        named = [(k, list(self._made_from(here, value))) for k, value in call.keywords if k]
        if not any(sources for _, sources in (*handed, *named)):
            return
        called = self._called(here, call.func)
        for scope, function in called:
            offset = 1 if function.owner else 0
            for i, sources in handed:
                if i + offset < len(function.parameters):
                    handle = Handle(function.parameters[i + offset].name, scope)
                    yield from ((source, handle) for source in sources)
        fields = self.mentions.makes_fields(ir.last_name(call.func))
        for keyword, sources in named:
            for handle in _taking(called, keyword, fields):
                yield from ((source, handle) for source in sources)

    def _called(self, here: Scope, func: ir.Expr) -> list[tuple[Scope, ir.Function]]:
        """The functions that a call may run: the one it names, else all that have the name."""
        if not isinstance(func, ir.Name | ir.Attribute):
            return []
        dotted = self.project.dotted(here, func)
        if dotted is not None:
            bindings = self.project.member(dotted) or []
        elif isinstance(func, ir.Name):
            bindings = self.project.bindings(here, func.id)
        else:
            return self.mentions.functions_called(func.name)
        defined = [self._defined(binding) for binding in bindings]
        if None in defined:
            return self.mentions.functions_called(ir.last_name(func))
        return [(s, self.project.function(s)) for scopes in defined for s in scopes or ()]

    def _defined(self, binding: Binding) -> list[Scope] | None:
        """What runs when something is called that is bound to a name by its definition.

        None for what is bound in any other way.
        """
        match binding:
            case Located(scope=scope, expr=ir.FunctionRef(key=key)):
                return [Scope(scope.module, key)]
            case Located(scope=scope, expr=ir.ClassRef(key=key)):
                method = self.hierarchy.method(f"{scope.module}:{key}", "__init__")
                return [method] if isinstance(method, Scope) else []
            case _:
                return None


def _taking(
    called: list[tuple[Scope, ir.Function]], keyword: str, fields: bool
) -> Iterator[Handle]:
    """What a keyword argument is to the functions called.

    Args:
        fields: it may be the field of a dataclass, so it may end up anywhere.
    """
    taking = [s for s, function in called if any(p.name == keyword for p in function.parameters)]
    yield from (Handle(keyword, scope) for scope in taking)
    if not taking or len(taking) < len(called) or fields:
        yield Handle(keyword, kind="any")
