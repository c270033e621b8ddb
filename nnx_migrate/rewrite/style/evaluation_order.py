"""Whether a statement may do one thing before another: split an argument, or check a structure.

An argument is split in front of the statement that its call stands in, and so before all that the
statement evaluates up to the call. That is the same only if nothing of this binds the argument anew
or changes its structure, and if the argument does not itself do things that must come after others.

A structure may be checked in front of a return only if what is returned then changes none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.domain.values import ClassValue, FunctionValue, Instance
from nnx_migrate.analysis.library.effect_model import harmless_library_call
from nnx_migrate.rewrite.model.causes import LayoutCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit

_OF_ARRAYS = ("jax.numpy.", "jax.nn.", "numpy.")
#: Of those, the functions that call one which they are given.
_CALLING = frozenset(
    {
        "apply_along_axis",
        "apply_over_axes",
        "fromfunction",
        "frompyfunc",
        "piecewise",
        "vectorize",
    }
)
_METHODS = frozenset({"astype", "max", "mean", "min", "reshape", "squeeze", "sum"})


def check_order(context: FileContext, use: ast.Call, arguments: Sequence[ast.expr]) -> None:
    """See that `arguments` of `use` mean the same before the statement of `use`.

    Raises:
        CannotEmit: something that the statement evaluates before the call may change them.
    """
    earlier = [
        node
        for node in evaluated_before(context, use)
        if not any(_within(context, node, argument) for argument in arguments)
    ]
    for argument in arguments:
        names = {node.id for node in ast.walk(argument) if isinstance(node, ast.Name)}
        acts = any(isinstance(node, ast.Call) for node in ast.walk(argument))
        text = context.text.of(argument)
        start = context.text.span(argument)[0]
        for node in earlier:
            if isinstance(node, ast.NamedExpr):
                if node.target.id in names:
                    raise CannotEmit(LayoutCause.BOUND_IN_STATEMENT.about(name=node.target.id))
            elif acts and context.text.span(node)[0] < start:
                raise CannotEmit(LayoutCause.CALL_FOLLOWS_ANOTHER)
            elif _is_given(context, node, text):
                raise CannotEmit(LayoutCause.GIVEN_TO_ANOTHER.about(text=text))


def evaluated_before(context: FileContext, use: ast.Call) -> Iterator[ast.Call | ast.NamedExpr]:
    """Calls and bindings of the statement that come before the call, its own arguments included."""
    around = set(context.tree.ancestors(use))
    statement = context.tree.statement(use)
    end = context.text.span(use)[1]
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if node is use.func or isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.stmt) and node is not statement:
            continue
        if isinstance(node, ast.Call | ast.NamedExpr) and node not in {use, *around}:
            yield from (node,) if context.text.span(node)[0] < end else ()
        stack += ast.iter_child_nodes(node)


def _within(context: FileContext, node: ast.AST, other: ast.AST) -> bool:
    return node is other or other in context.tree.ancestors(node)


def _is_given(context: FileContext, call: ast.Call, text: str) -> bool:
    """Whether a call gets the object that `text` names, as an argument or as its receiver."""
    dotted = context.tree.dotted(call.func)
    if dotted is not None and harmless_library_call(dotted):
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords), call.func]
    return any(
        context.text.of(part) == text
        for expression in given
        for part in ast.walk(expression)
        if isinstance(part, ast.Name | ast.Attribute | ast.Subscript)
    )


def changes_no_structure(context: FileContext, value: ast.expr) -> bool:
    """Whether what an expression evaluates can change no object: it reads names, puts them side by
    side, and calculates with arrays.
    """
    match value:
        case ast.Constant() | ast.Name():
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(changes_no_structure(context, part) for part in parts)
        case ast.Dict(keys=keys, values=values):
            named = all(isinstance(key, ast.Constant) for key in keys)
            return named and all(changes_no_structure(context, each) for each in values)
        case _:
            return _calculates(context, value)


def _calculates(context: FileContext, value: ast.expr) -> bool:
    """Whether an expression calculates with arrays, and calls nothing of the project."""
    match value:
        case ast.Constant():
            return True
        case ast.Name():
            # An operator may run a method of an object.
            known = context.values(value)
            return not any(isinstance(v, Instance | FunctionValue | ClassValue) for v in known)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            pass
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.UnaryOp(operand=operand):
            parts = [operand]
        case ast.Call(func=func, args=args, keywords=keywords) if _is_of_arrays(context, func):
            parts = [*args, *(keyword.value for keyword in keywords)]
        case _:
            return False
    return all(_calculates(context, part) for part in parts)


def _is_of_arrays(context: FileContext, func: ast.expr) -> bool:
    """Whether what is called is a function of arrays, or a method of what one of them returns."""
    dotted = context.tree.dotted(func)
    if dotted is not None and dotted.startswith(_OF_ARRAYS):
        return dotted.rpartition(".")[2] not in _CALLING
    match func:
        case ast.Attribute(value=ast.Call() | ast.BinOp() as base, attr=name):
            return name in _METHODS and _calculates(context, base)
        case _:
            return False
