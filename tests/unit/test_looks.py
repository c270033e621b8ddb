"""What calls do to objects is told by the attributes that changed, and never by values."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from nnx_migrate.observe import looks
from nnx_migrate.sources.facts.seen_objects import UNKNOWN, SeenObject


class Pytree:
    """Stands for that of flax, so that nothing here needs jax."""

    def __init__(self, **given: Any) -> None:
        vars(self)["_pytree__state"] = object()
        vars(self).update(given)


class Variable:
    """The same."""


class State(dict[str, Any]):
    """The same."""

    @property
    def raw_mapping(self) -> dict[str, Any]:
        return dict(self)


class Foreign:
    """What nobody can look into."""


@pytest.fixture(autouse=True)
def flax(monkeypatch: pytest.MonkeyPatch) -> None:
    nnx: Any = ModuleType("flax.nnx")
    nnx.Pytree = nnx.Module = Pytree
    nnx.Variable, nnx.State = Variable, State
    monkeypatch.setitem(sys.modules, "flax.nnx", nnx)


def seen(call: Callable[[Any], object], value: object, **beside: object) -> SeenObject:
    told: dict[str, SeenObject] = {}
    look = looks.begun(("given", *beside), (value, *beside.values()), told.update)
    assert look is not None
    look.end(call(value))
    return told["given"]


def made() -> Pytree:
    layers = [Pytree(w=Variable(), n=1), Pytree(w=Variable())]
    return Pytree(layers=layers, table={"secret key": Variable()}, rate=0.5, name="x")


def replaced(model: Any) -> None:
    model.layers[0].w = Variable()
    model.rate = 0.25
    model.name = "x"


def grown(model: Any) -> None:
    model.last = 1
    del model.layers[1]
    model.table["more secret"] = Variable()


@pytest.mark.parametrize(
    ("call", "changes"),
    [
        (lambda model: None, ()),
        (replaced, (".layers[].w replaced", ".rate replaced")),
        (grown, (".last made", ".layers[] deleted", ".layers[].w deleted", ".table[] made")),
    ],
)
def test_what_a_call_changes(call: Callable[[Any], object], changes: tuple[str, ...]) -> None:
    assert seen(call, made()).changes == changes


@pytest.mark.parametrize(
    ("call", "returned"),
    [
        (lambda model: None, 0),
        (lambda model: (1, "x", None, [2.0]), 0),
        (lambda model: Pytree(w=Variable()), 0),
        (lambda model: {"a": [model]}, 1),
        (lambda model: Pytree(inner=model.layers[0]), 1),
        (lambda model: model.layers[0].w, 1),
        (lambda model: State(w=model.layers[0].w), 1),
        (lambda model: Foreign(), 1),  # it cannot be said
    ],
)
def test_what_comes_out(call: Callable[[Any], object], returned: int) -> None:
    assert seen(call, made()).returned == returned


def test_what_is_in_two_places_or_comes_by_two_parameters() -> None:
    shared = Variable()
    assert seen(lambda model: None, Pytree(a=shared, b=shared)) == SeenObject(1, shared=1)
    model: Any = Pytree(a=shared)
    assert seen(lambda model: None, model, other=[shared]).beside == ("other",)
    model.own = model
    assert seen(lambda model: None, model).shared == 1


def test_lists_that_lie_in_themselves_have_an_end() -> None:
    own: list[Any] = [Variable()]
    own.append(own)
    assert seen(lambda given: given.pop(), own).changes == ("[] deleted",)


def test_what_cannot_be_looked_through_counts_as_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nnx_migrate.observe.objects._MOST_PARTS", 3)
    found = seen(lambda model: None, made())
    assert (found.changes, found.returned) == ((UNKNOWN,), 1)


def test_what_holds_no_object_is_not_looked_at() -> None:
    assert looks.begun(("a", "b", "c"), (1, "x", Foreign()), print) is None
    assert looks.begun(("a",), ((1, 2),), print) is None


def test_leaves_that_are_no_arrays_and_streams_that_are_split() -> None:
    def nothing(model: object) -> None:
        pass

    class RngKey(Variable):
        shape: tuple[int, ...] = ()

        def get_raw_value(self) -> RngKey:
            return self

    key = RngKey()
    model: Any = Pytree(table=[1, None], rate=0.5, key=key)
    assert (seen(nothing, model).plain, seen(nothing, model).split) == (0, 0)
    key.shape = (4,)
    vars(model)["_pytree__nodes"] = {"table": True, "rate": False}
    assert (seen(nothing, model).plain, seen(nothing, model).split) == (1, 1)
    model.table = [None, Variable()]
    assert seen(nothing, model).plain == 0
