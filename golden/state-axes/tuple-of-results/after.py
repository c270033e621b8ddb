import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, key: jax.Array):
        self.w = nnx.Param(jax.random.normal(key, (3,)))
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array) -> jax.Array:
        self.calls[...] += 1
        return self.w * x


def make(key: jax.Array):
    net = Net(key)
    return net, net.w.mean()


def step(net: Net, x: jax.Array):
    y = net(x)
    return y.sum(), Net(jax.random.key(7)), y


def create(keys: jax.Array):
    def vmapped_make(key):
        @nnx.vmap(in_axes=0, out_axes=((None, 0, None), 0))
        def vmapped_make_of_state(key):
            net, result1 = make(key)
            return nnx.split(net, nnx.Param, ...), result1

        net, result1 = vmapped_make_of_state(key)
        return nnx.merge(*net), result1

    nets, means = vmapped_make(keys)
    return nets, means


def create_by_name(keys: jax.Array):
    # One key for each member.
    def created(key):
        @nnx.vmap(out_axes=((None, 0, None), 0))
        def created_of_state(key):
            net, result1 = make(key)
            return nnx.split(net, nnx.Param, ...), result1

        net, result1 = created_of_state(key)
        return nnx.merge(*net), result1

    return created(keys)


def run(net, x):
    graphdef, params, rest = nnx.split(net, nnx.Param, ...)

    @nnx.vmap(in_axes=(0, None, None), out_axes=(0, (None, 0, None), 0))
    def run_of_state(params, rest, x):
        net = nnx.merge(graphdef, params, rest)
        result0, result1, y = step(net, x)
        return result0, nnx.split(result1, nnx.Param, ...), y

    result0, result1, y = run_of_state(params, rest, x)
    return result0, nnx.merge(*result1), y


def halves(nets: Net, x: jax.Array):
    def split(net, x):
        graphdef, params, rest = nnx.split(net, nnx.Param, ...)

        @nnx.vmap(in_axes=(0, None, None), out_axes=(0, (None, 0, None)))
        def split_of_state(params, rest, x):
            net = nnx.merge(graphdef, params, rest)
            return (net(x).max(
                axis=0,
            ), nnx.split(Net(jax.random.key(3)), nnx.Param, ...))

        result0, result1 = split_of_state(params, rest, x)
        return result0, nnx.merge(*result1)

    return split(nets, x)


def twice(nets: Net, x: jax.Array):
    total, others, y = run(nets, x)
    again = run(nets, x)
    return total, others, y, again
