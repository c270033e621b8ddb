"""Annotations, and the parameters of functions.

The bounds of type parameters stand in the place of these: `def step[M: nnx.Module](model: M)`.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping
from typing import Literal

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.ir.lowering.syntax_names import dotted_path

Bounds = Mapping[str, ir.Expr]


def parameters_of(args: ast.arguments) -> tuple[ir.Parameter, ...]:
    positional = [*args.posonlyargs, *args.args]
    padding: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults))
    result = [
        _parameter(arg, "positional", default)
        for arg, default in zip(positional, [*padding, *args.defaults], strict=True)
    ]
    if args.vararg:
        result.append(_parameter(args.vararg, "star", None))
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        result.append(_parameter(arg, "keyword", default))
    if args.kwarg:
        result.append(_parameter(args.kwarg, "double_star", None))
    return tuple(result)


def _parameter(
    arg: ast.arg,
    kind: Literal["positional", "keyword", "star", "double_star"],
    default: ast.expr | None,
) -> ir.Parameter:
    return ir.Parameter(
        arg.arg,
        kind,
        lower_annotation(arg.annotation),
        None if default is None else lower_expr(default),
    )


def lower_annotation(node: ast.expr | None) -> ir.Expr | None:
    """Reduce an annotation; strings are parsed, `X | None` and `Optional[X]` keep their options."""
    if node is None:
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return lower_annotation(ast.parse(node.value.strip(), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ir.Computed()
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        left, right = lower_annotation(node.left), lower_annotation(node.right)
        return ir.Choice(tuple(side for side in (left, right) if side is not None))
    if isinstance(node, ast.Subscript):
        return _lower_generic(node)
    return lower_expr(node)


def _lower_generic(node: ast.Subscript) -> ir.Expr:
    head = node.value.attr if isinstance(node.value, ast.Attribute) else None
    head = node.value.id if isinstance(node.value, ast.Name) else head
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    options = tuple(low for item in inner if (low := lower_annotation(item)) is not None)
    if head in {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired"}:
        return ir.Choice(options[:1] if head == "Annotated" else options)
    if dotted_path(node.value) in {"nnx.Data", "nnx.Static", "nnx.data", "nnx.static"}:
        return ir.Choice(options)
    if head in {"tuple", "Tuple"}:
        if _is_of_any_length(inner):
            return ir.Call(ir.Name("<container annotation>"), options[:1], (), node.lineno)
        return ir.Call(ir.Name("<tuple annotation>"), options, (), node.lineno)
    if head in {"list", "List", "Sequence", "Iterable"}:
        return ir.Call(ir.Name("<container annotation>"), options[-1:], (), node.lineno)
    if head in {"dict", "Dict", "Mapping"}:
        return ir.Call(ir.Name("<dict annotation>"), options[-1:], (), node.lineno)
    return lower_expr(node.value)


def _is_of_any_length(elements: list[ast.expr]) -> bool:
    """Whether it is `tuple[X, ...]`."""
    match elements:
        case [_, ast.Constant(value=last)]:
            return last is Ellipsis
    return False


def bounds_of(node: ast.AST, around: Bounds) -> Bounds:
    """What is known of type parameters in a definition.

    Args:
        around: what is known of those in front of it.
    """
    found = dict(around)
    for parameter in getattr(node, "type_params", ()):
        match parameter:
            case ast.arg(arg=name, annotation=bound):  # read by a Python that has none
                pass
            case _:
                name, bound = parameter.name, getattr(parameter, "bound", None)
        low = lower_annotation(bound)
        found.pop(name, None)
        if low is not None and not isinstance(bound, ast.Tuple):
            found[name] = low
    return found


def bounded(annotation: ir.Expr | None, bounds: Bounds) -> ir.Expr | None:
    """An annotation with the bounds of the type parameters that it names."""
    if annotation is None or not bounds:
        return annotation
    return _bounded(annotation, bounds)


def _bounded(expr: ir.Expr, bounds: Bounds) -> ir.Expr:
    match expr:
        case ir.Name(id=name):
            return bounds.get(name, expr)
        case ir.Choice(options=options):
            return dataclasses.replace(expr, options=tuple(_bounded(o, bounds) for o in options))
        case ir.Call(args=args):
            return dataclasses.replace(expr, args=tuple(_bounded(a, bounds) for a in args))
        case _:
            return expr


def bounded_parameters(
    parameters: tuple[ir.Parameter, ...], bounds: Bounds
) -> tuple[ir.Parameter, ...]:
    if not bounds:
        return parameters
    return tuple(
        dataclasses.replace(each, annotation=bounded(each.annotation, bounds))
        for each in parameters
    )
