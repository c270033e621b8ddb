import jax
import jax.numpy as jnp
import optax
from flax import nnx


def expected(program):
    """The same with the model and the optimizer as arguments of plain Python functions."""
    net = program.Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(net, optax.adam(0.1), wrt=nnx.Param)
    losses = []
    for x in jnp.ones((3, 4, 2)):
        graphdef, params, rest = nnx.split(net, nnx.Param, ...)

        def loss_fn(params, rest, graphdef=graphdef, x=x):
            merged = nnx.merge(graphdef, params, rest, copy=True)
            loss = jnp.mean((merged(x) - x) ** 2)
            return loss, nnx.as_pure(nnx.state(merged, nnx.Not(nnx.Param)))

        (loss, rest), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, rest)
        nnx.update(net, rest)
        optimizer.update(net, grads)
        losses.append(loss)
    return losses, net, optimizer


def drive(program):
    found = program.main()
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected(program)), strict=True):
        if jax.dtypes.issubdtype(one.dtype, jax.dtypes.prng_key):
            one, other = jax.random.key_data(one), jax.random.key_data(other)
        assert jnp.allclose(one, other, rtol=1e-5, atol=1e-6), (one, other)
    return found
