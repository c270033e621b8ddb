"""What library functions do to an object that they are given."""

from __future__ import annotations

from nnx_migrate.analysis.domain.values import NAMED_AT_RUN_TIME
from nnx_migrate.analysis.flax.transforms import CONTROL_FLOW
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import TREE_LEAVES
from nnx_migrate.analysis.symbols.program import nnx_name

#: nnx functions that change the object that they are given, or give it to code that does.
_CHANGING = frozenset(
    {
        "pop",
        "set_attributes",
        "train",
        "eval",
        "split_rngs",
        "fork_rngs",
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
#: Those of them that keep what they are given.
GROWING_METHODS = frozenset(
    {"add", "append", "appendleft", "extend", "extendleft", "insert", "setdefault", "update"}
)
#: Functions that bind arguments to a function, by their names after `nnx.` or absolute ones.
BINDING = frozenset(
    {
        "functools.partial",
        "jax.tree_util.Partial",
        "jit_partial",
        "cached_partial",
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
#: Functions that call their first argument.
APPLYING = frozenset({"eval_shape", "jax.eval_shape", "jax.lax.map", "jax.lax.scan"})
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
    return True if dotted.startswith(_HARMLESS_PREFIXES) else None


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
    name = name.removeprefix("compat.") if name else None
    if name == "switch":
        branches = call.args[1] if len(call.args) > 1 else None
        functions = branches.elements if isinstance(branches, ir.Sequence) else ()
        start, before = 2, 0
    elif name is not None and name in CONTROL_FLOW:
        flow = CONTROL_FLOW[name]
        start, before = flow.start, flow.leading
        functions = tuple(call.args[i] for i in flow.functions if i < len(call.args))
    else:
        return None
    return [
        (function, place - start + before)
        for function in functions
        for place in places
        if place >= start
    ]
