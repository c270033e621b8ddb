"""The functions that a call may run by what it says, and their parameters that it gives values to.

A call of an attribute may run any function of its name. Of a name that hundreds have, like
`forward`, they are gone through once for each place that an argument can have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from nnx_migrate.analysis.domain.values import Located, ParameterOf, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.analysis.symbols.occurrences import Mentions
from nnx_migrate.analysis.symbols.program import Binding, Project


class Handle(NamedTuple):
    """Something that a function may be called by.

    Args:
        name: the last part of what is called; of a result, the name of the function called for it.
        within: the function or module whose variable it is.
        kind: "variable": that one variable; "own": any variable of the name that is not a
            parameter; "attribute": of whatever object; "any": all of these; "result": no name, but
            what a call of that function returns.
    """

    name: str
    within: Scope | None = None
    kind: Literal["variable", "own", "attribute", "any", "result"] = "variable"


class Spellings:
    """Tells the handles of names as they are written somewhere."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def meant(self, where: Scope, used: ir.Name | ir.Attribute) -> Iterator[Handle]:
        """The handles that something may be used by."""
        name = ir.last_name(used)
        yield Handle(name, kind="any")
        if isinstance(used, ir.Attribute):
            dotted = self._project.dotted(where, used)
            if dotted is None:
                yield Handle(name, kind="attribute")
                return
            yield of_module(dotted)
            holder = self._project.dotted(where, used.base)
            yield from self.imported(f"{holder}.{name}")
            return
        bindings = self._project.bindings(where, name)
        if not bindings or not all(isinstance(b, ParameterOf) for b in bindings):
            yield Handle(name, kind="own")
        yield from self.variables(where, name)

    def variables(self, scope: Scope, name: str) -> Iterator[Handle]:
        """The variables that a name in `scope` may be, with those that they are imported from."""
        for binding in self._project.bindings(scope, name):
            yield Handle(name, binding.scope)
            if isinstance(binding, Located) and isinstance(binding.expr, ir.ImportRef):
                yield from self.imported(binding.expr.target)

    def imported(self, target: str) -> set[Handle]:
        """Where something imported is defined, and the files in between that may name it anew."""
        names = {*self._project.names_on_the_way(target), self._project.follow(target) or target}
        return {of_module(name) for name in names}


def of_module(dotted: str) -> Handle:
    """The variable of a module."""
    module, _, name = dotted.rpartition(".")
    return Handle(name, Scope(module, ir.MODULE_SCOPE))


class DefinedClasses:
    """Tells what makes objects of classes, where these are defined."""

    def __init__(self, hierarchy: Hierarchy, spelled_as: Spellings) -> None:
        self._hierarchy = hierarchy
        self._project = hierarchy.project
        self._spelled_as = spelled_as

    def made_objects(self, scope: Scope, function: ir.Function) -> Iterator[Handle]:
        """What makes the plain objects that a method is the call of."""
        for class_name in self._hierarchy.descendants(f"{scope.module}:{function.owner}"):
            located = self._project.class_of(class_name)
            own = self._hierarchy.method(class_name, "__call__") == scope
            if located is not None and own and self._hierarchy.kind(class_name) == "plain":
                yield Handle(located[1].name, kind="result")

    def constructors(self, scope: Scope, function: ir.Function) -> Iterator[Handle]:
        for class_name in self._made(scope, function):
            yield from self.of_class(class_name)

    def of_class(self, class_name: str) -> Iterator[Handle]:
        """What a class is called by where it is defined, and in its own class methods."""
        located = self._project.class_of(class_name)
        if located is None:
            return
        module, record = located
        yield from self._spelled_as.variables(Scope(module, record.scope), record.name)
        yield Handle(record.name, kind="own")
        yield Handle(record.name, kind="attribute")
        for key, method in self._project.methods_of(module, record.key):
            if any(ir.last_name(d) == "classmethod" for d in method.decorators):
                first = method.parameters[:1]
                yield from (Handle(p.name, Scope(module, key)) for p in first)

    def _made(self, scope: Scope, function: ir.Function) -> Iterator[str]:
        """The classes whose constructor a method is."""
        for class_name in self._hierarchy.descendants(f"{scope.module}:{function.owner}"):
            if self._hierarchy.method(class_name, "__init__") == scope:
                yield class_name


class Called(NamedTuple):
    """The functions that a call may run.

    Args:
        name: they are all that have this name.
    """

    functions: tuple[tuple[Scope, ir.Function], ...]
    name: str = ""


class CalledFunctions:
    """Tells them, and remembers those of a name."""

    def __init__(self, hierarchy: Hierarchy, mentions: Mentions) -> None:
        self.hierarchy = hierarchy
        self.project = hierarchy.project
        self.mentions = mentions
        self._by_name: dict[str, Called] = {}
        self._taking: dict[tuple[str, int | str], tuple[Handle, ...]] = {}

    def of(self, here: Scope, func: ir.Expr) -> Called:
        """The functions that a call may run: the one it names, else all that have the name."""
        if not isinstance(func, ir.Name | ir.Attribute):
            return Called(())
        dotted = self.project.dotted(here, func)
        if dotted is not None:
            bindings = self.project.member(dotted) or []
        elif isinstance(func, ir.Name):
            bindings = self.project.bindings(here, func.id)
        else:
            return self._of_name(func.name)
        defined = [self._defined(binding) for binding in bindings]
        if None in defined:
            return self._of_name(ir.last_name(func))
        return Called(
            tuple((s, self.project.function(s)) for scopes in defined for s in scopes or ())
        )

    def _of_name(self, name: str) -> Called:
        if name not in self._by_name:
            functions = tuple(self.mentions.functions_called(name))
            self._by_name[name] = Called(functions, name)
        return self._by_name[name]

    def taking(self, called: Called, place: int | str) -> tuple[Handle, ...]:
        """The parameters of functions that an argument is given to."""
        key = called.name, place
        if not called.name or key not in self._taking:
            found = tuple(_parameters_at(called.functions, place))
            if not called.name:
                return found
            self._taking[key] = found
        return self._taking[key]

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


def _parameters_at(
    functions: Iterable[tuple[Scope, ir.Function]], place: int | str
) -> Iterator[Handle]:
    for scope, function in functions:
        parameters = function.parameters
        if isinstance(place, str):
            if any(each.name == place for each in parameters):
                yield Handle(place, scope)
        elif (i := place + (1 if function.owner else 0)) < len(parameters):
            yield Handle(parameters[i].name, scope)


def results_called(func: ir.Expr) -> Iterator[str]:
    """The names of what is called for what is called: `make` of `make()(x)`, `jit(make())(x)`."""
    while isinstance(func, ir.Call):
        yield ir.last_name(func)
        func = func.args[0] if func.args else func.func
