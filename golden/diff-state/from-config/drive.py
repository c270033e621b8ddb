import jax
import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    config = program.TrainConfig()
    model = program.Policy(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(config.lr), wrt=config.trainable_filter)
    x = jnp.arange(6.0).reshape(3, 2)
    infos = [program.train_step(config, model, optimizer, jax.random.key(i), x) for i in range(2)]
    return infos, model, optimizer
