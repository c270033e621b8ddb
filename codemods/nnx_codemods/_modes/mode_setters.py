"""Statements that set the mode of an object, or a flag of it, to a constant."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.analysis.domain.values import PLAIN, Instance, Scope
from nnx_migrate.analysis.interp.attributes import member
from nnx_migrate.rewrite.model.context import FileContext, remembered

#: Methods of nnx.Module that set flags of it and of what it holds, and nothing else.
_METHODS = ("train", "eval", "set_attributes")
#: What the first two of them set.
_OF_MODES = ("deterministic", "use_running_average")
#: What a class of the project defines where setting a flag of its objects may do more than that.
_OWN = (*_METHODS, "__setattr__", *_OF_MODES)


def object_set(context: FileContext, statement: ast.stmt) -> ast.expr | None:
    """The object that a statement does nothing to but set its mode, or a flag, to a constant."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=method)) as call):
            wanted = method in _METHODS and _only_constants(call)
            return target if wanted and _sets_flags_only(context, target) else None
        case ast.Assign(targets=[ast.Attribute(value=target, attr=name)], value=ast.Constant()):
            wanted = _is_declared_flag(context, target, name)
            return target if wanted and _sets_flags_only(context, target) else None
        case _:
            return None


def names_set(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """The names of the attributes that such statements set."""
    found: set[str] = set()
    for statement in statements:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method), keywords=keywords)):
                found.update(keyword.arg for keyword in keywords if keyword.arg is not None)
                found.update(_OF_MODES if method in {"train", "eval"} else ())
            case ast.Assign(targets=[ast.Attribute(attr=name)]):
                found.add(name)
    return frozenset(found)


def _only_constants(call: ast.Call) -> bool:
    """Whether it is given names and constants alone, and looks through the object as it does."""
    return not call.args and all(
        keyword.arg not in {None, "graph"} and isinstance(keyword.value, ast.Constant)
        for keyword in call.keywords
    )


def _sets_flags_only(context: FileContext, target: ast.expr) -> bool:
    """Whether setting a flag of an object runs no code of the project."""
    hierarchy = context.evaluator.hierarchy
    values = context.values(target)
    return (
        bool(values)
        and all(
            isinstance(v, Instance) and hierarchy.kind(v.class_name) == "module" for v in values
        )
        and all(
            hierarchy.ancestry(each).closed
            for v in values
            if isinstance(v, Instance)
            for each in hierarchy.classes_of(v)
        )
        and not _has_own_setters(context)
    )


@remembered
def _has_own_setters(context: FileContext) -> bool:
    """Whether a class of the project may do more when its mode is set: a model may hold one."""
    hierarchy = context.evaluator.hierarchy
    return any(
        isinstance(hierarchy.method(each, name), Scope)
        for each in hierarchy.all_classes
        if hierarchy.kind(each) == "module"
        for name in _OWN
    )


def _is_declared_flag(context: FileContext, target: ast.expr, name: str) -> bool:
    """Whether all that an object may have under a name are numbers, texts and the like."""
    hierarchy = context.evaluator.hierarchy
    for value in context.values(target):
        if not isinstance(value, Instance):
            return False
        for each in hierarchy.classes_of(value):
            held = member(context.evaluator, Instance(each), name)
            if not held or not held <= PLAIN or hierarchy.method(each, name) is not None:
                return False
    return True
