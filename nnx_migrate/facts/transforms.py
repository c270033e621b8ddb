"""The names of what takes a function and gives one that does something around it."""

from __future__ import annotations

#: The transforms of flax.nnx, by the name after `nnx.`.
NNX_TRANSFORMS = frozenset(
    {
        "jit",
        "jit_partial",
        "cached_partial",
        "grad",
        "value_and_grad",
        "custom_vjp",
        "vmap",
        "pmap",
        "scan",
        "remat",
        "checkpoint",
        "shard_map",
        "checkify",
        "split_rngs",
        "fork_rngs",
        "transform_metadata",
        "set_graph_mode",
        "set_graph_updates",
        "with_rngs",
    }
)

#: The last names of what may be called on a function to get one that runs it.
WRAPPERS = NNX_TRANSFORMS | {
    "partial",
    "wraps",
    "pmap",
    "jit",
    "vmap",
    "checkpoint",
    "staticmethod",
}
