"""A script in the style of a notebook, which gives three functions one name."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.linear(x)


net = nnx.vmap(Net)(nnx.Rngs(0).fork(split=2))
x = jnp.arange(6.0).reshape(2, 3)


@nnx.scan(in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
def forward(net: Net, x: jax.Array):
    return net(x)


y1 = forward(net, x)

graphdef, state = nnx.split(net)


@jax.jit
def forward(graphdef: nnx.GraphDef, state: nnx.State, x: jax.Array):
    return nnx.merge(graphdef, state).linear.kernel @ x.T


y2 = forward(graphdef, state, x=x)


@nnx.vmap(in_axes=(0, None))
def forward(net: Net, x: jax.Array):
    return net(x)


y3 = forward(net, x=x)  # this is the one of which it matters
