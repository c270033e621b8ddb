"""What counts as a difference between two observations, and how it is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nnx_migrate.check.compare.comparison import DEFAULT, EXACT, compare
from nnx_migrate.check.compare.forms import Array, Form, Observation, Plain, View


def array(values: Any, dtype: str = "float32", kind: Any = "array") -> Array:
    data = np.asarray(values, dtype=dtype)
    return Array(kind, str(data.dtype), data.shape, data)


def seen(form: Form, shared: dict[str, str] | None = None) -> Observation:
    return Observation(View(form, shared or {}))


def raised(name: str) -> Observation:
    return Observation(None, name, "told why")


@pytest.mark.parametrize(
    "values",
    [[1.0, np.nan], [np.inf, -np.inf], [], [0.0]],
)
def test_the_same_numbers_are_equal(values: list[float]) -> None:
    assert compare(seen({"x": array(values)}), seen({"x": array(values)})).equal


def test_a_zero_of_the_other_sign_is_the_same_number() -> None:
    assert compare(seen({"x": array([0.0])}), seen({"x": array([-0.0])})).equal


def test_rounding_is_close_and_tells_its_ulps() -> None:
    one = np.float32(1.0)
    found = compare(seen({"x": array([2.0, one])}), seen({"x": array([2.0, np.nextafter(one, 2)])}))
    assert found.different is None
    assert found.close is not None
    assert (found.close.path, found.close.ulps) == ("x[1]", 1)
    assert found.close.needed == pytest.approx(1.2e-7, rel=0.01)


def test_the_element_furthest_apart_is_shown() -> None:
    found = compare(seen({"x": array([[1.0, 2.0]])}), seen({"x": array([[1.5, 4.0]])}))
    assert found.different is not None
    assert (found.different.path, found.different.old) == ("x[0, 1]", "2.0 float32")
    assert found.different.needed == pytest.approx(1.0)


def test_ulps_are_counted_across_zero() -> None:
    tiny = np.nextafter(np.float32(0), np.float32(1))
    found = compare(seen({"x": array(tiny)}), seen({"x": array(-tiny)}), EXACT)
    assert found.different is not None
    assert found.different.ulps == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (array([1, 2], "int32"), array([1, 3], "int32")),
        (array([True], "bool"), array([False], "bool")),
        (array([1, 2], "uint32", "key"), array([1, 3], "uint32", "key")),
        (array([1.0]), array([1.0], "float16")),
        (array([1.0]), array([[1.0]])),
        (array([1.0]), array([np.nan])),
        (array([np.inf]), array([-np.inf])),
        (array([1.0]), Plain("plain", "float 1.0")),
        (Plain("plain", "int 1"), Plain("plain", "bool True")),
        (Plain("variable", "Param"), Plain("variable", "BatchStat")),
    ],
)
def test_what_no_rounding_explains_is_different(old: Any, new: Any) -> None:
    found = compare(seen({"x": old}), seen({"x": new}))
    assert found.different is not None
    assert found.different.path.startswith("x")


def test_what_is_missing_and_what_is_new_are_different() -> None:
    some: Form = {"x": array(1)}
    for old, new in ((some, {}), ({}, some)):
        found = compare(seen(old), seen(new))
        assert found.different is not None
        assert "nothing" in str(found.different)


def test_paths_are_looked_at_in_the_order_of_their_numbers() -> None:
    old = seen({str(number): array(0, "int32") for number in range(12)})
    new = seen({str(number): array(number > 1, "int32") for number in range(12)})
    found = compare(old, new).different
    assert found is not None
    assert found.path == "2"


def test_a_state_in_the_place_of_a_module_is_a_note_where_kinds_are_free() -> None:
    old = seen({"result": Plain("state", "State 1"), "result/a": array(1)})
    new = seen({"result": Plain("module", "Net"), "result/a": array(1)})
    free = compare(old, new)
    assert free.equal
    assert free.notes == ("result was a state State 1 and is a module Net",)
    assert compare(old, new, strict_kinds=True).different is not None
    other = seen({"result": array(1), "result/a": array(1)})
    assert compare(old, other).different is not None


def test_sharing_that_is_lost_or_won_is_different() -> None:
    form: Form = {"arguments/0": Plain("module", "Net"), "result": Plain("module", "Net")}
    shared, apart = seen(form, {"result": "arguments/0"}), seen(form)
    lost = compare(shared, apart).different
    assert lost is not None
    assert str(lost) == "result: expected the same object as arguments/0, got an object of its own"
    # A copy that became the object itself is changed along with it.
    won = compare(apart, shared).different
    assert won is not None
    assert str(won) == "result: expected an object of its own, got the same object as arguments/0"


def test_exceptions_are_compared_by_their_type() -> None:
    result = seen({"result": array(1)})
    assert compare(raised("ValueError"), raised("ValueError")).equal
    for old, new in ((raised("ValueError"), raised("KeyError")), (result, raised("KeyError"))):
        found = compare(old, new).different
        assert found is not None
        assert "KeyError: told why" in found.new
    assert compare(raised("KeyError"), result).different is not None


def test_bfloat16_has_a_tolerance_and_ulps_of_its_own() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    one = np.asarray([1.0], ml_dtypes.bfloat16)
    next_one = (one.view(np.uint16) + 1).view(ml_dtypes.bfloat16)
    left = Array("array", "bfloat16", (1,), one)
    right = Array("array", "bfloat16", (1,), next_one)
    found = compare(seen({"x": left}), seen({"x": right}), DEFAULT)
    assert found.close is not None
    assert found.close.ulps == 1
    assert compare(seen({"x": left}), seen({"x": right}), EXACT).different is not None


def test_a_traced_array_is_known_by_its_shape_alone() -> None:
    traced = Array("array", "float32", (2,), None)
    assert compare(seen({"x": traced}), seen({"x": array([1.0, 2.0])})).equal
    assert compare(seen({"x": traced}), seen({"x": array([1.0])})).different is not None
