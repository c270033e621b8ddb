"""What is traced here uses objects of other files, through functions and methods of theirs."""

import functools

import jax
import jax.numpy as jnp
import lib
from flax import errors, nnx
from lib import Noise, maybe_noisy, net, noisy, only_read
from more import twice

own = lib.Net(nnx.Rngs(3))
noise = Noise()


class Reader(nnx.Module):
    def __call__(self, x: jax.Array):
        return x + own.calls


@nnx.jit
def draws(x: jax.Array):
    return noisy(x)


@jax.jit
def far_away(x: jax.Array):
    return twice(x)


@nnx.vmap
def by_the_module(x: jax.Array):
    return lib.net(x)


def looped(x: jax.Array):
    return nnx.fori_loop(0, 2, lambda i, x: lib.counted(x) * i, x)


def a_function_itself(x: jax.Array):
    return jax.vmap(lib.noisy)(x)


@nnx.remat
def in_a_method(x: jax.Array, noise: Noise):
    return noise(x)


@nnx.vmap
def read_there_too(x: jax.Array):
    """Given the net, this one would go on with its count from before."""
    return net(x) + lib.calls()


@nnx.vmap
def a_part_read_there(x: jax.Array):
    return net(x) + lib.last(x)


@nnx.vmap
def read_by_a_method(x: jax.Array):
    return own(x) + Reader()(x)


@nnx.vmap(in_axes=(0, None))
def of_another_class(x: jax.Array, own):
    """Nothing else is done to it out of sight."""
    return own(x) + lib.only_read(x)


@nnx.jit
def works(x: jax.Array):
    return only_read(x)


@nnx.jit
def works_as_it_is_called(x: jax.Array):
    return maybe_noisy(x)


@nnx.jit
def works_as_it_is_given(x: jax.Array, rngs: nnx.Rngs):
    return x + rngs.noise.normal(x.shape)


def is_ready(x: jax.Array):
    try:
        return nnx.vmap(lambda x: noisy(x))(x)
    except errors.TraceContextError:
        return x


def not_traced(x: jax.Array):
    return functools.reduce(lambda x, f: f(x), (noisy, lib.counted), x)


x = jnp.ones((3, 2))


def main():
    return [
        works(x),
        works_as_it_is_called(x),
        works_as_it_is_given(x, lib.rngs),
        is_ready(x),
        not_traced(x),
    ]


def try_all():
    raised = []
    for function, *given in (
        (draws, x),
        (far_away, x),
        (by_the_module, x),
        (looped, x),
        (a_function_itself, x),
        (in_a_method, x, noise),
        (read_there_too, x),
        (a_part_read_there, x),
        (read_by_a_method, x),
    ):
        try:
            function(*given)
        except errors.TraceContextError:
            raised.append(function.__name__)
    return raised


rows = main()
mapped = of_another_class(x, own)
