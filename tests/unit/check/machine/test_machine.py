"""A slice of the mutants that a machine made: what differs never passes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("cloudpickle")
pytest.importorskip("pebble")
pytest.importorskip("jax")
from nnx_migrate.check.compare.verdicts import Verdict
from tests.unit.check.machine.judged import AS_IT_WAS, GOLDEN, LOOKS, all_mutants, judge
from tests.unit.check.machine.mutators import BREAKING, KEEPING, Source, drawn, mutants

KNOWN = Path(__file__).with_name("judged.jsonl")
# Small programs of several rules; of the last one a second driver shows that it differs.
SLICE = (
    "broadcast-state/lambda",
    "diff-state/lora",
    "state-axes/vmap-decorator",
    "module-gradient/loss-sows",
    "returned-input/scan-carry",
)
_TEXT = """
def step(model, x, rate=0.1):
    model.update(x)
    first = model.draw(1)
    second = model.draw(2)
    return first * second, copy.deepcopy(model)
"""


def test_there_are_enough_and_always_the_same() -> None:
    found = all_mutants()
    assert len(found) >= 1000
    keys = [each.key for each in found]
    assert len(set(keys)) >= 0.99 * len(keys)
    text = (GOLDEN / "diff-state" / "lora" / "after.py").read_text()
    one, two = (drawn("a name", text, BREAKING, 4) for _ in range(2))
    assert one == two


def test_each_way_changes_one_place() -> None:
    found = {way.name: text for way, text in mutants(_TEXT, BREAKING + KEEPING)}
    assert "    pass\n" in found["an update is dropped"]
    assert "return first * second, model" in found["shared and not copied"]
    assert "rate=1.1" in found["a default is another one"]
    assert "return (copy.deepcopy(model), first * second)" in found["two results change places"]
    assert (
        "second = model.draw(2)\n    first = model.draw(1)" in found["two statements change places"]
    )
    assert "(second * (first))" in found["factors change places"]
    assert Source("x = '\u00e9'").is_plain is False


def test_nothing_that_differs_passed() -> None:
    known = [json.loads(line) for line in KNOWN.read_text().splitlines()]
    changed = [each for each in known if not each["keeps"]]
    differing = [each for each in changed if each["truth"] in ("differs", "raises")]
    assert len(differing) > 100
    passing = {verdict.value for verdict in Verdict if verdict.passes}
    assert not [each for each in differing if each["verdict"] in passing]


def test_second_drivers_are_of_golden_programs() -> None:
    drivers = [each.drivers for each in all_mutants()]
    assert {each[1] for each in drivers if len(each) > 1} == set(LOOKS.glob("*.py"))


def test_what_is_not_found_and_what_is_accused_is_explained() -> None:
    known = [json.loads(line) for line in KNOWN.read_text().splitlines()]
    known = [each for each in known if each["way"] != AS_IT_WAS]
    whys = tomllib.loads(KNOWN.with_name("explained.toml").read_text())
    open_ones = [
        each["key"]
        for each in known
        if not each["keeps"]
        and each["truth"] in ("differs", "raises")
        and each["verdict"] != "different"
    ]
    accused = [
        each["case"]
        for each in known
        if each["keeps"] and each["truth"] == "same" and each["verdict"] == "different"
    ]
    assert set(open_ones) <= set(whys["not checked"])
    assert set(accused) <= set(whys["harmless"])


@pytest.mark.runs_jax
def test_what_differs_does_not_pass(tmp_path: Path) -> None:
    some = [each for each in all_mutants() if each.case.relative_to(GOLDEN).as_posix() in SLICE]
    assert len(some) > 10
    for each in judge(some, tmp_path, tmp_path / "calls"):
        if each.truth in ("differs", "raises"):
            assert each.verdict in ("different", "not checked", "no case"), each
        elif each.keeps:
            assert each.verdict != "different", each
        if each.case == "module-gradient/loss-sows" and each.truth == "same":
            assert each.verdict == "by callers", each
