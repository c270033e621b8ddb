"""`returned-input`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned

RULE = "returned-input"


def test_the_carry_of_a_scan_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
def roll(cell: nnx.Linear, x):
    return cell, cell(x)
""",
    )


def test_a_module_that_is_made_inside_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit
def made(rngs: nnx.Rngs):
    return nnx.Linear(2, 2, rngs=rngs)
""",
    )


def test_an_array_of_the_model_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit
def kernel(model: nnx.Linear):
    return model.kernel[...] * 2
""",
    )


def test_a_submodule_of_the_argument_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
class Autoencoder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.encoder = nnx.Linear(3, 2, rngs=rngs)

    @nnx.jit
    def encode(self, x):
        encoder = self.encoder
        return encoder, encoder(x)
""",
        "self, or a part of it, goes in and comes out",
    )
