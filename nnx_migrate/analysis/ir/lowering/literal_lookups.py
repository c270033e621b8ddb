"""Modules and attributes that are found by a text: `vars(nnx)["jit"]`."""

from __future__ import annotations

import ast
import dataclasses

from nnx_migrate.analysis.ir.lowering.syntax_names import callee

#: Functions that import a module by a text, and those that find an attribute by one.
IMPORTING = frozenset({"import_module", "__import__"})
_FINDING = frozenset({"attrgetter", "methodcaller"})
#: All functions that find a module or an attribute by a text.
LOOKUPS = IMPORTING | _FINDING | {"getattr", "setattr", "hasattr", "patch"}


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
        name = callee(node)
        if name in IMPORTING:
            return _imported(node)
        return _gotten(node) if name == "get" else None
    return _subscripted(node) if isinstance(node, ast.Subscript) else None


def _found(finder: ast.Call, call: ast.Call) -> Lookup | None:
    """`attrgetter("a.b")(base)` and `methodcaller("f", x)(base)`."""
    if callee(finder) not in _FINDING or call.keywords:
        return None
    match finder.args, call.args:
        case [ast.Constant(value=str(text)), *given], [base] if not isinstance(base, ast.Starred):
            path = tuple(text.split("."))
            if not all(path):
                return None
            if callee(finder) == "methodcaller":
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
    if callee(call) == "import_module":
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


def named_by_string(node: ast.AST) -> str:
    """`name` of `getattr(value, "name")`, with a default or none; "" of anything else."""
    match node:
        case ast.Call(
            func=ast.Name(id="getattr"),
            args=[_, ast.Constant(value=str(name))] | [_, ast.Constant(value=str(name)), _],
            keywords=[],
        ):
            return name
    return ""


def is_computed_lookup(node: ast.Call) -> bool:
    """Whether it is `getattr(value, name)` with a name that is no literal."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, name] | [_, name, _], keywords=[]):
            return not isinstance(name, ast.Constant)
    return False


def looked_up(node: ast.Call) -> tuple[str, ...]:
    """The texts by which a call finds attributes or modules.

    So `getattr(m, "f")`, `import_module("m" if new else "n")`.
    """
    if callee(node) not in LOOKUPS:
        return ()
    parts = (ast.walk(arg) if isinstance(arg, ast.IfExp) else (arg,) for arg in node.args)
    texts = (each.value for part in parts for each in part if isinstance(each, ast.Constant))
    return tuple(text for text in texts if isinstance(text, str) and text)
