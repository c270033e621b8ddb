"""A project as it stands once its Modules keep forks of the Rngs that they are given.

What a transform shares is decided by classes that other files define, and each file is planned
alone. So where forks are asked for, all are planned with the other files as they will be.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING

from nnx_migrate.analysis.facts import analysis_of
from nnx_migrate.analysis.ir.build import index_module
from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.analysis.sites.tree import Tree
from nnx_migrate.core.permissions import Permission
from nnx_migrate.rewrite.forks.kept_rngs import forks_in, sharing_classes
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.text.edits import Text, apply_edits
from nnx_migrate.sources.suppressions import parse_suppressions

if TYPE_CHECKING:
    from nnx_migrate.analysis.ir.nodes import ModuleIndex
    from nnx_migrate.analysis.symbols.program import Project
    from nnx_migrate.rewrite.model.context import Readable, Reader


@dataclasses.dataclass(frozen=True, slots=True)
class Forking:
    """What a file is planned with.

    Args:
        project: in which all other files keep the forks that are asked for.
        sharing: the classes that are to keep one.
    """

    project: Project
    sharing: frozenset[str] = frozenset()


def forking(project: Project, module: str, read: Reader) -> Forking:
    """What one file of a project meets.

    Args:
        project: as its files are now.
        module: the file, which is as it is now.
        read: gives the files, and what counts for each that may change.
    """
    forked, before = _forked(project, read)
    if module not in before:
        return forked
    return dataclasses.replace(forked, project=forked.project.replacing(before[module]))


@functools.lru_cache(maxsize=2)
def _forked(project: Project, read: Reader) -> tuple[Forking, Mapping[str, ModuleIndex]]:
    """The project with all forks, and the files that have some as they are now."""
    asking = {
        module: found
        for module, record in sorted(project.modules.items())
        if "Rngs" in record.words or "rngs" in record.words
        if (found := read(module)) is not None
        if found.options is not None and found.options.allows(Permission.FORK_RNGS)
    }
    if not asking:
        return Forking(project), {}
    sharing = sharing_classes(analysis_of(project))
    after = {
        module: index
        for module, found in asking.items()
        if (index := _index(project, module, found, read, sharing)) is not None
    }
    forked = project.replacing(*after.values()) if after else project
    return Forking(forked, sharing), {name: project.modules[name] for name in after}


def _index(
    project: Project, module: str, found: Readable, read: Reader, sharing: frozenset[str]
) -> ModuleIndex | None:
    """The index of a file with its forks; None where it has none."""
    source, options = found.source, found.options
    suppressions = parse_suppressions(source.text)
    if options is None or suppressions.skip_file:
        return None
    try:
        tree = Tree(parse(source.text), module, project)
        text, analysis = Text(source.text), analysis_of(project)
        context = FileContext(str(source.path), text, tree, analysis, options, read=read)
        forks = forks_in(context, suppressions, sharing)
        if not forks.owners:
            return None
        after = apply_edits(source.text, forks.owners)
        changed = dataclasses.replace(source, text=after, data=source.encode(after))
        return index_module(changed, module, project.modules[module].meant)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # its own planning says why
