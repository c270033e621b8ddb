"""Walks that look at Modules and Variables only: the same in both modes."""

from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.rate = 0.5


def kernels(model: Net):
    return [value[...] for path, value in nnx.iter_graph(model) if isinstance(value, nnx.Param) and path[-1] == "kernel"]


def shapes(model: Net):
    found = {}
    for path, value in nnx.iter_graph(model):
        if not isinstance(value, (nnx.Param, nnx.BatchStat)):
            continue
        found[path] = value[...].shape
    return found


def described(model: Net):
    found = []
    for path, value in reversed(list(nnx.iter_graph(model))):
        if isinstance(value, nnx.Module):
            found.append(type(value).__name__)
        elif isinstance(value, nnx.Param):
            found.append(path[-1])
    return found


def doubled(model: Net):
    def double(path, node):
        """Twice what a Param was, in place."""
        if isinstance(node, nnx.Param):
            node[...] *= 2
        return node

    return nnx.recursive_map(double, model)


def layers(model: Net):
    return [path for path, module in nnx.iter_modules(model)]
