"""The analyses of one project, made once and shared by all of its files."""

from __future__ import annotations

import functools
import weakref
from typing import Any

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.effects.captured.uses import UseFinder
from nnx_migrate.analysis.effects.flags.settled_fields import SettledFields
from nnx_migrate.analysis.effects.in_sight import InSight
from nnx_migrate.analysis.effects.reachability import ExtentFinder
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.effects.transfer import TrackedEffects
from nnx_migrate.analysis.heap.globals import ModuleObjects
from nnx_migrate.analysis.heap.reachable_variables import ContentsFinder
from nnx_migrate.analysis.incremental import (
    Lasting,
    LastingObjects,
    ask_contents,
    ask_effects,
    ask_evaluator,
)
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.lazy_inits import LazyInits
from nnx_migrate.analysis.points_to.access_paths import IdentityFinder
from nnx_migrate.analysis.points_to.shared_references import SharingFinder
from nnx_migrate.analysis.symbols.imports.import_graph import ImportFinder
from nnx_migrate.analysis.symbols.program import Project


class Analysis:
    """Everything that is computed from a project, on demand, and remembered.

    Args:
        before: of the project that this one is but for a file.
        holder: what keeps the analyses that are made of this one.
        others: what names, classes and calls of `project.before` mean, where that is another one
            than the project of `before`.
    """

    def __init__(
        self,
        project: Project,
        before: Analysis | None = None,
        holder: weakref.ref[Analyses] | None = None,
        others: Evaluator | None = None,
    ) -> None:
        self.project = project
        self._before = before
        self._holder = holder
        #: What was found out about code that no edit of the project changes, by who keeps it.
        self.outside: dict[type, Any] = {} if before is None else before.outside
        #: Whether the one before is asked for what it was not asked for yet.
        self._asks: bool = before is not None and (others is not None or before._asks)
        self._without: dict[frozenset[tuple[Scope, str]], SharingFinder] = {}
        if before is None:
            self.evaluator: Evaluator = Evaluator(project, others)
        else:
            ask = functools.partial(ask_evaluator, before.evaluator) if self._asks else None
            lasting = Lasting(before.evaluator.fixpoint, project, ask)
            self.evaluator = Evaluator(project, others or before.evaluator, lasting.answer)

    def replacing(self, index: ir.ModuleIndex) -> Analysis:
        """The analyses of the project with one file as it is after an edit."""
        holder = None if self._holder is None else self._holder()
        if holder is None:
            return Analysis(self.project.replacing(index), self)
        return holder.replacing(self, index)

    @functools.cached_property
    def unobserved(self) -> Analysis | None:
        """The same without what runs have shown; None where nothing was observed."""
        plain = self.project.unobserved
        if plain is None:
            return None
        return Analysis(plain, self._before and self._before.unobserved)

    @functools.cached_property
    def effects(self) -> EffectFinder:
        if self._before is None:
            return TrackedEffects(self.evaluator, self.contents)
        before = self._before.effects
        ask = functools.partial(ask_effects, before) if self._asks else None
        lasting = Lasting(before.fixpoint, self.project, ask)
        return TrackedEffects(self.evaluator, self.contents, lasting.answer)

    @functools.cached_property
    def in_sight(self) -> InSight:
        return InSight(self.effects, self.imports, self.contents)

    @functools.cached_property
    def uses(self) -> UseFinder:
        before = None if self._before is None else self._before.uses
        return UseFinder(self.effects, self.contents, before)

    @functools.cached_property
    def contents(self) -> ContentsFinder:
        if self._before is None:
            return ContentsFinder(self.evaluator)
        before = self._before.contents
        ask = functools.partial(ask_contents, before) if self._asks else None
        lasting = Lasting(before.fixpoint, self.project, ask)
        return ContentsFinder(self.evaluator, lasting.answer)

    @functools.cached_property
    def sharing(self) -> SharingFinder:
        if self._before is None:
            return SharingFinder(self.evaluator, self.contents)
        before = self._before.sharing
        lasting = LastingObjects(before.objects, self.project, asks=self._asks)
        return SharingFinder(self.evaluator, self.contents, before, lasting=lasting.answer)

    def sharing_without(self, stored: frozenset[tuple[Scope, str]]) -> SharingFinder:
        """What objects hold twice if some constructors did not store something: which, and what."""
        if stored not in self._without:
            found = SharingFinder(self.evaluator, self.contents, without=stored)
            self._without[stored] = found
        return self._without[stored]

    @functools.cached_property
    def identity(self) -> IdentityFinder:
        return IdentityFinder(self.evaluator, self.sharing)

    @functools.cached_property
    def imports(self) -> ImportFinder:
        return ImportFinder(self.project)

    @functools.cached_property
    def settled_fields(self) -> SettledFields:
        return SettledFields(self.evaluator, self.imports)

    @functools.cached_property
    def objects(self) -> ModuleObjects:
        return ModuleObjects(self.evaluator, self.imports)

    @functools.cached_property
    def lazy_inits(self) -> LazyInits:
        return LazyInits(self.evaluator, self.extents)

    @functools.cached_property
    def extents(self) -> ExtentFinder:
        before = None if self._before is None else self._before.extents
        return ExtentFinder(self.evaluator, before)


#: Of so many projects the analyses are kept: as it is, and with its classes as they will be.
_KEPT_PROJECTS = 2
#: What the last rounds on a file were planned with: after an edit of a comment it is asked for
#: again.
_KEPT_ROUNDS = 4


class Analyses:
    """The analyses that were asked for last, kept by whoever plans the files of projects.

    An analysis that held those made of it would be a circle, so it refers to this weakly.
    """

    def __init__(self) -> None:
        self._of_projects: list[Analysis] = []
        self._rounds: list[tuple[Analysis, ir.ModuleIndex, Analysis]] = []

    def of(self, project: Project) -> Analysis:
        """The analysis of a project; projects are compared by identity."""
        found = next((each for each in self._of_projects if each.project is project), None)
        if found is None:
            found = Analysis(project, None, weakref.ref(self))
        others = [each for each in self._of_projects if each is not found]
        self._of_projects = [*others[1 - _KEPT_PROJECTS :], found]
        return found

    @property
    def reference(self) -> weakref.ref[Analyses]:
        """What an analysis knows its holder by."""
        return weakref.ref(self)

    def keep(self, analysis: Analysis) -> None:
        """Take an analysis for that of its project."""
        self._of_projects = [*self._of_projects[1 - _KEPT_PROJECTS :], analysis]

    def replacing(self, before: Analysis, index: ir.ModuleIndex) -> Analysis:
        """The analyses of a project with one file as it is after an edit."""
        kept = [each for each in self._rounds if each[0] is before]
        for _, record, analysis in kept:
            if record == index:
                return analysis
        found = Analysis(before.project.replacing(index), before, weakref.ref(self))
        self._rounds = [*kept[1 - _KEPT_ROUNDS :], (before, index, found)]
        return found
