"""The report of a check: exit codes, what costs more, what is told."""

from __future__ import annotations

import json

import jsonschema
import pytest

from nnx_migrate.check.compare.comparison import Difference
from nnx_migrate.check.compare.verdicts import CaseResult, ColumnResult, Verdict
from nnx_migrate.check.jobs import Costs
from nnx_migrate.check.report import CheckReport, as_json, as_json_error, as_text, regressions
from tests.schemas import require_valid
from tests.unit.report.test_machine_formats import schema

APART = Difference("result/x[3]", "1.0 float32", "2.0 float32", 8388608, 0.1)


def case(name: str, graph: Verdict, tree: Verdict) -> CaseResult:
    columns = {}
    for column, verdict in (("new@graph", graph), ("new@tree", tree)):
        apart = verdict is Verdict.DIFFERENT
        reason = "the process died" if verdict is Verdict.NOT_CHECKED else ""
        columns[column] = ColumnResult(
            verdict, reason, "gradient" if apart else "", APART if apart else None
        )
    return CaseResult(name, columns, 1.0, {})


def report(
    *cases: CaseResult,
    costs: dict[str, dict[str, Costs]] | None = None,
    gaps: tuple[str, ...] = (),
    allowed: bool = False,
) -> CheckReport:
    scripts = {("c", "new@tree"): "again.py"}
    columns = ("new@graph", "new@tree")
    return CheckReport(cases, columns, costs or {}, scripts, ("f is new",), gaps, allowed)


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ([Verdict.PROVED, Verdict.EQUAL, Verdict.CLOSE], 0),
        ([Verdict.PROVED, Verdict.DIFFERENT, Verdict.NOT_CHECKED], 1),
        ([Verdict.PROVED, Verdict.NOT_CHECKED], 2),
        ([], 2),
    ],
)
def test_exit_codes(verdicts: list[Verdict], code: int) -> None:
    cases = [case(str(n), Verdict.PROVED, verdict) for n, verdict in enumerate(verdicts)]
    assert report(*cases).exit_code == code


@pytest.mark.parametrize(
    ("verdict", "allowed", "code"),
    [
        (Verdict.PROVED, False, 2),
        (Verdict.PROVED, True, 0),
        (Verdict.DIFFERENT, True, 1),
        (Verdict.NOT_CHECKED, True, 2),
    ],
)
def test_what_has_no_case_counts_unless_it_is_allowed(
    verdict: Verdict, allowed: bool, code: int
) -> None:
    found = report(case("c", verdict, verdict), gaps=("g was never called",), allowed=allowed)
    assert found.exit_code == code
    text = as_text(found, verbose=False)
    assert "not checked: g was never called" in text
    assert "; 1 change without a case" in text
    assert ("--allow-unchecked" in text) is not allowed
    meaning = ["OLD and NEW compute the same.", "NEW computes", "Not all that differs was checked."]
    assert [each in text for each in meaning] == [each == code for each in range(3)]


def test_a_check_without_cases_has_no_table_and_no_verdict() -> None:
    lines = as_text(report(gaps=("g was never called",)), verbose=False).splitlines()
    assert lines[:-2] == [
        "note: f is new",
        "not checked: g was never called",
        "nothing was checked; 1 change without a case.",
    ]
    assert lines[-1].lstrip().startswith("check with a command, or cases, that call the code above")


def test_the_weakest_column_counts() -> None:
    assert case("c", Verdict.NOT_CHECKED, Verdict.DIFFERENT).verdict is Verdict.DIFFERENT
    assert case("c", Verdict.PROVED, Verdict.CLOSE).verdict is Verdict.CLOSE


def test_a_difference_is_told_with_its_place_and_script() -> None:
    text = as_text(report(case("c", Verdict.EQUAL, Verdict.DIFFERENT)), verbose=False)
    assert text.splitlines()[1].split() == ["c", "equal", "different"]
    assert "gradient: result/x[3]: expected 1.0 float32, got 2.0 float32 (8388608 ulps" in text
    assert "it passes with a relative tolerance of 1.0e-01" in text
    assert "to see it again: python again.py new tree" in text
    assert "note: f is new" in text
    assert text.splitlines()[-2:] == [
        "1 case: 1 different. NEW computes something else.",
        "Next: python again.py new tree  (shows the difference again; "
        "to undo the migration: nnx-migrate undo last)",
    ]


def test_json_has_all_of_it() -> None:
    found = json.loads(as_json(report(case("c", Verdict.EQUAL, Verdict.DIFFERENT))))
    require_valid("check", found)
    column = found["cases"][0]["columns"]["new@tree"]
    assert column["difference"]["path"] == "result/x[3]"
    assert column["repro"] == "again.py"
    assert (found["schema"], found["summary"], found["exit_code"]) == (1, {"different": 1}, 1)
    assert (found["remarks"], found["unchecked"]) == (["f is new"], [])


def test_cases_are_by_the_schema_of_reports() -> None:
    costs = {"c": {"new@tree": Costs(1, 0.1, 1, 1.0, 1.0)}}
    found = json.loads(as_json(report(case("c", Verdict.EQUAL, Verdict.DIFFERENT), costs=costs)))
    require_valid("check", found)
    known = schema()["$defs"]
    jsonschema.validate(found["cases"][0], {**known["case"], "$defs": known})


def test_json_of_what_could_not_be_checked_is_by_the_schema() -> None:
    found = json.loads(as_json_error("there is no command"))
    require_valid("check", found)
    assert found["error"] == "there is no command"
    with pytest.raises(jsonschema.ValidationError, match="Additional properties"):
        require_valid("check", {**found, "more": 1})


def test_costs_that_grew_past_their_threshold_are_told() -> None:
    old = Costs(1, 1.0, 100_000, 1e6, 50.0)
    worse = Costs(2, 9.0, 200_000, 1.2e6, 90.0)
    fine = Costs(1, 9.0, 110_000, 1.05e6, 90.0)
    told = list(regressions({"old@graph": old, "new@graph": fine, "new@tree": worse}))
    assert told == [
        "new@tree: traces 1 -> 2",
        "new@tree: temporary bytes 100000 -> 200000",
        "new@tree: flops 1e+06 -> 1.2e+06",
    ]
    text = as_text(
        report(
            case("c", Verdict.EQUAL, Verdict.EQUAL),
            costs={"c": {"old@graph": old, "new@tree": worse}},
        ),
        verbose=False,
    )
    assert "c costs more: new@tree: traces 1 -> 2" in text


def test_names_of_cases_cannot_control_a_terminal() -> None:
    text = as_text(report(case("a\x1b[31m[bold]", Verdict.EQUAL, Verdict.EQUAL)), verbose=False)
    assert "a\\x1b[31m[bold]" in text
    assert "\x1b" not in text
