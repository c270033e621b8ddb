"""Walks that see static attributes: sizes counted, rates replaced, functions listed."""

from flax import nnx
from flax.nnx import iter_graph as walk


class Settings:
    size = 3


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.settings = nnx.static(Settings())
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.rate = 0.5
        self.name = "net"


def sizes(model: Net):
    return {path: value for path, value in nnx.compat.iter_graph(model) if isinstance(value, int)}


def names(model: Net):
    found = []
    for path, value in nnx.compat.iter_graph(model):
        if isinstance(value, nnx.Param):
            continue
        if isinstance(value, str):
            found.append((path, value))
    return found


def halved(model: Net):
    return nnx.compat.recursive_map(
        lambda path, node: node / 2 if path == ("rate",) else node, model
    )


def replaced(model: Net):
    def zeroed(path, node):
        if isinstance(node, nnx.Param):
            node = nnx.Param(node[...] * 0)
        return node

    return nnx.compat.recursive_map(zeroed, model), model.linear.kernel[...].sum()


def counted(model: Net):
    pairs = list(nnx.compat.iter_graph(model))
    return len([path for path, _ in pairs if path])


def settings(model: Net):
    return [value.size for path, value in nnx.compat.iter_graph(model) if isinstance(value, Settings)]


def handed_on(models: list[Net]):
    return [len(list(pairs)) for pairs in map(nnx.compat.iter_graph, models)]
