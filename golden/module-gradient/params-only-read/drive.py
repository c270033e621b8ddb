import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    model = program.MLP(rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    x = jnp.arange(6.0).reshape(3, 2)
    return (
        program.first_gradient(model, x),
        program.test_gradients_flow(),
        [program.train_step(model, optimizer, x) for _ in range(2)],
        program.loss_alone(model, x),
        model,
        optimizer,
    )
