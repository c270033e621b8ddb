"""Decorators that check the types of what goes in and out of a function, and change nothing else.

`beartype`, `typeguard` and `jaxtyping` are known by name; a function of the project is one of them
where all that it does is to hand what it decorates to one.
"""

from __future__ import annotations

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Binding, Project

_CHECKING = frozenset(
    {
        "beartype.beartype",
        "jaxtyping.jaxtyped",
        "typeguard.typechecked",
        "typing.no_type_check",
    }
)
_CASTING = frozenset({"typing.cast", "typing_extensions.cast"})
_MAX_HOPS = 4


class TypeCheckers:
    """Tells which decorators of a project only check types."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._known: dict[tuple[Scope, ir.Expr], bool] = {}

    def is_one(self, scope: Scope, decorator: ir.Expr, hops: int = 0) -> bool:
        """Whether an expression is, or gives, such a decorator.

        Args:
            scope: what its names are looked up in.
            hops: through how many functions it was reached.
        """
        if hops:  # what is cut short here says nothing of the decorator by itself
            return hops < _MAX_HOPS and self._is_one(scope, decorator, hops)
        known = self._known.get((scope, decorator))
        if known is None:
            known = self._known[scope, decorator] = self._is_one(scope, decorator, hops)
        return known

    def _is_one(self, scope: Scope, decorator: ir.Expr, hops: int) -> bool:
        target = decorator.func if isinstance(decorator, ir.Call) else decorator
        dotted = self.project.dotted(scope, target)
        if isinstance(decorator, ir.Call):
            if dotted == "functools.partial":  # of one, with its settings
                return len(decorator.args) == 1 and self.is_one(scope, decorator.args[0], hops)
            return dotted in _CHECKING and not decorator.args
        if dotted is not None:
            return dotted in _CHECKING or self._hands_on(self.project.member(dotted), hops)
        if not isinstance(target, ir.Name):
            return False
        return self._hands_on(self.project.bindings(scope, target.id), hops)

    def _hands_on(self, bindings: list[Binding] | None, hops: int) -> bool:
        """Whether a function of the project gives back what it gets, as one of them does it."""
        match bindings:
            case [Located(scope=Scope(module=module), expr=ir.FunctionRef(key=key))]:
                scope = Scope(module, key)
            case _:
                return False
        function = self.project.function(scope)
        if len(function.parameters) != 1 or function.decorators or function.writes:
            return False
        given = ir.Name(function.parameters[0].name)
        return (
            bool(function.returns)
            and given.id not in function.bindings
            and all(self._is_of_checking(scope, call, hops + 1) for call in function.calls)
            and all(self._gives(scope, value, given, hops + 1) for value in function.returns)
        )

    def _is_of_checking(self, scope: Scope, call: ir.Call, hops: int) -> bool:
        dotted = self.project.dotted(scope, call.func)
        known = dotted == "functools.partial" or dotted in _CASTING or dotted in _CHECKING
        return known or self.is_one(scope, call.func, hops)

    def _gives(self, scope: Scope, value: ir.Expr, given: ir.Name, hops: int) -> bool:
        match value:
            case ir.Name():
                return value == given
            case ir.Call(func=func, args=(_, inner)) if (
                self.project.dotted(scope, func) in _CASTING
            ):
                return self._gives(scope, inner, given, hops)
            case ir.Call(func=func, args=(inner,)):
                return self.is_one(scope, func, hops) and self._gives(scope, inner, given, hops)
            case _:
                return False
