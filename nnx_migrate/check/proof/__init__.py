"""Proof that two traced programs compute the same outputs, for every input of their shapes.

Each output of a program gets a hash of the computation that leads to it (`canonical_program`).
Equal hashes mean the same computation; unequal ones mean nothing, since what is not seen to be
equal may still be. What the hash cannot speak for (effects, Refs, functions hidden in parameters)
is `Refused`.

Only values are spoken for. Not covered, so for the caller to look at: derivatives that are taken
of the function elsewhere (hash the gradient program too), where arrays are placed (shardings,
devices, donation), weak types (`Program.weak`), metadata, whether a loop ends at all, and
settings that XLA reads when it compiles.
"""

from nnx_migrate.check.proof.program import Program, Refused, canonical_program

__all__ = ["Program", "Refused", "canonical_program"]
