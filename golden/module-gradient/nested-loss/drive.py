import jax
import jax.numpy as jnp


def drive(program):
    model, optimizer = program.make(3)
    x = jax.random.normal(jax.random.key(0), (4, 3))
    losses = [program.train_step(model, optimizer, (x, jnp.ones((4, 2)))) for _ in range(3)]
    return {"losses": losses, "model": model, "optimizer": optimizer}
