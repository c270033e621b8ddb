"""`captured-module`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_transformed

RULE = "captured-module"


def test_a_model_that_is_an_argument_stays() -> None:
    check_noop(
        RULE,
        """\
def run(model: Net, x):
    return nnx.fori_loop(0, 3, lambda i, carry: (carry[0], carry[0](carry[1])), (model, x))[1]
""",
    )


def test_an_array_that_is_captured_stays() -> None:
    check_noop(
        RULE,
        """\
def run(bias: jax.Array, x):
    return nnx.fori_loop(0, 3, lambda i, x: x + bias, x)
""",
    )


def test_a_model_that_only_this_function_sees_stays() -> None:
    check_noop(
        RULE,
        """\
def run(x):
    def body(i, x):
        layer = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
        return layer(x)

    return nnx.fori_loop(0, 3, body, x)
""",
    )


def test_a_model_in_a_loop_of_nnx_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
def run(model: Net, x):
    def body(i, x):
        return model(x)  # and its statistics

    return nnx.fori_loop(0, 3, body, x)
""",
        """\
def run(model: Net, x):
    def body(i, carry):
        x, model = carry
        return model(x), model  # and its statistics

    return nnx.fori_loop(0, 3, body, (x, model))[0]
""",
    )


def test_a_model_in_a_loop_by_a_condition_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
def run(model: Net, x):
    return nnx.while_loop(lambda x: x.sum() < 3, lambda x: x + model(x), x)
""",
        """\
def run(model: Net, x):
    def body(carry):
        x, model = carry
        return x + model(x), model

    return nnx.while_loop(lambda carry: carry[0].sum() < 3, body, (x, model))[0]
""",
    )
