"""One round over a file: decide every site, emit what does not overlap, leave the rest to the next.

A rewrite that nests a function changes the places of all sites inside it, so those are planned
anew from the text that it leaves; a round without edits ends the planning, which also shows that
a second run has nothing to do.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Finding, Outcome
from nnx_migrate.core.refusal import Reason, step_of
from nnx_migrate.core.relocation import moved
from nnx_migrate.rewrite.gate.cell_names import new_in_cells
from nnx_migrate.rewrite.model.causes import EmitCause, PlanCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    CannotEmit,
    Contribution,
    Manual,
    NotRewritten,
    Pin,
    Same,
)
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.model.sown_plans import CapturePlan, PerturbPlan
from nnx_migrate.rewrite.pinned.shapes import OldPin
from nnx_migrate.rewrite.planner.contributions import contributions_of, without_checks
from nnx_migrate.rewrite.planner.decide import (
    Decided,
    FileDecisions,
    SiteKey,
    decide_all,
    without_mode,
)
from nnx_migrate.rewrite.planner.disjoint_edits import DisjointEdits
from nnx_migrate.rewrite.planner.emit import emit
from nnx_migrate.rewrite.planner.regions import (
    Region,
    covered_functions,
    left_alone,
    outermost_first,
    region_around,
)
from nnx_migrate.rewrite.planner.site_pin import Extents, plan_pin
from nnx_migrate.rewrite.split.in_place import with_calls
from nnx_migrate.rewrite.split.job import Job, split_expressions
from nnx_migrate.rewrite.split.unused_bindings import drop_edits, without_gap
from nnx_migrate.rewrite.split.written_once import written_once
from nnx_migrate.rewrite.text.edits import Edit, LineMap, apply_edits
from nnx_migrate.sources.suppressions import Suppression, Suppressions


@dataclasses.dataclass(frozen=True, slots=True)
class RoundPlan:
    """The result of one round.

    Args:
        edits: what to change now.
        findings: sites that end with these edits; in the first round also those that need none.
        standing: sites that neither were nor will be changed; they count in the last round.
        suppressed: ignore comments that silenced a site.
        owners: by edit, the findings that want it.
        together: findings that change what the others were decided on, and so go together.
        freed: names that rewritten sites no longer read, with the findings of those sites.
        restored: pins of earlier runs that were put back as they stood.
        noted: by such a pin, put back or not, the findings of its site.
        unaffected: the sites that the mode makes no difference to.
        left: where pins alone are written, each that is wanted: how many sites should be without a
            mode then, at most. None where another round may find more.
    """

    edits: tuple[Edit, ...]
    findings: tuple[Finding, ...]
    standing: tuple[Finding, ...]
    suppressed: frozenset[Suppression]
    owners: Mapping[Edit, tuple[Finding, ...]]
    together: tuple[Finding, ...]
    freed: Mapping[str, tuple[Finding, ...]]
    restored: frozenset[OldPin] = frozenset()
    noted: Mapping[OldPin, tuple[Finding, ...]] = dataclasses.field(default_factory=dict)
    unaffected: frozenset[SiteKey] = frozenset()
    left: int | None = None


def plan_round(
    context: FileContext,
    rules: Sequence[Rule],
    suppressions: Suppressions,
    lines: LineMap,
    *,
    first: bool,
    others: Sequence[Rule] = (),
    unaffected: frozenset[SiteKey] = frozenset(),
) -> RoundPlan:
    """Plan one round over the file of `context`.

    Args:
        rules: those that run.
        others: those that do not: what they would do keeps the pin of an earlier run.
        unaffected: the sites that earlier rounds have found to do the same in both modes.
    """
    planner = _Planner(context, lines)
    decided = decide_all(context, rules, others, suppressions, lines, unaffected)
    planner.plan(decided, first=first)
    return RoundPlan(
        tuple(planner.edits.taken),
        tuple(planner.findings),
        tuple(planner.standing),
        decided.suppressed,
        {edit: tuple(findings) for edit, findings in planner.owners.items()},
        tuple(planner.together),
        {name: tuple(findings) for name, findings in planner.freed.items()},
        frozenset(planner.restored),
        {pin: tuple(findings) for pin, findings in planner.noted.items()},
        decided.unaffected,
        planner.left,
    )


class _Planner:
    """Gathers the edits of a round, keeping them apart."""

    def __init__(self, context: FileContext, lines: LineMap) -> None:
        self.context = context
        self.lines = lines
        self.edits = DisjointEdits()
        self.findings: list[Finding] = []
        self.standing: list[Finding] = []
        self.owners: dict[Edit, list[Finding]] = {}
        self.together: list[Finding] = []
        self.freed: dict[str, list[Finding]] = {}
        self.restored: set[OldPin] = set()
        self.noted: dict[OldPin, list[Finding]] = {}
        self.pinned = 0
        self.crossed = False

    @property
    def left(self) -> int | None:
        """How many sites should have no mode once all pins are in; None where more may come."""
        if not self.pinned or self.crossed or self.context.pins:
            return None
        return len(without_mode(self.context)) - self.pinned

    def plan(self, decided: FileDecisions, *, first: bool) -> None:
        jobs = {
            id(item): Job(item.site, tuple(contributions))
            for item in decided.found
            if (contributions := contributions_of(item.decisions))
        }
        crowded = self._crowded([jobs[id(i)] for i in decided.found if id(i) in jobs])
        pins: list[tuple[Site, list[Pin]]] = []
        waiting: list[tuple[Decided, Job]] = []
        for item in decided.found:
            found: list[Pin] = []
            if job := jobs.get(id(item)):
                job = dataclasses.replace(job, crowded=id(job) in crowded)
                if job.only_watches:
                    waiting.append((item, job))
                else:
                    found = self._rewrite(item, job)
            else:
                found = self._without_rewrite(item, first=first)
            if found:
                pins.append((item.site, found))
        # A rewrite may take away what another site would be checked or pinned for, so these wait
        # for a text in which nothing is left to rewrite, and pins for one without checks to write.
        if not self.edits.taken:
            found_now = [(item.site, self._rewrite(item, job)) for item, job in waiting]
            pins += [(site, found) for site, found in found_now if found]
        if not self.edits.taken:
            self._pin_all(pins, decided.unsettled)

    def _pin_all(
        self, pins: Sequence[tuple[Site, Sequence[Pin]]], unsettled: frozenset[Site]
    ) -> None:
        """Pin the sites, but for those that run in what another pin covers."""
        regions: list[Region] = []
        extents = Extents(unsettled, pins, regions)
        for site, found in outermost_first(self.context, pins):
            if region := region_around(self.context, site, regions):
                for rule in dict.fromkeys(pin.rule for pin in found):
                    same = left_alone(self.context, rule, region)
                    self._note(self.findings, site, same, Outcome.SAME, same.reason)
            elif self._pin(site, found, extents):
                regions.append(Region(site, covered_functions(self.context, site)))

    def _crowded(self, jobs: list[Job]) -> set[int]:
        """Jobs that share their function with the split of another object."""
        found: set[int] = set()
        by_place: dict[ast.AST | None, dict[int, Job]] = {}
        for job in jobs:
            called = with_calls(self.context, job)
            if called.site.form != "decorator" or called.site.uses:
                place = self.context.outermost_function(job.site.node)
                by_place.setdefault(place, {})[id(job)] = called
        for group in by_place.values():
            texts = {t for job in group.values() for t in split_expressions(self.context, job)}
            if len(texts) > 1:
                found |= group.keys()
        return found

    def _rewrite(self, item: Decided, job: Job) -> list[Pin]:
        """Rewrite the site; why it is pinned, where that cannot be written."""
        try:
            edits = emit(self.context, job)
            _require_place(self.context, edits)
        except NotRewritten as error:
            if less := without_checks(job):
                return self._rewrite(item, less)
            pins = [d for d in item.decisions if isinstance(d, Pin)]  # they were settled
            pins += [Pin(c.rule, error.refusal, c.evidence) for c in job.contributions]
            return pins
        names = [name for c in job.contributions for name in c.drop]
        dropped = drop_edits(self.context, names, item.site)
        edits = without_gap(edits, dropped)
        edits, shared = written_once(self.context, item.site, edits, self.edits.taken)
        if not self.edits.accept(edits):
            return []
        self.edits.taken += dropped
        findings = [
            self._note(self.findings, item.site, c, c.outcome, c.told) for c in job.contributions
        ]
        self._own([*edits, *dropped, *shared], findings)
        # Each counts on all that a class sows being captured where it counts itself.
        if isinstance(job.alone, CapturePlan | PerturbPlan):
            self.together += findings
        for name in names:
            self.freed.setdefault(name, []).extend(findings)
        return []

    def _without_rewrite(self, item: Decided, *, first: bool) -> list[Pin]:
        """Note what needs no edit; why the site is pinned, where it is."""
        pins = [d for d in item.decisions if isinstance(d, Pin)]
        for decision in item.decisions:
            if isinstance(decision, Manual):
                self._note(self.standing, item.site, decision, Outcome.MANUAL, decision.reason)
            elif isinstance(decision, Same) and first:
                self._note(self.findings, item.site, decision, Outcome.SAME, decision.reason)
        if not pins:
            return []
        pins += [
            Pin(d.rule, pins[0].reason, d.evidence, ways_out=pins[0].ways_out)
            for d in item.decisions
            if isinstance(d, Contribution)
        ]
        old = self.context.old_pin(item.site.reference)
        if self.context.options.on_unsafe == "leave" and old is None:
            for pin in pins:
                self._note(
                    self.standing,
                    item.site,
                    pin,
                    Outcome.MANUAL,
                    PlanCause.LEFT_IN_DEFAULT.about(reason=pin.reason),
                )
            return []
        return pins

    def _pin(self, site: Site, pins: Sequence[Pin], extents: Extents) -> bool:
        """Pin a site; whether graph mode is set for all that runs inside its function."""
        try:
            plan = plan_pin(self.context, site, pins, extents)
            _require_place(self.context, plan.edits)
        except NotRewritten as error:
            for pin in pins:
                self._note(
                    self.standing,
                    site,
                    pin,
                    Outcome.MANUAL,
                    PlanCause.NOT_PINNED_EITHER.about(reason=pin.reason, error=error),
                )
            return False
        if not self.edits.accept(plan.edits):
            self.crossed = True
            return False
        self.pinned += 1
        self.restored |= plan.restored
        outcome, kept = plan.told(self.context)
        findings = [
            self._note(
                self.findings,
                site,
                dataclasses.replace(pin, evidence=(*pin.evidence, *plan.mid_mode)),
                outcome,
                kept.about(reason=pin.reason),
            )
            for pin in pins
        ]
        own = self.context.old_pin(site.reference)
        for old in plan.restored - {each.pin for each in [own] if each}:
            self.noted.setdefault(old, []).extend(findings)
        self._own(plan.edits, findings)
        return plan.covers

    def _own(self, edits: Iterable[Edit], findings: Sequence[Finding]) -> None:
        """An edit that several sites want has all of them as owners."""
        for edit in edits:
            self.owners.setdefault(edit, []).extend(findings)

    def _note(
        self,
        into: list[Finding],
        site: Site,
        decision: Contribution | Pin | Same | Manual,
        outcome: Outcome,
        message: Reason,
    ) -> Finding:
        line, column = self.context.place_as_it_was(site.reference)
        finding = Finding(
            decision.rule,
            line,
            column,
            outcome,
            str(message),
            decision.evidence,
            ways_out=_ways_out(decision),
        )
        # What it says of other lines of the file was found out in the text of this round.
        finding = moved(finding, self.context.tree.module, self.lines.original)
        into.append(finding)
        old = self.context.old_pin(site.reference)
        if old is not None:
            self.noted.setdefault(old.pin, []).append(finding)
        return finding


def _ways_out(decision: Contribution | Pin | Same | Manual) -> tuple[str, ...]:
    """What a person can do: what the rule says of this place, or the table of its reason."""
    if isinstance(decision, Pin | Manual) and decision.ways_out:
        return tuple(map(str, decision.ways_out))
    step = step_of(decision.reason) if isinstance(decision, Pin | Manual) else ""
    return (step,) if step else ()


def _require_place(context: FileContext, edits: Sequence[Edit]) -> None:
    """Refuse the edits of a site that a document or a notebook has no place for.

    Raises:
        CannotEmit: they reach over several cells, say, or bind names that cells share.
    """
    if context.tree.project.cells(context.tree.module):
        before = context.text.text
        names = ", ".join(new_in_cells(before, apply_edits(before, dict.fromkeys(edits))))
        if names:
            raise CannotEmit(EmitCause.NEW_NAMES_IN_CELL.about(names=names))
    if context.refuses is None:
        return
    reason = context.refuses(apply_edits(context.text.text, dict.fromkeys(edits)))
    if reason:
        raise CannotEmit(EmitCause.NO_PLACE_IN_DOCUMENT.about(why=reason))
