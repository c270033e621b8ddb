"""What is passed twice is what a walk through all calls finds, and most values need none."""

from __future__ import annotations

import random
import textwrap

import pytest

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import NOTHING, Held, Object, Variable
from nnx_migrate.analysis.points_to.passed.nodes import PassedNodes
from nnx_migrate.analysis.points_to.passed.objects import PassedObjects
from nnx_migrate.analysis.points_to.passed.pairs import PassedPairs
from tests.unit.analysis.asking import MAIN, analysis_of, scope_named

_HEAD = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, one=None, other=None):
        self.one = one
        self.other = other

    def step(self, x):
        return both(self.one, x)

    def inside(self, x):
        return both(self.one, self.other)


def both(one, other):
    return one, other


def new():
    return Net()
"""

#: Whether both arguments of some call of `both` may be the same object.
_PROGRAMS = {
    "two that are made": ("both(Net(), Net())", ""),
    "one": ("m = Net()\nboth(m, m)", "m is passed twice"),
    "a parameter twice": ("def run(m):\n    both(m, m)\n\n\nrun(Net())", "m is passed twice"),
    "what an argument and a variable around are": (
        "def main():\n    m = new()\n    return (lambda other: both(m, other))(m)",
        "m is passed twice",
    ),
    "an argument beside another variable around": (
        "def main():\n    m = new()\n    return (lambda other: both(m, other))(new())",
        "",
    ),
    "what a method has and an argument": (
        "m = Net()\nNet(m).step(m)",
        "m is passed twice",
    ),
    "what one argument keeps": (
        "def run(a, b):\n    both(a.one, b)\n\n\nm = Net()\nrun(Net(m), m)",
        "m is passed twice",
    ),
    "what wrappers have": ("Net(Net(Net(), Net()), Net()).inside(1)", ""),
}


@pytest.mark.parametrize(("body", "reason"), _PROGRAMS.values(), ids=_PROGRAMS)
def test_what_calls_pass_is_told_from_pairs(body: str, reason: str) -> None:
    assert {each for each in _answers(f"{_HEAD}\n\n{body}\n") if each} == (
        {reason} if reason else set()
    )


def _answers(text: str) -> list[str]:
    """What each call of `both` passes twice, without the places of calls."""
    return [reason.partition(" (")[0] for reason in _reasons(analysis_of(text))]


def _reasons(analysis: Analysis) -> list[str]:
    module = analysis.project.modules[MAIN]
    return [
        analysis.sharing.passed.twice(Scope(MAIN, key), call.args, call.line)
        for key, function in module.functions.items()
        for call in function.calls
        if ir.last_name(call.func) == "both"
    ]


@pytest.mark.parametrize("seed", range(40))
def test_pairs_miss_nothing_that_a_walk_finds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = _drawn(random.Random(seed))
    quick = _reasons(analysis_of(text))
    monkeypatch.setattr(PassedPairs, "may_repeat", lambda self, scope, whole: True)
    assert quick == _reasons(analysis_of(text))


def _drawn(draw: random.Random) -> str:
    """Functions that call each other with what they are passed, parts of it, and new objects."""
    lines = [_HEAD]
    for number in range(5):
        arguments = [f"{name}{part}" for name in "ab" for part in ("", ".one", ".other.one")]
        arguments += ["Net()", "Net(a, b)", "new()", "[a, b]", "[b][0]"]
        body = []
        for _ in range(draw.randint(1, 2)):
            called = draw.choice(["both", *(f"run{below}" for below in range(number))])
            given = ", ".join(draw.choices(arguments, k=2))
            body.append(
                draw.choice(
                    [
                        f"{called}({given})",
                        f"(lambda a: {called}({given}))({draw.choice(arguments)})",
                        f"c = {draw.choice(arguments)}\nfor b in [c, a]:\n    {called}({given})",
                    ]
                )
            )
        lines.append(f"\n\ndef run{number}(a, b):\n" + textwrap.indent("\n".join(body), "    "))
    lines.append("\n\nm, n = Net(), Net(Net())\n")
    for number in range(5):
        given = ", ".join(draw.choices(["m", "n", "n.one", "Net(m, n)", "Net(m)"], k=2))
        lines.append(f"run{number}({given})\n")
    return "\n".join(lines)


@pytest.mark.parametrize("places", [(0, 1), (1, 0)])
def test_no_answer_hangs_on_which_place_is_asked_about_first(places: tuple[int, int]) -> None:
    """Two expressions give what a parameter keeps: of one it is known that it is no Module."""
    analysis = analysis_of(f"{_HEAD}\n\ndef run(box):\n    return box\n\n\nrun(found())\n")
    scope = scope_named(analysis, "run")
    part = Variable(scope, "box", 0)
    net = Located(Scope(MAIN, ir.MODULE_SCOPE), ir.Call(ir.Name("Net"), (), (), 1))
    number = Located(scope, ir.Constant("number", "1"))
    asked = [Object(part, ("one",), place) for place in (net, number)]
    nodes = _nodes_of(analysis.sharing.passed)
    found = {place: nodes.reaching(Held(asked[place]), told=True) for place in places}
    assert found[0] is not NOTHING
    assert found[1] is NOTHING


def _nodes_of(passed: PassedObjects) -> PassedNodes:
    return passed._nodes
