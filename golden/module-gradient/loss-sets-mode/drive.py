import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    model.eval()
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    x = jnp.arange(6.0).reshape(3, 2)
    out = [program.evaluate(model, x)]
    out += [program.train_step(model, optimizer, x), program.evaluate(model, x)]
    return out, model, optimizer
