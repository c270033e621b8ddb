"""What is found, and the places that show it, does not depend on what was asked for first."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import pytest

from nnx_migrate.analysis.domain.unknown import Unknown
from nnx_migrate.analysis.domain.values import Basic, ContainerValue, Instance, Scope, TupleValue
from nnx_migrate.analysis.domain.witnesses import with_one_witness
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.place import Place
from tests.golden.cases import all_cases
from tests.hazards.test_soundness import PROGRAMS
from tests.unit.analysis.asking import analysis_of

#: An object that is made in eight places and handed around in a circle.
CIRCLE = """
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.other = missing(rngs)
""" + "".join(
    f"""
def step_{number}(model, x):
    pair = (model, [model.other])
    model.calls_{number} = 1
    if x.any():
        return step_{(number + 1) % 8}(pair[0], lost_{number}())
    return step_{(number + 3) % 8}(made_{number}(x), x), pair

def made_{number}(x):
    return Net(nnx.Rngs({number})) if x else made_{(number + 3) % 8}(x)

def run_{number}(x):
    return step_{number}(made_{number}(x), x)
"""
    for number in range(8)
)
#: The same in a file each.
CIRCLE_OF_FILES = {
    "net.py": CIRCLE.partition("\ndef ")[0],
    **{
        f"part_{number}.py": f"""
from net import Net
from flax import nnx
import part_{(number + 1) % 6}, part_{(number + 3) % 6}

def step(model, x):
    if x.any():
        return part_{(number + 1) % 6}.step(model, lost_{number}())
    model.calls_{number} = 1
    return part_{(number + 3) % 6}.step(made(x), x)

def made(x):
    return Net(nnx.Rngs({number})) if x else part_{(number + 1) % 6}.made(x)

step(made(0), 1)
"""
        for number in range(6)
    },
}
FILES: dict[str, Mapping[str, str]] = {
    "circle": {"main.py": CIRCLE},
    "circle of files": CIRCLE_OF_FILES,
    **{
        f"golden {case.name}": {
            name: data.decode()
            for name, data in case.files("before").items()
            if name.endswith(".py")
        }
        for case in all_cases()
        if len(case.files("before")) > 1
    },
    **{name: {"main.py": PROGRAMS[name]} for name in sorted(PROGRAMS)[::12]},
}
Question = tuple[object, Callable[[], object]]


def questions(analysis: Analysis) -> Iterator[Question]:
    evaluator = analysis.evaluator
    for module, index in analysis.project.modules.items():
        for key, function in index.functions.items():
            scope = Scope(module, key)
            for name in function.bindings:
                yield (scope, name), partial(evaluator.values, scope, ir.Name(name))
            for each in function.parameters:
                yield (scope, "of", each.name), partial(evaluator.parameter, scope, each)
                effects = partial(analysis.effects.of, scope, each.name)
                yield (scope, "effects", each.name), effects
            yield (scope, "returned"), partial(evaluator.returned, scope)


@pytest.mark.parametrize("name", FILES)
def test_answers_do_not_depend_on_the_order_of_questions(name: str) -> None:
    found = []
    for seed in range(4):
        asked = list(questions(analysis_of(FILES[name])))
        if seed:
            random.Random(seed).shuffle(asked)
        found.append({key: answer() for key, answer in asked})
    for other in found[1:]:
        assert {key: value for key, value in other.items() if value != found[0][key]} == {}


def test_of_witnesses_the_least_is_taken_at_every_depth() -> None:
    first, second = (Instance("Net", origin=Place("main", line)) for line in (3, 12))
    told = Instance("Net", origin="annotation")
    assert with_one_witness(frozenset({told, second, first})) == {first}
    assert with_one_witness(frozenset({told})) == {told}
    one, other = (ContainerValue(frozenset({each})) for each in (first, second))
    assert with_one_witness(frozenset({other, one})) == {one}
    assert with_one_witness(frozenset({ContainerValue(frozenset({second, first}))})) == {one}
    pairs = [
        TupleValue((frozenset({each}), frozenset({Basic("unknown", why)})))
        for each, why in ((first, "b"), (told, "a"))
    ]
    assert with_one_witness(frozenset(pairs)) == {
        TupleValue((frozenset({first}), frozenset({Basic("unknown", "a")})))
    }
    reasons = [
        Basic("unknown", why) for why in ("", Unknown.IN_A_CIRCLE.words, "the result of f()", "x")
    ]
    assert with_one_witness(frozenset(reasons)) == frozenset(
        {Basic("unknown", "the result of f()")}
    )
    assert with_one_witness(frozenset({*reasons, Basic("array")})) == {
        Basic("array"),
        Basic("unknown", "the result of f()"),
    }
