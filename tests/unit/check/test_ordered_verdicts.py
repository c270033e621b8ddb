"""Verdicts are told in the order of their cases; what may change is told when all are known."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from nnx_migrate.check.compare.verdicts import CaseResult, ColumnResult, Verdict
from nnx_migrate.check.jobs import Column, Job, Side
from nnx_migrate.check.output.ordered_verdicts import OrderedVerdicts


@dataclasses.dataclass
class Heard:
    """A listener that remembers."""

    told: list[tuple[str, Verdict]] = dataclasses.field(default_factory=list)

    def begin(self, cases: Sequence[str], columns: Sequence[str]) -> None:
        """Nothing of this is remembered."""

    def case(self, result: CaseResult, scripts: Mapping[str, str]) -> None:
        """Remembers a verdict."""
        self.told.append((result.name, result.verdict))


def _case(name: str, verdict: Verdict) -> CaseResult:
    return CaseResult(name, {"new@graph": ColumnResult(verdict)}, 0.0, {})


def test_what_waits_is_told_at_the_end_and_as_it_is_then(tmp_path: Path) -> None:
    jobs = [Job(name, "recorded", tmp_path / "calls.sqlite", "1") for name in "abc"]
    side = Side("old", tmp_path, (tmp_path,))
    columns = [Column(side, "graph"), Column(Side("new", tmp_path, (tmp_path,)), "graph")]
    heard = Heard()
    ordered = OrderedVerdicts(
        jobs, columns, tmp_path, heard, waits=lambda each: each.verdict is Verdict.DIFFERENT
    )
    ordered.begin()
    ordered.know(_case("b", Verdict.EQUAL))
    assert heard.told == []
    ordered.know(_case("a", Verdict.DIFFERENT))
    assert heard.told == [("b", Verdict.EQUAL)]
    ordered.know(_case("c", Verdict.PROVED))
    ends = (Verdict.BY_CALLERS, Verdict.EQUAL, Verdict.PROVED)
    ordered.end([_case(name, verdict) for name, verdict in zip("abc", ends, strict=True)])
    assert heard.told[1:] == [("c", Verdict.PROVED), ("a", Verdict.BY_CALLERS)]
    assert ordered.scripts == {}
