"""Which expressions are one object, as far as the code shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.shared_references import SharingFinder

#: The variable that an object is found by, then attributes: ("main", "train:3:0", "model", "lin").
Path = tuple[str, ...]
_Seen = frozenset[tuple[Scope, ir.Expr]]


class IdentityFinder:
    """Follows names and attributes to what they were bound to."""

    def __init__(self, evaluator: Evaluator, sharing: SharingFinder) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.sharing = sharing

    def path(self, scope: Scope, expr: ir.Expr, seen: _Seen = frozenset()) -> Path:
        """Where an object is found; empty when that is no variable and no attribute of one."""
        match expr:
            case ir.Attribute(base=base, name=name):
                stored = self.stored(scope, expr)
                if _leads_on(stored, seen):
                    return self.path(stored.scope, stored.expr, seen | {(scope, expr)})
                path = self.path(scope, base, seen)
                return (*path, name) if path else ()
            case ir.Name(id=name):
                bound = self._bound(scope, name)
                if _leads_on(bound, seen):
                    return self.path(bound.scope, bound.expr, seen | {(scope, expr)})
                bindings = self.project.bindings(scope, name)
                where = bindings[0].scope if bindings else scope
                return (where.module, where.function, name)
            case _:
                return ()

    def _bound(self, scope: Scope, name: str) -> Located | None:
        """The one thing that a name is bound to."""
        bindings = self.project.bindings(scope, name)
        single = bindings[0] if len(bindings) == 1 else None
        return single if isinstance(single, Located) else None

    def stored(self, scope: Scope, expr: ir.Attribute) -> Located | None:
        """The one thing that is stored in an attribute of a method's own object."""
        function = self.project.function(scope)
        if function.owner is None or not function.parameters:
            return None
        if expr.base != ir.Name(function.parameters[0].name):
            return None
        stored = self.evaluator.stored(f"{scope.module}:{function.owner}", expr.name)
        return stored[0] if len(stored) == 1 else None

    def _origin(self, scope: Scope, expr: ir.Expr) -> Located:
        found: Located | None = None
        if isinstance(expr, ir.Name):
            found = self._bound(scope, expr.id)
        elif isinstance(expr, ir.Attribute):
            found = self.stored(scope, expr)
        return found or Located(scope, expr)

    def kept(self, scope: Scope, expr: ir.Expr) -> Iterator[Path]:
        """What an object keeps: what it was made of, and what was stored in it from outside."""
        yield from self._stored_in(self.path(scope, expr))
        origin = self._origin(scope, expr)
        if not isinstance(origin.expr, ir.Call):
            return
        if self.project.nnx_name(origin.scope, origin.expr.func) == "ModelAndOptimizer":
            given = list(origin.expr.args[:1])
        else:
            given = list(self.sharing.kept_arguments(origin.scope, origin.expr))
        for each in given:
            if path := self.path(origin.scope, each):
                yield path

    def _stored_in(self, holder: Path) -> Iterator[Path]:
        if not holder:
            return
        scope = Scope(*holder[:2])
        for write in self.project.function(scope).writes:
            if write.how != "set" or not isinstance(write.value, ir.Name | ir.Attribute):
                continue
            target = self.path(scope, write.target)
            if target[: len(holder)] == holder and target != holder:
                stored = self.path(scope, write.value)
                if stored and stored[: len(holder)] != holder:
                    yield stored


def _leads_on(held: Located | None, seen: _Seen) -> TypeGuard[Located]:
    """Whether what a name or an attribute holds is another one, which was not met before."""
    if held is None or not isinstance(held.expr, ir.Name | ir.Attribute):
        return False
    return (held.scope, held.expr) not in seen
