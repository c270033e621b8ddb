import itertools

import jax
import jax.numpy as jnp
from flax import nnx


def plainly(model, x, length):
    for _ in range(length):
        x = model.decoder(model.stack(model.encoder(x)))
    return x


def drive(program):
    x = jax.random.normal(jax.random.key(1), (2, 3))
    found = []
    for scanned, remat in itertools.product((False, True), repeat=2):
        model = program.Decoder(scanned, remat, nnx.Rngs(0))
        expected = plainly(model, x, 3)
        decoded = program.decode(model, x, 3)
        assert jnp.allclose(decoded, expected, rtol=1e-6, atol=1e-7), (scanned, remat)
        eager = model.decode(x, 3)
        assert jnp.allclose(eager, expected, rtol=1e-6, atol=1e-7), (scanned, remat)
        found += [decoded, eager, nnx.state(model)]
    return found
