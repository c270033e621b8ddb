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


def test_the_first_name_may_not_go() -> None:
    assert compare_views(TIED, View(form(b=1.0), {})).different is not None


def test_an_object_of_its_own_is_another() -> None:
    found = compare_views(TIED, View(form(a=1.0, b=1.0), {}))
    assert found.different is not None
    assert found.different.path == "b"


def test_a_name_of_nothing_else_may_not_go() -> None:
    assert compare_views(View(form(a=1.0, b=1.0), {}), View(form(a=1.0), {})).different is not None


def test_first_name_of_a_leaf() -> None:
    assert TIED.first_name("b/kernel/value") == "a/kernel/value"
    assert TIED.first_name("a/kernel/value") == "a/kernel/value"
