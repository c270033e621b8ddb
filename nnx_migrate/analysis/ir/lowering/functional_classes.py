"""Classes that a call makes, `namedtuple("State", "model k")`, as the records of others."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.annotations import lower_annotation
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.ir.lowering.syntax_names import callee

_MAKERS = frozenset({"namedtuple", "NamedTuple", "make_dataclass"})


def functional_class(name: str, node: ast.expr, scope: str) -> ir.Class | None:
    """The class that is bound to a name by a call which lists its fields.

    Args:
        name: the name.
        node: what is bound to it.
        scope: the key of the function that it stands in.
    """
    if not isinstance(node, ast.Call) or callee(node) not in _MAKERS:
        return None
    fields = _fields(node)
    if fields is None:
        return None
    base = lower_expr(node.func)
    key = f"{name}:{node.lineno}"
    return ir.Class(key, name, node.lineno, scope, (base,), (), (), {}, {}, fields)


def _fields(node: ast.Call) -> Mapping[str, ir.Expr] | None:
    """The fields that the call lists, with what they are declared as."""
    given = [*node.args, *(k.value for k in node.keywords if k.arg in {"field_names", "fields"})]
    match given[1:]:
        case [ast.Constant(value=str(names))]:
            return dict.fromkeys(names.replace(",", " ").split(), ir.Computed())
        case [ast.List(elts=parts) | ast.Tuple(elts=parts)]:
            fields = list(map(_field, parts))
            return dict(field for field in fields if field) if all(fields) else None
    return None


def _field(node: ast.expr) -> tuple[str, ir.Expr] | None:
    match node:
        case ast.Constant(value=str(name)) | ast.Tuple(elts=[ast.Constant(value=str(name))]):
            return name, ir.Computed()
        case ast.Tuple(elts=[ast.Constant(value=str(name)), declared, *_]):
            return name, lower_annotation(declared) or ir.Computed()
    return None
