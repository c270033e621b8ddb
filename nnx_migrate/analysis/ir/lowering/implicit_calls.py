"""Methods that syntax runs: operators, subscripts, loops, tests and f-strings.

The record of a function keeps, by the method that a piece of syntax looks for first, what it may be
looked for on. Which methods that comes to is known only where the classes are (`METHODS`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr

#: The first method, its object, and what that is given.
Implied = tuple[str, ast.expr, ast.expr | None]

_OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.BitAnd: "and",
}
_BINARY = {node: f"__{name}__" for node, name in _OPERATORS.items()}
IN_PLACE = {node: f"__i{name}__" for node, name in _OPERATORS.items()}
_UNARY: Mapping[type[ast.unaryop], str] = {
    ast.USub: "__neg__",
    ast.UAdd: "__pos__",
    ast.Invert: "__invert__",
    ast.Not: "__bool__",
}
_COMPARED: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "__eq__",
    ast.NotEq: "__ne__",
    ast.Lt: "__lt__",
    ast.LtE: "__le__",
    ast.Gt: "__gt__",
    ast.GtE: "__ge__",
}
_SUBSCRIPTS: Mapping[type[ast.expr_context], str] = {
    ast.Load: "__getitem__",
    ast.Store: "__setitem__",
    ast.Del: "__delitem__",
}
_SWAPPED = {"__lt__": "__gt__", "__le__": "__ge__", "__gt__": "__lt__", "__ge__": "__le__"}

#: By the first method: those that may run in its place, and those of what its object is given. Of
#: each the first runs that the class of the object has.
METHODS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    **{
        f"__{name}__": ((f"__{name}__", "__jax_array__"), (f"__r{name}__", "__jax_array__"))
        for name in _OPERATORS.values()
    },
    **{
        f"__i{name}__": ((f"__i{name}__", f"__{name}__", "__jax_array__"), (f"__r{name}__",))
        for name in _OPERATORS.values()
    },
    **{name: ((name,), (_SWAPPED.get(name, name),)) for name in _COMPARED.values()},
    "__ne__": (("__ne__", "__eq__"), ("__ne__", "__eq__")),
    "__contains__": (("__contains__", "__iter__", "__getitem__"), ("__eq__",)),
    "__bool__": (("__bool__", "__len__"), ()),
    "__iter__": (("__iter__", "__getitem__"), ()),
    "__format__": (("__format__", "__str__", "__repr__"), ()),
    "__str__": (("__str__", "__repr__"), ()),
    "__repr__": (("__repr__",), ()),
    **{
        name: ((name,), ())
        for name in (
            "__abs__",
            "__aiter__",
            "__array__",
            "__await__",
            "__bytes__",
            "__complex__",
            "__copy__",
            "__deepcopy__",
            "__delitem__",
            "__dir__",
            "__enter__",
            "__exit__",
            "__float__",
            "__getitem__",
            "__hash__",
            "__index__",
            "__int__",
            "__invert__",
            "__jax_array__",
            "__len__",
            "__neg__",
            "__next__",
            "__pos__",
            "__reversed__",
            "__round__",
            "__setitem__",
        )
    },
}
#: Methods of arithmetic, of which the result may be any object.
ARITHMETIC = frozenset(
    f"__{side}{name}__" for name in _OPERATORS.values() for side in ("", "r", "i")
) | {"__neg__", "__pos__", "__invert__"}
SPECIAL = frozenset(name for pair in METHODS.values() for side in pair for name in side) | {
    "__get__",
    "__getattr__",
    "__getattribute__",
}

#: What may be an object of a class of the project: no literals, and no results of operators.
_OBJECTS = frozenset({ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Await})
_UNPACKING = frozenset({ast.Tuple, ast.List})
#: Stands where there is no such object.
NO_OBJECT = ir.Constant("other")


def _binary(node: ast.BinOp) -> Iterable[Implied]:
    return ((_BINARY[type(node.op)], node.left, node.right),)


def _augmented(node: ast.AugAssign) -> Iterable[Implied]:
    yield IN_PLACE[type(node.op)], node.target, node.value
    if isinstance(node.target, ast.Subscript):
        yield "__getitem__", node.target.value, node.target.slice


def _compared(node: ast.Compare) -> Iterable[Implied]:
    left = node.left
    for op, right in zip(node.ops, node.comparators, strict=True):
        if isinstance(op, ast.In | ast.NotIn):
            yield "__contains__", right, left
        elif type(op) in _COMPARED:
            yield _COMPARED[type(op)], left, right
        left = right


def _tested(node: ast.If | ast.While | ast.Assert | ast.IfExp) -> Iterable[Implied]:
    return (("__bool__", node.test, None),)


def _unpacked(node: ast.Assign) -> Iterable[Implied]:
    for target in node.targets:
        if target.__class__ in _UNPACKING:
            return (("__iter__", node.value, None),)
    return ()


def _comprehended(node: ast.comprehension) -> Iterable[Implied]:
    return (("__iter__", node.iter, None), *(("__bool__", test, None) for test in node.ifs))


_IMPLIED: Mapping[type[ast.AST], Callable[..., Iterable[Implied]]] = {
    ast.BinOp: _binary,
    ast.AugAssign: _augmented,
    ast.Compare: _compared,
    ast.UnaryOp: lambda node: ((_UNARY[type(node.op)], node.operand, None),),
    ast.BoolOp: lambda node: [("__bool__", value, None) for value in node.values],
    ast.If: _tested,
    ast.While: _tested,
    ast.Assert: _tested,
    ast.IfExp: _tested,
    ast.Assign: _unpacked,
    ast.For: lambda node: (("__iter__", node.iter, None),),
    ast.comprehension: _comprehended,
    ast.Starred: lambda node: (("__iter__", node.value, None),),
    ast.YieldFrom: lambda node: (("__iter__", node.value, None),),
    ast.Subscript: lambda node: ((_SUBSCRIPTS[type(node.ctx)], node.value, node.slice),),
    ast.FormattedValue: lambda node: (("__format__", node.value, None),),
}
#: The nodes that may run methods.
RUNNING = frozenset(_IMPLIED)


def note_implied(noted: dict[str, list[ir.Expr]], node: ast.AST) -> None:
    """Add the methods that a node itself may run: by the first, on what, and what that is given.

    Nothing of a node of which no operand may be an object of a class of the project.
    """
    for method, operand, given in _IMPLIED[type(node)](node):
        on_object, with_object = type(operand) in _OBJECTS, type(given) in _OBJECTS
        if on_object or with_object:
            left = lower_expr(operand) if on_object else NO_OBJECT
            right = lower_expr(given) if with_object else NO_OBJECT
            noted.setdefault(method, []).extend((left, right))
