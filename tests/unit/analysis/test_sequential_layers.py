"""Layers that are put into an nnx.Sequential after it was made."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import analysis_of, contents, effects, scope_named

PROGRAM = """
from flax import nnx

class Counting(nnx.Module):
    def __init__(self, rngs):
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.n = 0
    def __call__(self, x):
        self.n += 1
        return x

class Quiet(nnx.Module):
    def __call__(self, x):
        return x

class Net(nnx.Module):
    def __init__(self, rngs):
        self.down = nnx.Sequential(MADE)
        ADDED
    def __call__(self, x):
        return CALL

def f(m: Net):
    return m(1)

def g(m: nnx.Sequential):
    return m(1)
"""
ADDED = {
    "appended": "self.down.layers.append(LAYER)",
    "added": "self.down.layers += [LAYER]",
    "set": "self.down.layers = [LAYER]",
    "set to more": "self.down.layers = self.down.layers + [LAYER]",
    "extended": "self.down.layers.extend([LAYER])",
    "inserted": "self.down.layers.insert(0, LAYER)",
    "put in": "self.down.layers[0] = LAYER",
    "by a name of the list": "layers = self.down.layers; layers.append(LAYER)",
    "by a name of the object": "down = self.down; down.layers.append(LAYER)",
}
CALLS = ("self.down(x)", "self.down.layers[0](x)", "[layer(x) for layer in self.down.layers]")


def program(added: str, layer: str, call: str, made: str = "nnx.Linear(2, 2, rngs=rngs)") -> str:
    text = PROGRAM.replace("ADDED", added.replace("LAYER", layer))
    return text.replace("CALL", call).replace("MADE", made)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("added", ADDED)
def test_what_is_put_in_runs(added: str, call: str) -> None:
    text = program(ADDED[added], "Counting(rngs)", call)
    assert "structure" in effects(text, "f", "m")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("made", ["", "Quiet()"])
def test_what_is_put_in_may_change_nothing(made: str, call: str) -> None:
    assert effects(program(ADDED["appended"], "Quiet()", call, made), "f", "m") == set()


@pytest.mark.parametrize("added", ADDED)
def test_what_is_put_in_is_held(added: str) -> None:
    text = program(ADDED[added], "Counting(rngs)", CALLS[0])
    assert "BatchStat" in contents(text, "m", "f").variables
    assert (
        "BatchStat" not in contents(text.replace("Counting(rngs)", "Quiet()"), "m", "f").variables
    )


def test_layers_that_no_call_shows_may_be_any() -> None:
    assert "unknown" in effects(program("pass", "", CALLS[0]), "g", "m")


def test_a_layer_that_is_put_in_is_reached() -> None:
    text = program(ADDED["appended"], "Counting(rngs)", CALLS[0])
    text = text.replace("self.n += 1", "nnx.jit(lambda y: y)(x)")
    analysis = analysis_of(text)
    assert list(analysis.extents.obstacles((scope_named(analysis, "f"),)))


BESIDE = """
class Other(nnx.Module):
    def __init__(self, rngs, layers, name):
        OTHER
        other.layers.append(Counting(rngs))
"""


@pytest.mark.parametrize(
    ("made", "call"),
    [
        ("", CALLS[0]),
        *(("Quiet()", call) for call in CALLS),
        *(("*[Quiet() for _ in range(2)]", call) for call in CALLS),
    ],
)
def test_what_is_put_into_one_that_begins_otherwise_is_not_in_it(made: str, call: str) -> None:
    text = program("pass", "", call, made) + BESIDE
    other = "other = nnx.Sequential()" if made else "other = nnx.Sequential(Quiet())"
    assert effects(text.replace("OTHER", other), "f", "m") == set()
    same = "other = nnx.Sequential(Quiet())" if made else "other = nnx.Sequential()"
    assert "structure" in effects(text.replace("OTHER", same), "f", "m")


@pytest.mark.parametrize(
    "other",
    [
        "other = nnx.Sequential() if name else nnx.Sequential(Quiet())",
        "other = nnx.Sequential(*layers)",
        "other: nnx.Sequential = name.net",
        "other: nnx.Module = name.net",
    ],
)
@pytest.mark.parametrize("made", ["", "Quiet()"])
def test_what_is_put_into_one_that_may_be_it_is(made: str, other: str) -> None:
    text = program("pass", "", CALLS[0], made) + BESIDE.replace("OTHER", other)
    assert "structure" in effects(text, "f", "m")


def test_a_list_of_other_layers_is_none_of_a_sequential() -> None:
    text = program("pass", "", CALLS[0], "Quiet()")
    text += (
        "class Own:\n    def __init__(self, rngs):\n        self.layers = [Counting(rngs)]\n"
        "def put(own: Own, x):\n    layers = own.layers\n    layers.append(Counting(x))\n"
    )
    assert effects(text, "f", "m") == set()


STAGES = """
def stages(rngs, given: nnx.Module):
    stage = BASE
    stage.down = Counting(rngs)
    return stage
"""


def test_what_another_object_gets_under_the_name_of_an_attribute() -> None:
    text = program("pass", "", CALLS[0], "Quiet()") + STAGES
    assert effects(text.replace("BASE", "nnx.Module()"), "f", "m") == set()
    for base in ("given", "Net(rngs)", "Below(rngs)"):
        below = "\nclass Below(Net): pass\n"
        assert "structure" in effects(text.replace("BASE", base) + below, "f", "m"), base
