"""States of Variables and nothing else: `nnx.state(m, nnx.Param)`, and the parts of splits."""

from __future__ import annotations

from nnx_migrate.analysis.domain.values import ParameterOf, Scope
from nnx_migrate.analysis.flax.transforms import spec
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy

#: Functions that give a tree of the form of an argument, with the place of it.
_FORM_OF = {
    "jax.tree.map": 1,
    "jax.tree_map": 1,
    "jax.tree_util.tree_map": 1,
    "optax.apply_updates": 0,
    "optax.incremental_update": 0,
}


def holds_variables_alone(
    hierarchy: Hierarchy,
    scope: Scope,
    state: ir.Expr,
    seen: frozenset[tuple[Scope, str]] = frozenset(),
) -> bool:
    """Whether a State was filtered by types of Variables, so that no bare array is in it.

    Args:
        seen: names that it is asked of already, each with its scope.
    """
    project = hierarchy.project
    match state:
        case ir.Name(id=name):
            if (scope, name) in seen:
                return True
            bindings = project.bindings(scope, name)
            inner = seen | {(scope, name)}
            return bool(bindings) and not any(
                isinstance(b, ParameterOf)
                or not holds_variables_alone(hierarchy, b.scope, b.expr, inner)
                for b in bindings
            )
        case ir.Call(func=func, args=(_, *types)) if project.nnx_name(scope, func) == "state":
            return bool(types) and all(_is_variable(hierarchy, scope, each) for each in types)
        case ir.Unpacked(base=ir.Call(func=func, args=args), index=index) if (
            project.nnx_name(scope, func) == "split"
        ):
            return 0 < index < len(args) and _is_variable(hierarchy, scope, args[index])
        case ir.Unpacked(base=ir.Sequence(elements=parts), index=index) if 0 <= index < len(
            parts
        ) and not any(isinstance(part, ir.Starred) for part in parts):
            return holds_variables_alone(hierarchy, scope, parts[index], seen)
        case ir.Unpacked(base=base, index=index) if start := _carried(hierarchy, scope, base):
            # What a scan carries keeps its structure.
            if isinstance(start, ir.Sequence) and 0 <= index < len(start.elements):
                return holds_variables_alone(hierarchy, scope, start.elements[index], seen)
            return False
        case ir.Call(func=func, args=args, keywords=()) if (
            place := _FORM_OF.get(project.dotted(scope, func) or "")
        ) is not None and place < len(args):
            return holds_variables_alone(hierarchy, scope, args[place], seen)
        case _ if start := _carried(hierarchy, scope, state):
            return holds_variables_alone(hierarchy, scope, start, seen)
        case _:
            return False


def _carried(hierarchy: Hierarchy, scope: Scope, expr: ir.Expr) -> ir.Expr | None:
    """What `jax.lax.scan(f, start, xs)` begins with, of the first thing that it gives."""
    match expr:
        case ir.Unpacked(base=ir.Call(func=func, args=(_, start, *_)), index=0):
            known = spec(hierarchy.project.dotted(scope, func))
            return start if known.iterates and known.carries else None
    return None


def _is_variable(hierarchy: Hierarchy, scope: Scope, expr: ir.Expr) -> bool:
    name = hierarchy.class_name(scope, expr)
    return name is not None and hierarchy.kind(name) == "variable"
