"""What a hash of values cannot speak for is refused, with the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
from jax import lax
from jax.extend.core import Primitive

from nnx_migrate.check.proof import Program, Refused, canonical_program
from tests.unit.check.proof.tracing import trace

pytestmark = pytest.mark.runs_jax

X = np.linspace(-1, 1, 3, dtype=np.float32)


def printed(x: Any) -> Any:
    jax.debug.print("{}", x)
    return x


def told(x: Any) -> Any:
    jax.debug.callback(lambda _: None, x)
    return x


def asked(x: Any) -> Any:
    return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


def asked_in_order(x: Any) -> Any:
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.experimental.io_callback(np.sin, shape, x, ordered=True)


def scratch(x: Any) -> Any:
    ref = jax.new_ref(x)
    ref[...] += 1
    return ref[...]


def in_a_loop(x: Any) -> Any:
    return lax.scan(lambda c, _: (asked(c), None), x, None, length=3)[0]


def in_a_branch(x: Any) -> Any:
    return lax.cond(x[0] > 0, asked, lambda x: x, x)


def drawn(x: Any) -> Any:
    draw: Any = lax.rng_uniform
    return draw(0.0, 1.0, (3,)) + x


_own: Any = Primitive("add")
_own.def_abstract_eval(lambda x: x)


def of_ones_own(x: Any) -> Any:
    return _own.bind(x)


def composed(x: Any) -> Any:
    composite: Any = lax.composite(jnp.sin, name="of.my.own")
    return composite(x)


def over_an_axis(x: Any) -> Any:
    psum: Any = lax.psum
    return psum(x, "i")


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (printed, "DebugEffect"),
        (told, "DebugEffect"),
        (asked, "pure_callback, callback: parameter of a kind not known"),
        (asked_in_order, "effects"),
        (scratch, "effects"),
        (in_a_loop, "pure_callback"),
        (in_a_branch, "pure_callback"),
        (drawn, "hidden state"),
        (of_ones_own, "add is a primitive that JAX does not define"),
        (composed, "way that is not known"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_refused(function: Any, reason: str) -> None:
    traced = trace(function, X)
    assert isinstance(traced, Refused)
    assert reason in traced.reason


def test_an_axis_of_nothing_is_refused() -> None:
    jaxpr = jax.make_jaxpr(over_an_axis, axis_env=[("i", 2)])(X)
    traced = canonical_program(jaxpr, ["x"])
    assert isinstance(traced, Refused)
    assert "NamedAxisEffect" in traced.reason


def test_a_ref_that_comes_in_is_refused() -> None:
    ref = jax.new_ref(jnp.asarray(X))
    jaxpr = jax.make_jaxpr(lambda r: r[...])(ref)
    assert isinstance(canonical_program(jaxpr, ["ref"]), Refused)


def test_what_nothing_reads_is_not_looked_at() -> None:
    def unused(x: Any) -> Any:
        asked(x)
        lax.scan(lambda c, _: (asked(c), None), x, None, length=3)
        return jnp.sin(x)

    assert isinstance(trace(unused, X), Program)


def test_a_parameter_not_known_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from nnx_migrate.check.proof import primitives

    monkeypatch.setitem(
        primitives.KNOWN_PARAMETERS, "scan", primitives.KNOWN_PARAMETERS["scan"] - {"reverse"}
    )
    traced = trace(lambda x: lax.scan(lambda c, _: (c + x, None), x, None, length=3)[0], X)
    assert traced == Refused("scan has parameters not known: reverse")


def test_too_much_to_look_at_is_refused() -> None:
    def twice(f: Any) -> Any:
        return jax.jit(lambda x: f(x) + f(-x))

    f: Any = jnp.sin
    for _ in range(20):
        f = twice(f)
    jaxpr = jax.make_jaxpr(f)(X)
    assert canonical_program(jaxpr, ["x"], limit=1000) == Refused(
        "more than 1000 equations to compare"
    )


def test_names_have_to_fit() -> None:
    jaxpr = jax.make_jaxpr(lambda x, y: x + y)(X, X)
    with pytest.raises(ValueError, match="1 names for 2"):
        canonical_program(jaxpr, ["x"])
    with pytest.raises(ValueError, match="two inputs"):
        canonical_program(jaxpr, ["x", "x"])
