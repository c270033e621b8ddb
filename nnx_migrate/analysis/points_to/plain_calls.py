"""Calls of what is made to be called, in the place of which stand plainer ones."""

from __future__ import annotations

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project


def plainer(project: Project, scope: Scope, call: ir.Call) -> ir.Expr | None:
    """The same in plain words: of functions that `operator` or `functools.partial` makes."""
    match call:
        case ir.Call(func=ir.Call(func=made, args=(ir.Constant(text=name),)), args=(base,)) if (
            name and project.dotted(scope, made) == "operator.attrgetter"
        ):
            return ir.Attribute(base, name)
        case ir.Call(func=ir.Call(func=made, args=(_,)), args=(base,)) if (
            project.dotted(scope, made) == "operator.itemgetter"
        ):
            return ir.Element(base)
        case ir.Call(func=func, args=args):
            partial = _partial(project, scope, func)
            if partial is not None:
                inner, *given = partial.args
                named = dict((*partial.keywords, *call.keywords))
                both = (
                    tuple(named.items()) if None not in named else partial.keywords + call.keywords
                )
                return ir.Call(inner, (*given, *args), both, call.line, call.column)
    return None


def _partial(project: Project, scope: Scope, func: ir.Expr) -> ir.Call | None:
    """The call of `functools.partial` that makes a function: at once, or under a name for it."""
    where = scope
    if isinstance(func, ir.Name):
        bindings = project.bindings(scope, func.id)
        if len(bindings) != 1 or not isinstance(bindings[0], Located):
            return None
        where, func = bindings[0].scope, bindings[0].expr
        if where.module != scope.module:
            return None
    if not isinstance(func, ir.Call) or not func.args:
        return None
    if project.dotted(where, func.func) != "functools.partial":
        return None
    return func if where == scope else _elsewhere(where, func)


def _elsewhere(where: Scope, call: ir.Call) -> ir.Call:
    """A call whose arguments mean what they mean in another function of the module."""
    args = tuple(ir.Within(where.function, each) for each in call.args)
    named = tuple((name, ir.Within(where.function, value)) for name, value in call.keywords)
    return ir.Call(call.func, args, named, call.line, call.column)
