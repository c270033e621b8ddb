import jax.numpy as jnp
from flax import nnx


def drive(program):
    bank = program.Bank(3, nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    out = [program.forward(bank, x) for _ in range(2)]
    return out, bank, bank.kernel.out_sharding, sorted(set(program.seen))
