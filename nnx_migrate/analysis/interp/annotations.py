"""What an annotation allows."""

from __future__ import annotations

from nnx_migrate.analysis.callgraph.protocols import implementing
from nnx_migrate.analysis.domain.containers import holds_unknown
from nnx_migrate.analysis.domain.unknown import Unknown, unknown
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    GRAPHDEF,
    PLAIN,
    STATE,
    ContainerValue,
    Instance,
    Scope,
    TupleValue,
    Values,
    short_name,
    union,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import CONTAINER_CLASSES, INITIALIZER, INITIALIZERS
from nnx_migrate.analysis.library.solver_settings import ABSTRACT_SETTINGS, MAKING_SETTINGS
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.analysis.symbols.reaching_definitions import meant_at

_HOLDERS = CONTAINER_CLASSES | {"Module", "ModelAndOptimizer", "MultiMetric", "Optimizer"}
_SETTINGS = ABSTRACT_SETTINGS | MAKING_SETTINGS
_PLAIN_TYPES = frozenset({"int", "float", "str", "bool", "bytes", "complex", "None"})
#: Types of the array libraries, and of flax.typing, of what is neither an array nor holds one.
_OF_ARRAY_LIBRARIES = ("jax.", "jaxtyping.", "numpy.", "chex.", "flax.typing.", *INITIALIZERS)
_DESCRIBING_TYPES = frozenset(
    {
        "Axes",
        "DTypeLike",
        "Dtype",
        "LaxPadding",
        "Mesh",
        "NamedSharding",
        "PaddingLike",
        "PartitionSpec",
        "Precision",
        "PrecisionLike",
        "Shape",
        "Sharding",
        "dtype",
    }
)


def annotated_at(hierarchy: Hierarchy, scope: Scope, annotation: ir.Expr, line: int) -> Values:
    """The values that an annotation at a line allows: a class may be defined anew below."""
    return annotated(hierarchy, scope, meant_at(hierarchy.project, scope, annotation, line))


def annotated(hierarchy: Hierarchy, scope: Scope, annotation: ir.Expr) -> Values:
    """The values that an annotation allows."""
    match annotation:
        case ir.Choice(options=options):
            some = [o for o in options if o != ir.Constant("none")]
            return union(annotated(hierarchy, scope, o) for o in some)
        case ir.Constant():
            return PLAIN
        case ir.Call(func=ir.Name(id="<tuple annotation>"), args=args):
            return frozenset({TupleValue(tuple(annotated(hierarchy, scope, a) for a in args))})
        case ir.Call(func=ir.Name(id="<container annotation>"), args=args):
            return frozenset({ContainerValue(union(annotated(hierarchy, scope, a) for a in args))})
        case ir.Call(func=ir.Name(id="<dict annotation>"), args=args):
            held = union(annotated(hierarchy, scope, a) for a in args)
            return frozenset({ContainerValue(held, keyed="yes")})
    name = hierarchy.class_name(scope, annotation)
    if name is None:
        return unknown(Unknown.NO_CLASS)
    return _annotated_class(hierarchy, name)


def calls_tell_more(declared: Values) -> bool:
    """Whether an annotation says less than a call can.

    It does for any Module, for something that holds one, and for a container of it is not known
    what: `dict[str, Callable]`.
    """
    return holds_unknown(declared) or all(
        isinstance(v, Instance) and v.class_name.removeprefix("flax.nnx.") in _HOLDERS
        for v in declared
    )


def _annotated_class(hierarchy: Hierarchy, name: str) -> Values:
    short = name.rpartition(".")[2]
    if name.startswith("builtins.") and short in _PLAIN_TYPES:
        return PLAIN
    if name.startswith(_OF_ARRAY_LIBRARIES):
        return _annotated_array(name, short)
    if name in _SETTINGS and not any(map(hierarchy.descendants, _SETTINGS)):
        return PLAIN  # a class of the project may hold a model
    kind = hierarchy.kind(name)
    if kind == "state":
        return STATE if short != "GraphDef" else GRAPHDEF
    if kind in {None, "plain"} and hierarchy.project.class_of(name) is None:
        return unknown(Unknown.OTHER_CLASS, name=short)
    names = implementing(hierarchy, name) if hierarchy.is_protocol(name) else (name,)
    found = frozenset(Instance(each, exact=False, origin="annotation") for each in names)
    return found or unknown(Unknown.PROTOCOL, name=short_name(name))


def _annotated_array(name: str, short: str) -> Values:
    """What a type of the array libraries allows."""
    if short in _DESCRIBING_TYPES:
        return PLAIN
    if short == "Initializer":
        return INITIALIZER
    if _may_be_tree(short) or (name.startswith("flax.") and short not in {"Array", "PRNGKey"}):
        return unknown(Unknown.VAGUE, name=short)
    return ARRAY


def _may_be_tree(name: str) -> bool:
    """Whether a type of the array libraries also allows Modules: `PyTree`, `chex.ArrayTree`."""
    return "Tree" in name or name in {"Partial", "ShapeDtypeStruct", "Tracer"}
