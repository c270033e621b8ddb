"""Fine-tune only the LoRA weights."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.base = nnx.Linear(2, 3, rngs=rngs)
        self.lora = nnx.LoRA(2, 2, 3, b_initializer=nnx.initializers.ones_init(), rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.drop(self.norm(self.base(x) + self.lora(x)))


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, x: jax.Array):
    def loss_fn(lora_params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, lora_params, nondiff)
        return jnp.mean((model(x) - 1.0) ** 2)

    # only the LoRA parameters are differentiated
    grad_fn = nnx.value_and_grad(loss_fn)
    graphdef, lora_params, nondiff = nnx.split(model, nnx.LoRAParam, ...)
    loss, grads = grad_fn(lora_params, nondiff)
    optimizer.update(model, grads)
    return loss, grads


def make(seed: int):
    model = Net(nnx.Rngs(seed))
    return model, nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.LoRAParam)
