import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


def drive(program):
    model, other, third = (Net(nnx.Rngs(seed)) for seed in range(3))
    x = jnp.arange(6.0).reshape(3, 2)
    tx = optax.adam(0.1)
    opt_state = tx.init(nnx.state(model, nnx.Param))
    step = program.make_step(tx)
    losses = []
    for _ in range(3):
        loss, opt_state = step(model, opt_state, x)
        losses.append(loss)
        program.descend(other, x, 0.1)
    grads, _ = program.gradients_of(third, x, False)
    return losses, model, jax.tree.leaves(opt_state), other, grads, third
