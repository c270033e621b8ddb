"""Values that a function pops itself are all that it sows, where none lay on the object before.

Graph mode takes what lay there off the object as well, which tree mode does not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_codemods._sown.residual_state.calls import calls_to_restore
from nnx_codemods._sown.sowing import sown_by
from nnx_migrate.analysis.domain.values import ClassValue, Located, ParameterOf, Scope, Value
from nnx_migrate.analysis.effects.causes import changes_by
from nnx_migrate.analysis.effects.effect import Effects
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.residual_sow import ResidualSowFinder, harm
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.rewrite.model.decisions import NotRewritten
from nnx_migrate.rewrite.model.ownership import check_in_file
from nnx_migrate.rewrite.style.layout import is_hoistable

#: The parameters that are being followed to what calls pass for them.
_Around = frozenset[tuple[Scope, str]]


def without_popped(context: FileContext, scope: Scope, parameter: str, effects: Effects) -> Effects:
    """The effects of a function on an object but for pops of what it has sown itself."""
    pops = {effect for effect in effects if changes_by(effect.cause, "pop")}
    if not pops or any(effect.sows for effect in effects):
        return effects
    return effects - pops if comes_clean(context, scope, parameter) else effects


@remembered
def comes_clean(context: FileContext, scope: Scope, parameter: str) -> bool:
    """Whether nothing sown lies on an object whenever a function is given it."""
    try:
        _check_function(context, scope, parameter, frozenset())
    except NotRewritten:
        return False
    return True


def _check_function(context: FileContext, scope: Scope, parameter: str, around: _Around) -> None:
    """See that a parameter is clean in all calls of its function.

    Raises:
        NotCaptured: it may not be.
    """
    if (scope, parameter) in around:
        return
    definition = context.tree.functions.get(scope.function)
    if scope.module != context.tree.module or definition is None:
        raise NotCaptured(SownCause.CALLS_NOT_FOLLOWED)
    if isinstance(definition, ast.FunctionDef) and context.tree.class_around(definition):
        raise NotCaptured(SownCause.IS_METHOD)
    positional = [a.arg for a in (*definition.args.posonlyargs, *definition.args.args)]
    uses = tuple(_calls_of(context, definition))
    if not uses or parameter not in positional:
        raise NotCaptured(SownCause.NOT_CALLED_IN_SIGHT)
    for use in uses:
        _check_given(
            context, use, positional.index(parameter), parameter, around | {(scope, parameter)}
        )


def _calls_of(context: FileContext, definition: AnyFunction) -> Iterator[ast.Call]:
    """All calls of a function, or of what a transform makes of it."""
    if isinstance(definition, ast.Lambda):
        yield _through_transform(context, definition)
        return
    scope = context.tree.scope(definition)
    check_in_file(context, scope, definition.name)
    if len(context.project.bindings(scope, definition.name)) != 1:
        raise NotCaptured(SownCause.NAME_BOUND_ANEW)
    made = {site.node for site in context.finder.sites if site.form == "decorator"}
    if not made.issuperset(definition.decorator_list):
        raise NotCaptured(SownCause.IS_DECORATED)
    for load in context.finder.loads(scope, definition.name):
        match context.tree.parents[load]:
            case ast.Call(func=func) as use if func is load:
                yield use
            case _:
                yield _through_transform(context, load)


def _through_transform(context: FileContext, function: ast.expr) -> ast.Call:
    for site in context.finder.sites:
        if site.form == "call" and site.function is function:
            uses = calls_to_restore(context, site)
            if len(uses) == 1:
                return uses[0]
    raise NotCaptured(SownCause.MORE_THAN_CALLED)


def _check_given(
    context: FileContext, use: ast.Call, place: int, parameter: str, around: _Around
) -> None:
    """See that nothing sown lies on what a call passes."""
    named = [keyword.value for keyword in use.keywords if keyword.arg == parameter]
    if any(isinstance(arg, ast.Starred) for arg in use.args[: place + 1]):
        raise NotCaptured(SownCause.ARGUMENTS_UNPACKED)
    given = named[0] if named else use.args[place] if place < len(use.args) else None
    if isinstance(given, ast.Name):
        scope = context.tree.scope(given)
        _check_named(context, scope, given.id, use, around)
    elif isinstance(given, ast.Call) and context.tree.nnx_name(given.func) == "merge":
        _check_merged(context, given, around)
    else:
        raise NotCaptured(SownCause.OBJECT_NOT_BY_NAME)


def _check_merged(context: FileContext, merge: ast.Call, around: _Around) -> None:
    """See that nothing sown lies on what was split, and is put together for a call."""
    graphdef = merge.args[0] if merge.args else None
    for split in context.tree.of_kind(ast.Assign):
        match split:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=name), *_])],
                value=ast.Call(func=func, args=[ast.Name() as given, *_]) as call,
            ) if isinstance(graphdef, ast.Name) and name == graphdef.id:
                here, there = context.tree.scope(graphdef), context.tree.scope(split)
                bound = context.project.bindings(here, name)
                same = len(bound) == 1 and bound == context.project.bindings(there, name)
                if same and context.tree.nnx_name(func) == "split":
                    _check_named(context, there, given.id, call, around)
                    return
    raise NotCaptured(SownCause.ORIGIN_NOT_FOLLOWED)


def _check_named(
    context: FileContext, scope: Scope, name: str, use: ast.Call, around: _Around
) -> None:
    """See that nothing sown lies on what a name holds at a call."""
    match context.project.bindings(scope, name):
        case [ParameterOf(scope=holder)] if holder == scope:
            left = harm(ResidualSowFinder(context.analysis, {}).effects.inside(holder, name))
            if left is not None:
                raise NotCaptured(SownCause.EFFECT.about(left.where, what=left.what))
            _check_function(context, holder, name, around)
        case [Located(scope=made_in, expr=made)] if made_in == scope:
            _check_made(context, scope, name, made, use)
        case _:
            raise NotCaptured(SownCause.ORIGIN_NOT_FOLLOWED)


def _check_made(
    context: FileContext, scope: Scope, name: str, made: ir.Expr, use: ast.Call
) -> None:
    """See that a variable is a new object, and clean again wherever the call may stand."""
    finder = ResidualSowFinder(context.analysis, {})
    reason = finder.on_made(scope, made, name)
    if reason:
        raise NotCaptured(reason)
    check_in_file(context, scope, name)
    body = _body(context, use)
    called_in = _place(body, use.lineno)
    for where, line, effect in finder.sown_by_line(scope, name):
        sown_in = _place(body, line) if where == scope and line else None
        if sown_in is None or called_in is None:
            raise NotCaptured(SownCause.EFFECT.about(effect.where, what=effect.what))
        if sown_in > called_in:
            continue  # in straight order, behind the call
        between = body[sown_in + 1 : called_in]
        types = {kind for sown in sown_by(context, effect) for kind in sown.types}
        if not types or not any(_takes(context, each, name, types) for each in between):
            raise NotCaptured(SownCause.EFFECT.about(effect.where, what=effect.what))


def _body(context: FileContext, node: ast.AST) -> list[ast.stmt]:
    """The statements of the function, or the module, around a node."""
    function = context.tree.function_around(node)
    if isinstance(function, ast.Lambda):
        raise NotCaptured(SownCause.CALLED_IN_LAMBDA)
    return context.tree.root.body if function is None else function.body


def _place(body: list[ast.stmt], line: int) -> int | None:
    for place, statement in enumerate(body):
        if statement.lineno <= line <= (statement.end_lineno or statement.lineno):
            return place
    return None


def _takes(context: FileContext, statement: ast.stmt, name: str, types: set[Value]) -> bool:
    """Whether a statement pops all of these types off a name: `found = [nnx.pop(name, T)]`."""
    if not isinstance(statement, ast.Assign | ast.Expr):
        return False
    return any(
        isinstance(node, ast.Call)
        and _pops(context, node, name, types)
        and is_hoistable(context, node)
        for node in ast.walk(statement)
    )


def _pops(context: FileContext, call: ast.Call, name: str, types: set[Value]) -> bool:
    """Whether a call is `nnx.pop(name, T)`, with all of these types or base classes of them."""
    match call:
        case ast.Call(func=func, args=[ast.Name(id=popped), *filters]) if popped == name:
            taken = {kind for each in filters for kind in context.values(each)}
            ancestry = context.evaluator.hierarchy.ancestry
            return context.tree.nnx_name(func) == "pop" and all(
                isinstance(kind, ClassValue)
                and not taken.isdisjoint(map(ClassValue, ancestry(kind.class_name).classes))
                for kind in types
            )
        case _:
            return False
