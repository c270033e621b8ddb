import copy

import jax
import jax.numpy as jnp
from flax import errors, nnx


def looped(one, other, x):
    """The loop in plain Python."""
    for _ in range(2):
        x = one(other(x))
    return x, one, other


def plain(program, x):
    make, named = program.make, program.make_named
    yield looped(make(0), make(0), x)
    yield looped(named(0), named(1), x)
    yield looped(make(3), copy.deepcopy(make(3)), x)
    yield looped(make(0), program.Net(nnx.Rngs(1)), x)
    yield looped(make(4), make(5), x)


def drive(program):
    x = jnp.ones(2)
    found = program.main(x)
    for one, other in zip(
        jax.tree.leaves(found), jax.tree.leaves(tuple(plain(program, x))), strict=True
    ):
        if jax.dtypes.issubdtype(one.dtype, jax.dtypes.prng_key):
            one, other = jax.random.key_data(one), jax.random.key_data(other)
        assert jnp.allclose(one, other, rtol=1e-5), (one, other)
    left = ("kept", "made_once", "of_the_module", "tied", "by_two_names", "listed", "any_two")
    for name in left:
        try:
            getattr(program, name)(x)
        except errors.TraceContextError:
            continue
        raise AssertionError(f"{name} works")
    return found
