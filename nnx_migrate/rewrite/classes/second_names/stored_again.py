"""Constructors that store what an attribute of their object holds: `self.head = self.embed`."""

from __future__ import annotations

import ast


def constructor(node: ast.ClassDef) -> ast.FunctionDef | None:
    """The constructor that a class defines; None where a decorator may make it another one."""
    init = next(
        (n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None
    )
    return None if init is None or init.decorator_list or node.decorator_list else init


def stores_again(node: ast.ClassDef) -> bool:
    """Whether a constructor stores what an attribute holds: asked before what all objects hold."""
    init = constructor(node)
    return init is not None and any(stored_again(init, each) for each in ast.walk(init))


def stored_again(
    init: ast.FunctionDef, statement: ast.AST
) -> tuple[str, str, ast.expr, tuple[str, ...]] | None:
    """The object's own name, the name that it gets a value under, the value, and its attributes;
    None for all that does not store what is read from the object itself."""
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=own), attr=second)], value=value):
            pass
        case ast.AnnAssign(
            target=ast.Attribute(value=ast.Name(id=own), attr=second),
            value=ast.Attribute() as value,
        ):
            pass
        case _:
            return None
    path = _path(value, own)
    positional = [*init.args.posonlyargs, *init.args.args]
    if not path or not positional or positional[0].arg != own or second.startswith("__"):
        return None
    return own, second, value, path


def _path(value: ast.expr | None, own: str) -> tuple[str, ...]:
    names: list[str] = []
    while isinstance(value, ast.Attribute):
        names.insert(0, value.attr)
        value = value.value
    return tuple(names) if isinstance(value, ast.Name) and value.id == own else ()
