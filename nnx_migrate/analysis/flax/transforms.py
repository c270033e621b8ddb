"""The registry of transforms: what each one is and does, and queries over that.

A new transform of flax.nnx, or of jax, is an entry here; no other module says one's name. A
project's own ones are like one of these (`wrappers.py`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from types import MappingProxyType

from nnx_migrate.analysis.flax.transform_spec import ControlFlow, TransformSpec

_COND = ControlFlow(("pred", "true_fun", "false_fun"), (1, 2), (1, 2), 3)
_SWITCH = ControlFlow(("index", "branches"), (1,), (1,), 2, listed=True)
# What the condition changes is dropped in every mode.
_WHILE = ControlFlow(("cond_fun", "body_fun", "init_val"), (0, 1), (1,), 2, carried=2, rebinds=True)
_FORI = ControlFlow(("lower", "upper", "body_fun", "init_val"), (2,), (2,), 3, 1, carried=3)

_JIT = TransformSpec(
    name="jit",
    traces=True,
    compiles=True,
    checks_trace_level=True,
    places=("in_shardings", "out_shardings"),
    donates=True,
    gives_back=True,
    stacks=True,
    keeps_keywords=True,
    shared_options=frozenset({"static_argnums", "inline", "keep_unused"}),
    participle="jitted",
)
_VMAP = TransformSpec(
    name="vmap",
    traces=True,
    checks_trace_level=True,
    maps_axes=True,
    gives_back=True,
    stacks=True,
    by_place="axes",
    plain_options=frozenset({"in_axes", "out_axes", "axis_size", "axis_name"}),
    shared_options=frozenset({"in_axes", "out_axes", "axis_name", "axis_size"}),
    lambda_name="mapped_fn",
    participle="vmapped",
)
_REMAT = TransformSpec(
    name="remat",
    traces=True,
    checks_trace_level=True,
    gives_back=True,
    stacks=True,
    by_place="static",
    plain_options=frozenset({"policy", "prevent_cse"}),
    shared_options=frozenset({"static_argnums", "prevent_cse", "policy"}),
)
_GRAD = TransformSpec(
    name="grad",
    result="gradient",
    traces=True,
    checks_trace_level=True,
    differentiates=True,
    stacks=True,
    keeps_keywords=True,
    shared_options=frozenset({"argnums", "has_aux"}),
    lambda_name="loss_fn",
)
_VALUE_AND_GRAD = dataclasses.replace(_GRAD, name="value_and_grad", result="value and gradient")
_SPLIT_RNGS = TransformSpec(name="split_rngs", splits_rngs=True)


def _flow(name: str, operands: ControlFlow, options: frozenset[str] = frozenset()) -> TransformSpec:
    return TransformSpec(
        name=name,
        gives_function=False,
        calls_at_once=True,
        traces=True,
        checks_trace_level=True,
        carries=operands.carried is not None,
        operands=operands,
        shared_options=options,
    )


_FLOWS = (
    _flow("cond", _COND),
    _flow("switch", _SWITCH),
    _flow("while_loop", _WHILE, frozenset(_WHILE.parameters)),
    _flow("fori_loop", _FORI, frozenset({*_FORI.parameters, "unroll"})),
)
_OF_NNX = (
    _JIT,
    _VMAP,
    dataclasses.replace(
        _VMAP,
        name="pmap",
        compiles=True,
        stacks=False,
        shared_options=frozenset(),
        lambda_name="fn",
        participle="pmapped",
    ),
    TransformSpec(
        name="scan",
        traces=True,
        checks_trace_level=True,
        maps_axes=True,
        carries=True,
        iterates=True,
        gives_back=True,
        by_place="axes",
        plain_options=frozenset({"in_axes", "out_axes", "length", "reverse", "unroll"}),
        lambda_name="scanned_fn",
        participle="scanned",
    ),
    _REMAT,
    dataclasses.replace(_REMAT, name="checkpoint", shared_options=frozenset()),
    TransformSpec(
        name="shard_map",
        traces=True,
        checks_trace_level=True,
        places=("in_specs", "out_specs"),
        lambda_name="sharded_fn",
    ),
    TransformSpec(
        name="checkify",
        result="error and own",
        traces=True,
        checks_trace_level=True,
        stacks=True,
        by_place="keywords",
    ),
    _GRAD,
    _VALUE_AND_GRAD,
    TransformSpec(name="custom_vjp", checks_trace_level=True, has_passes=True),
    TransformSpec(name="cached_partial", binds=True),
    TransformSpec(name="jit_partial", is_site=False, binds=True),
    TransformSpec(name="eval_shape", gives_function=False, calls_at_once=True, inspects=True),
    _SPLIT_RNGS,
    dataclasses.replace(_SPLIT_RNGS, name="fork_rngs"),
    TransformSpec(name="capture", is_site=False, collects=True),
    TransformSpec(name="vjp", is_site=False, gives_function=False, calls_at_once=True),
    TransformSpec(name="transform_metadata", is_site=False, names_axes=True),
    TransformSpec(name="with_rngs", is_site=False),
    TransformSpec(name="set_graph_mode", is_site=False, sets_mode=True),
    TransformSpec(name="set_graph_updates", is_site=False, sets_mode=True),
    *_FLOWS,
)


def _like(name: str, like: TransformSpec) -> TransformSpec:
    """One of jax that is called as one of nnx is; it looks at no trace level of objects."""
    return dataclasses.replace(like, name=name, twin=like.name, checks_trace_level=False)


_MAKE_JAXPR = TransformSpec(
    name="make_jaxpr",
    gives_function=False,
    inspects=True,
    shared_options=frozenset({"static_argnums", "return_shape"}),
)
_JACOBIAN = TransformSpec(name="jax.jacrev", result="unknown", differentiates=True)
_LINEAR = TransformSpec(name="jax.linearize", gives_function=False, differentiates=True)
_OF_JAX = (
    _like("jax.jit", _JIT),
    _like("jax.vmap", _VMAP),
    _like("jax.grad", _GRAD),
    _like("jax.value_and_grad", _VALUE_AND_GRAD),
    _like("jax.checkpoint", _REMAT),
    _like("jax.remat", _REMAT),
    _like("jax.make_jaxpr", _MAKE_JAXPR),
    *(_like(f"jax.lax.{flow.name}", flow) for flow in _FLOWS),
    TransformSpec(
        name="jax.eval_shape",
        gives_function=False,
        calls_at_once=True,
        inspects=True,
        becomes="eval_shape",
    ),
    TransformSpec(
        name="jax.lax.scan",
        gives_function=False,
        calls_at_once=True,
        traces=True,
        carries=True,
        iterates=True,
        becomes="scan",
    ),
    TransformSpec(
        name="jax.lax.map",
        gives_function=False,
        calls_at_once=True,
        traces=True,
        iterates=True,
        becomes="scan",
    ),
    # Of these nnx has none that can take their place in both modes.
    TransformSpec(name="jax.pmap", traces=True, compiles=True, maps_axes=True),
    TransformSpec(name="jax.shard_map", traces=True, places=("in_specs", "out_specs")),
    _JACOBIAN,
    dataclasses.replace(_JACOBIAN, name="jax.jacfwd"),
    dataclasses.replace(_JACOBIAN, name="jax.hessian"),
    dataclasses.replace(_JACOBIAN, name="jax.custom_gradient", differentiates=False),
    _LINEAR,
    dataclasses.replace(_LINEAR, name="jax.jvp"),
    dataclasses.replace(_LINEAR, name="jax.vjp", calls_at_once=True),
    dataclasses.replace(_LINEAR, name="jax.linear_transpose"),
    dataclasses.replace(_LINEAR, name="jax.closure_convert", differentiates=False),
    TransformSpec(name="jax.custom_vjp", is_site=False, has_passes=True),
    TransformSpec(name="jax.custom_jvp", is_site=False),
)
#: Every transform, by its name.
SPECS: Mapping[str, TransformSpec] = MappingProxyType(
    {known.name: known for known in (*_OF_NNX, *_OF_JAX)}
)
_NONE = TransformSpec(name="", is_site=False, gives_function=False, result="unknown")


def spec(name: str | None) -> TransformSpec:
    """What is known of a transform; of other names, that it does nothing of all that.

    Args:
        name: as sites have it ("jit", "jax.jit"), or after `nnx.` ("compat.jit").
    """
    return SPECS.get((name or "").removeprefix("compat."), _NONE)


def of_nnx(holds: Callable[[TransformSpec], object]) -> frozenset[str]:
    """The names of the transforms of nnx of which something holds."""
    return frozenset(known.name for known in _OF_NNX if holds(known))


def of_jax(holds: Callable[[TransformSpec], object]) -> frozenset[str]:
    """The absolute names of the transforms of jax of which something holds."""
    return frozenset(known.name for known in _OF_JAX if holds(known))


def dotted(known: TransformSpec) -> str:
    """The absolute name of a transform: "flax.nnx.jit", "jax.jit"."""
    return known.name if known.of_jax else f"flax.nnx.{known.name}"


def in_nnx(name: str) -> str:
    """The name of the transform of nnx that is called in the same way as one of jax, or its own."""
    return spec(name).twin or name


#: Those that, called with a function, give one.
NNX_TRANSFORMS = of_nnx(lambda t: t.gives_function and not t.collects)
#: Transforms of which every use is looked at.
TRANSFORMS = of_nnx(lambda t: t.is_site and t.operands is None)
#: Those that are called with functions and what these are called with.
CONTROL_FLOW = of_nnx(lambda t: t.operands)
#: Those whose functions run on tracers, and give back what they change.
TRACING = of_nnx(lambda t: t.traces and t.operands is None and not t.differentiates)
GRADIENTS = of_nnx(lambda t: t.differentiates)
#: Decorators that trace nothing, but give the function a copy of the object in tree mode.
SPLITTERS = of_nnx(lambda t: t.splits_rngs)
#: Those under which what is sown is a part of the result.
COLLECTING = of_nnx(lambda t: t.collects)
#: Those that set a mode for what the function does; the one of objects first.
SETTERS = tuple(known.name for known in _OF_NNX if known.sets_mode)
#: Functions of jax that are sites: they are called on, or capture, an object of nnx.
JAX_SITES = of_jax(lambda t: t.is_site)
#: Transforms of jax that none of nnx can take the place of in both modes.
ONLY_OF_JAX = of_jax(lambda t: t.is_site and not t.twin and not t.becomes)
#: The last names of what may be called on a function to get one that runs it.
WRAPPERS = NNX_TRANSFORMS | {"partial", "wraps", "staticmethod"}
WRAPPERS |= {name.rpartition(".")[2] for name in of_jax(lambda t: t.gives_function)}
#: The keyword by which transforms that map axes are told the metadata of Variables.
METADATA_OPTION = "transform_metadata"


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
#: Those of them that do it when they are called, however the call finds them.
CHOSEN_METHODS = OBJECT_METHODS - {"iter_modules"}
#: Methods that are sites, with the names of these.
METHODS: Mapping[str, str] = {
    **{name: f"Module.{name}" for name in sorted(OBJECT_METHODS)},
    "apply": "GraphDef.apply",
}
#: What is named by the transform of a site that is a call of a package outside of the project.
OTHER_PACKAGE = "function of another package"
#: `getattr(nnx, name)`, of which no name in the source tells what it is.
COMPUTED = "getattr"
#: What is named by the transform of a site that comes to functions of nnx under no name.
AS_VALUE = "<any>"
#: What a site is named by.
SITE_NAMES = TRANSFORMS | CONTROL_FLOW | OBJECT_FUNCTIONS.keys() | {COMPUTED}
