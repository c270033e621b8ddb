import jax
import jax.numpy as jnp
from flax import nnx


def plainly(weights, x, steps):
    for _ in range(steps):
        for weight in weights:
            x = jnp.tanh(weight @ x)
    return x


def drive(program):
    x = jnp.linspace(-1.0, 1.0, 4)
    found = []
    for kind in (program.Tower, program.Rematerialised):
        tower = kind(4, 3, nnx.Rngs(0))
        weights = tower.blocks.weight[...]
        result = program.repeat(tower, x, 5)
        assert jnp.allclose(result, plainly(weights, x, 5), rtol=1e-5), kind
        loss, grads = program.gradient(tower, x, 5)
        expected = jax.grad(lambda w: jnp.sum(plainly(w, x, 5) ** 2))(weights)
        gradient = grads["blocks"]["weight"][...] if isinstance(grads, nnx.State) else grads.blocks.weight[...]
        assert jnp.allclose(gradient, expected, rtol=1e-4, atol=1e-6), kind
        expected = jax.grad(lambda x: jnp.sum(plainly(weights, x, 2) ** 2))(x)
        of_input = program.input_gradient(tower, x)
        assert jnp.allclose(of_input, expected, rtol=1e-4, atol=1e-6), kind
        found += [result, loss, gradient, of_input, tower]
    return found
