import jax.numpy as jnp
from flax import nnx


def drive(program):
    """Nine raise, before and after; what works goes on, and is not touched."""
    raised = program.try_all()
    assert len(raised) == 9, raised
    own, x = program.lib.Net(nnx.Rngs(3)), program.x
    assert jnp.allclose(program.mapped, own(x) + program.lib.head(x), rtol=1e-5)
    assert program.own.calls[...] == 1
    return raised, program.rows, program.mapped, program.lib.rngs
