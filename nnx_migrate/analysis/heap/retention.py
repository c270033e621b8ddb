"""What constructors keep of what they are given: themselves, by a base class, in what they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nnx_migrate.analysis.callgraph.binding import argument_for
from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.analysis.symbols.program import Project

#: What gives the Variables of its argument, or the argument itself, and not copies.
_HOLDERS = frozenset({"state", "variables", "compat.state", "data"})
#: Where something is kept: the names of attributes, or the place of a call that keeps it.
Slot = tuple[str, ...] | tuple[Scope, int]
_NOWHERE: frozenset[Slot] = frozenset()


def arguments_of(call: ir.Call) -> Iterator[ir.Expr]:
    yield from call.args
    yield from (value for _, value in call.keywords)


def is_super_init(call: ir.Call) -> bool:
    func = call.func
    return isinstance(func, ir.Attribute) and func.name == "__init__" and ir.is_super(func.base)


def attribute_path(expr: ir.Expr) -> tuple[str, ...]:
    """The names of the attributes of `self.a.b`."""
    names: list[str] = []
    while isinstance(expr, ir.Attribute):
        names.append(expr.name)
        expr = expr.base
    return tuple(reversed(names))


class KeepingFinder:
    """Finds where objects keep what their constructors are given."""

    def __init__(self, project: Project, hierarchy: Hierarchy) -> None:
        self.project = project
        self.hierarchy = hierarchy
        self._places: dict[tuple[Scope, str], frozenset[Slot]] = {}

    def kept(self, scope: Scope, call: ir.Call) -> Mapping[ir.Expr, frozenset[Slot]]:
        """Names and own attributes that a constructor keeps, or the State of, and where."""
        found: dict[ir.Expr, frozenset[Slot]] = {}
        for method in self._constructors(scope, call):
            function = self.project.function(method)
            for parameter in function.parameters[1:]:
                given = self.whose(scope, argument_for(function.parameters, parameter, call, 1))
                if isinstance(given, ir.Name) or self.is_own(scope, given):
                    places = self._places_of(method, parameter.name)
                    # Of several base classes that a super() can mean, one runs.
                    if len(places) > len(found.get(given, _NOWHERE)):
                        found[given] = places
        return found

    def _constructors(self, scope: Scope, call: ir.Call) -> list[Scope]:
        """The `__init__` that a call runs, of a class or by `super().__init__()`."""
        if is_super_init(call):
            owner = self.project.function(scope).owner
            found = self.hierarchy.super_methods(f"{scope.module}:{owner}", "__init__")
        else:
            class_name = self.hierarchy.class_name(scope, call.func)
            method = self.hierarchy.method(class_name, "__init__") if class_name else None
            found = [] if method is None else [method]
        return [method for method in found if isinstance(method, Scope)]

    def _places_of(self, method: Scope, name: str) -> frozenset[Slot]:
        """Where a constructor keeps what it is given for a parameter, or has it kept for it."""
        known = self._places.get((method, name))
        if known is None:
            known = frozenset(self._own_places(method, name))
            self._places[method, name] = known  # for those that ask in a circle
            known |= frozenset(self._places_elsewhere(method, name))
            self._places[method, name] = known
        return known

    def _own_places(self, method: Scope, name: str) -> Iterator[Slot]:
        for write in self.project.function(method).writes:
            if write.value is None or not self.is_own(method, write.target):
                continue
            if self.whose(method, write.value) == ir.Name(name):
                yield attribute_path(write.target)

    def _places_elsewhere(self, method: Scope, name: str) -> Iterator[Slot]:
        """In a base class, or in an object that is made and kept."""
        function = self.project.function(method)
        for i, call in enumerate(function.calls):
            if ir.Name(name) not in arguments_of(call):
                continue
            places = self.kept(method, call).get(ir.Name(name), _NOWHERE)
            if is_super_init(call):
                yield from places
            elif places and any(self.stores(method, write, call) for write in function.writes):
                yield method, i

    def whose(self, scope: Scope, expr: ir.Expr | None) -> ir.Expr:
        """The object whose Variables an expression holds: m of `nnx.state(m)`, of `nnx.data(m)`."""
        while isinstance(expr, ir.Call) and expr.args:
            if self.project.nnx_name(scope, expr.func) not in _HOLDERS:
                break
            expr = expr.args[0]
        return expr if expr is not None else ir.UNSEEN

    def stores(self, scope: Scope, write: ir.Write, call: ir.Call) -> bool:
        """Whether a write stores what a call makes in the method's own object."""
        if write.value is None or not self.is_own(scope, write.target):
            return False
        pending = [write.value]
        for expr in pending:
            if expr == call:
                return True
            if isinstance(expr, ir.Call):
                pending += arguments_of(expr)
            elif isinstance(expr, ir.Sequence):
                pending += expr.elements
            elif isinstance(expr, ir.Choice):
                pending += expr.options
        return False

    def is_own(self, scope: Scope, expr: ir.Expr) -> bool:
        """Whether an expression is an attribute of the method's own object, at any depth."""
        parameters = self.project.function(scope).parameters
        if not parameters or not isinstance(expr, ir.Attribute):
            return False
        while isinstance(expr, ir.Attribute):
            expr = expr.base
        return expr == ir.Name(parameters[0].name)
