"""A project as it stands once the definitions of its classes have changed.

What a transform is given is decided by classes that other files define, and each file is planned
alone. So all are planned with the classes of the other files as they will be: pytrees, and with
forks of their Rngs where that is asked for.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING

from nnx_migrate.analysis.facts import Analyses
from nnx_migrate.analysis.ir.build import index_module
from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.analysis.sites.tree import Tree
from nnx_migrate.rewrite.classes.edits import (
    ClassPlan,
    class_edits,
    concerns,
    may_change,
    may_have_edits,
    plan_classes,
)
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.text.edits import Text, apply_edits
from nnx_migrate.sources.suppressions import parse_suppressions

if TYPE_CHECKING:
    from nnx_migrate.analysis.ir.nodes import ModuleIndex
    from nnx_migrate.analysis.symbols.program import Project
    from nnx_migrate.rewrite.model.context import Reader


@dataclasses.dataclass(frozen=True, slots=True)
class Redefined:
    """What a file is planned with.

    Args:
        project: in which the classes of all other files are as they will be.
        classes: what is wanted of them.
    """

    project: Project
    classes: ClassPlan


class Redefinitions:
    """What the files of a project meet, found once for all of them.

    Args:
        project: as its files are now.
        read: gives the files, and what counts for each that may change.
        analyses: of projects.
    """

    def __init__(self, project: Project, read: Reader, analyses: Analyses) -> None:
        self.project = project
        self.read = read
        self._analyses = analyses

    def met_by(self, module: str) -> Redefined:
        """What one file meets, which is as it is now."""
        found, before = self._all
        if module not in before:
            return found
        return dataclasses.replace(found, project=found.project.replacing(before[module]))

    @functools.cached_property
    def _all(self) -> tuple[Redefined, Mapping[str, ModuleIndex]]:
        """The project with all changes, and the files that have some as they are now."""
        project = self.project
        contexts = [each for name in sorted(project.modules) if (each := self._context(name))]
        if not contexts:
            return Redefined(project, ClassPlan()), {}
        plan = plan_classes(contexts)
        # The few that have edits are parsed again, for these are hundreds of syntax trees.
        modules = [each.tree.module for each in contexts]
        contexts.clear()
        after = {
            module: index
            for module in modules
            if may_have_edits(project.modules[module], plan)
            and (context := self._context(module)) is not None
            and (index := _index(context, plan, self.read)) is not None
        }
        changed = project.replacing(*after.values()) if after else project
        return Redefined(changed, plan), {name: project.modules[name] for name in after}

    def _context(self, module: str) -> FileContext | None:
        record = self.project.modules[module]
        return _context(self.project, module, record, self.read, self._analyses)


def _context(
    project: Project, module: str, record: ModuleIndex, read: Reader, analyses: Analyses
) -> FileContext | None:
    """A file of the project; None where its classes may not change, or it cannot be read."""
    if not (may_change(record) or "Rngs" in record.words or "rngs" in record.words):
        return None
    found = read(module)
    if found is None or found.options is None or not concerns(found.options, record):
        return None
    try:
        if parse_suppressions(found.source.text).skip_file:
            return None
        tree = Tree(parse(found.source.text), module, project)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # its own planning says why
    text, analysis = Text(found.source.text), analyses.of(project)
    return FileContext(str(found.source.path), text, tree, analysis, found.options, read=read)


def _index(context: FileContext, plan: ClassPlan, read: Reader) -> ModuleIndex | None:
    """The index of a file with its changes; None where it has none."""
    module = context.tree.module
    found = read(module)
    edits = class_edits(context, parse_suppressions(context.text.text), plan).owners
    if not edits or found is None:
        return None
    try:
        after = apply_edits(context.text.text, edits)
        changed = dataclasses.replace(found.source, text=after, data=found.source.encode(after))
        return index_module(changed, module, context.project.modules[module].meant)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
