"""A MultiMetric has each of its metrics do what it is told."""

import jax.numpy as jnp
from flax import nnx


class Total(nnx.Metric):
    def __init__(self):
        self.sum = nnx.metrics.MetricState(jnp.zeros(()))

    def reset(self):
        self.sum.set_value(jnp.zeros(()))

    def update(self, *, values, **_):
        self.sum[...] += values.sum()

    def compute(self):
        return self.sum[...]


@nnx.jit
def update(metrics: nnx.MultiMetric, x):
    metrics.update(values=x)


@nnx.jit
def reset(metrics: nnx.MultiMetric):
    metrics.reset()


@nnx.jit
def reset_in_place(metrics):
    metrics.reset()


def run(x):
    metrics = nnx.MultiMetric(total=Total(), mean=nnx.metrics.Average())
    update(metrics, x)
    before = metrics.compute()
    reset(metrics)
    update(metrics, x)
    means = nnx.MultiMetric(mean=nnx.metrics.Average())
    update(means, x)
    reset_in_place(means)
    update(means, 2 * x)
    return before, metrics.compute(), means.compute()
