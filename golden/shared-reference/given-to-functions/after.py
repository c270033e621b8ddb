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
        graph=True,
    )
    grads = nnx.compat.grad(lambda model: model(x).sum())(model)
    optimizer.update(model, grads)
    return optimizer.step[...]


def averaged(model: Tied):
    ema = nnx.EMA(model, decay=0.5, only=nnx.Param, graph=True)
    ema.update(model)
    return ema


def described(model: Tied, x):
    table = nnx.set_graph_mode(True)(nnx.tabulate)(model, x)
    return "Linear" in table, nnx.as_abstract(model, graph=True).encode.bias.shape


def doubled(model: Tied):
    return nnx.map(lambda path, leaf: leaf, model, graph=True).encode.kernel, len(
        nnx.variables(node=model, graph=True)
    )


def switched(model: Tied):
    nnx.set_graph_mode(True)(model.eval)()
    before = model.drop.deterministic
    nnx.set_graph_mode(True)(model.train)()
    model.set_attributes(nnx.Dropout, rate=0.25, graph=True)
    return before, model.drop.deterministic, model.drop.rate


def copied(model: Tied):
    other = nnx.compat.clone(node=model)
    nnx.compat.reseed(other, default=1)
    names = [type(each).__name__ for _, each in nnx.compat.iter_modules(model)]
    return other.encode is other.decode, names, sorted(p for p, _ in (model.encode).iter_modules())


def abstract_size():
    mesh = jax.make_mesh((1,), ("data",))
    _, state = nnx.compat.get_abstract_model(lambda: Tied(nnx.Rngs(0)), mesh)
    return len(jax.tree.leaves(state))
