"""The analyses of one project, made once in each process and shared by all of its files."""

from __future__ import annotations

import functools

from nnx_migrate.analysis.effects.captured.uses import UseFinder
from nnx_migrate.analysis.effects.in_sight import InSight
from nnx_migrate.analysis.effects.reachability import ExtentFinder
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.effects.transfer import TrackedEffects
from nnx_migrate.analysis.heap.globals import ModuleObjects
from nnx_migrate.analysis.heap.reachable_variables import ContentsFinder
from nnx_migrate.analysis.incremental import Lasting
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.lazy_inits import LazyInits
from nnx_migrate.analysis.points_to.access_paths import IdentityFinder
from nnx_migrate.analysis.points_to.shared_references import SharingFinder
from nnx_migrate.analysis.symbols.import_graph import ImportFinder
from nnx_migrate.analysis.symbols.program import Project


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
        for before, record, analysis in _rounds:
            if before is self and record == index:
                return analysis
        found = Analysis(self.project.replacing(index), self)
        kept = [each for each in _rounds if each[0] is self]
        _rounds[:] = [*kept[1 - _KEPT_ROUNDS :], (self, index, found)]
        return found

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
        lasting = Lasting(self._before.effects.fixpoint, self.project)
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
        lasting = Lasting(self._before.contents.fixpoint, self.project)
        return ContentsFinder(self.evaluator, lasting.answer)

    @functools.cached_property
    def sharing(self) -> SharingFinder:
        before = None if self._before is None else self._before.sharing
        return SharingFinder(self.evaluator, self.contents, before)

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
        before = None if self._before is None else self._before.extents
        return ExtentFinder(self.evaluator, before)


#: What the last rounds on a file were planned with: after an edit of a comment it is asked for
#: again. It stands here, because an analysis that held those made of it would be a circle.
_rounds: list[tuple[Analysis, ir.ModuleIndex, Analysis]] = []
_KEPT_ROUNDS = 4


@functools.lru_cache(maxsize=2)
def analysis_of(project: Project) -> Analysis:
    """The analysis of a project; projects are compared by identity."""
    return Analysis(project)
