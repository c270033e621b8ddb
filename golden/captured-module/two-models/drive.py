import jax.numpy as jnp
from flax import nnx

X = jnp.array([0.5, 0.25])


def looped(first, second):
    x = X
    for _ in range(2):
        x = first(second(x))
    return x, first, second


def agree(found, *objects):
    graph = [nnx.split(each)[1] for each in found[1:]]
    assert jnp.allclose(found[0], objects[0], rtol=1e-6)
    for one, other in zip(graph, objects[1:], strict=True):
        assert jnp.array_equal(one["scale"][...], other.scale[...])
        assert int(one["calls"][...]) == int(other.calls[...]) == 2


def drive(program):
    rngs = nnx.Rngs(1)
    made = program.made_here(X)
    agree(made, *looped(program.Actor(rngs), program.Actor(rngs)))
    carried = program.carried_already(X)
    agree(carried, *looped(program.Actor(nnx.Rngs(4)), program.Actor(nnx.Rngs(5))))
    found = program.run(X)
    rngs = nnx.Rngs(0)
    pair = looped(program.Actor(rngs), program.Actor(rngs))
    agree((found[0], found[1].first, found[1].second), *pair)
    student, teacher = program.Actor(nnx.Rngs(2)), program.Actor(nnx.Rngs(3))
    assert jnp.allclose(found[2], student(teacher(X)), rtol=1e-6)
    assert int(found[3].calls[...]) == int(found[4].calls[...]) == 1
    return made, carried, found
