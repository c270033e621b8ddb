"""Modules and Variables with two names, of which the new side may drop the second."""

from __future__ import annotations

import numpy as np

from nnx_migrate.check.compare.comparison import compare_views
from nnx_migrate.check.compare.forms import Array, Form, Plain, View


def number(value: float) -> Array:
    data = np.asarray(value)
    return Array("array", str(data.dtype), data.shape, data)


def form(**values: float) -> Form:
    found: Form = {"": Plain("module", "Net")}
    for name, value in values.items():
        found[name] = Plain("module", "Linear")
        found[f"{name}/kernel"] = Plain("variable", "Param")
        found[f"{name}/kernel/value"] = number(value)
    return found


TIED = View(form(a=1.0, b=1.0), {"b": "a", "b/kernel": "a/kernel"})


def test_a_second_name_may_go() -> None:
    found = compare_views(TIED, View(form(a=1.0), {}))
    assert found.equal
    assert found.notes == ("b no longer names the same object as a",)


def test_what_it_names_is_compared() -> None:
    assert compare_views(TIED, View(form(a=2.0), {})).different is not None


def test_the_name_in_a_state_may_not_go() -> None:
    assert compare_views(TIED, View(form(b=1.0), {})).different is not None


LATER_NAME_FIRST = View(form(b=1.0, a=1.0), {"a": "b", "a/kernel": "b/kernel"})


def test_the_first_name_may_go_if_a_state_lists_the_other() -> None:
    found = compare_views(LATER_NAME_FIRST, View(form(a=1.0), {}))
    assert found.equal
    assert found.notes == ("b no longer names the same object as a",)
    assert compare_views(LATER_NAME_FIRST, View(form(a=2.0), {})).different is not None


def test_the_first_name_may_not_go_for_one_of_another_object() -> None:
    apart: Form = {"": Plain("sequence", "tuple 2")}
    for name, attribute in (("1", "b"), ("0", "a")):
        apart[name] = Plain("module", "Net")
        apart |= {f"{name}/{path}": leaf for path, leaf in form(**{attribute: 1.0}).items() if path}
    old = View(apart, {"0/a": "1/b", "0/a/kernel": "1/b/kernel"})
    new = View({path: leaf for path, leaf in apart.items() if not path.startswith("1/b")}, {})
    assert compare_views(old, new).different is not None


def test_what_is_left_stays_one_object() -> None:
    values = dict.fromkeys("abc", 1.0)
    shared = {f"{name}{rest}": f"c{rest}" for name in "ab" for rest in ("", "/kernel")}
    old = View(form(**values), shared)
    less = form(a=1.0, b=1.0)
    assert compare_views(old, View(less, {"b": "a", "b/kernel": "a/kernel"})).equal
    found = compare_views(old, View(less, {}))
    assert found.different is not None
    assert found.different.new == "an object of its own"


def test_the_order_of_names_does_not_matter() -> None:
    assert compare_views(LATER_NAME_FIRST, TIED).equal


def test_an_object_of_its_own_is_another() -> None:
    found = compare_views(TIED, View(form(a=1.0, b=1.0), {}))
    assert found.different is not None
    assert found.different.path == "b"


def test_a_name_of_nothing_else_may_not_go() -> None:
    assert compare_views(View(form(a=1.0, b=1.0), {}), View(form(a=1.0), {})).different is not None


def test_first_name_of_a_leaf() -> None:
    assert TIED.first_name("b/kernel/value") == "a/kernel/value"
    assert TIED.first_name("a/kernel/value") == "a/kernel/value"
