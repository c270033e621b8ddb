"""Plain objects that hold a Module for a while, and methods that classes are given from outside."""

import dataclasses
import enum
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx


def advance(net):
    net.seen += 1


class Net(nnx.Module):
    note = staticmethod(advance)
    count = advance

    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))
        self.seen = 0

    def mark(self):
        pass

    def __call__(self, x):
        return self.w[...] * x


class Marked(Net):
    pass


Marked.mark = advance


@dataclasses.dataclass
class Context:
    net: Any
    scale: float = 1.0

    def run(self, x):
        advance(self.net)
        return self.net(x) * self.scale


class State(NamedTuple):
    net: nnx.Module
    scale: jax.Array


class Chain:
    def __init__(self):
        self.parts = []

    def add(self, part):
        self.parts.append(part)
        return self

    def run(self, x):
        for part in self.parts:
            advance(part)
            x = part(x)
        return x


class Mode(enum.Enum):
    TRAIN = "train"
    EVAL = "eval"

    def apply(self, drop):
        drop.train() if self is Mode.TRAIN else drop.eval()


@nnx.jit
def in_a_dataclass(net, x):
    context = Context(net, scale=2.0)
    return context.run(x)


@nnx.jit
def in_a_state(state: State, x):
    state.net.count()
    return state.net(x)


@nnx.jit
def in_a_chain(first, second, x):
    return Chain().add(first).add(second).run(x)


@nnx.jit
def in_a_list(net, x):
    chain = Chain()
    chain.add(net)
    return chain.run(x)


@nnx.jit
def by_class_attributes(net: Net, x):
    net.note(net)
    net.count()
    return net(x)


@nnx.jit
def by_a_method_from_outside(net: Marked, x):
    net.mark()
    return net(x)


@nnx.jit
def by_a_member_of_an_enumeration(drop: nnx.Dropout, x):
    Mode.EVAL.apply(drop)
    return drop(x)


@nnx.jit
def as_leaves(nets, x):
    for net in jax.tree.leaves(nets, is_leaf=lambda each: isinstance(each, nnx.Module)):
        net.seen += 1
        x = net(x)
    return x


def run(x):
    net, marked, drop = Net(), Marked(), nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    found = [in_a_dataclass(net, x), in_a_state(State(net, jnp.ones(())), x), net.seen]
    found += [in_a_chain(net, marked, x), in_a_list(net, x), net.seen, marked.seen]
    found += [by_class_attributes(net, x), by_a_method_from_outside(marked, x), marked.seen]
    found += [by_a_member_of_an_enumeration(drop, x), drop.deterministic]
    return found, as_leaves([net, {"other": marked}], x), net.seen, marked.seen
