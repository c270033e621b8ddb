import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.base = nnx.Linear(2, 3, rngs=rngs)
        self.lora = nnx.LoRA(2, 2, 3, b_initializer=nnx.initializers.ones_init(), rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.drop(self.norm(self.base(x) + self.lora(x)))


def loss_fn(model: Net, x: jax.Array):
    return jnp.mean((model(x) - 1.0) ** 2)


def gradients(model: Net, x: jax.Array, lora_enabled: bool = False):
    grad_fn = nnx.value_and_grad(
        lambda params, nondiff, x: loss_fn(nnx.merge(graphdef, params, nondiff), x),
    )
    graphdef, params, nondiff = nnx.split(model, nnx.LoRAParam if lora_enabled else nnx.Param, ...)
    loss, grads = grad_fn(params, nondiff, x)
    return loss, grads
