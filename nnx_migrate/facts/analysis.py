"""The analyses of one project, made once in each process and shared by all of its files."""

from __future__ import annotations

import functools

from nnx_migrate.facts import ir
from nnx_migrate.facts.contents import ContentsFinder
from nnx_migrate.facts.effects import EffectFinder
from nnx_migrate.facts.evaluate import Evaluator
from nnx_migrate.facts.extent import ExtentFinder
from nnx_migrate.facts.identity import IdentityFinder
from nnx_migrate.facts.importing import ImportFinder
from nnx_migrate.facts.in_sight import InSight
from nnx_migrate.facts.lasting import Lasting
from nnx_migrate.facts.lazy_inits import LazyInits
from nnx_migrate.facts.module_objects import ModuleObjects
from nnx_migrate.facts.project import Project
from nnx_migrate.facts.sharing import SharingFinder
from nnx_migrate.facts.tracking import TrackedEffects
from nnx_migrate.facts.uses import UseFinder


class Analysis:
    """Everything that is computed from a project, on demand, and remembered."""

    def __init__(self, project: Project, before: Analysis | None = None) -> None:
        self.project = project
        self._before = before
        if before is None:
            self.evaluator: Evaluator = Evaluator(project)
        else:
            lasting = Lasting(before.evaluator.fixpoint, project)
            self.evaluator = Evaluator(project, before.evaluator, lasting.answer)

    def replacing(self, index: ir.ModuleIndex) -> Analysis:
        """The analyses of the project with one file as it is after an edit."""
        return Analysis(self.project.replacing(index), self)

    @functools.cached_property
    def effects(self) -> EffectFinder:
        if self._before is None:
            return TrackedEffects(self.evaluator)
        lasting = Lasting(self._before.effects.fixpoint, self.project)
        return TrackedEffects(self.evaluator, lasting.answer)

    @functools.cached_property
    def in_sight(self) -> InSight:
        return InSight(self.effects)

    @functools.cached_property
    def uses(self) -> UseFinder:
        return UseFinder(self.effects, self.contents)

    @functools.cached_property
    def contents(self) -> ContentsFinder:
        return ContentsFinder(self.evaluator)

    @functools.cached_property
    def sharing(self) -> SharingFinder:
        return SharingFinder(self.evaluator)

    @functools.cached_property
    def identity(self) -> IdentityFinder:
        return IdentityFinder(self.evaluator, self.sharing)

    @functools.cached_property
    def imports(self) -> ImportFinder:
        return ImportFinder(self.project)

    @functools.cached_property
    def objects(self) -> ModuleObjects:
        return ModuleObjects(self.evaluator, self.imports)

    @functools.cached_property
    def lazy_inits(self) -> LazyInits:
        return LazyInits(self.evaluator, self.extents)

    @functools.cached_property
    def extents(self) -> ExtentFinder:
        return ExtentFinder(self.evaluator)


@functools.lru_cache(maxsize=2)
def analysis_of(project: Project) -> Analysis:
    """The analysis of a project; projects are compared by identity."""
    return Analysis(project)
