"""A Module that goes in and comes out in a NamedTuple or a registered dataclass."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx, struct


class Counter(nnx.Module):
    def __init__(self):
        self.n = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n[...] += 1
        return x + self.n[...]


class Progress(NamedTuple):
    model: Counter
    step: jax.Array


@struct.dataclass
class Run:
    model: Counter
    step: jax.Array


class Stats(NamedTuple):
    total: jax.Array
    step: jax.Array


@nnx.jit
def replaced(progress: Progress, x):
    y = progress.model(x)
    return progress._replace(step=progress.step + 1), y


@nnx.jit
def made_anew(progress: Progress, x):
    return Progress(progress.model, progress.step + progress.model(x))


@nnx.jit
def replaced_in_a_dataclass(run: Run, x):
    return run.replace(step=run.step + run.model(x))


@nnx.jit
def replaced_by_the_library(run: Run, x):
    return dataclasses.replace(run, step=run.step + run.model(x))


@nnx.jit
def arrays_alone(progress: Progress, stats: Stats, x):
    return stats._replace(total=stats.total + progress.model(x))


def train(x):
    progress = Progress(Counter(), jnp.zeros(()))
    run = Run(progress.model, jnp.zeros(()))
    stats = Stats(jnp.zeros(()), jnp.zeros(()))
    for _ in range(2):
        progress, y = replaced(progress, x)
        progress = made_anew(progress, x)
        run = replaced_in_a_dataclass(run, x)
        run = replaced_by_the_library(run, x)
        stats = arrays_alone(progress, stats, x)
    return y, progress.step, run.step, stats, progress.model.n[...], run.model is progress.model
