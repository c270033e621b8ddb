"""Which places a campaign puts back for what a check has found."""

from __future__ import annotations

from pathlib import Path

from nnx_migrate.campaign.blame import Blame, blamed, unverified
from nnx_migrate.campaign.places import Function, Place, places_of
from nnx_migrate.check.compare.verdicts import CaseResult, ColumnResult, Verdict
from nnx_migrate.core.findings import (
    Evidence,
    FileResult,
    FileStatus,
    Finding,
    Outcome,
    Proof,
)


def place(name: str, line: int, proof: Proof = Proof.PROVED, file: str = "a.py") -> Place:
    finding = Finding("rule", line, 1, Outcome.REWRITTEN, "", (Evidence("it", proof),))
    return Place(file, line, Function(name, range(line, line + 4)), (finding,))


def case(
    name: str, verdict: Verdict, *lines: int, files: tuple[str, ...] = ("a.py",)
) -> CaseResult:
    columns = {"new@tree": ColumnResult(verdict, part="gradient")}
    return CaseResult(name, columns, 0.0, {"old": files}, lines={"old": {"a.py": lines}})


INNER, OUTER, OTHER = place("inner", 1), place("outer", 11), place("other", 21)
ALL = (INNER, OUTER, OTHER)
CHANGED = frozenset({"a.py", "b.py"})


def blamed_lines(*cases: CaseResult, places: tuple[Place, ...] = ALL) -> list[int]:
    return [each.line for each in blamed(cases, places, CHANGED).places]


def test_nothing_is_put_back_where_nothing_differs() -> None:
    assert not blamed([case("a.py:inner#1", Verdict.EQUAL, 2)], ALL, CHANGED)
    assert not blamed([case("a.py:inner#1", Verdict.NOT_CHECKED, 2)], ALL, CHANGED)


def test_the_function_that_differs_is_put_back_with_the_way_it_does() -> None:
    found = blamed([case("a.py:other#1", Verdict.DIFFERENT, 22)], ALL, CHANGED)
    assert found == Blame(
        {OTHER: "without the pin, its calls differ (a.py:other#1, new@tree: gradient)"}
    )


def test_what_calls_something_that_differs_waits_for_the_next_round() -> None:
    inner = case("a.py:inner#1", Verdict.DIFFERENT, 2)
    outer = case("a.py:outer#1", Verdict.DIFFERENT, 2, 12)
    assert blamed_lines(outer, inner) == [1]
    assert blamed_lines(outer) == [11]


def test_functions_that_call_each_other_are_put_back_together() -> None:
    one = case("a.py:inner#1", Verdict.DIFFERENT, 2, 12)
    other = case("a.py:outer#1", Verdict.DIFFERENT, 2, 12)
    assert blamed_lines(one, other) == [1, 11]


def test_without_a_place_of_its_own_what_ran_is_put_back_then_files() -> None:
    unchanged = case("a.py:caller#1", Verdict.DIFFERENT, 2, 31)
    assert blamed_lines(unchanged) == [1]
    nothing_ran = case("a.py:caller#1", Verdict.DIFFERENT, 31)
    assert blamed_lines(nothing_ran) == [1, 11, 21]
    assert blamed([nothing_ran], (), CHANGED) == Blame({}, frozenset({"a.py"}))
    elsewhere = case("c.py:caller#1", Verdict.DIFFERENT, files=("c.py",))
    assert blamed([elsewhere], (), CHANGED) == Blame({}, CHANGED)


def test_what_no_proof_allows_needs_a_call_that_passes() -> None:
    seen, assumed = place("inner", 1, Proof.OBSERVED), place("outer", 11, Proof.ASSUMED)
    passes = case("a.py:outer#1", Verdict.CLOSE, 2, 12)
    fails = case("a.py:outer#1", Verdict.NOT_CHECKED, 2, 12)
    assert not unverified([passes], [seen, assumed, OTHER])
    assert list(unverified([fails], [seen, assumed, OTHER]).places) == [seen, assumed]


TEXT = """\
import functools


class Trainer:
    @functools.cache
    def step(self):
        def inner():
            pass

    if True:
        def other(self): pass


value = 1
"""


def test_places_know_the_outermost_function_around_them(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(TEXT)
    findings = tuple(Finding("r", line, 1, Outcome.PINNED, "") for line in (5, 8, 11, 14))
    result = FileResult(file, FileStatus.UNCHANGED, b"", b"", findings)
    found = places_of([result], tmp_path.resolve())
    assert [each.name for each in found] == [
        "a.py:Trainer.step",
        "a.py:Trainer.step",
        "a.py:Trainer.other",
        "a.py",
    ]
