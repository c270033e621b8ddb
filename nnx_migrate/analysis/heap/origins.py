"""Which parameters the names in an expression lead back to, as far as the text alone tells.

Of a hundred expressions that are asked whether they are what a function was given, two are. Of most
others the text shows it: no name in them was ever bound to anything that mentions the parameter.
That is found once for a name, whichever parameter is followed.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import FunctionValue, ParameterOf, Scope
from nnx_migrate.analysis.ir import nodes as ir

#: A name, as it is seen from a function.
Seen = tuple[Scope, str]


@dataclasses.dataclass(frozen=True, slots=True)
class Origin:
    """Where names lead back to.

    Args:
        parameters: of the functions that have them.
        filled: local names whose methods are given something, which they may keep.
    """

    parameters: frozenset[Seen] = frozenset()
    filled: frozenset[Seen] = frozenset()


NO_ORIGIN = Origin()


class Origins:
    """Follows names back through what binds them, whatever the values are."""

    def __init__(self, evaluator: Evaluation) -> None:
        self._evaluator = evaluator
        self._project = evaluator.project
        self._of: dict[tuple[Scope, ir.Expr], Origin] = {}
        self._of_name: dict[Seen, Origin] = {}
        self._direct: dict[Seen, tuple[Origin, tuple[Seen, ...]]] = {}
        self._keeping: dict[Seen, bool] = {}
        self._calls_on: dict[Scope, dict[ir.Expr, list[ir.Call]]] = {}

    def may_lead_to(self, scope: Scope, expr: ir.Expr, parameter: Seen) -> bool:
        """Whether an expression may be, or hold, what a function has as that parameter."""
        key = scope, expr
        origin = self._of.get(key)
        if origin is None:
            names = dict.fromkeys(self._names(scope, expr))
            origin = self._of[key] = _joined(map(self._followed, names))
        return parameter in origin.parameters or any(map(self._keeps, origin.filled))

    def calls_on(self, scope: Scope, name: ir.Name) -> list[ir.Call]:
        """Calls in a function of methods of one of its own variables that are given something."""
        if scope not in self._calls_on:
            function = self._project.function(scope)
            found: dict[ir.Expr, list[ir.Call]] = collections.defaultdict(list)
            for call in function.calls:
                base = call.func.base if isinstance(call.func, ir.Attribute) else None
                own = isinstance(base, ir.Name) and base.id in function.bindings
                if base is not None and own and (call.args or call.keywords):
                    found[base].append(call)
            self._calls_on[scope] = found
        return self._calls_on[scope].get(name, [])

    def _followed(self, name: Seen) -> Origin:
        """Where a name leads back to, through all names on the way."""
        known = self._of_name.get(name)
        if known is None:
            seen, pending, found = {name}, [name], []
            while pending:
                direct, further = self._bound(pending.pop())
                found.append(direct)
                for each in further:
                    if each in seen:
                        continue
                    seen.add(each)
                    if each in self._of_name:
                        found.append(self._of_name[each])
                    else:
                        pending.append(each)
            known = self._of_name[name] = _joined(iter(found))
        return known

    def _bound(self, name: Seen) -> tuple[Origin, tuple[Seen, ...]]:
        """What a name is itself, and the names in what it is bound to."""
        if name not in self._direct:
            scope, text = name
            parameters: set[Seen] = set()
            further: dict[Seen, None] = {}
            for binding in self._project.bindings(scope, text):
                if isinstance(binding, ParameterOf):
                    parameters.add((binding.scope, binding.parameter.name))
                    default = binding.parameter.default
                    parent = self._project.function(binding.scope).parent
                    if default is not None and parent is not None:
                        around = Scope(binding.scope.module, parent)
                        further.update(dict.fromkeys(self._names(around, default)))
                else:
                    further.update(dict.fromkeys(self._names(binding.scope, binding.expr)))
            calls = self.calls_on(scope, ir.Name(text))
            for call in calls:
                further.update(dict.fromkeys(self._names(scope, call)))
            filled = frozenset({name}) if calls else frozenset()
            self._direct[name] = Origin(frozenset(parameters), filled), tuple(further)
        return self._direct[name]

    def _names(self, scope: Scope, expr: object) -> Iterator[Seen]:
        """All names in an expression; of `super()` that of the method's own object."""
        match expr:
            case ir.Name(id=name):
                yield scope, name
            case ir.Within(key=key, expr=inner):
                yield from self._names(Scope(scope.module, key), inner)
            case tuple():
                for part in expr:
                    yield from self._names(scope, part)
            case ir.Constant() | ir.ImportRef() | ir.FunctionRef() | ir.ClassRef():
                pass
            case ir.Call() if ir.is_super(expr) and len(expr.args) < 2:
                yield from self._own_object(scope)
            case ir.Record():
                for part in expr.__match_args__:
                    yield from self._names(scope, getattr(expr, part))

    def _own_object(self, scope: Scope) -> Iterator[Seen]:
        function = self._project.function(scope)
        while function.owner is None and function.parent is not None:
            scope = Scope(scope.module, function.parent)
            function = self._project.function(scope)
        for parameter in function.parameters[:1]:
            yield scope, parameter.name

    def _keeps(self, name: Seen) -> bool:
        """Whether a method of it takes `*args`, of which none is told from another."""
        known = self._keeping.get(name)
        if known is None:
            scope, text = name
            known = any(
                isinstance(value, FunctionValue)
                and value.bound
                and any(
                    p.kind != "positional" for p in self._project.function(value.scope).parameters
                )
                for call in self.calls_on(scope, ir.Name(text))
                for value in self._evaluator.values(scope, call.func)
            )
            if not self._evaluator.fixpoint.computing:
                self._keeping[name] = known
        return known


def _joined(origins: Iterator[Origin]) -> Origin:
    parts = [each for each in origins if each is not NO_ORIGIN]
    if len(parts) < 2:
        return parts[0] if parts else NO_ORIGIN
    return Origin(
        frozenset().union(*(each.parameters for each in parts)),
        frozenset().union(*(each.filled for each in parts)),
    )
