"""`replaced-carry`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned

RULE = "replaced-carry"


def test_a_carry_that_is_changed_in_place_stays() -> None:
    check_noop(
        RULE,
        """\
def shifted(net: nnx.Linear, xs):
    def body(net, x):
        net.kernel[...] += x
        return net, x

    return nnx.scan(body)(net, xs)[1]
""",
    )


def test_a_carry_of_arrays_stays() -> None:
    check_noop(
        RULE,
        """\
def of_arrays(xs):
    def body(tree, x):
        return jax.tree.map(lambda leaf: leaf + x, tree), x

    return nnx.scan(body)({"a": jnp.zeros(2)}, xs)
""",
    )


def test_a_state_that_is_made_anew_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def shifted(net: nnx.Linear, xs):
    def body(state, x):
        state = jax.tree.map(lambda leaf: leaf + x, state)
        return state, x

    return nnx.scan(body)(nnx.state(net), xs)
""",
        "the body returns Variables other than those it gets",
    )


def test_a_variable_that_is_made_anew_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
@nnx.scan(in_axes=(0, nnx.Carry), out_axes=(0, nnx.Carry))
def summed(x, total: nnx.Variable):
    return x, nnx.Variable(total[...] + x)
""",
        "the body returns Variables other than those it gets",
    )
