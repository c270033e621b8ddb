"""What is known of JAX's primitives, by name.

What is in none of these tables is hashed with all of its parameters.

Parameters that may be left out are listed for each primitive, and those of primitives with bodies
have to be known in full: a parameter that a later JAX adds leads to a refusal and never to a
wrong proof.
"""

from __future__ import annotations

#: Calls, by the parameter that holds the body. They are replaced by it: only values count here,
#: and neither compilation, rematerialization nor a derivative rule changes them.
CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "checkpoint": "jaxpr",
    "remat": "jaxpr",
    "remat2": "jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
}

#: Bodies that run as often as the program says, or not at all, or on each shard.
CONTROL = frozenset({"scan", "while", "cond", "shard_map"})

_JIT = frozenset(
    {
        "in_shardings",
        "out_shardings",
        "in_layouts",
        "out_layouts",
        "donated_invars",
        "ctx_mesh",
        "name",
        "keep_unused",
        "inline",
        "compiler_options_kvs",
    }
)
_REMAT = frozenset({"prevent_cse", "differentiated", "policy"})
#: Parameters that cannot change a value, or that the rules of the primitive look at themselves.
KNOWN_PARAMETERS = {
    "jit": _JIT,
    "pjit": _JIT,
    "closed_call": frozenset[str](),
    "core_call": frozenset({"name"}),
    "checkpoint": _REMAT,
    "remat": _REMAT,
    "remat2": _REMAT,
    "custom_jvp_call": frozenset({"jvp_jaxpr_fun", "num_consts", "symbolic_zeros"}),
    "custom_vjp_call": frozenset(
        {"fwd_jaxpr_thunk", "num_consts", "bwd", "out_trees", "symbolic_zeros"}
    ),
    "scan": frozenset(
        {
            "reverse",
            "length",
            "jaxpr",
            "num_consts",
            "num_carry",
            "linear",
            "unroll",
            "_split_transpose",
        }
    ),
    "while": frozenset({"cond_nconsts", "cond_jaxpr", "body_nconsts", "body_jaxpr"}),
    "cond": frozenset({"branches", "branches_platforms"}),
    "shard_map": frozenset(
        {"mesh", "in_specs", "out_specs", "jaxpr", "check_vma", "newly_manual_axes"}
    ),
}

#: Give each operand back as it is. Placement is no part of a value.
COPIES = frozenset(
    {
        "copy",
        "copy_p",
        "device_put",
        "mesh_cast",
        "name",
        "optimization_barrier",
        "reshard",
        "sharding_constraint",
        "stop_gradient",
    }
)

#: Two operands, in either order: to the last bit, which leaves out `max` and `min` (of zeros of two
#: signs they may give the first). `add_any` is how JAX spells the addition of gradients.
COMMUTATIVE = frozenset({"add", "add_any", "mul", "and", "or", "xor", "eq", "ne"})
SAME_AS = {"add_any": "add", "gt": "lt", "ge": "le"}
FLIPPED = frozenset({"gt", "ge"})

#: Functionals of closed functions: equal functions and parameters make equal primitives.
FUNCTIONALS = frozenset(
    {
        "custom_linear_solve",
        "reduce",
        "reduce_window",
        "scatter",
        "scatter-add",
        "scatter-max",
        "scatter-min",
        "scatter-mul",
        "scatter-sub",
        "scatter_add",
        "scatter_max",
        "scatter_min",
        "scatter_mul",
        "scatter_sub",
        "select_and_scatter",
    }
)

#: Never looked at, and why.
REFUSED = {
    "rng_uniform": "draws from a hidden state",
    "ffi_call": "runs foreign code",
}

#: Where the drawing of random bits depends on how keys are laid out over devices.
RANDOM = ("random_", "threefry", "rng_")

_PLACEMENT = frozenset({"sharding", "out_sharding"})
_IGNORED = {
    "reduce": frozenset({"computation"}),  # what `jaxpr` was made of
    "convert_element_type": frozenset({"weak_type", "sharding"}),
}


def ignored(primitive: str) -> frozenset[str]:
    """The parameters of a primitive without a body that cannot change its value."""
    return _IGNORED.get(primitive, _PLACEMENT)
