"""What a function can be called by: its name, and what it is bound, returned or passed as."""

from __future__ import annotations

import collections
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import TypeVar

from nnx_migrate.analysis.callgraph.called_functions import (
    CalledFunctions,
    DefinedClasses,
    Handle,
    Spellings,
    results_called,
)
from nnx_migrate.analysis.callgraph.edited_names import EditedNames, Kept, offers_the_same
from nnx_migrate.analysis.callgraph.passed_within import PassedWithin
from nnx_migrate.analysis.domain.components import reached_bits
from nnx_migrate.analysis.domain.values import Scope, scope_around
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.analysis.symbols.imports.changed_names import ChangedNames, changed_names
from nnx_migrate.analysis.symbols.occurrences import Mentions
from nnx_migrate.analysis.symbols.passed_on import (
    PassedOn,
    callees,
    passed_on_in,
    passed_on_in_class,
)
from nnx_migrate.analysis.symbols.program import Project

Item = TypeVar("Item")
_Rows = tuple[str, frozenset[str] | None]
_NO_HANDLES: frozenset[Handle] = frozenset()


class Handles:
    """Follows functions through the names that they are given."""

    def __init__(
        self,
        project: Project,
        hierarchy: Hierarchy,
        mentions: Mentions,
        before: Handles | None = None,
    ) -> None:
        self.project = project
        self._before = before
        self.hierarchy = hierarchy
        self.mentions = mentions
        self.called = CalledFunctions(hierarchy, mentions)
        self._spelled_as = Spellings(project)
        self._defined = DefinedClasses(hierarchy, self._spelled_as)
        self.wraps = project.tables[0].wraps
        self._called: list[Handle] = []
        self._bits: dict[Handle, int] = {}
        self._known_reached: dict[Handle, int] = {}
        self._known_aliases: dict[Handle, frozenset[Handle]] = {}
        self._same: dict[frozenset[Handle], frozenset[Handle]] = {}  # each set as one object
        #: The same by the file that says so.
        self._known_parts: dict[Handle, Mapping[str, frozenset[Handle]]] = {}
        self._known: dict[Scope | str, tuple[Handle, ...]] = {}
        self._merged: dict[tuple[str, Handle], Sequence[tuple[Scope, ir.Call]]] = {}
        self._calls: dict[str, Mapping[Handle, Sequence[tuple[Scope, ir.Call]]]] = {}
        self._implied: dict[str, Mapping[Handle, Sequence[tuple[Scope, ir.Call]]]] = {}
        #: By name, and the files that are asked, where these are not all.
        self._passed: dict[_Rows, Mapping[Handle, Sequence[PassedOn]]] = {}
        within = None if before is None else before._within
        self._within: PassedWithin = PassedWithin(project, mentions, within)
        #: By handle and file, the names of the calls that what has it is passed to.
        self._passed_to: dict[Handle, Mapping[str, frozenset[str]]] = {}
        self._edited = None if before is None else EditedNames(project, before.project)
        #: After an edit, the files in which names may mean something else.
        self._anew = frozenset[str]() if self._edited is None else self._edited.anew
        self._kept: Kept | None = None
        if before is not None and self._edited is not None and self._edited.offers_the_same:
            self._keep(before, changed_names(project, before.project))

    def rest_on(self, earlier: Handles, later: ir.ModuleIndex) -> None:
        """Keep what was followed before edits of the file that is edited.

        Args:
            earlier: with the file as it was.
            later: the file as it is, with the lines that its parts had then.
        """
        (record,) = self.project.tables[0].records
        # Whether it offers the same is seen by its own lines: those of what is new come last.
        if offers_the_same(record, earlier.project):
            self._keep(earlier, changed_names(self.project, earlier.project, later))

    def _keep(self, before: Handles, changed: ChangedNames | None) -> None:
        self._kept = None if changed is None else Kept(before, self, changed)

    def of(self, scope: Scope) -> tuple[Handle, ...]:
        """What a function may be called by, as far as anything is called so."""
        if scope not in self._known:
            own = self._own(scope, self.project.function(scope))
            self._known[scope] = self.called_by(tuple(own))
        return self._known[scope]

    def of_class(self, class_name: str) -> tuple[Handle, ...]:
        """What a class may be called by, as far as anything is called so."""
        if class_name not in self._known:
            self._known[class_name] = self.called_by(tuple(self._defined.of_class(class_name)))
        return self._known[class_name]

    def called_by(self, own: tuple[Handle, ...]) -> tuple[Handle, ...]:
        """What something may be called by that is defined as these, as far as anything is."""
        found = None if self._kept is None else self._kept.called_by(own)
        if found is not None:
            return found
        bits = 0
        for handle in own:
            # Many functions lead to the same thousands of handles, of which few are called.
            bits |= reached_bits(handle, self.aliases, self._bit, self._known_reached)
        called = []
        while bits:
            lowest = bits & -bits
            called.append(self._called[lowest.bit_length() - 1])
            bits ^= lowest
        return tuple(sorted(called, key=str))

    @property
    def followed(self) -> Set[Handle]:
        """All that was followed in order to tell what something may be called by."""
        kept = None if self._kept is None else self._kept.followed
        return self._known_aliases.keys() if kept is None else kept

    def is_called(self, handle: Handle) -> bool:
        """Whether anything is called so."""
        return bool(self._bit(handle))

    def _bit(self, handle: Handle) -> int:
        """What stands for a handle by which anything is called; 0 for another one."""
        if handle not in self._bits:
            called = self._is_called(handle)
            self._bits[handle] = 1 << len(self._called) if called else 0
            if called:
                self._called.append(handle)
        return self._bits[handle]

    def _is_called(self, handle: Handle) -> bool:
        before, edited = self._before, self._edited
        if before is None or edited is None:
            return bool(self.calls(handle) or self.implied_calls(handle))
        if not edited.are_called(handle):
            return bool(before._bit(handle))
        if self._calls_anew(handle) or self._implied_anew(handle):
            return True
        rows = itertools.chain(before.calls(handle), before.implied_calls(handle))
        return any(scope.module not in self._anew for scope, _ in rows)

    def calls(self, handle: Handle) -> Sequence[tuple[Scope, ir.Call]]:
        """The calls in the project that are spelled so."""
        known = self._calls_anew(handle)
        if self._before is None:
            return known
        if ("calls", handle) not in self._merged:
            merged = self._with_those_before(known, self._before.calls(handle), lambda row: row[0])
            self._merged["calls", handle] = merged
        return self._merged["calls", handle]

    def _calls_anew(self, handle: Handle) -> Sequence[tuple[Scope, ir.Call]]:
        """The same; after an edit, those in files in which names may mean something else."""
        rows = self.mentions.open_calls_of
        if self._before is not None:
            rows = functools.partial(self.mentions.open_calls_in, modules=self._anew)
        return [*self._spelled(handle, rows, self._calls), *self._of_parameters(handle)]

    def _implied_anew(self, handle: Handle) -> Sequence[tuple[Scope, ir.Call]]:
        """The same of the calls that libraries make."""
        rows = self.mentions.implied_calls_of
        if self._before is not None:
            rows = functools.partial(self.mentions.implied_calls_in, modules=self._anew)
        return self._spelled(handle, rows, self._implied)

    def _of_parameters(self, handle: Handle) -> Iterator[tuple[Scope, ir.Call]]:
        """The calls of parameters that are spelled so: in their own file, whatever others say."""
        if handle.kind not in {"variable", "any"}:
            return
        module = None if handle.within is None else handle.within.module
        for where, call in self.mentions.calls_of_parameters(handle.name, module):
            if self._before is not None and where.module not in self._anew:
                continue
            if module is None or handle in self._spelled_as.variables(where, handle.name):
                yield where, call

    def implied_calls(self, handle: Handle) -> Sequence[tuple[Scope, ir.Call]]:
        """The calls that libraries make of something that is spelled so."""
        known = self._implied_anew(handle)
        if self._before is None:
            return known
        if ("implied", handle) not in self._merged:
            before = self._before.implied_calls(handle)
            merged = self._with_those_before(known, before, lambda row: row[0])
            self._merged["implied", handle] = merged
        return self._merged["implied", handle]

    def _spelled(
        self,
        handle: Handle,
        rows: Callable[[str], Iterable[tuple[Scope, ir.Call]]],
        known: dict[str, Mapping[Handle, Sequence[tuple[Scope, ir.Call]]]],
    ) -> Sequence[tuple[Scope, ir.Call]]:
        name = handle.name
        if name not in known:
            found: dict[Handle, list[tuple[Scope, ir.Call]]] = collections.defaultdict(list)
            for where, call in rows(name):
                named = [c for c in callees(call.func) if ir.last_name(c) == name]
                for meant in {
                    meant for callee in named for meant in self._spelled_as.meant(where, callee)
                }:
                    found[meant].append((where, call))
                if name in results_called(call.func):
                    found[Handle(name, kind="result")].append((where, call))
            known[name] = dict(found)
        return known[name].get(handle, ())

    def _passed_on(self, handle: Handle) -> Sequence[PassedOn]:
        """What becomes of the functions that something is which is spelled so."""
        if handle.within is not None and not self.mentions.defines(handle.name):
            passed = self._within.of(handle.within, handle.name)
            return self._by_source(passed).get(handle, ())
        return self._passed_by_tables(handle)

    def _passed_by_tables(self, handle: Handle) -> Sequence[PassedOn]:
        known = self._passed_anew(handle)
        if self._before is None:
            return known
        before = self._before._passed_by_tables(handle)
        return self._with_those_before(known, before, lambda passed: passed.site)

    def _passed_anew(self, handle: Handle) -> Sequence[PassedOn]:
        """The same; after an edit, in files in which names may mean something else."""
        return self._passed_in(handle, None if self._before is None else self._anew)

    def _passed_in(self, handle: Handle, modules: frozenset[str] | None) -> Sequence[PassedOn]:
        rows = handle.name, modules
        if rows not in self._passed:
            self._passed[rows] = self._by_source(self.mentions.passed_on(*rows))
        return self._passed[rows].get(handle, ())

    def _with_those_before(
        self, found: Sequence[Item], before: Sequence[Item], scope: Callable[[Item], Scope]
    ) -> Sequence[Item]:
        """What stands in files in which names may mean something else, with all that did before."""
        kept = [each for each in before if scope(each).module not in self._anew]
        places = self.project.places
        return sorted((*found, *kept), key=lambda each: places[scope(each).module])

    def _own(self, scope: Scope, function: ir.Function) -> Iterator[Handle]:
        """What a function is called by where it is defined, or a lambda is passed on."""
        if function.name == "<lambda>":
            outer = scope_around(scope, function)
            around = self.project.function(outer)
            for each in passed_on_in(outer, around, function.key.__eq__, self.wraps):
                yield from self._becomes(each)
            for record in self.project.modules[scope.module].classes.values():
                if record.scope == outer.function:
                    for each in passed_on_in_class(
                        scope.module, record, function.key.__eq__, self.wraps
                    ):
                        yield from self._becomes(each)
            return
        if function.owner is None:
            parent = scope_around(scope, function)
            yield from self._spelled_as.variables(parent, function.name)
            yield Handle(function.name, kind="own")
        elif function.name != "__call__":
            yield Handle(function.name, kind="attribute")
            if function.name == "__init__":
                yield from self._defined.constructors(scope, function)
        else:
            yield from self._defined.made_objects(scope, function)

    def aliases(self, handle: Handle) -> frozenset[Handle]:
        """What something is bound, returned or passed as where it has this handle."""
        if handle not in self._known_aliases:
            parts = [part for part in self._parts(handle).values() if part] or [_NO_HANDLES]
            self._known_aliases[handle] = parts[0].union(*parts[1:]) if parts[1:] else parts[0]
        return self._known_aliases[handle]

    def _parts(self, handle: Handle) -> Mapping[str, frozenset[Handle]]:
        if handle not in self._known_parts:
            kept = self._parts_before(handle)
            self._known_parts[handle] = self._found_parts(handle) if kept is None else kept
        return self._known_parts[handle]

    def _parts_before(self, handle: Handle) -> Mapping[str, frozenset[Handle]] | None:
        """Those before the edit of a file, with what it says itself; None where all may be new."""
        before, edited = self._before, self._edited
        if before is None or edited is None or edited.is_redefined(handle.name):
            return None
        if handle.within is not None and handle.within.module in self._anew:
            return None
        parts = before._parts(handle)
        passed_to = before._passed_to.get(handle, {})
        kept = {module: found for module, found in parts.items() if module not in self._anew}
        again = [
            module
            for module, found in kept.items()
            if edited.are_told(found, passed_to.get(module, ()))
        ]
        in_function = handle.within is not None and not self.mentions.defines(handle.name)
        if again and in_function:
            return None
        self._passed_to[handle] = passed_to
        asked = [frozenset([module]) for module in again]
        if edited.is_passed_on(handle.name):
            asked.append(self._anew)
        for modules in asked:
            passed_on = () if in_function else self._passed_in(handle, modules)
            kept.update(dict.fromkeys(modules, frozenset[Handle]()))
            kept.update(self._told_by(handle, passed_on, modules))
        return kept

    def _found_parts(self, handle: Handle) -> Mapping[str, frozenset[Handle]]:
        return self._told_by(handle, self._passed_on(handle))

    def _told_by(
        self,
        handle: Handle,
        passed_on: Sequence[PassedOn],
        modules: frozenset[str] | None = None,
    ) -> Mapping[str, frozenset[Handle]]:
        """By file, what becomes of something.

        Args:
            handle: it is spelled so.
            passed_on: what files do with it.
            modules: the files that are asked, where these are not all.
        """
        if handle.kind == "own" or handle.name == "__init__":
            return {}  # the variables themselves are followed, and the class
        found: dict[str, set[Handle]] = collections.defaultdict(set)
        taking: dict[str, set[str]] = collections.defaultdict(set)
        for each in passed_on:
            found[each.site.module].update(self._becomes(each))
            if each.call is not None:
                taking[each.site.module].add(ir.last_name(each.call.func))
        told = {module: frozenset(names) for module, names in taking.items()}
        self._passed_to[handle] = {**self._passed_to.get(handle, {}), **told}
        for scope, (target, name) in self.mentions.renamed(handle.name):
            asked = modules is None or scope.module in modules
            if asked and handle in self._spelled_as.imported(target):
                found[scope.module].update(self._spelled_as.variables(scope, name))
        sets = ((module, frozenset(each)) for module, each in found.items())
        return {module: self._same.setdefault(each, each) for module, each in sets}

    def _by_source(self, passed: Iterable[PassedOn]) -> Mapping[Handle, Sequence[PassedOn]]:
        found: dict[Handle, list[PassedOn]] = collections.defaultdict(list)
        for each in passed:
            if isinstance(each.source, ir.Call):
                found[Handle(ir.last_name(each.source), kind="result")].append(each)
                continue
            for meant in set(self._spelled_as.meant(each.site, each.source)):
                found[meant].append(each)
        return found

    def _becomes(self, passed: PassedOn) -> Iterator[Handle]:
        here = passed.site
        if passed.variable:
            yield from self._spelled_as.variables(here, passed.variable)
        elif passed.attribute:
            yield Handle(passed.attribute, kind="attribute")
        elif passed.parameter:
            name, taking = passed.parameter
            yield Handle(name, taking)
        elif passed.call is None:
            function = self.project.function(here)
            yield Handle(function.name, kind="result")
            named = not isinstance(passed.source, ir.Call)
            if named and any(map(ir.is_property, function.decorators)):
                yield Handle(function.name, kind="attribute")
        else:
            named = not isinstance(passed.source, ir.Call)
            yield from self._parameters(here, passed.call, passed.place, named)

    def _parameters(
        self, here: Scope, call: ir.Call, place: int | str, named: bool
    ) -> Iterator[Handle]:
        """The parameters that an argument is given to; of what is named, the fields too."""
        called = self.called.of(here, call.func)
        taking = self.called.taking(called, place)
        yield from taking
        if isinstance(place, int):
            for name in self._fields_called(here, call.func)[place : place + 1] if named else ():
                yield Handle(name, kind="attribute")
            return
        # It may end up anywhere, in a field of a dataclass for one, when somebody else takes it.
        fields = self.mentions.makes_fields(ir.last_name(call.func))
        if not taking or len(taking) < len(called.functions) or fields:
            yield Handle(place, kind="any")

    def _fields_called(self, here: Scope, func: ir.Expr) -> tuple[str, ...]:
        """The fields of a class without a constructor, in the order of its arguments."""
        class_name = self.hierarchy.class_name(here, func)
        return () if class_name is None else self.hierarchy.fields(class_name)
