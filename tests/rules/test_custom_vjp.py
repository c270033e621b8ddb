"""`custom-vjp`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned

RULE = "custom-vjp"


def test_that_of_jax_stays() -> None:
    check_noop(
        RULE,
        """\
@jax.custom_vjp
def clipped(x):
    return jnp.clip(x, -1, 1)
""",
    )


def test_the_gradient_of_a_custom_function_of_jax_stays() -> None:
    check_noop(
        RULE,
        """\
@jax.custom_jvp
def rounded(x):
    return jnp.round(x)


def run(x):
    return rounded(x)
""",
    )


def test_that_of_nnx_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
@nnx.custom_vjp
def clipped(x, limit):
    return jnp.clip(x, -limit, limit)


def clipped_fwd(x, limit):
    return clipped(x, limit), jnp.abs(x) < limit


def clipped_bwd(inside, g):
    return g[1] * inside, jnp.zeros(())


clipped.defvjp(clipped_fwd, clipped_bwd)
""",
        "in graph mode, its backward pass also gets the gradients of updates",
    )


def test_one_over_a_model_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
@nnx.custom_vjp
def scaled(model: Net, x):
    return model(x)


def scaled_fwd(model: Net, x):
    return scaled(model, x), model


def scaled_bwd(model, g):
    return g


scaled.defvjp(scaled_fwd, scaled_bwd)
""",
        "in graph mode, its backward pass also gets the gradients of updates",
    )
