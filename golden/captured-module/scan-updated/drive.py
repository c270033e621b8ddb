import jax
import jax.numpy as jnp
from flax import nnx

XS = jax.random.normal(jax.random.key(2), (3, 2))


def rolled(net, xs):
    x, counts = jnp.zeros(2), []
    for y in xs:
        x = net(x) + y
        counts.append(net.calls[...])
    return x, jnp.stack(counts)


def carry_alone(net, x):
    for _ in range(3):
        x = net(x)
    return x


def several(net, rngs, xs):
    i, y, noises, ys = jnp.array(0), jnp.zeros(2), [], []
    for x in xs:
        noises.append(rngs.noise.normal(x.shape))
        ys.append(y)
        i, y = i + 1, net.linear(y) + x
    return i, y, (jnp.stack(noises), jnp.stack(ys))


def in_another_place(net, xs):
    total, last, differences = jnp.array(0.0), jnp.zeros(2), []
    for x in xs:
        differences.append(x - last)
        total, last = total + net(x).sum(), x
    return jnp.stack(differences), total, last


def results_by_number(net, xs):
    y = jnp.zeros(2)
    for x in xs:
        y = net(y) + x
    z, outputs = jnp.ones(2), []
    for x in xs:
        z = net(z) + x
        outputs.append(z * 2)
    return y, jnp.stack(outputs)


def in_one_line(net, xs):
    total = jnp.zeros(2)
    for x in xs:
        total = net(total) + x
    return total


def agree(found, expected, name):
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        if jax.dtypes.issubdtype(one.dtype, jax.dtypes.prng_key):
            one, other = jax.random.key_data(one), jax.random.key_data(other)
        assert jnp.allclose(one, other, rtol=1e-5, atol=1e-6), (name, one, other)


def drive(program):
    found = []
    for name, arguments, plain in (
        ("rolled", (XS,), rolled),
        ("carry_alone", (XS[0],), carry_alone),
        ("in_another_place", (XS,), in_another_place),
        ("results_by_number", (XS,), results_by_number),
        ("in_one_line", (XS,), in_one_line),
    ):
        net, other = program.Net(nnx.Rngs(0)), program.Net(nnx.Rngs(0))
        function = getattr(program, name, None) or getattr(program.Net, name)
        result = function(net, *arguments)
        agree((result, nnx.state(net)), (plain(other, *arguments), nnx.state(other)), name)
        found += [result, net]
    rngs, others = nnx.Rngs(3), nnx.Rngs(3)
    net = program.Net(nnx.Rngs(0))
    agree(program.several(net, rngs, XS), several(net, others, XS), "several")
    agree(nnx.state(rngs), nnx.state(others), "streams")
    return found, rngs
