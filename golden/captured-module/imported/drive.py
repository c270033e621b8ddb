import jax
import jax.numpy as jnp
import optax
from flax import errors, nnx


def expected(state):
    """The same in plain Python."""
    net, rngs = state.Net(nnx.Rngs(0)), nnx.Rngs(2)
    plain = nnx.Linear(2, 2, rngs=nnx.Rngs(1))
    optimizer = nnx.Optimizer(plain, optax.sgd(0.1), wrt=nnx.Param)
    x = jnp.ones(2)

    def predict(x):
        return net(x + rngs.noise.normal(x.shape))

    def mapped(xs):
        net.calls[...] += 1
        return net.linear(xs)

    repeated = x
    for i in range(3):
        repeated = net(repeated) + i
    results = [repeated, predict(x), mapped(jnp.ones((3, 2)))]
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - x) ** 2))(plain)
    optimizer.update(plain, grads)
    total = jnp.zeros(2) + net(x)
    total = total + net(x)
    results += [loss, total, mapped(jnp.ones((2, 2))), predict(x), plain(x)]
    return results, net, plain, optimizer, rngs


def agree(found, expected):
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        if jax.dtypes.issubdtype(one.dtype, jax.dtypes.prng_key):
            one, other = jax.random.key_data(one), jax.random.key_data(other)
        assert jnp.allclose(one, other, rtol=1e-5, atol=1e-6), (one, other)


def drive(program):
    names = ("repeated", "predicted", "rows", "loss", "total", "last", "eager", "same")
    results = [getattr(program, name) for name in names]
    state = program.state
    found = (results, state.net, state.plain, state.optimizer, state.rngs)
    agree(found, expected(state))
    try:
        program.by_the_module(jnp.ones(2))
    except errors.TraceContextError:
        return found
    raise AssertionError("by_the_module works")
