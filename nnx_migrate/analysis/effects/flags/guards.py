"""Effects that happen only when a parameter is true: `if sow_weights: self.sow(...)`.

A function's effect that depends on a parameter of it is none of a call that leaves the parameter at
its default of False or None, and depends on the caller's own parameter when that is handed on. So
it is with a parameter of a function around it, which the function closes over, and with an
attribute of its own object, `if self.sow_weights:`, that the constructor settles.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.domain.values import (
    FunctionValue,
    Instance,
    Located,
    ParameterOf,
    Scope,
)
from nnx_migrate.analysis.effects.effect import Effect
from nnx_migrate.analysis.effects.flags.constructors import (
    NEVER,
    OTHER,
    Construction,
    ConstructorFlags,
    attribute_of_own,
)
from nnx_migrate.analysis.ir import nodes as ir

#: A parameter of a function, or "self.flag" of the method's own object.
Flag = tuple[Scope, str]
#: What asks for nothing.
FALSE = (ir.Constant("none"), ir.Constant("number", "False"))
#: Where more files set an attribute, it may be set in any program.
_MOST_SETTING = 1


def only_when(flag: Flag | None, effects: Iterable[Effect]) -> Iterator[Effect]:
    """Effects of what is done only when a parameter is true; None for no parameter."""
    if flag is None:
        yield from effects
        return
    for effect in effects:
        known = effect.flag is not None and not effect.flag[0].module
        yield effect if known else dataclasses.replace(effect, flag=flag)


def spelled(expr: ir.Expr | None) -> str:
    """The name that an expression is, or "self.flag"; "" of anything else."""
    match expr:
        case ir.Name(id=name):
            return name
        case ir.Attribute(base=ir.Name(id=base), name=name):
            return f"{base}.{name}"
        case _:
            return ""


class Flags:
    """Says what the parameters of called functions are, in the terms of the caller.

    Args:
        constructors: says how objects are made, for all functions of the project.
        scope: the function whose effects are looked for.
    """

    def __init__(self, constructors: ConstructorFlags, scope: Scope) -> None:
        self.project = constructors.project
        self.scope = scope
        self.constructors = constructors

    def named(self, scope: Scope, name: str) -> Flag | None:
        """The parameter, of the function or of one around it, that nothing else has the name of.

        Of no module, so that it is none of the flags that what is called has.

        Args:
            name: of a parameter, or of an attribute of one that is a method's own object.
        """
        root, _, attribute = name.partition(".")
        bindings = self.project.bindings(scope, root) if name else []
        if len(bindings) != 1 or not isinstance(bindings[0], ParameterOf):
            return None
        of = bindings[0].scope
        if "." in attribute:
            return None
        if attribute and not self.constructors.is_own(of, ir.Name(root)):
            return None
        around = of == self.scope or self._is_inside(self.scope, of)
        return (Scope("", of.function), name) if around else None

    def _is_inside(self, inner: Scope, outer: Scope) -> bool:
        """Whether a function is defined in another one."""
        key = self.project.function(inner).parent if inner.module == outer.module else None
        while key is not None and key != outer.function:
            key = self.project.function(Scope(inner.module, key)).parent
        return key is not None

    def kept(self, flag: Flag | None) -> Flag | None:
        """A flag as the callers of the function are to know it.

        What another function makes an effect depend on says nothing to them.
        """
        if flag is None or flag[0].module:
            return None
        return Scope(self.scope.module, flag[0].function), flag[1]

    def as_called(
        self,
        scope: Scope,
        call: ir.Call,
        effects: Iterable[Effect],
        called: FunctionValue | Instance | None = None,
    ) -> Iterator[Effect]:
        """The effects of functions that a call runs, without those that it does not ask for.

        Args:
            scope: where the call stands.
            called: what is called, where it may be a partial.
        """
        known: dict[Flag, Flag | None] = {}
        for effect in effects:
            if effect.flag is None or not effect.flag[0].module:
                yield effect
                continue
            if isinstance(called, FunctionValue) and self._is_inside(called.scope, effect.flag[0]):
                flag = self._closed_over(scope, call, called, effect.flag)
                yield dataclasses.replace(effect, flag=flag)
                continue
            if attribute_of_own(effect.flag[1]):
                if effect.flag not in known:
                    known[effect.flag] = self._settled(scope, call.func, effect.flag)
                settled = known[effect.flag]
                if settled != NEVER:
                    yield dataclasses.replace(effect, flag=settled)
                if settled is not None:
                    yield from self._set_elsewhere(effect, attribute_of_own(effect.flag[1]))
                continue
            passed = self._passed(call, *effect.flag, called)
            if passed in FALSE:
                continue
            yield dataclasses.replace(effect, flag=self.named(scope, spelled(passed)))

    def _set_elsewhere(self, effect: Effect, attribute: str) -> Iterator[Effect]:
        """An effect as it is in the programs with code that sets the attribute by itself.

        Where much code does, it counts in all programs: an effect for each would be too many.
        """
        modules = self.constructors.setting(attribute)
        if len(modules) > _MOST_SETTING:
            yield dataclasses.replace(effect, flag=None)
            return
        for module in sorted(modules):
            yield dataclasses.replace(effect, flag=None, home=effect.home or module)

    def _settled(self, scope: Scope, func: ir.Expr, flag: Flag) -> Flag | None:
        """What settles an attribute of the object whose method a call runs."""
        attribute = attribute_of_own(flag[1])
        if isinstance(func, ir.Attribute) and self.constructors.is_own_method(scope, func):
            return self.named(scope, f"{ir.last_name(func.base)}.{attribute}")
        found = self.constructors.made(scope, func)
        if not found and isinstance(func, ir.Attribute):
            found = self.constructors.made(scope, func.base)
        owner = self.constructors.owner(flag[0])
        answers = {self._by_construction(each, owner, attribute) for each in found} - {OTHER}
        asked = answers - {NEVER}
        return next(iter(asked), NEVER) if answers and len(asked) < 2 else None

    def _by_construction(self, made: Construction, owner: str, attribute: str) -> Flag | None:
        """What settles an attribute of an object that is made like this.

        Args:
            owner: the class whose method asks for it.
        """
        argument = self.constructors.argument(made, owner, attribute)
        if argument in {NEVER, OTHER, None}:
            return argument
        passed = self._passed(made.call, *argument, None)
        if passed in FALSE:
            return NEVER
        own = self.constructors.own_attribute(made.scope, passed)
        if not own or not self.constructors.are_of_one_object(made.scope, self.scope):
            return None
        return self.named(
            self.scope, f"{self.project.function(self.scope).parameters[0].name}.{own}"
        )

    def _closed_over(
        self, scope: Scope, call: ir.Call, called: FunctionValue, flag: Flag
    ) -> Flag | None:
        """The parameter that what is called closes over, when this very call of it made that."""
        of = flag[0]
        around = of == self.scope or self._is_inside(self.scope, of)
        if not around or not self._is_made_here(scope, call.func, called.key):
            return None
        return Scope("", of.function), flag[1]

    def _is_made_here(
        self,
        scope: Scope,
        expr: ir.Expr,
        key: str,
        seen: frozenset[tuple[Scope, str]] = frozenset(),
    ) -> bool:
        """Whether an expression names a function that is defined around it, or is it.

        What comes in as an argument may be of another call of the function around.
        """
        match expr:
            case ir.FunctionRef():
                return expr.key == key
            case ir.Name(id=name) if (scope, name) not in seen:
                bindings = self.project.bindings(scope, name)
                return len(bindings) == 1 and any(
                    isinstance(bound, Located)
                    and self._is_made_here(bound.scope, bound.expr, key, seen | {(scope, name)})
                    for bound in bindings
                )
            case ir.Call(func=func, args=args):
                parts = (func, *args)
                return any(self._is_made_here(scope, part, key, seen) for part in parts)
            case _:
                return False

    def _passed(
        self, call: ir.Call, scope: Scope, name: str, called: FunctionValue | Instance | None
    ) -> ir.Expr | None:
        """What a call passes for a parameter, its default included; None when that is not sure."""
        if isinstance(called, FunctionValue) and called.partial_args:
            return None
        if called is not None and called.bound_keywords:
            return None
        named = dict(call.keywords)
        if None in named or any(isinstance(arg, ir.Starred) for arg in call.args):
            return None
        if name in named:
            return named[name]
        for place, parameter in enumerate(self.project.function(scope).parameters):
            if parameter.name == name:
                # Of a method the first is bound; of a function it may be, when it is an attribute.
                by_place = parameter.kind == "positional" and len(call.args) > place - 1
                return None if by_place else parameter.default
        return None
