"""Decorators after which a call still runs the function that stands below them.

`beartype`, `typeguard` and `jaxtyping` check types; they are known by name, and a function of the
project is like them where all that it does is to pass what it decorates to one. Others note the
function somewhere and give it back: `@register("gelu")`.
"""

from __future__ import annotations

from collections.abc import Sequence

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
#: Attributes of a function that decide what a call of it does.
_DECIDING = frozenset({"__code__", "__defaults__", "__kwdefaults__"})


class TransparentDecorators:
    """Tells which decorators of a project leave alone what a call does."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._known: dict[tuple[Scope, ir.Expr], bool] = {}

    def is_one(
        self, scope: Scope, decorator: ir.Expr, around: frozenset[Scope] = frozenset()
    ) -> bool:
        """Whether an expression is, or gives, such a decorator.

        Args:
            scope: what its names are looked up in.
            around: the functions through which it was reached.
        """
        if around:  # what is cut short here says nothing of the decorator by itself
            return self._is_one(scope, decorator, around)
        known = self._known.get((scope, decorator))
        if known is None:
            known = self._known[scope, decorator] = self._is_one(scope, decorator, around)
        return known

    def _is_one(self, scope: Scope, decorator: ir.Expr, around: frozenset[Scope]) -> bool:
        target = decorator.func if isinstance(decorator, ir.Call) else decorator
        dotted = self.project.dotted(scope, target)
        if isinstance(decorator, ir.Call):
            if dotted == "functools.partial":  # of one, with its settings
                return len(decorator.args) == 1 and self.is_one(scope, decorator.args[0], around)
            if dotted in _CHECKING:
                return not decorator.args
            maker = self._function(scope, target, dotted)
            return maker is not None and self._makes_one(maker)
        if dotted in _CHECKING:
            return True
        function = self._function(scope, target, dotted)
        if function is None or function in around:
            return False
        return self._gives_back(function) or self._checks(function, around | {function})

    def _function(self, scope: Scope, target: ir.Expr, dotted: str | None) -> Scope | None:
        """The function of the project that an expression names."""
        found: Sequence[Binding] | None = None
        if dotted is not None:
            found = self.project.member(dotted)
        elif isinstance(target, ir.Name):
            found = self.project.bindings(scope, target.id)
        match found:
            case [Located(scope=Scope(module=module), expr=ir.FunctionRef(key=key))]:
                return Scope(module, key)
            case _:
                return None

    def _makes_one(self, scope: Scope) -> bool:
        """Whether a function makes decorators that give back what they decorate."""
        function = self.project.function(scope)
        if function.decorators or function.yields:
            return False
        made = [self._function(scope, value, None) for value in function.returns]
        return bool(made) and all(each is not None and self._gives_back(each) for each in made)

    def _gives_back(self, scope: Scope) -> bool:
        """Whether a function gives back its first argument, and leaves alone what it does."""
        function = self.project.function(scope)
        if not function.parameters or function.decorators or function.yields:
            return False
        given = ir.Name(function.parameters[0].name)
        return (
            bool(function.returns)
            and given.id not in function.bindings
            and all(value == given for value in function.returns)
            and not any(_decides(write.target, given) for write in function.writes)
        )

    def _checks(self, scope: Scope, around: frozenset[Scope]) -> bool:
        """Whether a function of the project gives back what it gets, with its types checked."""
        function = self.project.function(scope)
        if len(function.parameters) != 1 or function.decorators or function.writes:
            return False
        given = ir.Name(function.parameters[0].name)
        return (
            bool(function.returns)
            and given.id not in function.bindings
            and all(self._is_of_checking(scope, call, around) for call in function.calls)
            and all(self._gives(scope, value, given, around) for value in function.returns)
        )

    def _is_of_checking(self, scope: Scope, call: ir.Call, around: frozenset[Scope]) -> bool:
        dotted = self.project.dotted(scope, call.func)
        known = dotted == "functools.partial" or dotted in _CASTING or dotted in _CHECKING
        return known or self.is_one(scope, call.func, around)

    def _gives(
        self, scope: Scope, value: ir.Expr, given: ir.Name, around: frozenset[Scope]
    ) -> bool:
        match value:
            case ir.Name():
                return value == given
            case ir.Call(func=func, args=(_, inner)) if (
                self.project.dotted(scope, func) in _CASTING
            ):
                return self._gives(scope, inner, given, around)
            case ir.Call(func=func, args=(inner,)):
                return self.is_one(scope, func, around) and self._gives(scope, inner, given, around)
            case _:
                return False


def _decides(target: ir.Expr, function: ir.Name) -> bool:
    match target:
        case ir.Attribute(base=base, name=name):
            return base == function and name in _DECIDING
        case _:
            return False
