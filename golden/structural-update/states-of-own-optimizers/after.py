"""An optimizer of the project updates Variables by a State that its own filter let through."""

import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))
        self.mean = nnx.BatchStat(jnp.zeros(2))
        self.frequencies = jnp.arange(2.0)


class Average(nnx.Optimizer):
    def __init__(self, model: nnx.Module, tx: optax.GradientTransformation):
        super().__init__(model, tx, wrt=[nnx.Param, nnx.BatchStat])

    def update(self, model, source: nnx.Module):
        params = nnx.state(source, self.wrt)
        averages = nnx.state(model, self.wrt)
        self.step[...] += 1
        state = optax.EmaState(count=self.step, ema=averages)
        _, new_state = self.tx.update(params, state)
        nnx.update(model, new_state.ema)


@nnx.jit
def average(averaged: Net, model: Net, optimizer: Average):
    optimizer.update(averaged, model)


def run():
    model, averaged = Net(), Net()
    optimizer = Average(averaged, optax.ema(0.5))
    steps = []
    for scale in (2.0, 3.0):
        model.w[...] *= scale
        model.mean[...] += scale
        average(averaged, model, optimizer)
        steps.append((averaged.w[...], averaged.mean[...], averaged.frequencies))
    return steps, optimizer.step[...]
