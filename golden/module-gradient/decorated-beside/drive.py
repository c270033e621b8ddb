import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    x, y = jnp.arange(6.0).reshape(3, 2), jnp.ones((3, 2))
    one, other = program.Net(nnx.Rngs(0)), program.Net(nnx.Rngs(1))
    optimizer = nnx.Optimizer(one, optax.adam(1e-2), wrt=nnx.Param)
    found = [program.train_step(one, optimizer, x, y) for _ in range(2)]
    found.append(program.two_losses(one, other, x, 3))
    found.append(program.one_loss_for_two(one, other, x))
    found.append(program.in_one_statement(one, other, x))
    for name in (
        "by_keyword",
        "called_further_in",
        "handed_on",
        "under_a_condition",
        "second_argument",
        "names_in_use",
    ):
        found.append(getattr(program, name)(one, x))
    return found, one, other, optimizer
