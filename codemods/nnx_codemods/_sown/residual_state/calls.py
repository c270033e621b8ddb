"""The calls of what a transform gives, behind which what was popped is put back."""

from __future__ import annotations

import ast

from nnx_codemods._sown.first_in_statement import check_first
from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_migrate.analysis.domain.values import FunctionValue
from nnx_migrate.analysis.flax.transforms import SPLITTERS
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.ownership import is_of_file
from nnx_migrate.rewrite.style.naming import fresh


def calls_to_restore(context: FileContext, site: Site) -> tuple[ast.Call, ...]:
    """All calls of what a transform gives, through what splits Rngs around it; none if unknown."""
    if site.uses and not site.escapes:
        return site.uses if _is_private(context, site) else ()
    if isinstance(site.function, ast.FunctionDef):
        call = _only_call(context, site.function)
    else:
        call = _through_splitters(context, site) if site.form == "call" else None
    return () if call is None else (call,)


def _is_private(context: FileContext, site: Site) -> bool:
    """Whether no other file may call what a name is bound to."""
    name, binding = site.bound_name, site.binding
    if name is None or binding is None:
        return True
    return is_of_file(context, context.tree.scope(binding), name)


def _through_splitters(context: FileContext, site: Site) -> ast.Call | None:
    node: ast.AST = site.node
    while True:
        parent = context.tree.parents[node]
        match parent:
            case ast.Call(func=ast.Call(func=func), args=[only]) if only is node and (
                context.tree.nnx_name(func) in SPLITTERS
            ):
                node = parent
            case ast.Call(func=func) if func is node:
                return parent
            case _:
                return None


def _only_call(context: FileContext, definition: ast.FunctionDef) -> ast.Call | None:
    """The one call of a decorated function, of a name that is private to its file."""
    name = definition.name
    if not name.startswith("_") or name.startswith("__"):
        return None
    if any(context.analysis.imports.importers(context.tree.module, (name,))):
        return None
    own = context.tree.scope_of(definition)
    for scope, call in context.evaluator.callers.mentions.calls_of(name):
        if scope.module == context.tree.module:
            continue
        values = context.evaluator.values(scope, call.func)
        runs = {v.scope for v in values if isinstance(v, FunctionValue)}
        if not values or len(runs) != len(values) or own in runs:
            return None
    uses = [
        node
        for node in context.tree.of_kind(ast.Call)
        if name in {getattr(node.func, "attr", None), getattr(node.func, "id", None)}
    ]
    return uses[0] if len(uses) == 1 else None


def check_restorable(context: FileContext, use: ast.Call, place: int) -> None:
    """What is popped can be put back behind a call.

    Args:
        place: that of the object among the arguments.

    Raises:
        NotCaptured: it cannot.
    """
    if place >= len(use.args) or any(isinstance(arg, ast.Starred) for arg in use.args):
        raise NotCaptured(SownCause.GIVEN_NOT_CLEAR.about(line=use.lineno))
    statement = context.tree.statement(use)
    if not _is_the_same_later(statement, use.args[place]):
        raise NotCaptured(SownCause.NO_LASTING_NAME)
    if not stands_alone(context, use):
        check_first(context, use)


def stands_alone(context: FileContext, use: ast.Call) -> bool:
    """Whether a call is all that its statement takes or returns."""
    match context.tree.statement(use):
        case ast.Assign(targets=[_], value=whole) | ast.Expr(value=whole) | ast.Return(value=whole):
            return whole is use
        case _:
            return False


def _is_the_same_later(statement: ast.stmt, given: ast.expr) -> bool:
    """Whether an expression is a name, or an attribute of one, that the call's statement keeps."""
    root = given
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name):
        return False
    bound = {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return root.id not in bound


def twin_name(context: FileContext, site: Site, definition: AnyFunction) -> str:
    """A private name for what a transform gives, where its name can be that of a function.

    Empty where it cannot: `forward = nnx.jit(fn)` is no statement of its own, say.
    """
    binding, arguments = site.binding, definition.args
    plain = not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults)
    if binding is None or site.bound_name is None or binding.value is not site.node or not plain:
        return ""
    if site.spec.differentiates or len(binding.targets) != 1:
        return ""
    scope = context.tree.scope(binding)
    loads = context.finder.loads(scope, site.bound_name)
    if any(isinstance(context.tree.parents[load], ast.Attribute) for load in loads):
        return ""  # forward.lower(...)
    if len(context.project.bindings(scope, site.bound_name)) != 1:
        return ""
    wanted = f"_{site.bound_name.strip('_') or 'function'}_and_pop"
    words = {wanted} if context.project.has_word(wanted) else set()
    (name,) = fresh([wanted], context.taken_names(binding) | words)
    return name
