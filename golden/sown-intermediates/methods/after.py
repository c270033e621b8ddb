"""Jitted methods that sow on their own object; the values are popped by those who call them."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Encoder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        x = self.drop(nnx.relu(self.norm(self.linear(x))))
        self.sow(nnx.Intermediate, "hidden", x)
        return x

    @nnx.jit
    def _encode_and_pop(self, x: jax.Array, scale: float = 1.0) -> tuple[jax.Array, nnx.State]:
        return self(x) * scale, nnx.clone(nnx.pop(self, nnx.Intermediate))

    def encode(self, x: jax.Array, scale: float = 1.0) -> jax.Array:
        """What is encoded, in a unit."""
        result, sown = self._encode_and_pop(x, scale)
        nnx.update(self, sown)
        return result

    def level(self, x: jax.Array) -> jax.Array:
        return jnp.mean(self.encode(x, scale=2.0))


class Trainer(nnx.Module):
    """Everything that a training step updates."""

    def __init__(self, rngs: nnx.Rngs):
        self.model = Encoder(rngs)
        self.optimizer = nnx.Optimizer(self.model, optax.sgd(0.1), wrt=nnx.Param)
        self.steps = nnx.Variable(jnp.array(0))

    @nnx.jit
    def _evaluate_and_pop(self, x: jax.Array):
        self.steps[...] += 1
        return (jnp.mean(self.model(x) ** 2), self.steps[...]), nnx.clone(nnx.pop(self, nnx.Intermediate))

    def evaluate(self, x: jax.Array):
        result, sown = self._evaluate_and_pop(x)
        nnx.update(self, sown)
        return result


def look(encoder: Encoder, x: jax.Array):
    code = encoder.encode(x)
    hidden = nnx.pop(encoder, nnx.Intermediate)
    level = encoder.level(x)
    return code, hidden, level, nnx.pop(encoder, nnx.Intermediate)["hidden"]


def main(x: jax.Array):
    encoder = Encoder(nnx.Rngs(0))
    found = [look(encoder, x + i) for i in range(2)]
    trainer = Trainer(nnx.Rngs(1))
    for i in range(2):
        loss, steps = trainer.evaluate(x + i)
        sown = nnx.pop(trainer, nnx.Intermediate)
        found.append((loss, steps, sown["model"]["hidden"]))
    return found, encoder, nnx.state(trainer)
