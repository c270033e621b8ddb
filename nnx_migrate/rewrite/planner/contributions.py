"""Which of the rewrites that rules contribute to a site are done now."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from nnx_migrate.rewrite.model.decisions import (
    ByPlace,
    Captures,
    Contribution,
    Decision,
    Hoist,
    Manual,
    OperandsAgain,
    OwnedArgument,
    Pin,
    Replacement,
    ReturnedAgain,
    StateOutside,
)
from nnx_migrate.rewrite.model.function_rewrite import FunctionRewrite
from nnx_migrate.rewrite.model.lifted_rngs import FirstKeeps, LiftedRngs
from nnx_migrate.rewrite.model.sown_plans import CapturePlan, PerturbPlan, PutBack
from nnx_migrate.rewrite.split.job import Job


def contributions_of(decisions: Sequence[Decision]) -> list[Contribution]:
    """The contributions at a site, unless a decision among them forbids to rewrite it.

    Calls pass their arguments by place first. What another argument holds is dropped then, and an
    Rngs that parts keep lifted; what a function captures is passed to it, then what it sows made a
    result; what else is to be done at the site is planned again, by the text that this leaves. What
    a rule rewrites itself comes last, one rule after the other.
    """
    found = [d for d in decisions if isinstance(d, Contribution)]
    settled = {rule for contribution in found for rule in contribution.settles}
    if any(_forbids(d) and d.rule not in settled for d in decisions):
        return []
    returned = ReturnedAgain | OperandsAgain
    after = (CapturePlan | PerturbPlan | PutBack, StateOutside | Replacement | returned)
    for kinds in (ByPlace, OwnedArgument, LiftedRngs | FirstKeeps, Captures, *after):
        if first := [c for c in found if isinstance(c.change, kinds)]:
            return first
    # What is set before the calls is no reason any more to leave other things undone.
    hoists = [c for c in found if isinstance(c.change, Hoist)]
    return hoists or [c for c in found if not isinstance(c.change, FunctionRewrite)] or found[:1]


def without_checks(job: Job) -> Job | None:
    """The job without the checks that have no place, where it may do without; None where not.

    Args:
        job: of a site.
    """
    if not any(each.unchecked for each in job.contributions):
        return None
    less = tuple(each.unchecked or each for each in job.contributions)
    return dataclasses.replace(job, contributions=less)


def _forbids(decision: Decision) -> bool:
    return isinstance(decision, Pin) or (isinstance(decision, Manual) and decision.blocks)
