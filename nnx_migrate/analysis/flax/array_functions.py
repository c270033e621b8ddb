"""Functions of flax.linen and flax.nnx that take arrays and give one."""

from __future__ import annotations

FUNCTIONS_OF_ARRAYS = frozenset(
    {
        "avg_pool",
        "celu",
        "dot_product_attention",
        "elu",
        "gelu",
        "glu",
        "hard_sigmoid",
        "hard_silu",
        "hard_swish",
        "hard_tanh",
        "leaky_relu",
        "log_sigmoid",
        "log_softmax",
        "logsumexp",
        "make_attention_mask",
        "make_causal_mask",
        "max_pool",
        "min_pool",
        "one_hot",
        "relu",
        "relu6",
        "selu",
        "sigmoid",
        "silu",
        "soft_sign",
        "softmax",
        "softplus",
        "standardize",
        "swish",
        "tanh",
    }
)
