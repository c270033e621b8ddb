"""Attributes, flags and keywords: what no run has done to them pins nothing, and is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command, Observe
from tests.cli.facts import findings, write_facts
from tests.cli.test_observed_sows import told

NET = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, keep=False):
        self.w = nnx.Param(1.0)
        self.seen = nnx.BatchStat(1.0)
        self.keep = keep

    def __call__(self, x):
        if self.keep:
            self.last = x
        return self.w * x


def step(model: Net, x):
    return nnx.jit(lambda m, y: m(y))(model, x)


def gradient(model: Net, x):
    return nnx.grad(lambda m: m(x))(model)
"""
CALL = {"model": ["net.py::Net"], "x": ["array"]}
FUNCTIONS = {"step": CALL, "gradient": CALL, "Net.__call__": {"x": ["array"]}}
JIT, GRAD = 17, 21


def test_what_is_never_written_does_not_pin(tmp_path: Path, command: Command) -> None:
    (tmp_path / "net.py").write_text(NET)
    plain = findings(command)
    assert plain[JIT]["outcome"] != "same"
    assert plain[GRAD]["outcome"] == "pinned"

    write_facts(tmp_path, NET, FUNCTIONS, changes={"Net.__call__": [[]]})
    found = findings(command, "--facts", "facts.json")
    assert (found[JIT]["outcome"], found[GRAD]["outcome"]) == ("same", "rewritten-checked")
    for each in found.values():
        assert "observed: last was never written in __call__ in 1 call of it" in told(each)
        assert "observed in 1 call" in each["message"]
    assert any(each.startswith("checked when traced") for each in told(found[GRAD]))


@pytest.mark.parametrize(
    ("functions", "changes"),
    [
        (FUNCTIONS, {"Net.__call__": [["last made"]]}),  # it was written
        (FUNCTIONS, {"Net.__call__": []}),  # the recorder knows of none
        (FUNCTIONS, {"Net.__call__": [[], []]}),  # of another file
        ({"step": CALL, "gradient": CALL}, {}),  # nobody called what writes
    ],
)
def test_a_write_of_which_that_is_not_known_pins(
    tmp_path: Path,
    command: Command,
    functions: dict[str, dict[str, list[str]]],
    changes: dict[str, list[list[str]]],
) -> None:
    (tmp_path / "net.py").write_text(NET)
    plain = {line: each["outcome"] for line, each in findings(command).items()}
    write_facts(tmp_path, NET, functions, changes=changes)
    found = findings(command, "--facts", "facts.json")
    assert {line: each["outcome"] for line, each in found.items()} == plain


def test_what_ran_for_others_says_nothing_of_a_place_that_never_ran(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "net.py").write_text(NET)
    plain = {line: each["outcome"] for line, each in findings(command).items()}
    functions = {"gradient": CALL, "Net.__call__": {"x": ["array"]}}
    write_facts(tmp_path, NET, functions, changes={"Net.__call__": [[]]})
    found = findings(command, "--facts", "facts.json")
    assert found[JIT]["outcome"] == plain[JIT]
    shown = [each for each in told(found[JIT]) if each.startswith("observed")]
    assert shown == ["observed: no recorded run calls it"]
    assert found[GRAD]["outcome"] == "rewritten-checked"


FLAG = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)

    def grow(self, x):
        self.last = x

    def __call__(self, x, debug=False):
        if debug:
            self.grow(x)
        return self.w * x


def step(model: Net, x, debug):
    return nnx.jit(lambda m, y: m(y, debug=debug))(model, x)
"""


@pytest.mark.parametrize(
    ("types", "outcome"),
    [
        (["off"], "same"),
        (["none", "off"], "same"),
        (["off", "on"], "pinned"),
        (["plain"], "pinned"),
    ],
)
def test_a_flag_that_is_never_set_asks_for_nothing(
    tmp_path: Path, command: Command, types: list[str], outcome: str
) -> None:
    (tmp_path / "net.py").write_text(FLAG)
    call = {"x": ["array"], "debug": types}
    write_facts(tmp_path, FLAG, {"step": {**CALL, "debug": types}, "Net.__call__": call})
    (finding,) = findings(command, "--facts", "facts.json").values()
    assert finding["outcome"] == outcome
    claim = "observed: debug of __call__ was never set in 1 call of it"
    assert (claim in told(finding)) == (outcome == "same")


KEYWORDS = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.attend = nnx.MultiHeadAttention(2, 8, rngs=rngs, decode=False)

    def __call__(self, x, **more):
        return self.attend(x, **more)


def step(model: Net, x):
    return nnx.jit(lambda m, y: m(y, **OPTIONS))(model, x)
"""


@pytest.mark.parametrize(
    ("types", "outcome"),
    [([], "same"), (["keyword mask"], "same"), (["keyword sow_weights"], "pinned")],
)
def test_keywords_that_nobody_passes_ask_for_nothing(
    tmp_path: Path, command: Command, types: list[str], outcome: str
) -> None:
    (tmp_path / "net.py").write_text(KEYWORDS)
    given: dict[str, list[str]] = {"x": ["array"], "more": types}
    write_facts(tmp_path, KEYWORDS, {"step": CALL, "Net.__call__": given})
    (finding,) = findings(command, "--facts", "facts.json").values()
    assert finding["outcome"] == outcome
    assert any("never took" in each for each in told(finding)) == (outcome == "same")


WRITING = """\
class Net:
    def __init__(self):
        self.n = 0

    def set(self, which):
        if which == 1: self.n = 1; self.m = 2
        for self.each in range(which):
            pass
        try:
            del self.m
        except AttributeError:
            (self.a, [*self.b]) = 1, (2, 3)
        with open(__file__) as self.file:
            self.file.close()
        other = self
        if which == 5:
            other.late = 1
        other.n += 1
        other.typed: int
        def inner(net):
            net.inside = 1
        return inner
"""


def test_what_is_done_to_attributes_is_kept(tmp_path: Path, observe: Observe) -> None:
    (tmp_path / "lib.py").write_text(WRITING)
    (tmp_path / "run.py").write_text("import lib\nnet = lib.Net()\nnet.set(0)\nnet.set(1)\n")
    observe("run.py")
    functions = observe("run.py", of="lib.py")  # they add up
    assert "changes" not in functions["Net.__init__"]
    assert functions["Net.set"]["changes"] == [
        ["m made", "n replaced"],
        ["each made"],
        ["m deleted"],
        ["a made", "b made"],
        ["file made", "file replaced"],
        [],
        ["n"],
    ]
    assert "Net.set.inner" not in functions


ODD = """\
class Slots:
    __slots__ = ("n",)


class Odd:
    def __getattribute__(self, name):
        raise RuntimeError(name)


def put(thing):
    thing.n = 1
"""


def test_an_object_that_does_not_show_what_it_has_is_none_of_ours(
    tmp_path: Path, observe: Observe
) -> None:
    (tmp_path / "lib.py").write_text(ODD)
    (tmp_path / "run.py").write_text("import lib\nlib.put(lib.Odd())\nlib.put(lib.Slots())\n")
    assert observe("run.py", of="lib.py")["put"]["changes"] == [["n"]]


FLAGS = """\
def given(one, two=False, *, three=None, **more):
    return one
"""


def test_flags_and_keywords_are_kept(tmp_path: Path, observe: Observe) -> None:
    script = 'import lib\nlib.given(True, mask="secret")\nlib.given([True], True, other=1)\n'
    (tmp_path / "lib.py").write_text(FLAGS)
    (tmp_path / "run.py").write_text(script)
    assert observe("run.py", of="lib.py")["given"]["parameters"] == {
        "one": ["in plain", "on"],
        "two": ["off", "on"],
        "three": ["none"],
        "more": ["keyword mask", "keyword other"],
    }
    assert "secret" not in (tmp_path / "facts.json").read_text()
