"""Programs that compute the same in other words get the same hashes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
from jax import lax

from tests.unit.check.proof.tracing import Pair, equal, last_key, program

pytestmark = pytest.mark.runs_jax

barrier: Any = lax.optimization_barrier
psum: Any = lax.psum

X = np.linspace(-1, 1, 3, dtype=np.float32)
W = np.linspace(0, 1, 45, dtype=np.float32).reshape(5, 3, 3)
TABLE = np.array([[1, 2, 3], [4, 5, 7]], np.float32)


def layers(x: Any, w: Any) -> Any:
    return lax.scan(lambda c, m: (jnp.tanh(c @ m), None), x, w)[0]


def unused_operations(x: Any) -> Any:
    jnp.cos(x) @ jnp.ones((3, 3))
    return jnp.sin(x)


def shared(x: Any) -> Any:
    y = jnp.sin(x)
    return y * y


def double(x: Any) -> Any:
    return 2.0 * jnp.sin(x)


with_rule = jax.custom_vjp(lambda x: jnp.sin(x))
with_rule.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (g * jnp.cos(x),))


with_tangent = jax.custom_jvp(lambda x: jnp.sin(x))
with_tangent.defjvp(lambda p, t: (jnp.sin(p[0]), t[0] * jnp.cos(p[0])))


def dropout(key: Any, x: Any) -> Any:
    return jnp.where(jax.random.bernoulli(jax.random.fold_in(key, 1), 0.5, x.shape), x, 0.0)


def counted(c: Any, m: Any) -> tuple[Any, Any]:
    step, x, seen = c
    return (step + 1, jnp.tanh(x @ m), seen + x), (m, step)


def scanned(body: Any, start: Any, pick: Any) -> Any:
    def run(x: Any, w: Any) -> Any:
        return pick(lax.scan(body, start(x), w))

    return run


def until(n: int) -> Any:
    return lambda x: lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, jnp.sin(c[1])), (0, x))


def nested(x: Any, w: Any) -> Any:
    return lax.scan(lambda c, m: (layers(c, w * m[0, 0]), c.sum()), x, w)


def nested_carrying(x: Any, w: Any) -> Any:
    def body(c: Any, m: Any) -> Any:
        x, w, n = c

        def inner(c: Any, k: Any) -> Any:
            w, x, m = c
            return (w, jnp.tanh(x @ (w[k] * m[0, 0])), m), k

        (w, y, _), _ = lax.scan(inner, (w, x, m), jnp.arange(5))
        return (y, w, n + 1), x.sum()

    (x, _, _), sums = lax.scan(body, (x, w, 0), w)
    return x, sums


def nested_consts(x: Any, w: Any) -> Any:
    w = jnp.asarray(w)

    def body(x: Any, m: Any) -> Any:
        def inner(x: Any, k: Any) -> Any:
            return jnp.tanh(x @ (w[k] * m[0, 0])), None

        return lax.scan(inner, x, jnp.arange(5))[0], x.sum()

    return lax.scan(body, x, w)


def sharded(body: Any, *specs: Any) -> Any:
    *inputs, output = [jax.sharding.PartitionSpec(*spec) for spec in specs]
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    return jax.shard_map(body, mesh=mesh, in_specs=tuple(inputs), out_specs=output)


def summed(x: Any, w: Any) -> Any:
    return psum((x @ w).sum(), "i")


EQUAL = [
    Pair("renamed", lambda a: jnp.sin(a) + 1, lambda b: jnp.sin(b) + 1, (X,)),
    Pair(
        "reordered",
        lambda x: (lambda s, c: s - c)(jnp.sin(x), jnp.cos(x)),
        lambda x: (lambda c, s: s - c)(jnp.cos(x), jnp.sin(x)),
        (X,),
    ),
    Pair("dead-code", unused_operations, jnp.sin, (X,)),
    Pair("common-subexpression", shared, lambda x: jnp.sin(x) * jnp.sin(x), (X,)),
    Pair("commuted-add", lambda x: x + jnp.sin(x), lambda x: jnp.sin(x) + x, (X,)),
    Pair("commuted-mul", lambda x: x * 2, lambda x: 2 * x, (X,)),
    Pair("commuted-equal", lambda x: x == -x, lambda x: -x == x, (X,)),
    Pair("flipped-comparison", lambda x: x > x[::-1], lambda x: x[::-1] < x, (X,)),
    Pair("inlined-jit", lambda x: jax.jit(double)(x) + 1, lambda x: double(x) + 1, (X,)),
    Pair(
        "jit-of-jit-donating",
        lambda x: jax.jit(jax.jit(double, inline=True), donate_argnums=0)(x),
        double,
        (X,),
    ),
    Pair("jit-static", lambda x: jax.jit(lax.mul)(x, x), lambda x: x * x, (X,)),
    Pair("remat", jax.checkpoint(double), double, (X,)),
    Pair(
        "remat-policy",
        jax.checkpoint(double, policy=jax.checkpoint_policies.everything_saveable),
        double,
        (X,),
    ),
    Pair("custom-jvp", with_tangent, jnp.sin, (X,)),
    Pair("custom-vjp", with_rule, jnp.sin, (X,)),
    Pair("relu", jax.nn.relu, lambda x: jnp.maximum(x, 0), (X,)),
    Pair("softplus", jax.nn.softplus, lambda x: jnp.logaddexp(x, 0.0), (X,)),
    Pair(
        "gradient-through-rule",
        jax.grad(lambda x: with_rule(x).sum()),
        lambda x: jnp.ones(3) * jnp.cos(x),
        (X,),
    ),
    Pair("copy", lambda x: jnp.array(x, copy=True) + 1, lambda x: x + 1, (X,)),
    Pair("barrier", lambda x: barrier((x, -x))[1], lambda x: -x, (X,)),
    Pair("stop-gradient", lambda x: lax.stop_gradient(jnp.sin(x)), jnp.sin, (X,)),
    Pair("device-put", lambda x: jax.device_put(jnp.sin(x)), jnp.sin, (X,)),
    Pair("same-dtype", lambda x: x.astype(jnp.float32) + 1, lambda x: x + 1, (X,)),
    Pair("same-shape", lambda x: jnp.sin(x).reshape(3), jnp.sin, (X,)),
    Pair("new-axis", lambda x: x[:, None], lambda x: x.reshape(3, 1), (X,)),
    Pair("there-and-back", lambda x: jnp.sin(x.reshape(1, 3)[0]), jnp.sin, (X,)),
    Pair("same-order", lambda x: jnp.sin(jnp.transpose(x, (0, 1, 2))), jnp.sin, (W,)),
    Pair("hoisted-constant", lambda x: x @ jnp.asarray(TABLE.T), lambda x: x @ TABLE.T, (X,)),
    Pair(
        "constant-in-a-call", lambda x: jax.jit(lambda y: TABLE * y)(x), lambda x: TABLE * x, (X,)
    ),
    Pair("filled", lambda x: x + jnp.zeros(3), lambda x: x + np.zeros(3, np.float32), (X,)),
    Pair("random-in-jit", jax.jit(dropout), dropout, (jax.random.key(0), X)),
    Pair(
        "key-unwrapped",
        lambda k, x: dropout(jax.random.wrap_key_data(jax.random.key_data(k)), x),
        dropout,
        (jax.random.key(0), X),
    ),
    Pair(
        "splits",
        lambda k: [jax.random.normal(k) for k in jax.random.split(k, 2)],
        lambda k: [jax.random.normal(k) for k in jax.jit(jax.random.split)(k)],
        (jax.random.key(0),),
    ),
    Pair(
        "carry-order",
        scanned(lambda c, m: ((c[1], c[0] @ m), None), lambda x: (x, -x), lambda r: r[0]),
        scanned(lambda c, m: ((c[1] @ m, c[0]), None), lambda x: (-x, x), lambda r: r[0][::-1]),
        (X, W),
    ),
    Pair(
        "invariant-carry",
        lambda x, w, b: lax.scan(lambda c, m: ((c[0] @ m + c[1], c[1]), None), (x, b), w)[0][0],
        lambda x, w, b: lax.scan(lambda c, m: (c @ m + b, None), x, w)[0],
        (X, W, X),
    ),
    Pair(
        "invariant-carry-comes-out",
        lambda x, w, b: lax.scan(lambda c, m: ((c[0] @ m + c[1], c[1]), None), (x, b), w)[0],
        lambda x, w, b: (lax.scan(lambda c, m: (c @ m + b, None), x, w)[0], b),
        (X, W, X),
    ),
    Pair(
        "invariant-by-a-turn",
        lambda x, w: lax.scan(lambda c, m: ((c[0] @ m + c[1], c[2], c[1]), None), (x, x, x), w)[0][
            0
        ],
        lambda x, w: lax.scan(lambda c, m: (c @ m + x, None), x, w)[0],
        (X, W),
    ),
    Pair(
        "invariant-recomputed",
        lambda x, w: lax.scan(
            lambda c, m: ((c[0] @ m + c[1], jnp.sin(c[2]), c[2]), None), (x, jnp.sin(x), x), w
        )[0][0],
        lambda x, w: lax.scan(lambda c, m: (c @ m + jnp.sin(x), None), x, w)[0],
        (X, W),
    ),
    Pair(
        "passed-through-xs",
        scanned(lambda c, m: (jnp.tanh(c @ m), m), lambda x: x, lambda r: r),
        lambda x, w: (layers(x, w), w),
        (X, W),
    ),
    Pair(
        "two-loops-over-passed-xs",
        lambda x, w: layers(*lax.scan(lambda c, m: (jnp.tanh(c @ m), m), x, w)),
        lambda x, w: layers(layers(x, w), w),
        (X, W),
    ),
    Pair(
        "dead-carries",
        scanned(counted, lambda x: (0, x, jnp.zeros(3)), lambda r: r[0][1]),
        layers,
        (X, W),
    ),
    Pair(
        "dead-carry-that-starts-like-a-live-one",
        scanned(lambda c, m: ((c[0] @ m, c[1] + 1), None), lambda x: (x, x), lambda r: r[0][0]),
        scanned(lambda c, m: (c @ m, None), lambda x: x, lambda r: r[0]),
        (X, W),
    ),
    Pair(
        "carried-twice",
        scanned(lambda c, m: ((c[0] @ m, c[1] @ m), c[0] - c[1]), lambda x: (x, x), lambda r: r),
        scanned(lambda c, m: ((c[0] @ m, c[0] @ m), c[0] - c[0]), lambda x: (x, x), lambda r: r),
        (X, W),
    ),
    Pair(
        "remat-in-scan",
        scanned(jax.checkpoint(lambda c, m: (jnp.tanh(c @ m), None)), lambda x: x, lambda r: r[0]),
        layers,
        (X, W),
    ),
    Pair(
        "unrolled-hint",
        layers,
        lambda x, w: lax.scan(lambda c, m: (jnp.tanh(c @ m), None), x, w, unroll=5)[0],
        (X, W),
    ),
    Pair(
        "reversed-map",
        lambda w: lax.map(jnp.sin, w),
        lambda w: lax.scan(lambda c, m: (None, jnp.sin(m)), None, w, reverse=True)[1],
        (W,),
    ),
    Pair(
        "while-with-unused-state",
        lambda x: until(3)(x)[1],
        lambda x: lax.while_loop(
            lambda c: c[2] < 3,
            lambda c: (jnp.sin(c[0]), c[1] + x, c[2] + 1),
            (x, jnp.zeros(3), 0),
        )[0],
        (X,),
    ),
    Pair(
        "while-bound-carried",
        lambda x, n: lax.while_loop(
            lambda c: c[0] < n, lambda c: (c[0] + 1, jnp.sin(c[1])), (0, x)
        )[1],
        lambda x, n: lax.while_loop(
            lambda c: c[0] < c[2], lambda c: (c[0] + 1, jnp.sin(c[1]), c[2]), (0, x, n)
        )[1],
        (X, 3),
    ),
    Pair(
        "cond-closure",
        lambda p, x, y: lax.cond(p, lambda: x + y, lambda: x - y),
        lambda p, x, y: lax.cond(p, lambda b, a: a + b, lambda b, a: a - b, y, x),
        (True, X, -X),
    ),
    Pair(
        "cond-passes-state-through",
        lambda p, x, y: lax.cond(p, lambda x, y: (x + y, y), lambda x, y: (x - y, y), x, y),
        lambda p, x, y: (lax.cond(p, lambda: x + y, lambda: x - y), y),
        (True, X, -X),
    ),
    Pair(
        "switch-in-scan",
        lambda x, w, i: lax.scan(
            lambda c, m: ((lax.switch(c[1], [jnp.sin, jnp.cos], c[0]) @ m, c[1]), None), (x, i), w
        )[0][0],
        lambda x, w, i: lax.scan(
            lambda c, m: (lax.switch(i, [jnp.sin, jnp.cos], c) @ m, None), x, w
        )[0],
        (X, W, 1),
    ),
    Pair("nested-loops", nested_carrying, nested_consts, (X, W)),
    Pair(
        "loop-hoisted-out-of-a-loop",
        lambda x, w: lax.scan(lambda c, m: (c @ m + layers(x, w), None), x, w)[0],
        lambda x, w: (lambda y: lax.scan(lambda c, m: (c @ m + y, None), x, w)[0])(layers(x, w)),
        (X, W),
    ),
    Pair(
        "scan-of-jitted-body",
        layers,
        scanned(jax.jit(lambda c, m: (jnp.tanh(c @ m), None)), lambda x: x, lambda r: r[0]),
        (X, W),
    ),
    Pair(
        "gradient-of-scan",
        jax.grad(lambda x, w: layers(x, w).sum(), 1),
        lambda x, w: jax.grad(
            lambda p: scanned(
                lambda c, m: ((jnp.tanh(c[0] @ m), c[1]), None), lambda x: (x, x), lambda r: r[0][0]
            )(p[1], p[0]).sum()
        )((w, x))[0],
        (X, W),
    ),
    Pair(
        "vmap-axes",
        jax.vmap(lambda x, y: x @ y, in_axes=(0, None)),
        lambda w, x: jax.vmap(lambda m: m @ x)(w),
        (W, X),
    ),
    Pair(
        "scatter",
        lambda x: x.at[1].add(2.0),
        lambda x: jax.jit(lambda y: y.at[1].add(2.0))(x),
        (jnp.asarray(X),),
    ),
    Pair(
        "sharded",
        sharded(summed, (None, "i"), ("i",), ()),
        lambda a, b: sharded(lambda w, u, x: summed(x, w), ("i",), (), (None, "i"), ())(b, a, a),
        (W[0], W[1]),
    ),
    Pair(
        "sharded-and-put-together",
        sharded(lambda x, y: (x, x + y), ("i",), ("i",), ("i",)),
        lambda x, y: (x, sharded(lambda x, y: y + x, ("i",), ("i",), ("i",))(x, y)),
        (X, X),
    ),
    Pair(
        "linear-solve",
        lambda a, b: jnp.linalg.solve(a, b),
        jax.jit(lambda a, b: jnp.linalg.solve(a, b)),
        (np.eye(3, dtype=np.float32), X),
    ),
]


@pytest.mark.parametrize("pair", EQUAL, ids=lambda pair: pair.name)
def test_equal_programs_have_equal_hashes(pair: Pair) -> None:
    assert equal(pair)
    for old, new in zip(
        jax.tree.leaves(pair.old(*pair.arguments)),
        jax.tree.leaves(pair.new(*pair.arguments)),
        strict=True,
    ):
        np.testing.assert_allclose(old, new, rtol=1e-5, atol=1e-6)


def test_names_of_inputs_and_not_their_order_count() -> None:
    params = {"w": W[0], "b": X}

    def whole(params: Any, x: Any) -> Any:
        return x["x"] @ params["w"] + params["b"]

    def split(x: Any, biases: Any, kernels: Any) -> Any:
        return x["x"] @ kernels["w"] + biases["b"]

    def exchanged(x: Any, params: Any, bias: Any) -> Any:
        return split({"x": bias["b"]}, {"b": x["x"]}, params)

    x, w, b = {"x": X}, {"w": W[0]}, {"b": X}
    old = program(whole, params, x, role=last_key)
    assert old.outputs == program(split, x, b, w, role=last_key).outputs
    assert old.outputs != program(exchanged, x, w, b, role=last_key).outputs


def test_weak_types_are_told_beside_the_hash() -> None:
    weak, strong = program(lambda x: x, 1.0), program(lambda x: x, jnp.float32(1))
    assert weak.outputs == strong.outputs
    assert (weak.weak, strong.weak) == ((True,), (False,))
