import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


def drive(program):
    def loss_fn(model, batch):
        out = model(batch)
        return jnp.mean(out**2), {"mean": jnp.mean(out)}

    def distance(model, teacher, batch):
        teacher.eval()
        return jnp.mean((model(batch) - teacher(batch)) ** 2)

    x = jnp.arange(6.0).reshape(3, 2)
    model, teacher = Net(nnx.Rngs(0)), Net(nnx.Rngs(1))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    steps = [program.train_step(model, optimizer, loss_fn, x) for _ in range(2)]
    grads = program.Trainer(loss_fn).gradients(model, x)
    distilled = program.distil(model, teacher, distance, x)
    quiet = program.quiet_gradients(model, program.quiet, x)
    modes = (teacher.drop.deterministic, model.drop.deterministic)
    return steps, grads, distilled, quiet, modes, nnx.state(model), nnx.state(teacher)
