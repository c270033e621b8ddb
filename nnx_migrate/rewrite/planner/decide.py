"""What the rules say of each site of a file, as far as comments and earlier pins let them."""

from __future__ import annotations

import ast
import collections
import dataclasses
from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.sites.applied_values import applications
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.causes import PlanCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Contribution, Decision, Manual, Pin, Same
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.planner import kept_places
from nnx_migrate.rewrite.planner.chosen_mode import CODE
from nnx_migrate.rewrite.planner.observed_decisions import decided
from nnx_migrate.rewrite.planner.regions import covered_by_setters
from nnx_migrate.rewrite.text.edits import LineMap
from nnx_migrate.sources.suppressions import Suppression, Suppressions


@dataclasses.dataclass(frozen=True, slots=True)
class Decided:
    """A site, and what the rules say of it."""

    site: Site
    decisions: tuple[Decision, ...]


#: A site from round to round: where it stood in the file as it was, its transform, its form.
SiteKey = tuple[tuple[int, int], str, str]


@dataclasses.dataclass(frozen=True, slots=True)
class FileDecisions:
    """What the rules say of the sites of a file.

    Args:
        found: the sites of which something is said.
        unsettled: those that may depend on the mode, for all that the rules say, silenced or not.
        unaffected: those that the mode makes no difference to.
        suppressed: the comments that silenced one.
    """

    found: tuple[Decided, ...]
    unsettled: frozenset[Site]
    unaffected: frozenset[SiteKey]
    suppressed: frozenset[Suppression]


def decide_all(
    context: FileContext,
    rules: Sequence[Rule],
    others: Sequence[Rule],
    suppressions: Suppressions,
    lines: LineMap,
    unaffected: frozenset[SiteKey] = frozenset(),
) -> FileDecisions:
    """Ask the rules of each site that has not chosen its mode.

    Args:
        rules: those that run.
        others: those that do not: what they would do keeps the pin of an earlier run.
        suppressions: the comments of the file.
        lines: gives the lines that these stand on.
        unaffected: the sites of which an earlier round has found that the mode makes no difference.
            A rewrite does what the code before it did, so they are not looked at again.
    """
    used: set[Suppression] = set()
    found: list[Decided] = []
    unsettled: set[Site] = set()
    keys = {id(site): _key(context, site) for site in context.finder.sites}
    alone = {key for key, count in collections.Counter(keys.values()).items() if count == 1}
    still = alone & unaffected
    without_need: set[SiteKey] = set(still)
    for site in context.finder.sites:
        said: list[_Said] = []
        key, pinned = keys[id(site)], context.old_pin(site.reference) is not None
        if _has_mode(context, site):
            decisions: list[Decision] = [Pin(CODE, PlanCause.SET_AROUND)] if pinned else []
        elif pinned:
            said = list(_said(context, site, (*rules, *others), suppressions, lines))
            used |= {by for _, _, by in said if by is not None}
            decisions = _at_a_pin(said, others)
        elif key in still or _is_applied_without_need(context, site, rules):
            decisions = []
        else:
            said = list(_said(context, site, rules, suppressions, lines))
            used |= {by for _, _, by in said if by is not None}
            decisions = [decision for _, decision, by in said if by is None]
        if decisions:
            found.append(Decided(site, kept_places.kept(context, site, decisions)))
        wanted = (
            *(decision for _, decision, _ in said),
            *(found[-1].decisions if decisions else ()),
        )
        if others or not all(isinstance(each, Same) for each in wanted):
            unsettled.add(site)
        elif key in alone:
            without_need.add(key)
    kept = frozenset(without_need)
    return FileDecisions(tuple(found), frozenset(unsettled), kept, frozenset(used))


def _key(context: FileContext, site: Site) -> SiteKey:
    return context.place_as_it_was(site.reference), site.transform, site.form


def without_mode(context: FileContext) -> list[Site]:
    """The sites of a file that run in whatever mode is the default."""
    return [each for each in context.finder.sites if not _has_mode(context, each)]


def _has_mode(context: FileContext, site: Site) -> bool:
    return site.decided or covered_by_setters(context, site.node)


def _is_applied_without_need(context: FileContext, site: Site, rules: Sequence[Rule]) -> bool:
    """Whether a transform that is a value is applied where the mode makes no difference."""
    applied = applications(context.finder, site)
    return applied is not None and all(
        decision is None or isinstance(decision, Same)
        for each in applied
        for rule in rules
        if each.transform in rule.transforms
        for decision in (decided(rule, context, each),)
    )


#: A rule, what it says, and the comment that silences it there.
_Said = tuple[Rule, Decision, Suppression | None]


def _said(
    context: FileContext,
    site: Site,
    rules: Sequence[Rule],
    suppressions: Suppressions,
    lines: LineMap,
) -> Iterator[_Said]:
    for rule in rules:
        if site.transform not in rule.transforms:
            continue
        decision = decided(rule, context, site)
        if isinstance(decision, Same):
            yield rule, decision, None
        elif decision is not None:
            span = _original_lines(context, site, lines)
            yield rule, decision, suppressions.match(rule.name, *span)


def _at_a_pin(said: Sequence[_Said], others: Sequence[Rule]) -> list[Decision]:
    """What is decided at the pin of an earlier run.

    It stays where a rule wants something that does not run, or is silenced there, and where a
    person would be asked.
    """
    wanted = [each for each in said if not isinstance(each[1], Same)]
    if any(rule in others or by or isinstance(d, Manual) for rule, d, by in wanted):
        return [_still_pinned(decision) for _, decision, _ in wanted]
    return [decision for _, decision, _ in said]


def _still_pinned(decision: Decision) -> Pin:
    """The decision at a pin of an earlier run that this run is not to touch."""
    if isinstance(decision, Pin):
        return decision
    reason = decision.message if isinstance(decision, Contribution) else decision.reason
    return Pin(decision.rule, reason, decision.evidence)


def _original_lines(context: FileContext, site: Site, lines: LineMap) -> tuple[int, int]:
    statement = context.tree.statement(site.node)
    last = site.node.end_lineno or site.node.lineno
    if isinstance(statement, ast.Assign | ast.Expr | ast.Return | ast.AnnAssign):
        last = max(last, statement.end_lineno or last)
    return lines.original(site.node.lineno), lines.original(last)
