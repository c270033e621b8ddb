"""What a person may do about a finding: change the code, or allow what a rewrite has to assume."""

from __future__ import annotations

from nnx_migrate.core.findings import Finding, Outcome, Proof
from nnx_migrate.core.permissions import Permission

_OPEN = frozenset({Outcome.PINNED, Outcome.PINNED_MID, Outcome.MANUAL})


def ways_out(finding: Finding) -> list[str]:
    """The next steps, the likeliest first, a sentence each; none where nothing is left to do."""
    if finding.outcome not in _OPEN:
        return []
    wanted = {
        each.permission
        for each in finding.evidence
        if each.proof is Proof.ASSUMED and each.permission is not None
    }
    assumed = sorted(str(each) for each in wanted if not each.by_name_alone)
    ways = [*finding.ways_out]
    if assumed:
        ways.append(f"let the rewrite assume it: --allow {','.join(assumed)}")
    if Permission.FORK_RNGS in wanted:
        ways.append("let each Module draw its own random numbers: --allow fork-rngs")
    return ways


def with_help(finding: Finding, between: str = "\n") -> str:
    """What a finding says and the next steps, a line each: for formats with one text for both."""
    return between.join((finding.message, *(f"help: {way}" for way in alternatives(finding))))


def alternatives(finding: Finding) -> list[str]:
    """The same, for a list: all but the first begin with "or"."""
    return [f"{'or ' if number else ''}{way}" for number, way in enumerate(ways_out(finding))]
