"""Classes that are told to be no trees, and that something keeps from being one."""

import jax
import jax.numpy as jnp
from flax import nnx


class Mixed(nnx.Module, pytree=False):
    def __init__(self, rngs: nnx.Rngs):
        self.parts = [nnx.Linear(2, 2, rngs=rngs), 3]

    def __call__(self, x):
        return self.parts[0](x) * self.parts[1]


class Leaf(nnx.Module, pytree=False):
    def __init__(self):
        self.scale = nnx.Param(jnp.ones(2))

    def __call__(self, x):
        return x * self.scale


class Below(Mixed, pytree=False):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__(rngs)
        self.scale = nnx.Param(jnp.ones(2))


class Set(nnx.Module, pytree=False):
    def __init__(self):
        self.scale = 1.0

    def __call__(self, x):
        return x * self.scale


class Refused(nnx.Module, pytree=False):
    def __init__(self):
        self.scale = nnx.Param(jnp.ones(2))

    def __call__(self, x):
        return x * self.scale


def names(models: dict[str, Leaf]):
    return jax.tree.map(lambda model: type(model).__name__, models)


@nnx.jit
def mixed(model: Mixed, x):
    return model(x)


@nnx.jit
def leaf(model: Leaf, x):
    return model(x)


@nnx.jit
def below(model: Below, x):
    return model(x) * model.scale


@nnx.jit
def forward(model: Set, x):
    return model(x)


def with_scale():
    model = Set()
    model.scale = nnx.Param(jnp.full(2, 3.0))
    return model


@nnx.jit
def refused(model: Refused, x):
    return model(x)


def is_refused():
    try:
        nnx.split([Refused()], graph=False)
    except ValueError as error:
        return "pytree=False" in str(error)
    return False
