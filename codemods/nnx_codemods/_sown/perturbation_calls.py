"""A gradient by perturbations in its place: the forward pass before it, and the pop behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_codemods._freshness.local_objects import check_made_here
from nnx_codemods._sown.adjacent_pop import (
    foreign_call,
    is_alone,
    mentioned,
    sets_mode,
    updates_only,
)
from nnx_codemods._sown.blind_uses import is_blind
from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction, FunctionNode
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import PerturbedCall
from nnx_migrate.rewrite.sown.perturb import gradient_target

#: What looks at an object and keeps none of it but States.
_LOOKING = frozenset(
    {"state", "split", "graphdef", "update", "display", "train", "eval", "Optimizer", "variables"}
)
_OPTIONS = frozenset({"DiffState", "Any"})
_LEAVING = ast.Return | ast.Break | ast.Continue | ast.Raise | ast.Yield | ast.YieldFrom | ast.Await
_TAKING_APART = frozenset({"state", "filter_state", "split_state"})


def perturbed_call(
    context: FileContext,
    site: Site,
    definition: AnyFunction,
    place: int,
    forward: ast.Call,
    use: ast.Call,
    beside: str,
    names: frozenset[str],
) -> PerturbedCall:
    """What stands around a call of the gradient.

    Args:
        beside: the type that is differentiated beside perturbations; empty when none is.
        names: those of the perturbations.

    Raises:
        NotCaptured: something else may happen to the perturbations.
    """
    statement = context.tree.statement(use)
    model = use.args[place] if place < len(use.args) else None
    if not isinstance(model, ast.Name) or any(isinstance(a, ast.Starred) for a in use.args):
        raise NotCaptured(SownCause.NOT_PASSED_BY_NAME.about(line=use.lineno))
    inside = set(ast.walk(definition))
    if len([n for n in _names(statement) if n.id == model.id and n not in inside]) != 1:
        raise NotCaptured(SownCause.USED_TWICE.about(name=model.id, line=use.lineno))
    if any(isinstance(p, ast.Try | ast.TryStar | ast.Lambda) for p in context.tree.ancestors(use)):
        raise NotCaptured(SownCause.IN_TRY_OR_LAMBDA.about(line=use.lineno))
    block = context.tree.block_of(statement)
    at = block.index(statement)
    first = _first_pass(context, block[:at], model.id, definition)
    _check_same_pass(context, first, forward, definition, use)
    known: tuple[ast.AST, ...] = (first, use)
    popping = _pop(context, block[at + 1 :], model)
    if popping is not None:
        known += (popping,)
    else:
        check_made_here(context, model, block)
    making = context.tree.statement(first)
    between = block[block.index(making) + 1 : at + 1 if popping is None else block.index(popping)]
    own = [n for n in inside if isinstance(n, ast.Call)]
    target = gradient_target(site, statement)
    own += [n for s in between if target is not None for n in _calls_of(s, target.id)]
    _check_between(context, first, between, model.id, (use, *own))
    _check_other_uses(context, model, known, names if popping is None else None)
    parts = _parts(context, site, statement, beside) if beside else None
    return PerturbedCall(first, use, popping, parts)


def _names(node: ast.AST) -> list[ast.Name]:
    return [each for each in ast.walk(node) if isinstance(each, ast.Name)]


def _calls_of(statement: ast.stmt, name: str) -> Iterator[ast.Call]:
    """Calls of methods of what a name is bound to."""
    for node in ast.walk(statement):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=base))) if base == name:
                yield node


def _first_pass(
    context: FileContext, earlier: list[ast.stmt], model: str, definition: AnyFunction
) -> ast.Call:
    """The forward pass that makes the perturbations, in the last statement before that uses it."""
    for statement in reversed(earlier):
        if statement is definition or not mentioned(statement, model):
            continue
        value = getattr(statement, "value", None)
        if isinstance(value, ast.Call) and is_alone(statement, value):
            func = value.func.value if isinstance(value.func, ast.Attribute) else value.func
            once = len([n for n in _names(statement) if n.id == model]) == 1
            if isinstance(func, ast.Name) and func.id == model and once:
                return value
        raise NotCaptured(SownCause.USED_BEFORE_GRADIENT.about(name=model, line=statement.lineno))
    raise NotCaptured(SownCause.NO_FORWARD_PASS.about(name=model))


def _check_same_pass(
    context: FileContext,
    first: ast.Call,
    forward: ast.Call,
    definition: AnyFunction,
    use: ast.Call,
) -> None:
    """The forward pass in the loss is the one before it, so that both perturb the same."""
    another = SownCause.OTHER_FORWARD_PASS.about(line=first.lineno)
    parameters = [a.arg for a in (*definition.args.posonlyargs, *definition.args.args)]
    given = dict(zip(parameters, use.args, strict=False))
    given |= {k.arg: k.value for k in use.keywords if k.arg}
    if _method(first) != _method(forward) or len(first.args) != len(forward.args):
        raise NotCaptured(another)
    by_name = [[k.arg for k in call.keywords] for call in (first, forward)]
    if by_name[0] != by_name[1]:
        raise NotCaptured(another)
    own = {each.arg for each in ast.walk(definition.args) if isinstance(each, ast.arg)}
    made = [*first.args, *(k.value for k in first.keywords)]
    for one, two in zip(made, [*forward.args, *(k.value for k in forward.keywords)], strict=True):
        passed = given.get(two.id, two) if isinstance(two, ast.Name) else two
        if ast.dump(one) != ast.dump(passed):
            raise NotCaptured(another)
        for name in _names(passed) if passed is two else ():
            here = context.project.bindings(context.tree.scope(first), name.id)
            there = context.project.bindings(context.tree.scope(forward), name.id)
            if name.id in own or here != there:
                raise NotCaptured(SownCause.OTHER_IN_LOSS.about(name=name.id))


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _pop(context: FileContext, later: list[ast.stmt], model: ast.Name) -> ast.stmt | None:
    """The statement that pops the perturbations, which comes first of those that use the object.

    None when there is none in the block.
    """
    for statement in later:
        if not mentioned(statement, model.id) or updates_only(context, statement, model):
            continue
        match statement:
            case ast.Expr(value=ast.Call(func=func, args=[ast.Name(), wanted], keywords=[])) if (
                context.tree.nnx_name(func) == "pop"
                and context.tree.nnx_name(wanted) == "Perturbation"
            ):
                return statement
        if any(_is_pop(context, n) for each in later for n in ast.walk(each)):
            raise NotCaptured(SownCause.USED_BEFORE_POP.about(name=model.id, line=statement.lineno))
    return None


def _is_pop(context: FileContext, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and context.tree.nnx_name(node.func) == "pop"


def _check_between(
    context: FileContext,
    first: ast.Call,
    between: list[ast.stmt],
    model: str,
    known: tuple[ast.Call, ...],
) -> None:
    """Nothing gets at the object on the way, the arguments stay, and the pop is reached.

    Args:
        known: the call of the gradient, what that runs, and calls of methods of what it gives.
    """
    run = [s for s in between if not isinstance(s, FunctionNode | ast.ClassDef)]
    if any(isinstance(node, _LEAVING) for each in run for node in ast.walk(each)):
        raise NotCaptured(SownCause.MAY_LEAVE)
    read = {name.id for name in _names(first)}
    before = [s for s in run if s.lineno < known[0].lineno]
    for name in (n for each in before for n in _names(each)):
        if isinstance(name.ctx, ast.Store) and name.id in read:
            raise NotCaptured(SownCause.BOUND_BEFORE_GRADIENT.about(name=name.id, line=name.lineno))
    calls = [n for each in run for n in ast.walk(each) if isinstance(n, ast.Call)]
    options = [call for call in calls if context.tree.nnx_name(call.func) in _OPTIONS]
    foreign = foreign_call(context, context.tree.statement(first), run, *known, *options)
    if foreign is not None:
        raise NotCaptured(SownCause.MAY_USE_BEFORE_POP.about(line=foreign.lineno, name=model))


def _check_other_uses(
    context: FileContext,
    model: ast.Name,
    known: tuple[ast.AST, ...],
    names: frozenset[str] | None,
) -> None:
    """All other code around only looks at the object, or gives it to the library.

    Args:
        names: of perturbations that are not popped, and so must not be seen by it.
    """
    scope = context.tree.scope(model)
    bindings = context.project.bindings(scope, model.id)
    if len(bindings) != 1:
        raise NotCaptured(SownCause.NOT_ONE_OBJECT.about(name=model.id))
    for load in (n for n in context.tree.of_kind(ast.Name) if n.id == model.id):
        here = context.tree.scope(load)
        if context.project.bindings(here, load.id) != bindings or isinstance(load.ctx, ast.Store):
            continue
        if any(each in known for each in (load, *context.tree.ancestors(load))):
            continue
        harmless = _is_harmless(context, load) if names is None else is_blind(context, load, names)
        if here != scope or not harmless:
            raise NotCaptured(SownCause.USED_IN_LINE.about(name=model.id, line=load.lineno))


def _is_harmless(context: FileContext, load: ast.Name) -> bool:
    """Whether what is done with the object neither perturbs anything nor gives it another name."""
    parent = context.tree.parents[load]
    match parent:
        case ast.Call(func=func, args=args) if load in args:
            if context.tree.nnx_name(func) in _LOOKING:
                return True
            return updates_only(context, context.tree.statement(load), load)
        case ast.Attribute():
            return sets_mode(context, context.tree.parents[parent], load)
        case ast.Tuple():
            return isinstance(context.tree.parents[parent], ast.Return)
        case ast.Return():
            return True
    return False


def _parts(context: FileContext, site: Site, statement: ast.stmt, beside: str) -> ast.Assign | None:
    """`a, b = nnx.state(grads, nnx.Param, nnx.Perturbation)`, where nothing else reads grads."""
    target = gradient_target(site, statement)
    if target is None:
        raise NotCaptured(SownCause.GRADIENTS_NOT_BOUND.about(line=statement.lineno))
    block = context.tree.block_of(statement)
    for position, later in enumerate(block[block.index(statement) + 1 :], block.index(statement)):
        if not mentioned(later, target.id):
            continue
        match later:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=two)])],
                value=ast.Call(func=func, args=[ast.Name(id=read), *filters], keywords=[]),
            ) if context.tree.nnx_name(func) in _TAKING_APART and read == target.id:
                kinds = [context.tree.nnx_name(each) for each in filters]
                between = block[block.index(statement) : position + 1]
                free = not any(mentioned(s, n) for s in between[1:] for n in (one, two))
                if sorted(map(str, kinds)) == sorted([beside, "Perturbation"]) and free:
                    only = len(_reads(context, statement, target.id)) == 1
                    return later if only or target.id in {one, two} else None
        return None
    return None


def _reads(context: FileContext, statement: ast.stmt, name: str) -> list[ast.Name]:
    return context.finder.loads(context.tree.scope(statement), name)
