"""Modules that an nnx.Dict gets under a name after it was made."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import effects

PROGRAM = """
from flax import nnx

class Counting(nnx.Module):
    def __init__(self):
        self.n = 0
    def __call__(self, x):
        self.n += 1
        return x

class Quiet(nnx.Module):
    def __call__(self, x):
        return x

class Other(nnx.Module):
    pass

class Net(nnx.Module):
    def __init__(self, rngs):
        self.table = nnx.Dict(a=nnx.Linear(2, 2, rngs=rngs))
        self.other = Other()
        WITHIN
    def __call__(self, x):
        return READ

def f(m: Net):
    return m(1)

def outside():
    net = Net(nnx.Rngs(0))
    OUTSIDE
    return f(net)
"""
READ = ["self.table['a'](x)", "self.table.a(x)", "[each(x) for each in self.table.values()]"]
PUT = [
    "OF.table.a = LAYER",
    "OF.table['a'] = LAYER",
    "OF.table.update(a=LAYER)",
    "OF.table.update({'a': LAYER})",
    "OF.table.update(**{'a': LAYER})",
    "setattr(OF.table, 'a', LAYER)",
    "table = OF.table; table.a = LAYER",
]


def changes(put: str, read: str, *, within: bool) -> bool:
    places = {"WITHIN": "pass", "OUTSIDE": "pass"}
    places["WITHIN" if within else "OUTSIDE"] = put.replace("OF", "self" if within else "net")
    text = PROGRAM.replace("READ", read)
    for place, code in places.items():
        text = text.replace(place, code)
    return "structure" in effects(text, "f", "m")


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize(
    "put",
    [
        *(put.replace("LAYER", "Quiet()") for put in PUT),
        "OF.other.a = Counting()",
        "setattr(OF.other, 'a', Counting())",
        "OF.other.update(a=Counting())",
        "pass",
    ],
)
def test_what_is_no_item_or_changes_nothing_does_not_count(put: str, read: str) -> None:
    assert not changes(put, read, within=True)
    assert not changes(put, read, within=False)


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("within", [True, False], ids=["in the class", "outside"])
def test_what_is_put_in_later_runs(put: str, read: str, within: bool) -> None:
    assert changes(put.replace("LAYER", "Counting()"), read, within=within)
