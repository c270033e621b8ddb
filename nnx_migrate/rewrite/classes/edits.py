"""What is changed in the class definitions of one file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.findings import Finding
from nnx_migrate.core.permissions import Permission
from nnx_migrate.rewrite.classes.change import RULE_NAME
from nnx_migrate.rewrite.classes.dropped_rngs import plan_drops
from nnx_migrate.rewrite.classes.kept_rngs import forks_in, sharing_classes
from nnx_migrate.rewrite.classes.pytrees import (
    Conversions,
    conversions,
    is_candidate,
    pytrees_in,
    silencing,
)
from nnx_migrate.rewrite.classes.second_names.changes import is_second_name, second_names_in
from nnx_migrate.rewrite.classes.unread_rngs import drops_in, may_keep
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.drops import Drops
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.sources.configuration import Options
from nnx_migrate.sources.suppressions import Suppression, Suppressions


@dataclasses.dataclass(frozen=True, slots=True)
class ClassPlan:
    """What is wanted of the classes of a project.

    Args:
        forking: those that are to keep forks of their Rngs, where a file's options allow it.
        trees: what becomes of those that are no pytrees.
        drops: what becomes of the Rngs that they keep and never read.
    """

    forking: frozenset[str] = frozenset()
    trees: Conversions = dataclasses.field(default_factory=lambda: Conversions({}, {}))
    drops: Drops = dataclasses.field(default_factory=Drops)


@dataclasses.dataclass(frozen=True, slots=True)
class ClassEdits:
    """What becomes of the classes of one file.

    Args:
        owners: by edit, the findings that want it.
        suppressed: the comments that silenced one.
    """

    owners: dict[Edit, tuple[Finding, ...]]
    suppressed: frozenset[Suppression] = frozenset()


def concerns(options: Options, record: ir.ModuleIndex) -> bool:
    """Whether the classes of a file may be changed at all."""
    forks = options.allows(Permission.FORK_RNGS)
    return options.runs(RULE_NAME) and (forks or may_change(record))


def may_change(record: ir.ModuleIndex) -> bool:
    """Whether a file has a class that may change, whatever the options say."""
    return is_candidate(record) or is_second_name(record) or may_keep(record)


def plan_classes(contexts: Iterable[FileContext]) -> ClassPlan:
    """Decide what becomes of the classes of a project.

    Args:
        contexts: of the files that may change.
    """
    files = list(contexts)
    forks = [each for each in files if each.options.allows(Permission.FORK_RNGS)]
    drops = plan_drops(files)
    forking = sharing_classes(forks[0].analysis, drops.wanted) if forks else frozenset[str]()
    return ClassPlan(forking, conversions(files), drops)


def class_edits(context: FileContext, suppressions: Suppressions, plan: ClassPlan) -> ClassEdits:
    """The edits of the classes of one file."""
    if not context.options.runs(RULE_NAME):
        return ClassEdits({})
    owners: dict[Edit, tuple[Finding, ...]] = {}
    used = set(silencing(context, suppressions))
    kept = {place.line for place in context.options.kept}
    changes = (
        *drops_in(context, plan.drops.wanted),
        *forks_in(context, plan.forking, plan.drops.wanted),
        *pytrees_in(context, plan.trees.pytrees),
        *second_names_in(context),
    )
    for change in changes:
        by = suppressions.match(RULE_NAME, change.first, change.last)
        if by is not None:
            used.add(by)
        elif change.first not in kept:
            owners |= dict.fromkeys(change.edits, (change.finding,))
    return ClassEdits(owners, frozenset(used))
