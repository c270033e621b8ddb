import jax.numpy as jnp
from flax import nnx


def drive(program):
    tokenizer = program.Tokenizer(nnx.Rngs(0))
    shown = program.Inspected(nnx.Rngs(1))
    encoder = program.Encoder(1, nnx.Rngs(2), sow_weights=True)
    x = jnp.arange(6.0).reshape(1, 3, 2)
    results = [program.train_step(tokenizer, x), program.activations(shown, x)]
    return results, program.weights(encoder, x), tokenizer, shown, encoder
