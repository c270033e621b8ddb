import jax.numpy as jnp


def drive(program):
    model, optimizer = program.make()
    batch = {"image": jnp.arange(12.0).reshape(3, 4) / 12, "label": jnp.array([1, 0, 1])}
    steps = [program.train_step(model, optimizer, batch) for _ in range(3)]
    direct = program.losses.cross_entropy(model, batch)
    return {"steps": steps, "direct": direct, "model": model, "optimizer": optimizer}
