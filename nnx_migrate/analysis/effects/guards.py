"""Effects that happen only when a parameter is true: `if sow_weights: self.sow(...)`.

A function's effect that depends on a parameter of it is none of a call that leaves the parameter at
its default of False or None, and depends on the caller's own parameter when that is handed on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.domain.values import FunctionValue, Instance, ParameterOf, Scope
from nnx_migrate.analysis.effects.summary import Effect
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project

#: In the place of the scope of the function that is being looked at, which may call itself.
OWN = Scope("", "")
#: What asks for nothing.
FALSE = (ir.Constant("none"), ir.Constant("number", "False"))


def only_when(flag: str, effects: Iterable[Effect]) -> Iterator[Effect]:
    """Effects of what is done only when an own parameter is true; "" for no parameter."""
    for effect in effects:
        own = effect.flag is not None and effect.flag[0] == OWN
        yield effect if own or not flag else dataclasses.replace(effect, flag=(OWN, flag))


class Flags:
    """Says what the parameters of called functions are, in the terms of the caller.

    Args:
        scope: the function whose effects are looked for.
    """

    def __init__(self, project: Project, scope: Scope) -> None:
        self.project = project
        self.scope = scope

    def own(self, scope: Scope, name: str) -> str:
        """The name when it is a parameter of the function that nothing else is bound to."""
        bindings = self.project.bindings(scope, name) if name else []
        is_own = [isinstance(b, ParameterOf) and b.scope == self.scope for b in bindings] == [True]
        return name if is_own else ""

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
        for effect in effects:
            if effect.flag is None or effect.flag[0] == OWN:
                yield effect
                continue
            passed = self._passed(call, *effect.flag, called)
            if passed in FALSE:
                continue
            handed_on = self.own(scope, passed.id) if isinstance(passed, ir.Name) else ""
            yield dataclasses.replace(effect, flag=(OWN, handed_on) if handed_on else None)

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
