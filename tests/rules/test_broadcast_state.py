"""`broadcast-state`: what it leaves alone, and what it does."""

from __future__ import annotations

import pytest

from tests.rules.checking import check_noop, check_pinned, check_transformed

RULE = "broadcast-state"


def test_a_model_of_params_alone_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.scan(in_axes=(None, nnx.Carry, 0), out_axes=(nnx.Carry, 0))
def roll(cell: nnx.Linear, carry, x):
    return cell(carry) + x, carry
""",
    )


def test_a_model_that_is_mapped_with_its_axis_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.vmap(in_axes=(0, 0))
def each(model: Net, x):
    return model(x)
""",
    )


def test_a_model_in_the_carry_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
def roll(model: Net, x):
    return model, model(x)
""",
    )


def test_statistics_that_are_only_read_stay() -> None:
    check_noop(
        RULE,
        """\
@nnx.scan(in_axes=(None, 0), out_axes=0)
def normalized(norm: nnx.BatchNorm, x):
    return (x - norm.mean) / jnp.sqrt(norm.var[...] + 1e-5) + jnp.sum(norm.mean) * norm.mean.value
""",
    )


@pytest.mark.parametrize(
    "body",
    [
        "    norm.mean[...] += x\n    return x",
        "    norm.mean.value = x\n    return x",
        "    mean = norm.mean\n    mean[...] = x\n    return x",
        "    norm.mean.set_value(x)\n    return x",
        "    return x + helper(norm.mean)",
        "    return norm(x) + norm.mean",
        "    other = norm\n    return x + norm.mean",
        "    return [part for part in (norm, x)][0].mean",
        "    for norm.mean[...] in (x,):\n        pass\n    return x",
    ],
)
def test_statistics_that_may_be_written_are_copied(body: str) -> None:
    head = "@nnx.scan(in_axes=(None, 0), out_axes=0)\ndef scaled(norm: nnx.BatchNorm, x):\n"
    copy = "    norm = nnx.clone(norm)  # each iteration updates its own copy\n"
    helper = "def helper(mean):\n    mean[...] += 1\n    return mean[...]\n\n\n"
    check_transformed(RULE, helper + head + body + "\n", helper + head + copy + body + "\n")


def test_dropout_beside_a_carry_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
@nnx.scan(in_axes=(nnx.Carry, None, 0), out_axes=(nnx.Carry, 0))
def step(h, dropout: nnx.Dropout, x):
    h = dropout(h + x)  # draws anew
    return h, h
""",
        """\
@nnx.scan(in_axes=(nnx.Carry, None, 0), out_axes=(nnx.Carry, 0))
def step(h, dropout: nnx.Dropout, x):
    dropout = nnx.clone(dropout)  # each iteration updates its own copy
    h = dropout(h + x)  # draws anew
    return h, h
""",
    )


def test_a_model_with_statistics_is_rewritten() -> None:
    check_transformed(
        RULE,
        """\
@nnx.scan(in_axes=(None, nnx.Carry, 0), out_axes=(nnx.Carry, 0))
def roll(model: Net, carry, x):
    return model(carry + x), carry
""",
        """\
@nnx.scan(in_axes=(None, nnx.Carry, 0), out_axes=(nnx.Carry, 0))
def roll(model: Net, carry, x):
    model = nnx.clone(model)  # each iteration updates its own copy
    return model(carry + x), carry
""",
    )


def test_a_class_that_writes_its_params_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
class Head(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def rescale(self, x):
        kernel = self.linear.kernel
        kernel[...] = kernel * jnp.mean(x)
        return self.linear(x)


def rows(head: Head, xs):
    return nnx.scan(Head.rescale, in_axes=(None, 0), out_axes=0)(head, xs)
""",
        "the function is also used elsewhere",
    )
