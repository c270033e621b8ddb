import jax
import jax.numpy as jnp
from flax import errors, nnx


def passes(net, xs, outputs=lambda carry, x: x):
    """The scan in plain Python."""
    carry, found = jnp.zeros(2), []
    for x in xs:
        found.append(outputs(carry, x))
        carry = carry + net(x)
    return carry, jnp.stack(found)


def plain(net, xs):
    """What is to come of the functions that can be rewritten."""
    yield passes(net, xs)[1].sum()
    yield jax.tree.map(lambda a: a.sum(), passes(net, xs))
    yield passes(net, xs, lambda carry, x: x * carry)[1]
    yield 0.5 + sum(map(jnp.sum, passes(net, xs)))
    yield {"both": passes(net, xs)[::-1]}
    yield dict(zip(("carry", "outputs"), passes(net, xs)))
    yield [xs[0], passes(net, xs)]


def drive(program):
    xs = jnp.arange(8.0).reshape(4, 2)
    net, other = program.Net(nnx.Rngs(0)), program.Net(nnx.Rngs(0))
    functions = (
        program.an_element,
        program.given_whole,
        program.unpacked,
        program.on_several_lines,
        program.carry_last,
        program.of_jax,
        program.in_one_line,
    )
    found = [function(net, xs) for function in functions]
    for one, another in zip(
        jax.tree.leaves((found, nnx.state(net))),
        jax.tree.leaves((list(plain(other, xs)), nnx.state(other))),
        strict=True,
    ):
        assert jnp.allclose(one, another, rtol=1e-5), (one, another)
    left = (
        program.reads_before,
        program.reads_a_property_before,
        program.twice,
        program.held_together,
        program.over_both,
    )
    for function in left:
        try:
            function(program.Net(nnx.Rngs(0)), xs)
        except errors.TraceContextError:
            continue
        raise AssertionError(f"{function.__name__} works")
    return found, nnx.state(net)
