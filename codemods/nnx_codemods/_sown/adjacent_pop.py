"""A call that sows, and the `nnx.pop` right behind it that takes what it sowed."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_migrate.analysis.domain.values import Instance, LibraryValue, Scope
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import CapturedCall
from nnx_migrate.rewrite.style.layout import is_hoistable

_SIMPLE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return
_BETWEEN = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr
_YIELDING = ast.Yield | ast.YieldFrom | ast.Await
#: Objects of the library that hold no Module of the program.
_LIBRARY_KINDS = frozenset({"optimizer", "metric", "rngs"})


def popped_behind(context: FileContext, use: ast.Call) -> CapturedCall:
    """The pop that follows a call of a function that sows on its first argument.

    Nothing between the two may do anything with the object, and one may not run without the other.

    Raises:
        NotCaptured: there is no such pop.
    """
    model = use.args[0] if use.args else None
    statement = context.tree.statement(use)
    if not isinstance(model, ast.Name) or len(mentions_of(statement, model.id)) != 1:
        raise NotCaptured(SownCause.NOT_BY_NAME_ALONE.about(line=use.lineno))
    if not is_alone(statement, use):
        raise NotCaptured(SownCause.PART_OF_EXPRESSION.about(line=use.lineno))
    block = context.tree.block_of(statement)
    between: list[ast.stmt] = []
    for later in block[block.index(statement) + 1 :]:
        pop = _pop_in(context, later, model.id)
        if pop is not None:
            known = (use, pop, *(n for n in context.tree.ancestors(pop) if isinstance(n, ast.Call)))
            foreign = foreign_call(context, statement, [*between, later], *known)
            if foreign is not None:
                raise NotCaptured(SownCause.MAY_USE.about(line=foreign.lineno, name=model.id))
            return CapturedCall(use, pop)
        simple = isinstance(later, _BETWEEN) and not _yields(later)
        if not simple or (mentioned(later, model.id) and not updates_only(context, later, model)):
            break
        between.append(later)
    raise NotCaptured(SownCause.NO_POP_BEHIND.about(name=model.id, line=use.lineno))


def _pop_in(context: FileContext, statement: ast.stmt, model: str) -> ast.Call | None:
    """The pop in a statement that does nothing else with the object."""
    if not isinstance(statement, _SIMPLE) or isinstance(statement, ast.AugAssign):
        return None
    named = mentions_of(statement, model)
    pop = context.tree.parents[named[0]] if len(named) == 1 else None
    if not isinstance(pop, ast.Call) or context.tree.nnx_name(pop.func) != "pop":
        return None
    plain = len(pop.args) == 2 and not any(isinstance(each, ast.Starred) for each in pop.args)
    whole = pop.args[0] is named[0] and plain and not pop.keywords
    return pop if whole and is_hoistable(context, pop) and not _yields(statement) else None


def _yields(statement: ast.stmt) -> bool:
    return any(isinstance(node, _YIELDING) for node in ast.walk(statement))


def is_alone(statement: ast.stmt, use: ast.Call) -> bool:
    """Whether a result can be unpacked where the call stands."""
    match statement:
        case ast.Assign(value=value, targets=[_]) | ast.Expr(value=value):
            return value is use
        case _:
            return False


def updates_only(context: FileContext, statement: ast.stmt, model: ast.Name) -> bool:
    """Whether it is `optimizer.update(model, grads)`, which sees nothing that is sown."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="update"), args=[first, *_]) as call):
            named = isinstance(first, ast.Name) and first.id == model.id
            once = len(mentions_of(statement, model.id)) == 1
            return named and once and _is_of_library(context, call, frozenset({"optimizer"}))
        case _:
            return False


def _is_of_library(context: FileContext, call: ast.Call, kinds: frozenset[str]) -> bool:
    """Whether a method of an object of these kinds is called that the library defines."""
    if not isinstance(call.func, ast.Attribute):
        return False
    hierarchy = context.evaluator.hierarchy
    values = context.values(call.func.value)
    return bool(values) and all(
        isinstance(value, Instance)
        and hierarchy.kind(value.class_name) in kinds
        and isinstance(hierarchy.method(value.class_name, call.func.attr), str)
        for value in values
    )


def sets_mode(context: FileContext, node: ast.AST, model: ast.Name) -> bool:
    """Whether it is `model.train()` or `model.eval()`, as nnx defines them."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="train" | "eval" as mode)):
            hierarchy = context.evaluator.hierarchy
            values = [v for v in context.values(model) if isinstance(v, Instance)]
            classes = {c for v in values for c in context.evaluator.hierarchy.classes_of(v)}
            known = len(values) == len(context.values(model)) > 0
            closed = all(hierarchy.ancestry(each).closed for each in classes)
            own = any(isinstance(hierarchy.method(each, mode), Scope) for each in classes)
            return name == model.id and known and closed and not own
        case _:
            return False


def foreign_call(
    context: FileContext, taking: ast.AST, later: Sequence[ast.stmt], *known: ast.Call
) -> ast.Call | None:
    """A call, but for those that are known, of something that may get at the object by other names.

    What the function returned has no way to: it is made of arrays.
    """
    result = {n.id for n in ast.walk(taking) if isinstance(n, ast.Name) and _is_stored(n)}
    for call in (n for each in later for n in ast.walk(each) if isinstance(n, ast.Call)):
        values = context.values(call.func)
        library = bool(values) and all(isinstance(v, LibraryValue) for v in values)
        library = library or _is_of_library(context, call, _LIBRARY_KINDS)
        of_result = _root(call.func) in result or any(n in known for n in ast.walk(call.func))
        if call not in known and not library and not of_result:
            return call
    return None


def _root(expression: ast.expr) -> str:
    """The name that attributes and elements are looked up from, one at least."""
    node = expression
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) and node is not expression else ""


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def mentions_of(node: ast.AST, name: str) -> list[ast.Name]:
    """Where code names a variable; what a lambda calls its own parameter is another one."""
    found: list[ast.Name] = []
    stack = [node]
    while stack:
        each = stack.pop()
        if isinstance(each, ast.Name) and each.id == name:
            found.append(each)
        own = isinstance(each, ast.Lambda) and name in _parameters(each)
        stack += [each.args] if isinstance(each, ast.Lambda) and own else ast.iter_child_nodes(each)
    return found


def _parameters(function: ast.Lambda) -> set[str]:
    return {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}


def mentioned(node: ast.AST, name: str) -> bool:
    return bool(mentions_of(node, name))
