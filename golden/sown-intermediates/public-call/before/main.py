"""Whoever uses the package may call its objects."""

import jax
from encoders.linear import look


def main(x: jax.Array):
    return look(x)
