"""What two traced programs prove."""

from __future__ import annotations

from nnx_migrate.check.compare.case_verdicts import Strictness, judge_programs, judge_runs
from nnx_migrate.check.compare.comparison import DEFAULT
from nnx_migrate.check.compare.forms import NotDone, Observation, Plain, Traced, View
from nnx_migrate.check.compare.verdicts import Verdict
from nnx_migrate.check.jobs import Ran

STRICTNESS = Strictness(DEFAULT)
SOMETHING = View({"result": Plain("plain", "int 1")}, {})
NOTHING = View({"result": Plain("plain", "NoneType None")}, {})
NO_GRADIENT = NotDone("no gradient: ValueError: of a while loop")


def traced(output: str, gradient: dict[str, str] | NotDone | None) -> Traced:
    return Traced(SOMETHING, SOMETHING, {"result": output}, gradient, 1)


def test_equal_programs_with_equal_gradients_are_proved() -> None:
    both = traced("a", {"x": "g"})
    assert judge_programs(both, both, STRICTNESS).verdict is Verdict.PROVED


def test_programs_that_have_no_gradient_are_proved_with_a_note() -> None:
    both = traced("a", NO_GRADIENT)
    found = judge_programs(both, both, STRICTNESS)
    assert found.verdict is Verdict.PROVED
    assert found.notes == (f"the gradient is not compared: {NO_GRADIENT.reason}",)


def test_a_gradient_may_not_be_lost() -> None:
    found = judge_programs(traced("a", {"x": "g"}), traced("a", NO_GRADIENT), STRICTNESS)
    assert found.verdict is Verdict.NOT_CHECKED


def test_other_outputs_are_not_proved_without_a_gradient() -> None:
    found = judge_programs(traced("a", NO_GRADIENT), traced("b", NO_GRADIENT), STRICTNESS)
    assert found.verdict is Verdict.NOT_CHECKED


def test_a_case_that_raises_on_both_sides_is_equal_and_says_so() -> None:
    raised = Observation(None, "ValueError", "no such axis\nand more")
    ran = Ran(Observation(SOMETHING), raised, NO_GRADIENT, NO_GRADIENT, (), 0.0)
    found = judge_runs(ran, ran, STRICTNESS, "")
    assert found.verdict is Verdict.EQUAL
    assert found.reason == "both raise ValueError: no such axis"


def test_parts_that_the_reference_does_not_have_are_noted() -> None:
    seen = Observation(SOMETHING)
    ran = Ran(seen, seen, seen, NO_GRADIENT, (), 0.0)
    found = judge_runs(ran, ran, STRICTNESS, "")
    assert found.verdict is Verdict.EQUAL
    assert found.notes == (f"gradient is not compared: {NO_GRADIENT.reason}",)


def test_a_call_that_gives_out_nothing_is_neither_proved_nor_equal() -> None:
    silent = Traced(NOTHING, NOTHING, {}, None, 0)
    assert judge_programs(silent, silent, STRICTNESS).verdict is Verdict.NOT_CHECKED
    seen = Observation(NOTHING)
    ran = Ran(seen, seen, seen, NO_GRADIENT, (), 0.0)
    found = judge_runs(ran, ran, STRICTNESS, "")
    assert found.verdict is Verdict.NOT_CHECKED
    assert found.reason.startswith("nothing to compare")
