"""Where something of a name is called, stored to or defined: tables over all files of a project.

The project as it is after an edit asks the tables of the project before it for all other files.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Iterator

from nnx_migrate.facts import ir
from nnx_migrate.facts.project import Project
from nnx_migrate.facts.values import Scope


class Mentions:
    """What the files of a project call, store to and define, by last name.

    Args:
        base: the tables of `project.base`, if the project has one.
    """

    def __init__(self, project: Project, base: Mentions | None = None) -> None:
        self.project = project
        self.base = base

    def own_modules(self) -> list[tuple[str, ir.ModuleIndex]]:
        """The modules that this table is made from: with a base, only the one that was edited."""
        if self.base is None:
            return list(self.project.modules.items())
        return [(self.project.replaced, self.project.modules[self.project.replaced])]

    @functools.cached_property
    def _by_name(self) -> dict[str, list[tuple[Scope, ir.Call]]]:
        calls: dict[str, list[tuple[Scope, ir.Call]]] = collections.defaultdict(list)
        for module, index in self.own_modules():
            for key, function in index.functions.items():
                for call in function.calls:
                    for name in dict.fromkeys(map(ir.last_name, callees(call.func))):
                        calls[name].append((Scope(module, key), call))
        return calls

    def is_called(self, name: str) -> bool:
        return name in self._by_name or (self.base is not None and self.base.is_called(name))

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
        for module, index in self.own_modules():
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
        for module, index in self.own_modules():
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
            for _, index in self.own_modules()
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

    @functools.cached_property
    def _scopes_by_name(self) -> dict[str, list[Scope]]:
        found: dict[str, list[Scope]] = collections.defaultdict(list)
        for module, index in self.own_modules():
            for key, function in index.functions.items():
                found[function.name].append(Scope(module, key))
        return found

    def functions_named(self, name: str) -> list[Scope]:
        own = self._scopes_by_name.get(name, [])
        if self.base is None:
            return own
        rest = self.base.functions_named(name)
        return own + [scope for scope in rest if scope.module != self.project.replaced]

    @functools.cached_property
    def _functions_by_name(self) -> dict[str, list[tuple[Scope, ir.Function]]]:
        found: dict[str, list[tuple[Scope, ir.Function]]] = collections.defaultdict(list)
        for module, index in self.own_modules():
            for key, function in index.functions.items():
                found[function.name].append((Scope(module, key), function))
            for record in index.classes.values():
                if "__init__" in record.methods:
                    key = record.methods["__init__"]
                    found[record.name].append((Scope(module, key), index.functions[key]))
        return found

    def functions_called(self, name: str) -> list[tuple[Scope, ir.Function]]:
        """The functions that a call of something of that name may run, constructors included."""
        own = self._functions_by_name.get(name, [])
        return own if self.base is None else own + self.base.functions_called(name)

    @functools.cached_property
    def _class_names(self) -> dict[str, bool]:
        """Name of a class -> whether every class of that name has a constructor of its own."""
        found: dict[str, bool] = {}
        for _, index in self.own_modules():
            for record in index.classes.values():
                found[record.name] = "__init__" in record.methods and found.get(record.name, True)
        return found

    def makes_fields(self, name: str) -> bool:
        """Whether a class of that name may take its attributes as arguments, as dataclasses do."""
        return not self._class_names.get(name, True) or (
            self.base is not None and self.base.makes_fields(name)
        )

    def is_function_name(self, name: str) -> bool:
        """Whether a function or a class of the project has that name."""
        if name in self._scopes_by_name or name in self._class_names:
            return True
        return self.base is not None and self.base.is_function_name(name)


def callees(func: ir.Expr) -> Iterator[ir.Name | ir.Attribute]:
    """What a call may call: `f` of `f(x)`, both `nnx.jit` and `f` of `nnx.jit(f)(x)`."""
    match func:
        case ir.Name() | ir.Attribute():
            yield func
        case ir.Call(func=inner, args=args):
            yield from callees(inner)
            for arg in args[:1]:
                yield from callees(arg)


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
