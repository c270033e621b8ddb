"""`nnx-migrate campaign`: what a run shows is taken, and checked by the calls of the same run.

A round plans the project, checks the plan, and pins the places that differ; nothing of the user's
is written before a round has nothing left to pin. Nothing here imports jax or flax.
"""
