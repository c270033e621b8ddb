import jax
import jax.numpy as jnp
from flax import nnx


def drive(program):
    x = jnp.arange(6.0).reshape(3, 2)
    seen = [program.warm_up(x)]
    trainer = program.Trainer(program.Net(nnx.Rngs(1)))
    for _ in range(2):
        seen.append(trainer.step(x))
        seen.append(trainer.predict(x))
    cleared = program.Net(nnx.Rngs(2))
    for _ in range(2):
        cleared(x)
        seen.append(program.cleared_first(cleared, x))
    balanced = program.Net(nnx.Rngs(3))
    balanced.sow(program.Balance, "balance", jnp.ones(()))
    seen.append(program.of_the_caller(balanced, x))
    twice = program.Net(nnx.Rngs(4))
    seen += [program.returns_twice(twice, x), program.returns_twice(twice, x[0])]
    keys = jax.random.split(jax.random.key(5), 3)
    stack = nnx.vmap(lambda key: program.Net(nnx.Rngs(key)))(keys)
    seen.append(program.mapped(stack, x))
    steps = program.Net(nnx.Rngs(6))
    gradient, loss = program.make_steps()
    seen.append(gradient(steps, x))
    steps(x)
    seen.append(loss(steps, x))
    return seen, steps, trainer.model, cleared, balanced, twice, stack
