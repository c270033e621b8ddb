import jax.numpy as jnp
from flax import nnx


def drive(program):
    model, quiet, x = program.Net(), program.QuietlyNumbered(), jnp.ones(2)
    model.drop = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    found = [program.numbered(x), program.quietly(quiet, x), quiet.block1.w[...]]
    for name in ("add", "multiply"):
        found.append((program.in_place(name, model, x), model.w[...]))
    for name in ("add", "count"):
        found.append((program.mixed(name, model, x), model.w[...], model.calls))
    model.train()
    for step in ("by_name", "by_caller", "by_mode"):
        found.append((getattr(program, step)(model, x), model.calls))
    return found, model.drop.deterministic
