"""What is changed in the class definitions of one file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.findings import Finding
from nnx_migrate.core.permissions import Permission
from nnx_migrate.rewrite.classes.change import RULE_NAME, ClassChange
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
from nnx_migrate.rewrite.classes.variables.candidates import may_replace
from nnx_migrate.rewrite.classes.variables.in_place import (
    IN_PLACE_RULE,
    InPlace,
    in_place_in,
    plan_in_place,
)
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
        in_place: what becomes of the Variables that their methods replace.
    """

    forking: frozenset[str] = frozenset()
    trees: Conversions = dataclasses.field(default_factory=lambda: Conversions({}, {}))
    drops: Drops = dataclasses.field(default_factory=Drops)
    in_place: InPlace = dataclasses.field(default_factory=InPlace)


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
    shares = options.runs(RULE_NAME) and (forks or _may_share(record))
    return shares or (options.runs(IN_PLACE_RULE) and may_replace(record))


def may_change(record: ir.ModuleIndex) -> bool:
    """Whether a file has a class that may change, whatever the options say."""
    return _may_share(record) or may_replace(record)


def _may_share(record: ir.ModuleIndex) -> bool:
    return is_candidate(record) or is_second_name(record) or may_keep(record)


def plan_classes(contexts: Iterable[FileContext]) -> ClassPlan:
    """Decide what becomes of the classes of a project.

    Args:
        contexts: of the files that may change.
    """
    files = list(contexts)
    sharing = [each for each in files if each.options.runs(RULE_NAME)]
    forks = [each for each in sharing if each.options.allows(Permission.FORK_RNGS)]
    drops = plan_drops(sharing)
    forking = sharing_classes(forks[0].analysis, drops.wanted) if forks else frozenset[str]()
    replacing = [each for each in files if each.options.runs(IN_PLACE_RULE)]
    return ClassPlan(forking, conversions(sharing), drops, plan_in_place(replacing))


def may_have_edits(record: ir.ModuleIndex, plan: ClassPlan) -> bool:
    """Whether the classes of a file may have edits; a cheap check before it is parsed."""
    if plan.forking or plan.drops.wanted or plan.in_place.wanted or is_second_name(record):
        return True
    return any(name.partition(":")[0] == record.module for name in plan.trees.pytrees)


def class_edits(context: FileContext, suppressions: Suppressions, plan: ClassPlan) -> ClassEdits:
    """The edits of the classes of one file."""
    owners: dict[Edit, tuple[Finding, ...]] = {}
    used: set[Suppression] = set()
    kept = {place.line for place in context.options.kept}
    changes: list[ClassChange] = []
    if context.options.runs(RULE_NAME):
        used.update(silencing(context, suppressions))
        changes += drops_in(context, plan.drops.wanted)
        changes += forks_in(context, plan.forking, plan.drops.wanted)
        changes += pytrees_in(context, plan.trees.pytrees)
        changes += second_names_in(context)
    if context.options.runs(IN_PLACE_RULE):
        changes += in_place_in(context, plan.in_place.wanted)
    for change in changes:
        by = suppressions.match(change.finding.rule, change.first, change.last)
        if by is not None:
            used.add(by)
        elif change.first not in kept:
            owners |= dict.fromkeys(change.edits, (change.finding,))
    return ClassEdits(owners, frozenset(used))
