"""Walks over States, in which there is nothing static, and over what is more than one."""

from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = nnx.List([nnx.Linear(2, 2, rngs=rngs) for _ in range(2)])
        self.name = "net"


def kinds_in_state(net: Net):
    state = nnx.state(net, nnx.Param)
    return [(path, type(value).__name__) for path, value in nnx.iter_graph(state)]


def kinds_in_all(net: Net):
    return [type(value).__name__ for _, value in nnx.iter_graph(nnx.state(net))]


def kinds_beside(net: Net):
    state = nnx.state(net)
    return [type(value).__name__ for _, value in nnx.iter_graph([state, state])]


def kinds_in_made(net: Net):
    kernel = net.layers[0].kernel
    state = nnx.State({"kernel": kernel, "again": kernel})
    return [type(value).__name__ for _, value in nnx.iter_graph(state)]


def kinds_in_changed(net: Net):
    state = nnx.state(net)
    state["again"] = state["layers"]
    return [type(value).__name__ for _, value in nnx.iter_graph(state)]


def kinds_in_net(net: Net):
    state = nnx.state(net)
    state = net
    return [type(value).__name__ for _, value in nnx.iter_graph(state)]
