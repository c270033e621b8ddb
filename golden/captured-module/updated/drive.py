import jax
import jax.numpy as jnp
import optax
from flax import nnx


def plain_forward(model, x):
    for _ in range(3):
        x = model(x)
    return jnp.array(3), x


def plain_until(model, x):
    while model.calls[...] < 4:
        x = model.counted(x)
    return x


def plain_both(model, x):
    for _ in range(3):
        x = model.norm(model.linear(x))
    return x


def plain_train(model, x):
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    losses = nnx.metrics.Average()
    total = jnp.array(0.0)
    for _ in range(3):
        graphdef, params, rest = nnx.split(model, nnx.Param, ...)
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((nnx.merge(graphdef, p, rest).linear(x) - x) ** 2))(params)
        optimizer.update(model, grads)
        losses.update(values=loss)
        total += loss
    return total, losses.compute(), optimizer.step[...]


def plain_noise(rngs, x):
    for _ in range(3):
        x = x + jax.random.normal(rngs.noise(), x.shape)
    return x


def plain_noisy(model, rngs, x):
    for _ in range(3):
        x = model.linear(x) + rngs.noise.normal(x.shape)
    return x


def agree(found, expected):
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        if jax.dtypes.issubdtype(one.dtype, jax.dtypes.prng_key):
            one, other = jax.random.key_data(one), jax.random.key_data(other)
        assert jnp.allclose(one, other, rtol=2e-5, atol=1e-6), (one, other)


def drive(program):
    x = jax.random.normal(jax.random.key(1), (4, 2))
    found = []
    for function, plain in (
        (program.forward, plain_forward),
        (program.until, plain_until),
        (program.both_names, plain_both),
        (program.train, plain_train),
    ):
        model, other = program.Net(nnx.Rngs(0)), program.Net(nnx.Rngs(0))
        result = function(model, x)
        agree((result, nnx.state(model)), (plain(other, x), nnx.state(other)))
        found += [result, model]
    rngs, others = nnx.Rngs(2), nnx.Rngs(2)
    agree(program.noise(rngs, x), plain_noise(others, x))
    model = program.Net(nnx.Rngs(0))
    agree(program.noisy(model, rngs, x), plain_noisy(model, others, x))
    agree(nnx.state(rngs), nnx.state(others))
    return found, rngs
