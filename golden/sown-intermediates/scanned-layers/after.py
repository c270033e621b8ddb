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
        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
        @nnx.remat
        def run(x, layer: Layer):
            return layer(x)

        x = run(run(x, self.layers), self.layers)
        self.sow(nnx.Intermediate, "mixed", x)
        experts = self.experts
        x = nnx.vmap(lambda expert, x: expert(x), in_axes=(0, None))(experts, x).mean(0)
        return self.heads[0](x)


class Wrapped(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.net = Net(rngs)

    def encode(self, x: jax.Array):
        return nnx.relu(self.net(x))


@nnx.jit
@nnx.capture(nnx.Intermediate)
def forward(net: Net, x: jax.Array):
    return net(x)


@nnx.jit
def gradients(net: Net, x: jax.Array):
    def loss_fn(params, nondiff):
        net = nnx.merge(graphdef, params, nondiff)
        y, intermediates = nnx.capture(net, nnx.Intermediate)(x)
        return jnp.mean(y ** 2), intermediates

    graphdef, params, nondiff = nnx.split(net, nnx.Param, ...)
    (loss, intermediates), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
    return loss, jax.tree.leaves(grads), intermediates["layers"]["hidden"]


def look(wrapped: Wrapped, x: jax.Array):
    y, hidden = nnx.capture(wrapped.encode, nnx.Intermediate)(x)
    # all of them
    return y, hidden


def main(x: jax.Array):
    called = Net(nnx.Rngs(0))
    found = [(nnx.capture(called, nnx.Intermediate)(x))]
    for i in range(2):
        y, intermediates = nnx.capture(called, nnx.Intermediate)(x + i)
        found.append((y, nnx.to_pure_dict(intermediates)))

    jitted = Net(nnx.Rngs(1))
    for i in range(2):
        y, sown = forward(jitted, x + i)
        found.append((y, sown["layers"]["hidden"], sown["mixed"]))

    trained = Net(nnx.Rngs(2))
    wrapped = Wrapped(nnx.Rngs(3))
    found += [gradients(trained, x), look(wrapped, x), look(wrapped, 2 * x)]
    return found, called, jitted, trained, wrapped
