"""`returned-input`: what it leaves alone, and what it does."""

from __future__ import annotations

from tests.rules.checking import check_noop, check_pinned, check_transformed

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


def test_what_a_variable_of_the_model_holds_stays() -> None:
    check_noop(
        RULE,
        """\
class Counted(nnx.Module):
    def __init__(self):
        self.count = nnx.Variable(jnp.zeros(()))

    def add(self, environment, x):
        self.count.value = environment.step(x)


@nnx.jit
def count(model: Counted):
    return {"count": model.count.value}
""",
    )


def test_the_array_beside_a_module_in_unpacked_arguments_stays() -> None:
    check_noop(
        RULE,
        """\
@nnx.jit
def step(model, x):
    return x


def run(*args):
    return step(*args)


def both(x, rngs: nnx.Rngs):
    return run(nnx.Linear(2, 2, rngs=rngs), jnp.ones(2))
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
        "self, or a part of it, is both argument and result",
    )


def test_a_module_in_a_tuple_of_anything_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
from typing import Any, NamedTuple

class State(NamedTuple):
    model: Any
    rate: float


@nnx.jit
def step(state: State, x):
    return x, state.model


def run(x, rngs: nnx.Rngs):
    return step(State(nnx.Linear(2, 2, rngs=rngs), 1.0), x)
""",
        "state, or a part of it, is both argument and result",
    )


def test_a_module_whose_class_a_text_names_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


@nnx.jit
def step(model):
    return nnx.state(model)


def run(rngs: nnx.Rngs):
    return step(globals()["Net"](rngs))
""",
        "model, or a part of it, is both argument and result",
    )


def test_an_attribute_of_something_else_by_that_name_is_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
class Holder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.value = nnx.Linear(2, 2, rngs=rngs)


@nnx.jit
def inner(model: Holder):
    return {"model": model.value}
""",
        "model, or a part of it, is both argument and result",
    )


def test_operands_that_are_bound_again_are_not_returned() -> None:
    check_transformed(
        RULE,
        """\
def shrunk_if(flag, net: Net, x):
    def shrunk(net: Net):
        net.linear.kernel[...] *= 0.5
        return net, net(x)

    net, y = nnx.cond(flag, shrunk, lambda net: (net, x), net)
    return net(y)
""",
        """\
def shrunk_if(flag, net: Net, x):
    def shrunk(net: Net):
        net.linear.kernel[...] *= 0.5
        return net(x)

    y = nnx.cond(flag, shrunk, lambda net: x, net)
    return net(y)
""",
    )


def test_branches_that_others_call_are_kept_in_graph_mode() -> None:
    check_pinned(
        RULE,
        """\
def both(flag, net: Net, x):
    def shrunk(net: Net):
        net.linear.kernel[...] *= 0.5
        return net, net(x)

    net, y = nnx.cond(flag, shrunk, lambda net: (net, x), net)
    return net(y), shrunk(net)
""",
        "net, or a part of it, is both argument and result",
    )
