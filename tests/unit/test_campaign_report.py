"""What the report of a campaign says of places that no call has checked."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from nnx_migrate.campaign.report import CampaignReport
from nnx_migrate.campaign.rounds import Settled
from nnx_migrate.check.compare.verdicts import CaseResult, Verdict
from nnx_migrate.check.report import CheckReport
from nnx_migrate.core.findings import Outcome
from tests.unit.test_campaign_blame import case, place

ONE, TWO = place("one", 1), place("two", 11)


def report(*cases: CaseResult, places: tuple[Any, ...] = (ONE, TWO)) -> CampaignReport:
    nothing: Any = None
    check = CheckReport(list(cases), ["new@tree"], {}, {}, (), ()) if cases else None
    codes: Any = {"graph": 0, "tree": 0}
    settled = Settled(nothing, check, places, {}, frozenset(), 1, codes)
    return CampaignReport(("pytest", "tests"), settled, 0)


@pytest.mark.parametrize(
    ("checked", "left"), [((), "2 rewritten places were"), (("one",), "1 rewritten place was")]
)
def test_places_that_no_call_checked_are_told_with_what_to_do(
    checked: tuple[str, ...], left: str
) -> None:
    found = report(*(case(f"a.py:{name}#1", Verdict.EQUAL, 2) for name in checked))
    assert found.next_step().startswith(f"{left} not checked")
    assert found.next_step() in found.markdown()
    assert list(found.lines())[-1] == found.next_step()
    repeated = "1 recorded call was repeated" if checked else "no call was repeated"
    assert repeated in next(found.told())


def test_a_call_that_could_not_be_repeated_says_why() -> None:
    late = case("a.py:one#1", Verdict.NOT_CHECKED, 2)
    columns = {
        name: dataclasses.replace(each, reason="old: stopped after 120 s (--timeout)")
        for name, each in late.columns.items()
    }
    found = report(dataclasses.replace(late, columns=columns))
    first, second = list(found.lines())[:2]
    assert first.endswith("; not checked in 1 recorded call (old: stopped after 120 s (--timeout))")
    assert second.endswith("; not checked")
    assert found.next_step() == (
        "1 rewritten place was not checked, because no recorded call runs it. Use a command that"
        " calls more of the code, or review it yourself. 1 rewritten place was not checked,"
        " because no recorded call of it could be repeated. The report says why."
    )


def test_where_each_place_was_checked_nothing_is_left_to_do() -> None:
    found = report(case("a.py:one#1", Verdict.EQUAL, 2), case("a.py:two#1", Verdict.PROVED, 12))
    assert not found.next_step()
    assert "2 recorded calls were repeated on the old and the new code" in found.markdown()
    pinned = place("one", 1)
    finding = pinned.findings[0]
    kept = type(finding)(finding.rule, 1, 1, Outcome.PINNED, "")
    assert not report(places=(type(pinned)("a.py", 1, None, (kept,)),)).next_step()
