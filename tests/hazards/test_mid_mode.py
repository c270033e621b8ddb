"""Where mid mode is enough, and the counterexamples to each of its preconditions."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import Outcome
from tests.hazards.running import migrated
from tests.hazards.test_soundness import PROGRAMS

_ENOUGH = {
    "values",
    "same_twice",
    "keys_beside",
    "variables",
    "method",
    "lambda",
    "by_keyword",
    "rematerialised",
    "step_of_an_optimizer",
    "branches",
}
_HAZARDS = {name for name in PROGRAMS if name.startswith("mid_mode-")}
#: What the program as a whole has to say: of these the rest of it is no concern here.
_PINS = frozenset({Outcome.PINNED, Outcome.PINNED_MID})


@pytest.mark.parametrize("name", sorted(_HAZARDS))
def test_values_are_all_that_mid_mode_is_trusted_with(name: str) -> None:
    findings = migrated(PROGRAMS[name]).findings
    found = {f.outcome for f in findings if f.outcome in _PINS and f.rule == "shared-reference"}
    expected = Outcome.PINNED_MID if name.partition("-")[2] in _ENOUGH else Outcome.PINNED
    assert found == {expected}


def test_the_finding_says_why_it_is_enough() -> None:
    (finding,) = (f for f in migrated(PROGRAMS["mid_mode-values"]).findings if f.outcome in _PINS)
    assert finding.message.startswith("kept in mid mode: ")
    assert "keeps the structure of its arguments" in finding.evidence[-1].claim
