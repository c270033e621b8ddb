"""Scan over layers that sow, in a model that is called, jitted and trained."""

import jax
import jax.numpy as jnp
from flax import nnx


class Layer(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        x = self.drop(nnx.relu(self.norm(self.linear(x))))
        self.sow(nnx.Intermediate, "hidden", x)
        return x


def stack(rngs: nnx.Rngs):
    return nnx.split_rngs(splits=3)(nnx.vmap(lambda rngs: Layer(rngs)))(rngs)


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = stack(rngs)
        self.experts = stack(rngs)
        self.heads = nnx.List([nnx.Linear(2, 3, rngs=rngs)])

    def __call__(self, x: jax.Array):
        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
        @nnx.remat
        def _run_and_pop(x, layer: Layer):
            return layer(x), nnx.clone(nnx.pop(layer, nnx.Intermediate))

        def run(x, layer: Layer):
            result, sown = _run_and_pop(x, layer)
            nnx.update(layer, sown)
            return result

        x = run(run(x, self.layers), self.layers)
        self.sow(nnx.Intermediate, "mixed", x)
        experts = self.experts

        def mapped_fn(expert, x):
            return expert(x), nnx.clone(nnx.pop(expert, nnx.Intermediate))

        result, sown = nnx.vmap(mapped_fn, in_axes=(0, None))(experts, x)
        nnx.update(experts, sown)
        x = result.mean(0)
        return self.heads[0](x)


class Wrapped(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.net = Net(rngs)

    def encode(self, x: jax.Array):
        return nnx.relu(self.net(x))


@nnx.jit
def _forward_and_pop(net: Net, x: jax.Array):
    return net(x), nnx.clone(nnx.pop(net, nnx.Intermediate))


def forward(net: Net, x: jax.Array):
    result, sown = _forward_and_pop(net, x)
    nnx.update(net, sown)
    return result


@nnx.jit
def gradients(net: Net, x: jax.Array):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        net = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(net(x) ** 2), nnx.clone(nnx.pop(net, nnx.Intermediate))

    graphdef, params, nondiff = nnx.split(net, nnx.Param, ...)
    (loss, sown), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
    nnx.update(net, sown)
    intermediates = nnx.pop(net, nnx.Intermediate)
    return loss, jax.tree.leaves(grads), intermediates["layers"]["hidden"]


def look(wrapped: Wrapped, x: jax.Array):
    y = wrapped.encode(x)
    hidden = nnx.pop(wrapped, nnx.Intermediate)  # all of them
    return y, hidden


def main(x: jax.Array):
    called = Net(nnx.Rngs(0))
    found = [(called(x), nnx.pop(called, nnx.Intermediate))]
    for i in range(2):
        y = called(x + i)
        found.append((y, nnx.to_pure_dict(nnx.pop(called, nnx.Intermediate))))

    jitted = Net(nnx.Rngs(1))
    for i in range(2):
        y = forward(jitted, x + i)
        sown = nnx.pop(jitted, nnx.Intermediate)
        found.append((y, sown["layers"]["hidden"], sown["mixed"]))

    trained = Net(nnx.Rngs(2))
    wrapped = Wrapped(nnx.Rngs(3))
    found += [gradients(trained, x), look(wrapped, x), look(wrapped, 2 * x)]
    return found, called, jitted, trained, wrapped
