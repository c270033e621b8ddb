"""Models that a function makes and returns with their State, which callers can take themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.effects.causes import UpdateAdds
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import StateOutside
from nnx_migrate.rewrite.model.ownership import direct_calls

#: What reads a State, or stores its values in the Variables of a Module, and keeps nothing of it.
_READING = frozenset({"get_partition_spec", "update"})
#: What gives arrays as they are, placed on devices.
_PLACING = "jax.lax.with_sharding_constraint"
#: Options of a transform that say nothing of its results.
_OF_ARGUMENTS = frozenset({"static_argnums", "static_argnames"})


def state_outside(context: FileContext, site: Site) -> StateOutside | None:
    """How the State of a model that is returned with it can be taken by the callers, all of them.

    The State that graph mode gives back holds the Variables of the model that it gives back, and
    so does `nnx.state` of that model, where nothing adds Variables after the State was taken.
    """
    function = site.function
    if site.form != "decorator" or not isinstance(function, ast.FunctionDef):
        return None
    if not site.complete or not site.options.keys() <= _OF_ARGUMENTS:
        return None
    last = function.body[-1]
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    if len(function.decorator_list) != 1 or returns != [last]:
        return None
    match returns[0].value:
        case ast.Tuple(elts=[ast.Name(id=model), given]) as returned:
            pass
        case _:
            return None
    scope = context.scope(given)
    unread = None
    if isinstance(given, ast.Name):
        found = context.tree.assigned_value(scope, given.id)
        loads = context.finder.loads(scope, given.id)
        if found is None or not all(load is given or _only_reads(context, load) for load in loads):
            return None
        unread = found[1] if len(loads) == 1 and isinstance(found[1], ast.Assign) else None
        given = found[0]
    match given:
        case ast.Call(args=[ast.Name(id=name), *filters], keywords=[]) if name == model:
            pass
        case _:
            return None
    made = context.tree.assigned_value(scope, model)
    if context.tree.nnx_name(given.func) != "state" or made is None:
        return None
    if not isinstance(made[0], ast.Call) or not _stays_as_it_is(context, function, scope, model):
        return None
    if not all(_is_of_nnx(context, each) for each in filters):
        return None
    uses = _uses(context, function)
    if not uses or context.comments_between(*context.text.span(returned)):
        return None
    texts = tuple(context.text.of(each) for each in filters)
    return StateOutside(returned, model, texts, uses, unread)


def _only_reads(context: FileContext, load: ast.Name) -> bool:
    call = context.tree.parents[load]
    if not isinstance(call, ast.Call) or load not in call.args:
        return False
    if context.tree.nnx_name(call.func) in _READING:
        return True
    return context.project.dotted(context.scope(call), lower_expr(call.func)) == _PLACING


def _stays_as_it_is(
    context: FileContext, function: ast.FunctionDef, scope: Scope, model: str
) -> bool:
    """Whether nothing in the function adds or takes away a part of the model, or gives an array
    that it keeps another value."""
    own = {context.where(each) for each in _updates_with_itself(context, function, scope, model)}
    return all(
        effect.way == "returned"
        if effect.kind == "escape"
        else isinstance(effect.cause, UpdateAdds) and effect.where in own
        for effect in context.effects_of(scope, model)
    )


def _updates_with_itself(
    context: FileContext, function: ast.FunctionDef, scope: Scope, model: str
) -> Iterator[ast.Call]:
    """The calls `nnx.update(model, state)` of a State of the model that has only been placed."""
    for call in ast.walk(function):
        match call:
            case ast.Call(args=[ast.Name(id=name), state], keywords=[]) if name == model:
                placed = _value(context, scope, state)
                if context.tree.nnx_name(call.func) == "update" and _is_placed(
                    context, scope, placed, model
                ):
                    yield call


def _is_placed(context: FileContext, scope: Scope, placed: ast.expr, model: str) -> bool:
    """Whether it is `with_sharding_constraint(nnx.state(model), ...)`, of the same values."""
    match placed:
        case ast.Call(func=func, args=[given, _], keywords=[]) if (
            context.project.dotted(scope, lower_expr(func)) == _PLACING
        ):
            match _value(context, scope, given):
                case ast.Call(func=taking, args=[ast.Name(id=name), *_]) if name == model:
                    return context.tree.nnx_name(taking) == "state"
    return False


def _value(context: FileContext, scope: Scope, expr: ast.expr) -> ast.expr:
    """What a name is bound to, once; all else as it is."""
    found = context.tree.assigned_value(scope, expr.id) if isinstance(expr, ast.Name) else None
    return expr if found is None else found[0]


def _is_of_nnx(context: FileContext, expr: ast.expr) -> bool:
    """Whether a filter means the same in all places of the file."""
    return isinstance(expr, ast.Attribute) and context.tree.nnx_name(expr) is not None


def _uses(
    context: FileContext, function: ast.FunctionDef
) -> tuple[tuple[ast.Assign, ast.Name, ast.Name], ...]:
    """Each call of the function, where all of them are `model, state = create()`."""
    found = []
    for call in direct_calls(context, function, decorated=True) or ():
        match context.tree.parents[call]:
            case (
                ast.Assign(
                    targets=[ast.Tuple(elts=[ast.Name() as model, ast.Name() as state])]
                ) as use
            ) if model.id != state.id:
                rest = context.text.text[context.text.span(use)[1] :].partition("\n")[0].strip()
                if rest and not rest.startswith("#"):
                    return ()
                found.append((use, model, state))
            case _:
                return ()
    return tuple(found)
