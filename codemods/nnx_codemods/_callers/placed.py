"""Calls of a transformed function that can pass all arguments by their places.

    forward(net, x=x)                     forward(net, x)

What a call passes is the same either way, in both modes. Only calls in the file of the function
are changed, and only where nobody else may call it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import ByPlace, PlacedCall
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.model.ownership import direct_calls

#: A call that has to change, where it stands, and the parameters that it may pass.
Changed = tuple[Scope, ir.Call, Sequence[ir.Parameter]]


def placed(context: FileContext, site: Site, changed: Sequence[Changed]) -> ByPlace | None:
    """How all these calls can pass their arguments by place; None where one of them cannot."""
    definition = definition_of(context, site.function)
    if definition is None or not _all_seen(context, site, definition):
        return None
    defaults = _defaults(definition)
    found: dict[ast.Call, PlacedCall] = {}
    for where, call, parameters in changed:
        node = _node(context, call) if where.module == context.tree.module else None
        if node is None:
            return None
        one = _placed(node, [each.name for each in parameters], defaults)
        if one is None or found.setdefault(node, one).passed != one.passed:
            return None
    return ByPlace(tuple(found.values())) if found else None


def _all_seen(context: FileContext, site: Site, definition: AnyFunction) -> bool:
    """Whether each call of what the transform gives is to be seen."""
    if site.form == "call":
        return not (_jitted(context, site) or site).escapes
    if not isinstance(definition, ast.FunctionDef):
        return False
    return direct_calls(context, definition, decorated=True) is not None


def _jitted(context: FileContext, site: Site) -> Site | None:
    """The `nnx.jit(...)` that a result is given to at once, which passes on what it is called with.

    Options of it may go by the names of the arguments.
    """
    for outer in context.finder.sites:
        if outer.form == "call" and outer.function is site.node and outer.spec.compiles:
            return None if outer.options or not outer.complete else outer
    return None


def _node(context: FileContext, call: ir.Call) -> ast.Call | None:
    """The call in the tree of the file."""
    for node in context.tree.of_kind(ast.Call):
        if (node.lineno, node.col_offset) == (call.line, call.column):
            names = tuple(keyword.arg for keyword in node.keywords)
            if names == tuple(name for name, _ in call.keywords):
                return node
    return None


def _defaults(definition: AnyFunction) -> Mapping[str, str]:
    """The defaults that are the same wherever they are written."""
    args = definition.args
    positional = [*args.posonlyargs, *args.args]
    with_default = positional[len(positional) - len(args.defaults) :]
    return {
        each.arg: ast.unparse(default)
        for each, default in zip(with_default, args.defaults, strict=True)
        if _is_literal(default)
    }


def _is_literal(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case _:
            return False


def _placed(call: ast.Call, names: Sequence[str], defaults: Mapping[str, str]) -> PlacedCall | None:
    """A call with all that it can pass by place; None where that is not clear."""
    if any(isinstance(arg, ast.Starred) for arg in call.args):
        return None
    own = [each for each in call.keywords if each.arg in names]
    others = [each for each in call.keywords if each.arg not in names]
    if any(each.arg is None for each in others) or [*own, *others] != call.keywords:
        return None
    by_name = {each.arg: each for each in own}
    passed: list[ast.keyword | str] = []
    for name in names[len(call.args) :]:
        if name in by_name:
            passed.append(by_name[name])
        elif name in defaults:
            passed.append(defaults[name])
        else:
            return None
    if [each for each in passed if not isinstance(each, str)] != own:
        return None  # they would be evaluated in another order
    return PlacedCall(call, tuple(passed))
