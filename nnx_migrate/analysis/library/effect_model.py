"""What library functions do to an object that they are given."""

from __future__ import annotations

import itertools

from nnx_migrate.analysis.domain.values import NAMED_AT_RUN_TIME
from nnx_migrate.analysis.flax.array_functions import FUNCTIONS_OF_ARRAYS
from nnx_migrate.analysis.flax.names import nnx_name
from nnx_migrate.analysis.flax.transforms import SPECS, SPLITTERS, of_nnx, spec
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import TREE_LEAVES

#: Attributes of a Variable that are no Variable themselves.
VARIABLE_READS = frozenset(
    {
        "value",
        "raw_value",
        "shape",
        "dtype",
        "ndim",
        "size",
        "T",
        "at",
        "get_value",
        "get_raw_value",
    }
)
#: Those that can be set: on a Variable that is its new value, and no change of structure.
VARIABLE_WRITES = frozenset({"value", "raw_value"})
#: nnx functions that change the object that they are given, or give it to code that does.
_CHANGING = SPLITTERS | frozenset(
    {
        "pop",
        "set_attributes",
        "train",
        "eval",
        "set_metadata",
        "recursive_map",
        "map",
        "lazy_init",
    }
)
_HARMLESS_PREFIXES = (
    "jax.",
    "numpy.",
    "optax.",
    "math.",
    "functools.",
    "itertools.",
    "operator.",
    "einops.",
    "dataclasses.",
    "typing.",
    "chex.",
    "logging.",
    "absl.logging.",
    "warnings.",
    "copy.",
    "builtins.",
    "types.MethodType",
    "weakref.",
    "<container>.",
    "<method>.",
    "<tree>.",
)
#: Functions of flax.linen on arrays and on names of axes.
_LINEN_FUNCTIONS = FUNCTIONS_OF_ARRAYS | {
    "combine_masks",
    "dot_product_attention_weights",
    "get_logical_axis_rules",
    "get_partition_spec",
    "get_sharding",
    "logical_axis_rules",
    "logical_to_mesh",
    "logical_to_mesh_axes",
    "logical_to_mesh_sharding",
    "normalize",
    "with_logical_constraint",
}
_LINEN_MODULES = frozenset(
    {
        "flax.linen",
        "flax.linen.activation",
        "flax.linen.attention",
        "flax.linen.partitioning",
        "flax.linen.pooling",
        "flax.linen.spmd",
    }
)
_CHANGING_BUILTINS = frozenset(
    {
        "builtins.setattr",
        "builtins.delattr",
        "builtins.vars",
        "builtins.object.__setattr__",
        "builtins.object.__delattr__",
        "operator.setitem",
        "operator.delitem",
        "operator.iadd",
        "operator.iconcat",
    }
)
#: Functions that only look at what they are given, and give back no part of it.
_LOOKING = frozenset(
    {
        "inspect.getdoc",
        "inspect.getfile",
        "inspect.getfullargspec",
        "inspect.getmodule",
        "inspect.getsource",
        "inspect.isclass",
        "inspect.isfunction",
        "inspect.ismethod",
        "inspect.isroutine",
        "inspect.signature",
    }
)
#: They hand the object to code that nothing here says anything about.
_OPAQUE = frozenset({"functools.reduce", "functools.singledispatch", "operator.methodcaller"})
_OPAQUE_NNX = frozenset(
    {"update_context", "split_context", "merge_context", "with_vars", "vars_as", "call", "unpack"}
)

#: Methods of nnx.Module, and of lists, that change the object.
STRUCTURAL_METHODS = frozenset(
    {
        "append",
        "eval",
        "extend",
        "insert",
        "perturb",
        "set_attributes",
        "set_metadata",
        "set_mode",
        "sow",
        "train",
    }
)
#: Methods that write an attribute, of all objects.
ATTRIBUTE_METHODS = frozenset({"__setattr__", "__delattr__"})
CHANGING_METHODS = STRUCTURAL_METHODS | ATTRIBUTE_METHODS
#: Methods of lists, dicts, sets and deques that change them.
MUTATING_METHODS = frozenset(
    {
        "__delitem__",
        "__iadd__",
        "__ior__",
        "__setitem__",
        "add",
        "append",
        "appendleft",
        "clear",
        "discard",
        "extend",
        "extendleft",
        "insert",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "reverse",
        "setdefault",
        "sort",
        "update",
    }
)
#: Those of them that take something out, or change the order.
TAKING_METHODS = frozenset(
    {"clear", "discard", "pop", "popitem", "popleft", "remove", "reverse", "sort"}
)
#: Those of them that keep what they are given.
GROWING_METHODS = frozenset(
    {"add", "append", "appendleft", "extend", "extendleft", "insert", "setdefault", "update"}
)
#: Functions that bind arguments to a function, by their names after `nnx.` or absolute ones.
BINDING = of_nnx(lambda t: t.binds) | frozenset(
    {
        "functools.partial",
        "jax.tree_util.Partial",
        "operator.call",
        "types.MethodType",
    }
)
#: Functions that call their first argument with elements of the others.
MAPPING = frozenset(
    {
        "builtins.map",
        "builtins.filter",
        "itertools.starmap",
        "jax.tree.map",
        "jax.tree_map",
        "jax.tree_util.tree_map",
    }
)
#: What sets the name and the text of its first argument, `functools.wraps(f)(wrapper)` included.
NAMING = frozenset({"functools.update_wrapper", "<given>"})
#: Functions that call their first argument.
APPLYING = frozenset(t.name for t in SPECS.values() if t.calls_at_once and t.operands is None)
_CONTAINERS = frozenset({"builtins.dict", "builtins.list", "builtins.set"})
_PARTS = frozenset(
    {
        "typing.cast",
        "copy.copy",
        "dataclasses.replace",
        "builtins.dict",
        "builtins.enumerate",
        "builtins.filter",
        "builtins.frozenset",
        "builtins.getattr",
        "builtins.iter",
        "builtins.list",
        "builtins.max",
        "builtins.min",
        "builtins.next",
        "builtins.reversed",
        "builtins.set",
        "builtins.sorted",
        "builtins.tuple",
        "builtins.vars",
        "builtins.zip",
        "flax.linen.partitioning.with_logical_constraint",
        "flax.linen.spmd.with_logical_constraint",
        "flax.linen.with_logical_constraint",
        "functools.reduce",
        "weakref.proxy",
        "weakref.ref",
    }
)
_NNX_PARTS = frozenset({"iter_modules", "iter_children", "iter_graph", "iter_module_children"})


def harmless_library_call(dotted: str) -> bool | None:
    """Whether a library call leaves the structure of its arguments alone; None when not known."""
    if dotted.endswith(NAMED_AT_RUN_TIME):
        return None
    name = nnx_name(dotted)
    if name is not None:
        short = name.removeprefix("compat.")
        return None if short in _OPAQUE_NNX else short not in _CHANGING
    if dotted in _OPAQUE:
        return None
    if dotted in _CHANGING_BUILTINS or _changes_container(dotted):
        return False
    if dotted in _LOOKING or dotted.startswith(_HARMLESS_PREFIXES) or _of_linen(dotted):
        return True
    return None


def _of_linen(dotted: str) -> bool:
    module, _, name = dotted.rpartition(".")
    return name in _LINEN_FUNCTIONS and module in _LINEN_MODULES


def _changes_container(dotted: str) -> bool:
    """Whether it is a method of a container, called by its class: `dict.update(d, n=1)`."""
    base, _, name = dotted.rpartition(".")
    return name in MUTATING_METHODS and base in _CONTAINERS


def gives_part_of(dotted: str) -> bool:
    """Whether a library function gives back what it was given, or something that holds it."""
    name = nnx_name(dotted)
    if name is not None:
        return name in _NNX_PARTS
    return dotted in _PARTS | TREE_LEAVES or dotted.startswith("itertools.")


def operands_of(dotted: str, call: ir.Call, places: list[int]) -> list[tuple[ir.Expr, int]] | None:
    """For control flow: the functions that receive the arguments at `places`, as which parameter.

    None when the callee is no control flow.
    """
    name = nnx_name(dotted)
    if name is None and dotted.startswith(("jax.lax.", "jax.")):
        name = dotted.rpartition(".")[2]
    flow = spec(name).operands
    if flow is None:
        return None
    functions = tuple(call.args[i] for i in flow.functions if i < len(call.args))
    if flow.listed:
        listed = [each.elements for each in functions if isinstance(each, ir.Sequence)]
        functions = tuple(itertools.chain.from_iterable(listed))
    return [
        (function, place - flow.start + flow.leading)
        for function in functions
        for place in places
        if place >= flow.start
    ]
