"""Decisions that rest on what runs have shown: where a proof is missing, never against one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.effects.never_ran import NeverRan
from nnx_migrate.analysis.flax.model import asking_keywords
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.symbols.observed import Observations
from nnx_migrate.core.findings import Evidence, Outcome, Proof
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.claims import PlanClaim
from nnx_migrate.rewrite.model.causes import PlanCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Contribution, Decision, Manual, Pin, Same
from nnx_migrate.rewrite.model.functions import function_scopes
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.model.unobserved import seen_place, unobserved_site
from nnx_migrate.sources.facts.observed_facts import GRAPH, MESH, NO_MESH, TREE, SeenFunction

_NEVER = "no recorded run calls it"


def decided(rule: Rule, context: FileContext, site: Site) -> Decision | None:
    """What a rule says of a site.

    It is asked without what runs have shown, too. What it rewrites or leaves alone then stands on
    proofs, and counts; only what it pins or leaves to a person then may rest on the runs instead,
    and what it finds only with them. Such a decision says so.

    Args:
        rule: it.
        context: the file, with what was observed, if anything was.
        site: a site of it.
    """
    observed = context.project.observed
    if context.unobserved is None or observed is None:
        return rule.decision(context, site)
    plain = unobserved_site(context, site)
    before = None if plain is None else rule.decision(*plain)
    if isinstance(before, Same):
        return before
    if isinstance(before, Contribution):
        return (
            before if before.outcome is Outcome.REWRITTEN else _checked(rule, context, site, before)
        )
    place = seen_place(context, site)
    index = context.project.modules[context.tree.module]
    if (place is not None and not place.ran) or not observed.ran(index):
        return None if before is None else _never_called(before)
    seen = _seen(context, observed, site)
    if before is not None and seen.where is None:
        # What it calls may have run for others, in another way than it would for it.
        return _never_called(before)
    decision = rule.decision(context, site)
    if decision is None:
        return None if before is None else _freed(before, seen)
    if isinstance(before, Pin | Manual) and type(decision) is type(before):
        more = (*_around_place(context, site), seen.own)
        return dataclasses.replace(before, evidence=(*before.evidence, *more))
    return _resting(decision, () if before is None else before.evidence, seen)


def _checked(rule: Rule, context: FileContext, site: Site, before: Contribution) -> Decision:
    """What becomes of code with a check when it is traced: one that would raise is no help, and
    one of a jitted function is not needed where runs have shown that nothing changes."""
    observed, place = context.project.observed, seen_place(context, site)
    if observed is None or (place is not None and not place.ran):
        return before
    seen = _seen(context, observed, site)
    if seen.where is None:
        return before
    decision = rule.decision(context, site)
    if decision is None and site.spec.compiles:
        return _freed(before, seen)
    return _resting(decision, (), seen) if isinstance(decision, Pin | Manual) else before


@dataclasses.dataclass(frozen=True, slots=True)
class _Seen:
    """What runs have shown of the code at a site.

    Args:
        words: how often it ran.
        where: the function that did; None where none around the site is known to have run.
        test: a test that it ran in, or "".
        beside: what else they have shown.
    """

    words: str
    where: Place | None = None
    test: str = ""
    beside: tuple[Evidence, ...] = ()

    @property
    def own(self) -> Evidence:
        """That it ran, and how often."""
        ran = PlanClaim.RAN.about(runs=self.words)
        if self.test:
            ran = PlanClaim.RAN_SOMETIMES.about(runs=self.words, test=self.test)
        return Evidence(str(ran), Proof.OBSERVED, self.where)

    def evidence(self) -> tuple[Evidence, ...]:
        return (*self.beside, self.own)


def _seen(context: FileContext, observed: Observations, site: Site) -> _Seen:
    """Of the function that is transformed, else of the one that the site stands in."""
    scopes = function_scopes(context, site)
    beside = (*_around_place(context, site), *_never_done(context, site, scopes))
    for scope in (*scopes, context.scope(site.node)):
        function = context.project.function(scope)
        seen = observed.of(context.project.modules[scope.module], function)
        if seen is not None:
            place = Place(scope.module, function.line)
            return _Seen(seen.told(), place, next(iter(seen.tests), ""), beside)
    return _Seen(f"runs of {observed.command}", beside=beside)


def _around_place(context: FileContext, site: Site) -> Iterator[Evidence]:
    """The modes and meshes that the line of a site ran under, where they matter to it."""
    place = seen_place(context, site)
    if place is None:
        return
    where = Place(context.tree.module, context.original_line(site.node.lineno))
    if TREE in place.around:
        # A pin would end that.
        always = GRAPH not in place.around
        ran = PlanClaim.ALWAYS_IN_TREE_MODE if always else PlanClaim.SOMETIMES_IN_TREE_MODE
        yield Evidence(str(ran), Proof.OBSERVED, where)
    if site.spec.inspects and NO_MESH in place.around and MESH not in place.around:
        yield Evidence(str(PlanClaim.NEVER_UNDER_A_MESH), Proof.OBSERVED, where)


def _never_done(context: FileContext, site: Site, scopes: tuple[Scope, ...]) -> Iterator[Evidence]:
    """What the functions would do on ways that no run has gone."""
    never = NeverRan(context.project)
    asked = asking_keywords()
    for scope in sorted(context.analysis.extents.reached(scopes), key=str):
        function = context.project.function(scope)
        told: list[tuple[int, PlanClaim, str, SeenFunction]] = []
        for call, seen in never.sows(scope):
            told.append((call.line, PlanClaim.NEVER_RAN, ir.last_name(call.func), seen))
        for write, seen in never.writes(scope):
            if write.how == "key":  # the call of setattr is told of
                continue
            name = ir.last_name(write.target)
            told.append((write.line, PlanClaim.NEVER_WRITTEN, name, seen))
        for name, seen in never.flags(scope):
            told.append((function.line, PlanClaim.NEVER_SET, name, seen))
        for name, seen in never.passed_on(scope, asked):
            told.append((function.line, PlanClaim.NEVER_TOOK, name, seen))
        without = never.under_a_mesh(scope) if site.spec.inspects else None
        if without is not None:
            told.append((function.line, PlanClaim.FUNCTION_NEVER_UNDER_A_MESH, "", without))
        for line, claim, name, seen in told:
            words = claim.about(
                name=name,
                function=function.name,
                keywords=", ".join(sorted(asked)),
                runs=seen.told(),
            )
            yield Evidence(str(words), Proof.OBSERVED, Place(scope.module, line))
        yield from _left_alone(context, never, scope)


def _left_alone(context: FileContext, never: NeverRan, scope: Scope) -> Iterator[Evidence]:
    """The objects to which a function might do something, as far as the code shows, and did not."""
    plain = context.unobserved
    if plain is None:
        return
    function = context.project.function(scope)
    for parameter in function.parameters:
        name = parameter.name
        seen = never.seen_object(scope, name)
        if seen is None:
            continue
        kinds = {each.kind for each in plain.effects_of(scope, name)}
        values = plain.evaluator.parameter(scope, parameter)
        claims = {
            PlanClaim.STRUCTURE_NEVER_CHANGED: ("unknown" in kinds and never.changed(scope, name)),
            PlanClaim.NEVER_HELD_TWICE: (
                never.held_twice(scope, name) and plain.analysis.sharing.of(values)
            ),
            PlanClaim.NEVER_HELD_PLAIN: (
                never.held_plain(scope, name) and plain.analysis.contents.of(values).plain
            ),
            PlanClaim.NEVER_GAVE_BACK: "escape" in kinds and never.gave_back(scope, name),
        }
        for claim in (each for each, holds in claims.items() if holds):
            runs = seen[0].told(seen[1].looks)
            words = claim.about(name=name, function=function.name, runs=runs)
            yield Evidence(str(words), Proof.OBSERVED, Place(scope.module, function.line))


def _freed(before: Pin | Manual | Contribution, seen: _Seen) -> Same:
    """A site that the rule has nothing to say of any more."""
    reason = PlanCause.DID_NOT_OCCUR.about(runs=seen.words)
    return Same(before.rule, reason, seen.evidence())


def _never_called(before: Pin | Manual) -> Pin | Manual:
    """A site that stays as it is, because no run has shown anything of it."""
    if all(each.proof is not Proof.ASSUMED for each in before.evidence):
        never = Evidence(_NEVER, Proof.OBSERVED)
        return dataclasses.replace(before, evidence=(*before.evidence, never))
    reason = PlanCause.NO_RUN_CALLS.about(reason=before.reason)
    return dataclasses.replace(before, reason=reason)


def _resting(decision: Decision, known: tuple[Evidence, ...], seen: _Seen) -> Decision:
    """A decision whose evidence says that it rests on runs."""
    if isinstance(decision, Contribution):
        return _contribution_resting(decision, known, seen)
    reason = PlanCause.OBSERVED.about(reason=decision.reason, runs=seen.words)
    evidence = _evidence(decision.evidence, known, seen)
    return dataclasses.replace(decision, reason=reason, evidence=evidence)


def _contribution_resting(
    decision: Contribution, known: tuple[Evidence, ...], seen: _Seen
) -> Contribution:
    less = decision.unchecked
    return dataclasses.replace(
        decision,
        message=PlanCause.OBSERVED.about(reason=decision.message, runs=seen.words),
        evidence=_evidence(decision.evidence, known, seen),
        unchecked=None if less is None else _contribution_resting(less, known, seen),
    )


def _evidence(
    found: tuple[Evidence, ...], known: tuple[Evidence, ...], seen: _Seen
) -> tuple[Evidence, ...]:
    return (*(e if e in known else _weakened(e) for e in found), *seen.evidence())


def _weakened(evidence: Evidence) -> Evidence:
    if evidence.proof is not Proof.PROVED:
        return evidence
    return dataclasses.replace(evidence, proof=Proof.OBSERVED)
