"""A model with tied weights is handed to the functions of nnx that trace nothing."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from flax.nnx import Optimizer


class Tied(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.encode = self.decode = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.decode(self.drop(self.encode(x)))


def trained(model: Tied, x):
    optimizer = Optimizer(
        model,
        optax.sgd(0.1),
        wrt=nnx.Param,  # the weights alone
    )
    grads = nnx.grad(lambda model: model(x).sum())(model)
    optimizer.update(model, grads)
    return optimizer.step[...]


def averaged(model: Tied):
    ema = nnx.EMA(model, decay=0.5, only=nnx.Param)
    ema.update(model)
    return ema


def described(model: Tied, x):
    table = nnx.tabulate(model, x)
    return "Linear" in table, nnx.as_abstract(model).encode.bias.shape


def doubled(model: Tied):
    return nnx.map(lambda path, leaf: leaf, model).encode.kernel, len(nnx.variables(node=model))


def switched(model: Tied):
    model.eval()
    before = model.drop.deterministic
    model.train()
    model.set_attributes(nnx.Dropout, rate=0.25)
    return before, model.drop.deterministic, model.drop.rate


def copied(model: Tied):
    other = nnx.clone(node=model)
    nnx.reseed(other, default=1)
    names = [type(each).__name__ for _, each in model.iter_modules()]
    return other.encode is other.decode, names, sorted(p for p, _ in (model.encode).iter_modules())


def abstract_size():
    mesh = jax.make_mesh((1,), ("data",))
    _, state = nnx.get_abstract_model(lambda: Tied(nnx.Rngs(0)), mesh)
    return len(jax.tree.leaves(state))
