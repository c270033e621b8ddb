"""Small changes of meaning change the hash."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
from jax import lax

from tests.unit.check.proof.test_equal_programs import sharded, summed
from tests.unit.check.proof.tracing import Pair, equal

pytestmark = pytest.mark.runs_jax

X = np.linspace(-1, 1, 3, dtype=np.float32)
W = np.linspace(0, 1, 45, dtype=np.float32).reshape(5, 3, 3)
SQUARE = np.linspace(0, 1, 9, dtype=np.float32).reshape(3, 3)
KEY = jax.random.key(0)


def loop(body: Any, *start: Any, **options: Any) -> Any:
    """Scans `body` over the second argument; carries start with what `start` makes of the first."""
    return lambda x, w: lax.scan(body, tuple(f(x) for f in start), w, **options)


def same(x: Any) -> Any:
    return x


def zero(x: Any) -> Any:
    return jnp.zeros_like(x)


def repeat(n: int, body: Any) -> Any:
    return lambda *start: lax.fori_loop(0, n, lambda i, c: body(i, *c), start)


def inner_uses(outer_element: bool) -> Any:
    """Both loops go over the same array: whose element is meant?"""

    def body(c: Any, m: Any) -> Any:
        def inner(c: Any, k: Any) -> Any:
            return c + (m if outer_element else k) @ c, None

        return lax.scan(inner, c, body.w)[0], None  # type: ignore[attr-defined]

    def run(x: Any, w: Any) -> Any:
        body.w = w  # type: ignore[attr-defined]
        return lax.scan(body, x, w)[0]

    return run


def inner_reads(outer_carry: bool) -> Any:
    """Both loops start with the same value: whose carry is meant?"""

    def run(x: Any, w: Any) -> Any:
        def body(c: Any, m: Any) -> Any:
            def inner(d: Any, k: Any) -> Any:
                return jnp.sin(c if outer_carry else d) + k @ d, None

            return c + lax.scan(inner, x, w)[0], None

        return lax.scan(body, x, w)[0]

    return run


#: Ways by which something of an outer loop can reach a loop in it.
WAYS: dict[str, Any] = {
    "operand": lambda a, x, w: a * x,
    "index": lambda a, x, w: lax.cond(a > 0, lambda: x, lambda: -x),
    "branch": lambda a, x, w: lax.cond(x[0] > 0, lambda: x, lambda: x + a),
    "array": lambda a, x, w: lax.scan(lambda c, e: (e[0], None), x, w * a)[0],
    "start": lambda a, x, w: lax.scan(lambda c, e: (e @ c, None), x * a, w)[0],
    "update": lambda a, x, w: lax.scan(lambda c, e: (e @ c + a, None), x, w)[0],
    "output": lambda a, x, w: lax.scan(lambda c, e: (c + x, e[0] * a), x, w)[1][1],
    "repeated": lambda a, x, w: lax.scan(lambda c, e: (c + x, x * a), x, w)[1][1],
    "while": lambda a, x, w: lax.while_loop(lambda c: c[0] < 9, lambda c: jnp.sin(c) + a, x),
    "condition": lambda a, x, w: lax.while_loop(lambda c: c[0] < a, lambda c: c + 1, x),
}


def element_reaches(way: Any, outer: bool) -> Any:
    """An element of the outer loop, or of the inner one, over the same array."""

    def run(x: Any, w: Any) -> Any:
        def body(c: Any, m: Any) -> Any:
            seen = way(m[0, 0], x, w)

            def inner(d: Any, k: Any) -> Any:
                return jnp.sin(d) + (seen if outer else way(k[0, 0], x, w)), None

            return c + lax.scan(inner, x, w)[0], None

        return lax.scan(body, x, w)[0]

    return run


def carry_reaches(way: Any, step: float) -> Any:
    """What comes out depends on the step of a carry that does not come out."""

    def run(x: Any, w: Any) -> Any:
        def body(c: Any, m: Any) -> Any:
            return (c[0] + way(c[1], x, w), c[1] + step), None

        return lax.scan(body, (x, 0.5), w)[0][0]

    return run


def drawn(fold: int, rate: float) -> Any:
    def run(k: Any, x: Any) -> Any:
        keep = jax.random.bernoulli(jax.random.fold_in(k, fold), rate, x.shape)
        return jnp.where(keep, x, 0.0)

    return run


def until(bound: int, step: int = 1) -> Any:
    return lambda x: lax.while_loop(
        lambda c: c[0] < bound, lambda c: (c[0] + step, jnp.sin(c[1])), (0, x)
    )


def delay(length: int) -> Any:
    def body(c: Any, x: Any) -> Any:
        return (*c[1:], x), c[0]

    return lambda z, xs: lax.scan(body, (z,) * length, xs)[1]


WRONG = [
    Pair("operation", jnp.sin, jnp.cos, (X,)),
    Pair("constant", lambda x: x + 1, lambda x: x + 2, (X,)),
    Pair("tiny-constant", lambda x: x + 1e-5, lambda x: x + 1e-6, (X,)),
    Pair("zeros-of-two-signs", lambda x, y: lax.max(x, y), lambda x, y: lax.max(y, x), (X, X)),
    Pair("sign-of-zero", lambda x: x * 0.0, lambda x: x * -0.0, (X,)),
    Pair("order-of-a-difference", lambda x, y: x - y, lambda x, y: y - x, (X, X + 1)),
    Pair("comparison", lambda x, y: x < y, lambda x, y: x <= y, (X, X + 1)),
    Pair("flipped-comparison", lambda x, y: x < y, lambda x, y: x > y, (X, X + 1)),
    Pair("other-argument", lambda x, y: x, lambda x, y: y, (X, X)),
    Pair("order-of-outputs", lambda x, y: (x, y), lambda x, y: (y, x), (X, X)),
    Pair("association", lambda x, y: (x + y) + 1, lambda x, y: x + (y + 1), (X, X)),
    Pair("transposed", lambda m, x: m @ x, lambda m, x: m.T @ x, (SQUARE, X)),
    Pair("axis", lambda m: m.sum(0), lambda m: m.sum(1), (SQUARE,)),
    Pair("keepdims", lambda m: m.sum(0), lambda m: m.sum(0, keepdims=True), (SQUARE,)),
    Pair("transpose-is-no-reshape", lambda m: m.T.reshape(9), lambda m: m.reshape(9), (SQUARE,)),
    Pair(
        "broadcast-axis",
        lambda x: jnp.broadcast_to(x[:, None], (3, 3)),
        lambda x: jnp.broadcast_to(x[None, :], (3, 3)),
        (X,),
    ),
    Pair("dtype", lambda x: x.astype(jnp.float16), lambda x: x.astype(jnp.bfloat16), (X,)),
    Pair(
        "rounded",
        lambda x: x.astype(jnp.bfloat16).astype(jnp.float32) + 1,
        lambda x: x + 1,
        (X,),
    ),
    Pair(
        "precision",
        lambda m: m @ m,
        lambda m: jnp.matmul(m, m, precision="highest"),
        (SQUARE,),
    ),
    Pair("array", lambda x: x + np.arange(3.0), lambda x: x + np.arange(3.0)[::-1], (X,)),
    Pair("filled", lambda x: x + np.ones(3), lambda x: x + np.zeros(3), (X,)),
    Pair("slice", lambda x: x[:2], lambda x: x[1:], (X,)),
    Pair(
        "index-mode",
        lambda x: jnp.asarray(x).at[5].get(mode="fill"),
        lambda x: jnp.asarray(x).at[5].get(mode="clip"),
        (X,),
    ),
    Pair(
        "scatter",
        lambda x: jnp.asarray(x).at[1].add(2.0),
        lambda x: jnp.asarray(x).at[1].mul(2.0),
        (X,),
    ),
    Pair(
        "sorted",
        lambda x, y: lax.sort((x, y))[1],
        lambda x, y: lax.sort((x, y), num_keys=2)[1],
        (X, X),
    ),
    Pair("fold", drawn(1, 0.5), drawn(2, 0.5), (KEY, X)),
    Pair("rate", drawn(1, 0.5), drawn(1, 0.4), (KEY, X)),
    Pair(
        "generator",
        lambda s: jax.random.normal(jax.random.key(s)),
        lambda s: jax.random.normal(jax.random.key(s, impl="rbg")),
        (0,),
    ),
    Pair(
        "which-split",
        lambda k: jax.random.normal(jax.random.split(k)[0]),
        lambda k: jax.random.normal(jax.random.split(k)[1]),
        (KEY,),
    ),
    Pair(
        "split-count",
        lambda k: jax.random.split(k, 2)[0],
        lambda k: jax.random.split(k, 3)[0],
        (KEY,),
    ),
    Pair("key-reused", lambda k: jax.random.normal(k), lambda k: jax.random.uniform(k), (KEY,)),
    Pair(
        "branches",
        lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x),
        lambda p, x: lax.cond(p, jnp.cos, jnp.sin, x),
        (True, X),
    ),
    Pair(
        "predicate",
        lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x),
        lambda p, x: lax.cond(~p, jnp.sin, jnp.cos, x),
        (True, X),
    ),
    Pair(
        "branch-loses-state",
        lambda p, x: lax.cond(p, lambda x: x + 1, lambda x: x, x),
        lambda p, x: lax.cond(p, lambda x: x, lambda x: x, x),
        (True, X),
    ),
    Pair(
        "scan-length",
        repeat(5, lambda i, x: (jnp.sin(x),)),
        repeat(6, lambda i, x: (jnp.sin(x),)),
        (X,),
    ),
    Pair(
        "scan-direction",
        loop(lambda c, m: ((c[0] @ m,), None), same),
        loop(lambda c, m: ((c[0] @ m,), None), same, reverse=True),
        (X, W),
    ),
    Pair(
        "scan-direction-of-outputs",
        loop(lambda c, m: ((c[0] @ m,), c[0]), same),
        loop(lambda c, m: ((c[0] @ m,), c[0]), same, reverse=True),
        (X, W),
    ),
    Pair(
        "scan-start",
        loop(lambda c, m: ((c[0] @ m,), None), same),
        loop(lambda c, m: ((c[0] @ m,), None), zero),
        (X, W),
    ),
    Pair(
        "output-before-or-after",
        loop(lambda c, m: ((c[0] @ m,), c[0]), same),
        loop(lambda c, m: ((c[0] @ m,), c[0] @ m), same),
        (X, W),
    ),
    Pair(
        "stacked-or-last",
        lambda x, w: lax.scan(lambda c, m: (m @ x, None), x, w)[0],
        lambda x, w: lax.scan(lambda c, m: (m @ x, m @ x), x, w)[1][0],
        (X, W),
    ),
    Pair(
        "carry-not-updated",
        loop(lambda c, m: ((c[0] @ m, c[1] + 1), c[1]), same, zero),
        loop(lambda c, m: ((c[0] @ m, c[1]), c[1]), same, zero),
        (X, W),
    ),
    Pair(
        "carry-exchanged",
        loop(lambda c, m: ((c[0] @ m, c[1] + 1), None), same, same),
        loop(lambda c, m: ((c[1] @ m, c[0] + 1), None), same, same),
        (X, W),
    ),
    Pair(
        "carry-from-the-other",
        loop(lambda c, m: ((c[0] @ m, c[0]), c[1]), same, zero),
        loop(lambda c, m: ((c[0] @ m, c[0] @ m), c[1]), same, zero),
        (X, W),
    ),
    Pair(
        "recurrence",
        repeat(5, lambda i, a, b: (b, a + b)),
        repeat(5, lambda i, a, b: (b, a - b)),
        (X, X + 1),
    ),
    Pair(
        "rotation",
        repeat(4, lambda i, a, b, c: (b, c, a)),
        repeat(4, lambda i, a, b, c: (b, a, c)),
        (X, X + 1, X + 2),
    ),
    Pair(
        "counter-off-by-one",
        repeat(4, lambda i, a: (a + i,)),
        repeat(4, lambda i, a: (a + i + 1,)),
        (1,),
    ),
    Pair("delay", delay(2), delay(3), (np.float32(0), X)),
    Pair("element-of-which-loop", inner_uses(True), inner_uses(False), (X, W)),
    Pair("carry-of-which-loop", inner_reads(True), inner_reads(False), (X, W)),
    Pair(
        "outer-invariant-updated",
        lambda x, w: lax.scan(
            lambda c, m: (c + lax.scan(lambda d, k: (d @ k, None), x, w)[0], None), x, w
        )[0],
        lambda x, w: lax.scan(
            lambda c, m: (c + lax.scan(lambda d, k: (d @ k, None), c, w)[0], None), x, w
        )[0],
        (X, W),
    ),
    *(
        Pair(f"element-by-{name}", element_reaches(way, True), element_reaches(way, False), (X, W))
        for name, way in WAYS.items()
    ),
    *(
        Pair(f"carry-by-{name}", carry_reaches(way, 1.0), carry_reaches(way, 2.0), (X, W))
        for name, way in WAYS.items()
    ),
    Pair(
        "specification",
        sharded(summed, (None, "i"), ("i",), ()),
        sharded(summed, (), ("i",), ()),
        (SQUARE, SQUARE),
    ),
    Pair(
        "specification-of-an-output",
        sharded(jnp.add, ("i",), ("i",), ("i",)),
        sharded(jnp.add, ("i",), ("i",), (None, "i")),
        (SQUARE, SQUARE),
    ),
    Pair("sharded-or-not", sharded(jnp.sin, ("i",), ("i",)), jnp.sin, (X,)),
    Pair("while-step-of-another", lambda x: until(4)(x)[1], lambda x: until(4, 2)(x)[1], (X,)),
    Pair("dtype-of-zeros", lambda: jnp.zeros(3), lambda: jnp.zeros(3, jnp.int32), ()),
    Pair("while-bound", until(3), until(4), (X,)),
    Pair("while-step", until(4), until(4, 2), (X,)),
    Pair(
        "while-condition",
        lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] + 2), (0, 0))[0],
        lambda x: lax.while_loop(lambda c: c[1] < 3, lambda c: (c[0] + 1, c[1] + 2), (0, 0))[0],
        (X,),
    ),
    Pair(
        "gradient-of-which",
        jax.grad(lambda a, b: (a * a * b).sum()),
        jax.grad(lambda a, b: (a * a * b).sum(), 1),
        (X, X),
    ),
    Pair(
        "rule-of-a-derivative",
        jax.grad(jax.nn.relu),
        jax.grad(lambda x: jnp.maximum(x, 0.0)),
        (0.5,),
    ),
    Pair(
        "momentum",
        lambda p, m, g: p - 0.1 * (0.9 * m + g),
        lambda p, m, g: p - 0.1 * (0.9 * m),
        (X, X, X),
    ),
    Pair(
        "statistics",
        lambda x, m: 0.99 * m + 0.01 * x.mean(),
        lambda x, m: 0.99 * m + 0.01 * x.var(),
        (X, np.float32(0)),
    ),
]


@pytest.mark.parametrize("pair", WRONG, ids=lambda pair: pair.name)
def test_other_programs_have_other_hashes(pair: Pair) -> None:
    assert not equal(pair)
