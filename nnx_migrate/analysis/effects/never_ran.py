"""What recorded runs have not done in functions that they called."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import ParameterOf, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.sources.facts.observed_facts import (
    DEFAULT,
    KEYWORD,
    MESH,
    NO_MESH,
    NONE,
    OFF,
    SOWING,
    WRITING,
    SeenFunction,
)
from nnx_migrate.sources.facts.seen_objects import SeenObject

_SETATTR = ir.Name("setattr")
_KEYWORDS_ADDED = frozenset({"update", "setdefault", "__setitem__"})


class NeverRan:
    """Says what of functions never ran, though they did; nothing where nothing was observed.

    A file may be edited after its runs: where it has more to tell of than they did, or less,
    nothing is known.

    Args:
        project: with what was observed, if anything was.
    """

    def __init__(self, project: Project) -> None:
        self.project = project

    def sows(self, scope: Scope) -> tuple[tuple[ir.Call, SeenFunction], ...]:
        """The calls of `sow`, or `setattr`, in a function that no run has made."""
        seen = self._seen(scope)
        if seen is None or not seen.sows:
            return ()
        function = self.project.function(scope)
        calls = sorted(filter(_sows, function.calls), key=lambda call: (call.line, call.column))
        if len(seen.sows) != len(calls):
            return ()
        told = zip(calls, seen.sows, strict=True)
        return tuple((call, seen) for call, ran in told if not ran)

    def writes(self, scope: Scope) -> tuple[tuple[ir.Write, SeenFunction], ...]:
        """The writes of attributes in a function that no run has made."""
        by_name = tuple(self._by_name(scope))
        seen = self._seen(scope)
        if seen is None or not seen.changes:
            return by_name
        writes = [each for each in self.project.function(scope).writes if _of_attribute(each)]
        lines = sorted({write.line for write in writes})
        if len(seen.changes) != len(lines):
            return by_name
        ran = dict(zip(lines, seen.changes, strict=True))
        return (*by_name, *((write, seen) for write in writes if not ran[write.line]))

    def _by_name(self, scope: Scope) -> Iterator[tuple[ir.Write, SeenFunction]]:
        """The writes by a computed name: `setattr(self, name, x)`."""
        never = {call.line: seen for call, seen in self.sows(scope) if call.func == _SETATTR}
        if not never:
            return
        function = self.project.function(scope)
        ran = {call.line for call in function.calls if call.func == _SETATTR} - never.keys()
        for write in function.writes:
            if write.how == "key" and write.line in never and write.line not in ran:
                yield write, never[write.line]

    def changed(self, scope: Scope, name: str) -> bool:
        """Whether a function was seen, and never to change the structure of what it was given.

        Args:
            name: of the parameter that it was given that by.
        """
        seen = self.seen_object(scope, name)
        return seen is not None and not seen[1].changes

    def gave_back(self, scope: Scope, name: str) -> bool:
        """The same of returning what it was given, or a part of it."""
        seen = self.seen_object(scope, name)
        return seen is not None and not seen[1].returned

    def held_twice(self, scope: Scope, name: str) -> bool:
        """The same of getting what holds one thing in two places."""
        seen = self.seen_object(scope, name)
        return seen is not None and not seen[1].shared

    def held_plain(self, scope: Scope, name: str) -> bool:
        """The same of getting numbers or texts among leaves."""
        seen = self.seen_object(scope, name)
        return seen is not None and not seen[1].plain

    def seen_object(self, scope: Scope, name: str) -> tuple[SeenFunction, SeenObject] | None:
        """What was seen of a function, and of what it was given; None where none was looked at.

        Args:
            name: of the parameter that it was given that by.
        """
        seen = self._seen(scope)
        given = None if seen is None else seen.objects.get(name)
        return (seen, given) if seen is not None and given is not None and given.looks else None

    def under_a_mesh(self, scope: Scope) -> SeenFunction | None:
        """What was seen of a function that never ran under a mesh."""
        seen = self._seen(scope)
        return (
            seen
            if seen is not None and NO_MESH in seen.around and MESH not in seen.around
            else None
        )

    def flag(self, scope: Scope, name: str) -> SeenFunction | None:
        """What was seen of a function whose parameter counted as false in each call."""
        seen = self._seen(scope)
        types = () if seen is None else seen.parameters.get(name, ())
        return seen if types and set(types) <= {OFF, NONE, DEFAULT} else None

    def flags(self, scope: Scope) -> Iterator[tuple[str, SeenFunction]]:
        """The parameters that have to be true for a call in a function, and never were."""
        function = self.project.function(scope)
        names = {name for _, name in (*function.guards, *function.write_guards)}
        for name in sorted(names) if self._seen(scope) is not None else ():
            seen = self.flag(scope, name)
            if seen is not None:
                yield name, seen

    def keywords(self, scope: Scope, given: ir.Expr, asked: frozenset[str]) -> SeenFunction | None:
        """What was seen of a function whose `**given` never took some keywords.

        Args:
            scope: where `**given` is passed on.
            given: the mapping.
            asked: the keywords.
        """
        seen = self._seen(scope)
        if seen is None or not isinstance(given, ir.Name) or not self._is_own(scope, given):
            return None
        types = seen.parameters.get(given.id)
        if types is None or not all(each.startswith(KEYWORD) for each in types):
            return None
        names = {each.removeprefix(KEYWORD) for each in types}
        return seen if names.isdisjoint(asked) else None

    def passed_on(self, scope: Scope, asked: frozenset[str]) -> Iterator[tuple[str, SeenFunction]]:
        """The `**more` of a function that it passes on, and that never took some keywords."""
        calls = self.project.function(scope).calls if self._seen(scope) is not None else ()
        given = {each for call in calls for keyword, each in call.keywords if keyword is None}
        for name in sorted(each.id for each in given if isinstance(each, ir.Name)):
            seen = self.keywords(scope, ir.Name(name), asked)
            if seen is not None:
                yield name, seen

    def _seen(self, scope: Scope) -> SeenFunction | None:
        observed = self.project.observed
        if observed is None:
            return None
        return observed.of(self.project.modules[scope.module], self.project.function(scope))

    def _is_own(self, scope: Scope, given: ir.Name) -> bool:
        """Whether it is `**given` of the function, to which the function adds nothing itself."""
        function = self.project.function(scope)
        bindings = self.project.bindings(scope, given.id)
        if len(bindings) != 1 or not isinstance(bindings[0], ParameterOf):
            return False
        if all(each.name != given.id or each.kind != "double_star" for each in function.parameters):
            return False
        methods = (call.func for call in function.calls if isinstance(call.func, ir.Attribute))
        added = any(each.base == given and each.name in _KEYWORDS_ADDED for each in methods)
        return not added and all(write.target != given for write in function.writes)


def _sows(call: ir.Call) -> bool:
    match call.func:
        case ir.Attribute(name=name):
            return name in SOWING
        case ir.Name(id=name):
            return name in WRITING
        case _:
            return False


def _of_attribute(write: ir.Write) -> bool:
    return isinstance(write.target, ir.Attribute) and write.how in {"set", "augment", "delete"}
