"""Blocks that keep one Rngs, and tied weights, under transforms that change no structure."""

import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(4, 4, rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.drop = nnx.Dropout(0.5)
        self.rngs = rngs

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)), rngs=self.rngs)


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.first = Block(rngs)
        self.second = Block(rngs)
        self.second.linear.kernel = self.first.linear.kernel

    def __call__(self, x):
        return self.second(self.first(x))


@nnx.jit(graph=True, graph_updates=False)
def forward(net: Net, x):
    return net(x)


@nnx.jit(static_argnames="times", graph=True, graph_updates=False)
def repeated(net: Net, x, times: int):
    for _ in range(times):
        x = net(x)
    return x


@nnx.remat(graph=True, graph_updates=False)
def remembered(net: Net, x):
    return net(x).sum()


def branched(net: Net, x):
    return nnx.cond(
        x.sum() > 0,
        lambda net, x: net(x),
        lambda net, x: 2 * net.first(x),
        net,
        x,
        graph=True,
        graph_updates=False,
    )


def chosen(net: Net, x, index):
    def once(net, x):
        return net(x)

    def never(net, x):
        return x

    return nnx.switch(index, [once, never], net, x, graph=True, graph_updates=False)


def run():
    net = Net(nnx.Rngs(0))
    x = jnp.arange(12.0).reshape(3, 4)
    results = [forward(net, x), forward(net, x), repeated(net, x, times=2), remembered(net, x)]
    results += [branched(net, x), branched(net, -x), chosen(net, x, 0), chosen(net, x, 1)]
    tied = net.second.linear.kernel is net.first.linear.kernel
    counts = {"/".join(map(str, path)): leaf for path, leaf in nnx.to_flat_state(nnx.state(net, graph=True))}
    return results, tied, counts
