"""What calls into libraries give back, as far as it matters to tell Modules from other values."""

from __future__ import annotations

from collections.abc import Sequence

from nnx_migrate.analysis.domain.unknown import Unknown, unknown, unknown_by_name
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    GRAPHDEF,
    NAMED_AT_RUN_TIME,
    NOTHING,
    PLAIN,
    STATE,
    Basic,
    ContainerValue,
    Instance,
    LibraryValue,
    TupleValue,
    Value,
    Values,
)
from nnx_migrate.analysis.flax.array_functions import FUNCTIONS_OF_ARRAYS
from nnx_migrate.analysis.flax.names import layer_of, nnx_name
from nnx_migrate.analysis.flax.transforms import SPECS, of_jax, spec
from nnx_migrate.analysis.ir import nodes as ir

#: Modules whose constructor takes the Modules that they hold.
CONTAINER_CLASSES = frozenset({"List", "Sequential", "Dict"})

#: What takes a tree apart; objects come out whole where `is_leaf` says so.
TREE_LEAVES = frozenset({"jax.tree.leaves", "jax.tree_util.tree_leaves", "jax.tree_leaves"})
#: Classes whose name says nothing of what an object of them is.
ANY_OBJECT = frozenset(
    {"flax.nnx.Module", "flax.nnx.Pytree", "flax.nnx.Object", "flax.nnx.bridge.Module"}
)
_NNX_CONTAINERS = frozenset(f"flax.nnx.{name}" for name in CONTAINER_CLASSES)

#: Decorators that give what the first call with the same arguments gave.
CACHES = frozenset({"functools.cache", "functools.lru_cache"})
#: Decorators that are no transforms, whose result is that of the function.
_TRANSPARENT = CACHES | {
    "abc.abstractmethod",
    "functools.wraps",
    "staticmethod",
    "classmethod",
    "builtins.staticmethod",
    "builtins.classmethod",
    "contextlib.contextmanager",
}
#: Stands before "Class.method" of a library object.
METHOD = "<method>."
#: Attributes that code for older versions reads; an Optimizer held its model before Flax 0.11.
_OF_OLDER_VERSIONS = frozenset({"Optimizer.model"})
#: Methods that every nnx.Module has and that keep, or give back, arrays that they are given.
_OF_ANY_MODULE = frozenset({"perturb", "sow"})
SOWING = f"{METHOD}Module.sow"
_RNGSMETHODS = frozenset(
    {"fork", "split", "clone", "items", "keys", "values", "get", "pop", "reseed", "params_key"}
)
_ARRAY_LIBRARIES = ("jax.numpy.", "jax.random.", "jax.nn.", "jax.lax.", "numpy.", "optax.losses.")
#: Where functions are that make initializers, and initializers themselves.
INITIALIZERS = (
    "flax.linen.initializers.",
    "flax.nnx.initializers.",
    "flax.nnx.nn.initializers.",
    "jax.nn.initializers.",
)
#: A function that makes an array.
INITIALIZER: Values = frozenset({LibraryValue("jax.nn.initializers.<made>")})
_INITIALIZING = frozenset({"<made>", "ones", "zeros"})
#: Makes operations on arrays: what `bind` runs, and gives, are arrays.
_PRIMITIVES = frozenset({"jax.core.Primitive", "jax.extend.core.Primitive"})
_STATE_FUNCTIONS = frozenset({"state", "pop", "filter_state", "merge_state", "variables"})
#: Arrays that are written in place; a transform may not give back what it was given.
_REFERENCES = frozenset({"jax.new_ref", "jax.ref.new_ref", "jax.array_ref"})
_SAME_AS_ARGUMENT = frozenset(
    {
        "clone",
        "view",
        "as_abstract",
        "as_pure",
        "data",
        "from_tree",
        "lazy_init",
        "static",
        "with_attributes",
        "to_tree",
    }
)
#: Functions that give a container of what containers hold, or of what they are given.
_JOINING = frozenset(
    {
        "collections.ChainMap",
        "collections.OrderedDict",
        "collections.deque",
        "itertools.chain",
        "itertools.cycle",
        "itertools.islice",
        "itertools.chain.from_iterable",
        "types.MappingProxyType",
    }
)
#: Functions that give what is entered by `with` alone.
_ENTERED = frozenset({"contextlib.nullcontext", "contextlib.closing"})
_CONTAINER_BUILTINS = frozenset({"list", "tuple", "set", "sorted", "reversed", "iter", "frozenset"})
_PLAIN_BUILTINS = frozenset(
    {
        "abs",
        "all",
        "any",
        "ascii",
        "bin",
        "bool",
        "bytearray",
        "bytes",
        "callable",
        "chr",
        "complex",
        "delattr",
        "dir",
        "divmod",
        "float",
        "format",
        "hasattr",
        "hash",
        "hex",
        "id",
        "input",
        "int",
        "isinstance",
        "issubclass",
        "len",
        "memoryview",
        "oct",
        "open",
        "ord",
        "pow",
        "print",
        "range",
        "repr",
        "round",
        "setattr",
        "slice",
        "str",
        "sum",
    }
)
#: Functions that give a tree of the form of their first argument.
_TREE_PRESERVING = frozenset(
    {
        "copy.copy",
        "copy.deepcopy",
        "jax.block_until_ready",
        "jax.device_get",
        "jax.device_put",
        "jax.lax.all_gather",
        "jax.lax.optimization_barrier",
        "jax.lax.pmax",
        "jax.lax.pmean",
        "jax.lax.pmin",
        "jax.lax.psum",
        "jax.lax.stop_gradient",
        "jax.lax.with_sharding_constraint",
        "optax.apply_updates",
        "optax.incremental_update",
    }
)
#: Control flow, with the place of what it carries from one step to the next.
_CONTROL_FLOW: dict[str, int | None] = {
    "jax.lax.associative_scan": 1,
    "jax.lax.custom_root": None,
    **dict.fromkeys(of_jax(lambda t: t.iterates)),
    **{name: SPECS[name].carried for name in sorted(of_jax(lambda t: t.operands))},
}

_ANYTHING = unknown(Unknown.GIVEN)


def is_transform(dotted: str) -> bool:
    """Whether a call of this library function takes a function and gives a function."""
    known = spec(nnx_name(dotted) or dotted)
    return (known.gives_function and not known.collects) or dotted in CACHES


def gives_own_result(name: str) -> bool:
    """Whether a call of a function under a transform, or a decorator, gives what it would alone.

    Args:
        name: that of the transform, or the absolute one of the decorator.
    """
    known = spec(name)
    return (known.gives_function and known.result == "own") or name in _TRANSPARENT


def library_member(instance: Instance, name: str) -> Values:
    """An attribute of an instance of one of the library's classes that its table does not list."""
    layer = layer_of(instance.class_name)
    if layer is None or layer.name in {"Module", "Pytree", "Object"}:
        return NOTHING
    if layer.kind == "rngs" and name not in _RNGSMETHODS:
        return frozenset({Instance("flax.nnx.RngStream", origin="a stream of an Rngs")})
    if f"{layer.name}.{name}" in _OF_OLDER_VERSIONS:
        return instance.wraps or unknown(Unknown.OLDER_ATTRIBUTE, name=name, layer=layer.name)
    return frozenset({LibraryValue(f"{METHOD}{layer.name}.{name}")})


def module_member(name: str) -> Values:
    """An attribute that every nnx.Module has, whatever class of the project it is."""
    found = name in _OF_ANY_MODULE
    return frozenset({LibraryValue(f"{METHOD}Module.{name}")}) if found else NOTHING


def _method_result(name: str) -> Values:
    """The result of a method of a library object: `Rngs.fork`, `Linear.attend`."""
    owner, _, method = name.partition(".")
    if owner in {"Rngs", "RngStream"} and method in {"fork", "split", "clone"}:
        return frozenset({Instance(f"flax.nnx.{owner}", origin=f"{owner}.{method}")})
    return ARRAY


def library_result(dotted: str, nnx: str | None, arguments: Sequence[Values]) -> Values:
    """The result of calling a library function that is no transform.

    Args:
        dotted: its absolute dotted name.
        nnx: the name after `nnx.` if it is one of flax.nnx.
        arguments: what its positional arguments can be.
    """
    first = arguments[0] if arguments else NOTHING
    if nnx is not None and nnx.endswith(NAMED_AT_RUN_TIME):
        return unknown_by_name("getattr")
    if dotted in _TREE_PRESERVING:
        return first
    if dotted in _CONTROL_FLOW:
        place = _CONTROL_FLOW[dotted]
        carried = arguments[place] if place is not None and place < len(arguments) else NOTHING
        seen = carried and carried <= ARRAY | PLAIN
        return carried if seen else unknown(Unknown.RESULT, name=dotted)
    if dotted in _JOINING:
        held = _elements(frozenset[Value]().union(*arguments))
        whole = _elements(held) if dotted.endswith("from_iterable") else held
        return frozenset({ContainerValue(whole - PLAIN or whole)})
    if dotted in _ENTERED:
        return frozenset({ContainerValue(first)})
    if dotted.startswith(METHOD):
        return _method_result(dotted.removeprefix(METHOD))
    if dotted.startswith(INITIALIZERS):
        return ARRAY if dotted.rpartition(".")[2] in _INITIALIZING else INITIALIZER
    if nnx is not None:
        return _nnx_result(nnx.removeprefix("compat."), arguments)
    if dotted.startswith("builtins."):
        return _builtin_result(dotted.removeprefix("builtins."), arguments)
    if dotted.startswith("<container>."):
        return frozenset()
    if dotted in {"typing.cast", "typing_extensions.cast"} and len(arguments) > 1:
        return arguments[1]
    if dotted in {"jax.tree.map", "jax.tree_util.tree_map", "jax.tree_map"} and len(arguments) > 1:
        return arguments[1]
    if dotted.startswith(_ARRAY_LIBRARIES) or dotted in _PRIMITIVES:
        return ARRAY
    if dotted in _REFERENCES:
        return STATE
    if dotted.startswith(
        (
            "jax.sharding.",
            "jax.make_mesh",
            "jax.devices",
            "optax.",
            "math.",
            "time.",
            "argparse.",
            "os.",
            "logging.",
        )
    ):
        return PLAIN
    return unknown(Unknown.RESULT, name=dotted)


def result_of_any_arguments(dotted: str, nnx: str | None) -> Values:
    """What a call gives whatever it is given; nothing where that depends on the arguments."""
    if dotted in _CONTROL_FLOW or nnx == "recursive_map":
        return NOTHING
    return library_result(dotted, nnx, (_ANYTHING, _ANYTHING)) - _ANYTHING


def _nnx_result(name: str, arguments: Sequence[Values]) -> Values:
    first = arguments[0] if arguments else NOTHING
    if name == "recursive_map" and len(arguments) > 1:
        return _mapped(arguments[1])
    if name == "split":
        return frozenset({TupleValue((GRAPHDEF, *([STATE] * 7)))})
    if name == "graphdef":
        return GRAPHDEF
    if name in _STATE_FUNCTIONS:
        return STATE
    if name in _SAME_AS_ARGUMENT:
        return first
    if spec(name).inspects:
        return _abstract(first)
    if name in {"StateAxes", "StateSharding", "DiffState", "Carry"}:
        return PLAIN
    if name in FUNCTIONS_OF_ARRAYS:
        return ARRAY
    return unknown(Unknown.RESULT, name=f"nnx.{name}")


def _mapped(node: Values) -> Values:
    """An object of which each part may have been replaced by another."""
    if not node or not all(isinstance(value, Instance) for value in node):
        return unknown(Unknown.RESULT, name="nnx.recursive_map")
    return frozenset({Instance("flax.nnx.Module", origin="the result of nnx.recursive_map")})


def _abstract(function: Values) -> Values:
    return unknown(Unknown.ABSTRACT_MODEL) if function else NOTHING


def _builtin_result(name: str, arguments: Sequence[Values]) -> Values:
    if name in {"next", "min", "max"} and arguments:
        held = frozenset[Value]().union(*arguments) if len(arguments) > 1 else arguments[0]
        return _elements(held)
    if name in {"staticmethod", "classmethod"} and arguments:
        return arguments[0]
    if name in _CONTAINER_BUILTINS and arguments:
        return frozenset({ContainerValue(PLAIN)}) if is_dict(arguments[0]) else arguments[0]
    if name in {"zip", "enumerate"}:
        columns = ([PLAIN] if name == "enumerate" else []) + [iterated_of(a) for a in arguments]
        return frozenset({ContainerValue(frozenset({TupleValue(tuple(columns))}))})
    if name in _CONTAINER_BUILTINS:
        return frozenset({ContainerValue(NOTHING)})
    if name in _PLAIN_BUILTINS or name.endswith(("Error", "Exception", "Warning", "Exit")):
        return PLAIN
    return unknown(Unknown.RESULT, name=f"{name}()")


def elements_of(value: Value) -> Values:
    """What indexing a value, or iterating over it, gives."""
    match value:
        case TupleValue(elements=elements):
            return frozenset[Value]().union(*elements)
        case ContainerValue(element=element):
            return element
        case Instance(wraps=wraps) if wraps:
            return wraps
        case Instance(class_name="flax.nnx.Rngs"):
            return frozenset({Instance("flax.nnx.RngStream", origin="a stream of an Rngs")})
        case Instance(class_name=name, exact=True) if name in _NNX_CONTAINERS:
            return NOTHING  # what it is given later on is seen where it is given
        case Basic():
            return frozenset({value})
        case _:
            return unknown(Unknown.ELEMENT)


def is_dict(values: Values) -> bool:
    """Whether a value is certainly a dict, which gives its keys where it is iterated over."""
    return bool(values) and values == dicts(values)


def dicts(values: Values) -> Values:
    """Those of the values a name may have that are dicts."""
    keyed = {value: _keyed(value) for value in values}
    if "yes" not in keyed.values() or "no" in keyed.values():
        return frozenset(value for value in values if keyed[value] == "yes")
    return values


def _keyed(value: Value) -> ir.Keyed:
    match value:
        case ContainerValue(keyed=keyed):
            return keyed
        case Instance(class_name="flax.nnx.Dict"):
            return "yes"
        case _:
            return "no"


def iterated_of(values: Values) -> Values:
    """What iterating over a value gives."""
    keyed = dicts(values)
    return (PLAIN if keyed else NOTHING) | _elements(values - keyed)


def _elements(values: Values) -> Values:
    return frozenset[Value]().union(*map(elements_of, values))
