import jax
import jax.numpy as jnp


def drive(program):
    metric = program.F1()
    epochs = []
    for seed in range(2):
        logits = jax.random.normal(jax.random.key(seed), (4, 3))
        epochs.append(program.evaluate(metric, [(logits, jnp.array([0, 1, 2, 0]))]))
    return epochs, metric
