"""What calls do to objects is told by the attributes that changed, and never by values."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import pytest

from nnx_migrate.observe import looks, objects
from nnx_migrate.observe.calls import Calls
from nnx_migrate.sources.facts.seen_objects import UNKNOWN, SeenObject


class Pytree:
    """Stands for that of flax, so that nothing here needs jax."""

    def __init__(self, **given: Any) -> None:
        vars(self)["_pytree__state"] = object()
        vars(self).update(given)


class Variable:
    """The same; as of flax, nothing can refer to it weakly."""

    __slots__ = ("said",)

    def __init__(self, **said: object) -> None:
        self.said = said

    def get_metadata(self) -> dict[str, object]:
        return dict(self.said)


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


def renamed(model: Any) -> None:
    model.layers[0].w.said |= {"sharding": ("a", "b"), "more": 1, "my secret": 2}
    del model.layers[1].w.said["note"]


def same_again(model: Any) -> None:
    model.layers[0].w.said["sharding"] = (*"a",)


class Unlike:
    """What cannot be compared."""

    def __eq__(self, other: object) -> bool:
        raise ValueError


def unlike(model: Any) -> None:
    model.layers[0].w.said["note"] = Unlike()


@pytest.mark.parametrize(
    ("call", "changes"),
    [
        (same_again, ()),
        (unlike, (".layers[].w metadata note replaced",)),
        (
            renamed,
            (
                ".layers[].w metadata ? made",
                ".layers[].w metadata more made",
                ".layers[].w metadata note deleted",
                ".layers[].w metadata sharding replaced",
            ),
        ),
    ],
)
def test_what_becomes_of_metadata(call: Callable[[Any], object], changes: tuple[str, ...]) -> None:
    one = Variable(sharding=("a",), note=Unlike())
    two = Variable(note=1)
    assert seen(call, Pytree(layers=[Pytree(w=one), Pytree(w=two)])).changes == changes


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


class Model(Pytree):
    """One that can be called by what it does."""


def looked_at(step: Callable[[looks.Look, Any], None]) -> dict[str, SeenObject]:
    told: dict[str, SeenObject] = {}

    def tell(found: Mapping[str, SeenObject]) -> None:
        for name, each in found.items():
            told[name] = told[name].joined(each) if name in told else each

    model = Model(w=Variable(), inner=Pytree(w=Variable()))
    look = looks.begun(("given",), (model,), tell)
    assert look is not None
    step(look, model)
    return told


def test_what_others_do_while_a_generator_stops_is_none_of_its_doing() -> None:
    def steps(look: looks.Look, model: Any) -> None:
        model.own = 1
        look.stop(2)
        model.others = 1
        look.go_on()
        model.more = 2
        look.end(None)

    found = looked_at(steps)["given"]
    assert found == SeenObject(1, (".more made", ".own made"))


def test_what_a_generator_gives_away_comes_out() -> None:
    def steps(look: looks.Look, model: Any) -> None:
        look.stop(1)
        look.go_on()
        look.stop([model.inner])

    assert looked_at(steps)["given"] == SeenObject(1, returned=1)
    # It is closed where it stops: what it did by then is told.
    assert looked_at(lambda look, model: look.stop(3))["given"] == SeenObject(1)


def test_who_changed_something_while_others_work_is_not_known() -> None:
    def steps(look: looks.Look, model: Any) -> None:
        look.stop_for(None)
        model.last = 1
        look.go_on()
        look.end(None)

    found = looked_at(steps)["given"]
    assert (found.looks, found.changes, found.returned) == (1, (UNKNOWN,), 1)
    assert looked_at(lambda look, model: look.stop_for([1, 2]))["given"] == SeenObject(1)
    # What another generator gives away is not seen.
    assert looked_at(lambda look, model: look.stop_for(iter(())))["given"].returned == 1


def test_more_stops_than_are_looked_at_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nnx_migrate.observe.looks._MOST_STOPS", 3)

    def steps(number: int) -> SeenObject:
        def step(look: looks.Look, model: Any) -> None:
            for each in range(number):
                look.stop(each)
                look.go_on()
            look.end(None)

        return looked_at(step)["given"]

    assert steps(3) == SeenObject(1)
    assert steps(4).changes == (UNKNOWN,)
    assert steps(4).looks == 1


def counted(*several: object) -> list[bool]:
    calls = Calls()
    return [calls.count((each, "x")) for each in several]


def test_a_call_that_gets_another_object_is_looked_into() -> None:
    one, two = Pytree(w=Variable()), Pytree()
    same = [True, True, False, True, False, False, False, True, False]
    assert counted(*[one] * 9) == same
    assert counted(one, one, two, one, two, one) == [True, True, True, True, False, False]
    assert counted(*[[one, 1]] * 3) == [True, True, False]
    assert counted([one], [one], [two]) == [True, True, True]
    assert counted(1, 2, 3, 4, 5) == same[:5]
    # Nothing says whether a Variable is the one of before.
    assert counted(*[Variable()] * 3) == [True, True, True]
    # An object that is gone may leave its number to another one.
    calls = Calls()
    assert all(calls.count((Pytree(),)) for _ in range(20))


def test_what_is_too_large_to_be_known_again_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nnx_migrate.observe.calls._MOST_LARGE", 3)
    large = [Pytree() for _ in range(65)]
    calls = Calls()
    looked = [calls.count((0, large)) for _ in range(6)]
    assert looked == [True, True, True, True, False, False]
    assert calls.lost == (1,)


def test_each_call_that_jax_traces_is_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    core: Any = ModuleType("core")
    core.trace_state_clean = lambda: False
    monkeypatch.setitem(sys.modules, "jax._src.core", core)
    assert counted(*[Pytree()] * 5) == [True] * 5


class Asking(type):
    """A metaclass like `ABCMeta`, which asks all classes below one of its own."""

    def __subclasscheck__(cls, other: type) -> bool:
        raise AssertionError(other)


def test_an_abstract_class_of_flax_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    nnx = sys.modules["flax.nnx"]
    for name in ("Pytree", "Variable", "State"):
        monkeypatch.setattr(nnx, name, Asking(name, (), {}), raising=True)
    monkeypatch.setattr(nnx, "Module", Asking("Module", (), {}), raising=True)
    assert objects.sort_of(Foreign()) is objects.Sort.OTHER
    assert objects.sort_of(nnx.Variable()) is objects.Sort.VARIABLE
