"""Modules and attributes that are found by a literal text: `vars(nnx)["jit"]`."""

from __future__ import annotations

import ast
import dataclasses

#: Functions that import a module by a text, and those that find an attribute by one.
IMPORTING = frozenset({"import_module", "__import__"})
_FINDING = frozenset({"attrgetter", "methodcaller"})


@dataclasses.dataclass(frozen=True, slots=True)
class Lookup:
    """What an expression looks up by texts.

    Args:
        base: the expression whose attribute it is; None of a module.
        module: the dotted name of the module where there is no base; empty of the file itself,
            whose name `path` begins with then.
        path: the names of the attributes, one of the other.
        caller: `methodcaller(name, ...)`, which calls what it finds; None where it is the value.
    """

    base: ast.expr | None
    module: str = ""
    path: tuple[str, ...] = ()
    caller: ast.Call | None = None


def lookup(node: ast.AST) -> Lookup | None:
    """What a call or subscript looks up by a literal text; None for any other expression.

    Not `getattr(base, "name")`, which the record keeps as the call that it is.
    """
    if isinstance(node, ast.Call):
        func = node.func
        if isinstance(func, ast.Call):
            return _found(func, node)
        name = _last_name(func)
        if name in IMPORTING:
            return _imported(node)
        return _gotten(node) if name == "get" else None
    return _subscripted(node) if isinstance(node, ast.Subscript) else None


def _last_name(func: ast.expr) -> str:
    match func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _found(finder: ast.Call, call: ast.Call) -> Lookup | None:
    """`attrgetter("a.b")(base)` and `methodcaller("f", x)(base)`."""
    if _last_name(finder.func) not in _FINDING or call.keywords:
        return None
    match finder.args, call.args:
        case [ast.Constant(value=str(text)), *given], [base] if not isinstance(base, ast.Starred):
            path = tuple(text.split("."))
            if not all(path):
                return None
            if _last_name(finder.func) == "methodcaller":
                return Lookup(base, path=(text,), caller=finder)
            return None if given else Lookup(base, path=path)
    return None


def _imported(call: ast.Call) -> Lookup | None:
    """`import_module("a.b")`, and `__import__("a.b")`, which gives `a` without a list of names."""
    match call.args:
        case [ast.Constant(value=str(name)), *others] if name:
            pass
        case _:
            return None
    if _last_name(call.func) == "import_module":
        if not name.startswith("."):
            return Lookup(None, name)
        package = next((k.value for k in call.keywords if k.arg == "package"), None)
        match others[0] if others else package:
            case ast.Constant(value=str(around)):
                return Lookup(None, _absolute(name, around))
        return None
    listed = any(k.arg == "fromlist" for k in call.keywords) or len(others) > 2
    return Lookup(None, name if listed else name.partition(".")[0])


def _absolute(name: str, package: str) -> str:
    rest = name.lstrip(".")
    parts = package.split(".")
    kept = parts[: len(parts) - (len(name) - len(rest) - 1)]
    return ".".join([*kept, rest] if rest else kept)


def _subscripted(node: ast.Subscript) -> Lookup | None:
    """`sys.modules["m"]`, `vars(base)["f"]`, `base.__dict__["f"]` and `globals()["f"]`, read."""
    if not isinstance(node.ctx, ast.Load):
        return None
    match node.slice:
        case ast.Constant(value=str(name)) if name:
            pass
        case _:
            return None
    return _kept_under(name, node.value)


def _gotten(call: ast.Call) -> Lookup | None:
    """`vars(base).get("f")`; no default but a literal, which is no object."""
    match call:
        case ast.Call(
            func=ast.Attribute(value=names),
            args=[ast.Constant(value=str(name))] | [ast.Constant(value=str(name)), ast.Constant()],
            keywords=[],
        ) if name:
            return _kept_under(name, names)
    return None


def _kept_under(name: str, names: ast.expr) -> Lookup | None:
    match names:
        case ast.Attribute(value=ast.Name(id="sys" | "_sys"), attr="modules"):
            return Lookup(None, name)
        case ast.Call(func=ast.Name(id="globals"), args=[], keywords=[]):
            return Lookup(None, path=(name,))
        case ast.Call(func=ast.Name(id="vars"), args=[base], keywords=[]):
            return Lookup(base, path=(name,))
        case ast.Attribute(value=base, attr="__dict__"):
            return Lookup(base, path=(name,))
    return None
