import jax.numpy as jnp
import numpy as np
from flax import nnx

XS = jnp.arange(6.0).reshape(3, 2)


def drive(program):
    net = program.Net(nnx.Rngs(0))
    total, outputs = program.rolled(net, jnp.zeros(2), XS)
    expected = jnp.stack([net.linear(x) for x in XS])
    np.testing.assert_allclose(outputs, expected, rtol=1e-6)
    np.testing.assert_allclose(total, expected.sum(0), rtol=1e-6)
    return total, outputs, net.count[...]
