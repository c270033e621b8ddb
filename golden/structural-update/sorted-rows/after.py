"""Layers in lists of a dictionary that the function makes: to sort these is no change of theirs."""

import collections

from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = nnx.List([nnx.Linear(2, 2, rngs=rngs) for _ in range(3)])
        self.norm = nnx.BatchNorm(2, rngs=rngs)


@nnx.jit
def by_rank(net: Net, x):
    rows = collections.defaultdict(list)
    for place, layer in enumerate(net.layers):
        rows[place % 2].append((layer, -place))
    for _, ranked in rows.items():
        ranked.sort(key=lambda row: row[1])
        for layer, _ in ranked:
            x = net.norm(layer(x))
    return x


@nnx.jit
def backwards(net: Net, x):
    rows = {}
    for place, layer in enumerate(net.layers):
        rows.setdefault(place % 2, []).append(layer)
    for row in rows.values():
        row.reverse()
        for layer in row:
            x = layer(x)
    return x


@nnx.compat.jit
def grown(net: Net, x):
    rows = collections.defaultdict(list)
    rows["all"].append(net.layers)
    for _, held in rows.items():
        held[0].append(nnx.Linear(2, 2, rngs=nnx.Rngs(1)))
    return x


def run(x):
    net = Net(nnx.Rngs(0))
    found = [by_rank(net, x), backwards(net, x)]
    grown(net, x)
    return found, len(net.layers), nnx.state(net, nnx.BatchStat)
