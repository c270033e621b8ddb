"""Places that a run is told to pin: what the rules would write there was tried, and was wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Contribution, Decision, Pin, Same
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.rewrite.text.ignore_comments import room_for


def kept(context: FileContext, site: Site, decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """What is decided at a site, as a pin where the run is told to pin it.

    Args:
        context: the file; its options name the places.
        site: a site of it.
        decisions: of the rules.
    """
    line, _ = context.place_as_it_was(site.reference)
    reason = next((each.reason for each in context.options.kept if each.line == line), None)
    if reason is None:
        return tuple(decisions)
    return tuple(_kept(each, reason) for each in decisions)


def _kept(decision: Decision, reason: str) -> Decision:
    match decision:
        case Contribution(rule, _, evidence):
            return Pin(rule, reason, evidence, outward=True, stays=True)
        case Same(rule, _, evidence) if rests_on_runs(evidence):
            return Pin(rule, reason, evidence, outward=True, stays=True)
        case _:
            return decision


def rests_on_runs(evidence: Sequence[Evidence]) -> bool:
    """Whether only runs show something that a decision counts on."""
    return any(each.proof is Proof.OBSERVED for each in evidence)


def comment_edits(context: FileContext, site: Site, pins: Sequence[Pin]) -> Iterator[Edit]:
    """The comment that keeps a pin where later runs would plan it anew, if there is room for it.

    Args:
        context: the file.
        site: it is pinned.
        pins: why.
    """
    rules = sorted({pin.rule for pin in pins if pin.stays})
    text = context.text
    line = text.line_of(text.span(site.reference)[0])
    room = room_for(text.text, line, rules) if rules else None
    if room is not None:
        begin, end, comment = room
        yield Edit(begin, end, comment)
