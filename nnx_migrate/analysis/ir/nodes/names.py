"""The names that an expression is made of."""

from __future__ import annotations

from nnx_migrate.analysis.ir.nodes.expressions import (
    Attribute,
    Call,
    Constant,
    Expr,
    ImportRef,
    Name,
    Within,
)


def is_super(expr: Expr) -> bool:
    """Whether it is a call of `super`."""
    return isinstance(expr, Call) and expr.func == Name("super")


def last_name(expr: Expr) -> str:
    """`f` of `f` and of `module.f`, "" of anything else; of a call, that of what is called."""
    match expr:
        case Name(id=name) | Attribute(name=name):
            return name
        case Call(func=func):
            return last_name(func)
        case _:
            return ""


def referred_name(expr: Expr) -> str:
    """The last name of what is only referred to: of a name, an attribute, an import; else ""."""
    match expr:
        case Name(id=name) | Attribute(name=name):
            return name
        case ImportRef(target=target):
            return target.rpartition(".")[2]
        case Call(func=Name(id="getattr"), args=(_, Constant(text=name), *_)):
            return name
        case _:
            return ""


def path_of(expr: Expr) -> str:
    """ "a.b.c" of attributes of a name or of a module, `getattr(a, "b")` included; else ""."""
    match expr:
        case Name(id=name) | ImportRef(target=name):
            return name
        case Attribute(base=base, name=name):
            pass
        case Call(func=Name(id="getattr"), args=(base, Constant(text=name), *_)) if name:
            pass
        case _:
            return ""
    head = path_of(base)
    return f"{head}.{name}" if head else ""


def root_name(expr: Expr) -> Name | None:
    """The name whose attribute, at any depth, an expression is."""
    while isinstance(expr, Attribute):
        expr = expr.base
    return expr if isinstance(expr, Name) else None


def is_property(decorator: Expr) -> bool:
    return last_name(decorator) in {"property", "cached_property"}


def is_reference(expr: Expr) -> bool:
    """Whether an expression may have a dotted name."""
    match expr:
        case ImportRef() | Name() | Attribute() | Within():
            return True
        case Call(func=Name(id="getattr")):
            return True
        case _:
            return False
