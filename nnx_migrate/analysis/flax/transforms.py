"""The names of what takes a function and gives one that does something around it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

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


@dataclasses.dataclass(frozen=True, slots=True)
class ControlFlow:
    """How a control-flow function is called, by places of its arguments.

    Args:
        parameters: names of its first parameters.
        functions: the functions that it calls.
        changing: those of them whose changes of the operands are kept.
        start: where the operands begin.
        leading: how many parameters the functions have in front of them.
    """

    parameters: tuple[str, ...]
    functions: tuple[int, ...]
    changing: tuple[int, ...]
    start: int
    leading: int = 0


CONTROL_FLOW: Mapping[str, ControlFlow] = {
    "cond": ControlFlow(("pred", "true_fun", "false_fun"), (1, 2), (1, 2), 3),
    "switch": ControlFlow(("index", "branches"), (1,), (1,), 2),
    # What the condition changes is dropped in every mode.
    "while_loop": ControlFlow(("cond_fun", "body_fun", "init_val"), (0, 1), (1,), 2),
    "fori_loop": ControlFlow(("lower", "upper", "body_fun", "init_val"), (2,), (2,), 3, 1),
}

#: Those of them that carry what they are given.
LOOPS = frozenset({"while_loop", "fori_loop"})
SCANS = frozenset({"scan", "jax.lax.scan", "jax.lax.map"})

#: Transforms of which every use is looked at.
TRANSFORMS = frozenset(
    {
        "grad",
        "value_and_grad",
        "vmap",
        "pmap",
        "scan",
        "jit",
        "shard_map",
        "remat",
        "checkpoint",
        "checkify",
        "custom_vjp",
        "cached_partial",
        "eval_shape",
        "split_rngs",
        "fork_rngs",
    }
)
#: Transforms of jax, with the one of nnx that is called in the same way.
NNX_OF_JAX: Mapping[str, str] = {
    "jax.jit": "jit",
    "jax.vmap": "vmap",
    "jax.grad": "grad",
    "jax.value_and_grad": "value_and_grad",
    "jax.checkpoint": "remat",
    "jax.remat": "remat",
    "jax.make_jaxpr": "make_jaxpr",
    "jax.lax.cond": "cond",
    "jax.lax.switch": "switch",
    "jax.lax.while_loop": "while_loop",
    "jax.lax.fori_loop": "fori_loop",
}
#: Transforms of jax that none of nnx can take the place of in both modes.
ONLY_OF_JAX = frozenset(
    f"jax.{name}"
    for name in (
        "closure_convert",
        "custom_gradient",
        "hessian",
        "jacfwd",
        "jacrev",
        "jvp",
        "linear_transpose",
        "linearize",
        "pmap",
        "shard_map",
        "vjp",
    )
)
#: Functions of jax that are sites: they are called on, or capture, an object of nnx.
JAX_SITES = (
    frozenset({"jax.eval_shape", "jax.lax.scan", "jax.lax.map"}) | NNX_OF_JAX.keys() | ONLY_OF_JAX
)


@dataclasses.dataclass(frozen=True, slots=True)
class ObjectFunction:
    """A function that is given an object and transforms nothing.

    Args:
        place: the place of the object among its arguments.
        keyword: its name.
    """

    place: int
    keyword: str


#: Functions that take an object apart, copy it, walk over it, keep it or put it together.
OBJECT_FUNCTIONS: Mapping[str, ObjectFunction] = {
    **dict.fromkeys(("split", "state", "clone", "graphdef", "flatten"), ObjectFunction(0, "node")),
    **dict.fromkeys(("variables", "unpack", "view", "view_info"), ObjectFunction(0, "node")),
    **dict.fromkeys(("with_attributes", "reseed", "set_metadata"), ObjectFunction(0, "node")),
    "iter_graph": ObjectFunction(0, "node"),
    "iter_modules": ObjectFunction(0, "module"),
    "recursive_map": ObjectFunction(1, "node"),
    "map": ObjectFunction(1, "node"),
    "as_abstract": ObjectFunction(0, "tree"),
    "abstract_with_sharding": ObjectFunction(0, "tree"),
    "tabulate": ObjectFunction(0, "obj"),
    "capture": ObjectFunction(0, "fn"),
    "merge": ObjectFunction(0, "graphdef"),
    "call": ObjectFunction(0, "graphdef_state"),
    "Optimizer": ObjectFunction(0, "model"),
    "ModelAndOptimizer": ObjectFunction(0, "model"),
    "EMA": ObjectFunction(0, "params"),
    # These are given what makes the object.
    "get_abstract_model": ObjectFunction(0, "init_fn"),
    "ToLinen": ObjectFunction(0, "nnx_class"),
}
#: Classes whose objects keep a State of the object that they are made of.
KEEPERS = frozenset({"Optimizer", "ModelAndOptimizer", "EMA"})
#: Methods of a Module that do such things to it.
OBJECT_METHODS = frozenset({"train", "eval", "set_attributes", "iter_modules"})
#: Methods that are sites, with the names of these.
METHODS: Mapping[str, str] = {
    **{name: f"Module.{name}" for name in sorted(OBJECT_METHODS)},
    "apply": "GraphDef.apply",
}
#: Decorators that trace nothing, but give the function a copy of the object in tree mode.
SPLITTERS = frozenset({"split_rngs", "fork_rngs"})
#: What is named by the transform of a site that is a call of a package outside of the project.
OTHER_PACKAGE = "function of another package"
#: What a site is named by.
#: `getattr(nnx, name)`, of which no name in the source tells what it is.
COMPUTED = "getattr"
SITE_NAMES = TRANSFORMS | CONTROL_FLOW.keys() | OBJECT_FUNCTIONS.keys() | {COMPUTED}
