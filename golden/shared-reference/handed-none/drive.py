import jax.numpy as jnp
from flax import nnx


def drive(program):
    model, translator = program.LanguageModel(nnx.Rngs(0)), program.Translator(nnx.Rngs(1))
    tokens = jnp.arange(3)
    return program.train_step(model, tokens), program.translated(translator, tokens), model, translator
