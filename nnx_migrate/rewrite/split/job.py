"""All that is to be done at one site, and names for what is split there."""

from __future__ import annotations

import ast
import dataclasses

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import FunctionNode, names_in
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    Alone,
    ArgumentSplit,
    CarryPlan,
    Clones,
    Contribution,
    Hoist,
    Metadata,
    ReturnSplit,
    Splits,
)
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.split.arguments import NamedSplit, positional_names
from nnx_migrate.rewrite.style.naming import fresh, prefix_of, state_name


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """A site with all that is to be done at it.

    Args:
        crowded: other objects are split in the same function, so names need a prefix.
    """

    site: Site
    contributions: tuple[Contribution, ...]
    crowded: bool = False

    @property
    def alone(self) -> Alone | None:
        """What is done in a way of its own, with nothing beside it."""
        return next((c.change for c in self.contributions if isinstance(c.change, Alone)), None)

    @property
    def splits(self) -> tuple[ArgumentSplit, ...]:
        return tuple(split for each in self._splits for split in each.arguments)

    @property
    def returns(self) -> tuple[ReturnSplit, ...]:
        return tuple(split for each in self._splits for split in each.returns)

    @property
    def watched(self) -> tuple[int, ...]:
        return tuple(sorted({place for each in self._splits for place in each.watched}))

    @property
    def only_watches(self) -> bool:
        """Whether all that is written in the function checks, when it is traced, what that does to
        its arguments."""
        changes = [c.change for c in self.contributions if c.change is not None]
        return bool(self.watched) and self._splits == changes and not self.splits + self.returns

    @property
    def carry(self) -> CarryPlan | None:
        return next((each.carry for each in self._splits if each.carry is not None), None)

    @property
    def clones(self) -> tuple[int, ...]:
        changes = (c.change for c in self.contributions)
        return tuple(p for each in changes if isinstance(each, Clones) for p in each.places)

    @property
    def hoist(self) -> Hoist | None:
        return next((c.change for c in self.contributions if isinstance(c.change, Hoist)), None)

    @property
    def metadata(self) -> Metadata | None:
        return next((c.change for c in self.contributions if isinstance(c.change, Metadata)), None)

    @property
    def _splits(self) -> list[Splits]:
        return [c.change for c in self.contributions if isinstance(c.change, Splits)]

    @property
    def options(self) -> dict[str, str | None]:
        merged: dict[str, str | None] = {}
        for contribution in self.contributions:
            merged.update(contribution.options)
        return merged


def split_expressions(context: FileContext, job: Job) -> list[str]:
    """Source text of what the job splits, to see which names it can share."""
    if isinstance(job.site.function, FunctionNode) and not job.site.uses:
        names = positional_names(job.site.function)
        return [names[s.index] for s in job.splits if s.index < len(names)]
    found = []
    for use in job.site.uses:
        found += [context.text.of(use.args[s.index]) for s in job.splits if s.index < len(use.args)]
    return found


def named_splits(context: FileContext, job: Job, *others: ast.AST) -> list[NamedSplit]:
    """Choose names for the States of each split."""
    site = job.site
    taken = context.taken_names(site.node)
    places: list[ast.AST] = [*others, *site.uses]
    if isinstance(site.function, ast.AST):
        places.append(site.function)
    for place in places:
        taken |= names_in(place)
        taken |= context.taken_names(place)
    expressions = split_expressions(context, job)
    named: list[NamedSplit] = []
    for number, split in enumerate(job.splits):
        wanted = ["graphdef", *(split.names or [state_name(f) for f in split.filters])]
        own = {e for i, e in enumerate(expressions) if i % len(job.splits) == number}
        prefix = prefix_of(own.pop() if len(own) == 1 else _parameter(context, site, split))
        if job.crowded or len(job.splits) > 1:
            wanted = [f"{prefix}_{name}" for name in wanted]
            prefix = f"{prefix}_state" if prefix else ""
        names = fresh(wanted, taken, prefix)
        taken |= set(names)
        named.append(NamedSplit(split, names[0], tuple(names[1:])))
    return named


def _parameter(context: FileContext, site: Site, split: ArgumentSplit) -> str:
    """What the function calls an object that its calls give other names."""
    names = positional_names(definition_of(context, site.function))
    return names[split.index] if split.index < len(names) else "model"
