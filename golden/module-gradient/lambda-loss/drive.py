import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    x = jnp.arange(6.0).reshape(3, 2)
    losses = [program.fit_once(model, optimizer, x) for _ in range(2)]
    grads = [program.consistency(model, x) for _ in range(2)]
    grads.append(program.on_several_lines(model, nnx.Linear(2, 2, rngs=nnx.Rngs(1)), x))
    return losses, grads, model, optimizer
