"""Whoever uses the package may call its public method."""

import jax
from encoders import look


def main(x: jax.Array):
    return look(x)
