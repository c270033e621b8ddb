"""What functions and classes of libraries are called where the analysis speaks of them."""

from __future__ import annotations

import builtins

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.flax.names import nnx_name
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.higher_order import METHOD
from nnx_migrate.analysis.symbols.program import Project


def taker_name(project: Project, scope: Scope, func: ir.Expr) -> str:
    """The name of what is called in the table of what takes functions; "" for none.

    A method of an object that is not known to be something else may be any of that name.
    """
    dotted = project.dotted(scope, func)
    if dotted is not None:
        return canonical(dotted)
    match func:
        case ir.Name(id=name) if hasattr(builtins, name) and not project.bindings(scope, name):
            return f"builtins.{name}"
        case ir.Attribute(name=name):
            return f"{METHOD}{name}"
        case _:
            return ""


def canonical(dotted: str) -> str:
    """A dotted name, of nnx the public one outside of `compat`."""
    name = nnx_name(dotted)
    return dotted if name is None else f"flax.nnx.{name.removeprefix('compat.')}"


#: What is called, or inherited from, to make a class of tuples with names.
NAMED_TUPLES = frozenset({"typing.NamedTuple", "collections.namedtuple"})
TREE_BASES = NAMED_TUPLES | {
    "flax.struct.PyTreeNode",
    "builtins.dict",
    "builtins.tuple",
    "builtins.list",
}
ENUMS = frozenset({"enum.Enum", "enum.StrEnum", "enum.IntEnum", "enum.Flag"})
PROTOCOLS = frozenset({"typing.Protocol", "typing_extensions.Protocol"})
#: Functions of jax.tree_util that tell it.
REGISTERING = (
    "register_dataclass",
    "register_pytree_node",
    "register_pytree_node_class",
    "register_pytree_with_keys",
    "register_pytree_with_keys_class",
)
#: Class decorators that do not tell jax how to look into the class.
OPAQUE_DECORATORS = frozenset(
    {
        "dataclasses.dataclass",
        "functools.total_ordering",
        "typing.final",
        "typing.runtime_checkable",
        "enum.unique",
    }
)
HARMLESS_BASES = NAMED_TUPLES.union(
    {
        "builtins.object",
        "dataclasses.make_dataclass",
        "flax.struct.PyTreeNode",
        "typing.Generic",
        "typing.Protocol",
        "abc.ABC",
        "abc.ABCMeta",
        "enum.Enum",
        "enum.StrEnum",
        "builtins.str",
        "builtins.int",
        "builtins.dict",
        "builtins.tuple",
        "builtins.list",
        "builtins.Exception",
    }
)
TYPE_VARIABLES = frozenset({"typing.TypeVar", "typing_extensions.TypeVar"})
