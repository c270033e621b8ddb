"""One name for the gradients of several losses, one after the other or in two branches."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.norm(self.linear(x))


def train_step(disc: Net, gen: Net, opt_d: nnx.Optimizer, opt_g: nnx.Optimizer, x: jax.Array):
    def disc_loss(disc_params: nnx.State, disc_nondiff: nnx.State):
        disc = nnx.merge(disc_graphdef, disc_params, disc_nondiff)
        return jnp.mean((disc(x) - 1.0) ** 2)

    def gen_loss(gen_params: nnx.State, gen_nondiff: nnx.State):
        gen = nnx.merge(gen_graphdef, gen_params, gen_nondiff)
        return jnp.mean(gen(x) ** 2)

    grad_fn = nnx.value_and_grad(disc_loss)
    disc_graphdef, disc_params, disc_nondiff = nnx.split(disc, nnx.Param, ...)
    first, grads = grad_fn(disc_params, disc_nondiff)
    opt_d.update(disc, grads)
    grad_fn = nnx.value_and_grad(gen_loss)
    gen_graphdef, gen_params, gen_nondiff = nnx.split(gen, nnx.Param, ...)
    second, grads = grad_fn(gen_params, gen_nondiff)
    opt_g.update(gen, grads)
    return first, second


def in_branches(net: Net, x: jax.Array, last: bool):
    if last:

        def loss_fn(params: nnx.State, nondiff: nnx.State):
            net = nnx.merge(graphdef, params, nondiff)
            return jnp.mean((net(x) - 1.0) ** 2)

        grad_fn = nnx.grad(loss_fn)
        graphdef, params, nondiff = nnx.split(net, nnx.Param, ...)
        return grad_fn(params, nondiff)
    else:

        def sum_fn(params: nnx.State, nondiff: nnx.State):
            net = nnx.merge(graphdef, params, nondiff)
            return jnp.sum(net(x))

        grad_fn = nnx.grad(sum_fn)
        graphdef, params, nondiff = nnx.split(net, nnx.Param, ...)
        return grad_fn(params, nondiff)


def run():
    disc, gen = Net(nnx.Rngs(0)), Net(nnx.Rngs(1))
    opt_d = nnx.Optimizer(disc, optax.sgd(0.1), wrt=nnx.Param)
    opt_g = nnx.Optimizer(gen, optax.sgd(0.1), wrt=nnx.Param)
    x = jnp.arange(6.0).reshape(3, 2)
    losses = [train_step(disc, gen, opt_d, opt_g, x) for _ in range(2)]
    return losses, in_branches(disc, x, True), in_branches(gen, x, False), disc, gen
