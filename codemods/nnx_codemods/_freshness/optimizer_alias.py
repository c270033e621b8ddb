"""A model that goes in beside the optimizer that holds it: the function can read it from there."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from itertools import islice

from nnx_codemods._callers.parameter_options import options_without
from nnx_migrate.analysis.domain.values import FunctionValue, Instance, Located, Scope, is_unknown
from nnx_migrate.analysis.effects.flags.field_stores import FieldStores
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import OwnedArgument
from nnx_migrate.rewrite.model.ownership import direct_calls

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclasses.dataclass(frozen=True, slots=True)
class Owned:
    """A parameter that can be read from another one.

    Args:
        argument: which, and the calls that pass both.
        options: new text of the options of the transform that list parameters.
    """

    argument: OwnedArgument
    options: Mapping[str, str]


def owned_argument(context: FileContext, site: Site) -> Owned | None:
    """How a parameter can be read from another one, where all calls pass the two together.

    `optimizer.model` is what the optimizer was made of, until something else is stored there or
    one of the two names is rebound. What is left of the arguments must hold nothing twice. What is
    donated must be so with and without the parameter.
    """
    function = site.function
    if site.form != "decorator" or not site.spec.compiles or not site.complete:
        return None
    if not isinstance(function, ast.FunctionDef) or len(function.decorator_list) != 1:
        return None
    args = function.args
    if args.posonlyargs or args.vararg or args.kwarg or args.defaults:
        return None
    calls = direct_calls(context, function, decorated=True) or []
    given = [by_parameter(call, args) for call in calls]
    names = [arg.arg for arg in args.args]
    for holder in names:
        for model in names:
            if model == holder or not is_only_read(context, function, {model, holder}):
                continue
            sources = {
                _source(context, each.get(model), each.get(holder), calls) if each else ""
                for each in given
            }
            source = sources.pop() if len(sources) == 1 else ""
            if not source:
                continue
            options = options_without(site, model, holder)
            if options is not None and not any(
                _is_twice(context, call, model, args) for call in calls
            ):
                dropped = tuple(each[model] for each in given if each)
                read = OwnedArgument(function, model, source.format(holder), tuple(calls), dropped)
                return Owned(read, options)
    return None


def by_parameter(call: ast.Call, args: ast.arguments) -> dict[str, ast.expr] | None:
    """What a call passes for each parameter; None where that is not all written down."""
    unpacked = any(isinstance(each, ast.Starred) for each in call.args)
    if unpacked or any(keyword.arg is None for keyword in call.keywords):
        return None
    names = [arg.arg for arg in args.args]
    found = dict(zip(names, call.args, strict=False))
    return found | {each.arg: each.value for each in call.keywords if each.arg}


def is_only_read(context: FileContext, function: ast.FunctionDef, names: Set[str]) -> bool:
    """Whether nothing in a function binds parameters anew, even in a nested function."""
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if name in names:
                if context.tree.scope(node) == context.tree.scope_of(function):
                    return False
            case ast.Global() | ast.Nonlocal():
                return False
    return True


def _source(
    context: FileContext,
    model: ast.expr | None,
    holder: ast.expr | None,
    calls: Collection[ast.Call],
) -> str:
    """How a model is had of the optimizer that is passed with it, with {} for that; "" if it isn't.

    Args:
        calls: all calls of the function that gets both.
    """
    if _is_held(context, model, holder) or _is_read(context, model, holder):
        return "{}.model"
    bound = _bound_at(context, model) if isinstance(model, ast.Name) else None
    if bound is None or not isinstance(holder, ast.Name):
        return ""
    match bound.value:
        case ast.Attribute(value=ast.Name() as read) as value if _is_read(context, value, holder):
            made = _bound_at(context, holder)
            once = made is not None and not _is_repeated(context, made)
            return "{}.model" if once and made is _bound_at(context, read) else ""
        case ast.Call(func=func, args=[ast.Name() as viewed], keywords=options) if (
            context.tree.nnx_name(func) == "view"
            and all(each.arg and isinstance(each.value, ast.Constant) for each in options)
            and _is_held(context, viewed, holder)
            and _is_but_viewed(context, bound, viewed, calls)
        ):
            told = ["{}.model", *(f"{each.arg}={ast.unparse(each.value)}" for each in options)]
            return f"{context.text.of(func)}({', '.join(told)})"
    return ""


def _is_read(context: FileContext, read: ast.expr | None, holder: ast.expr | None) -> bool:
    """Whether an expression reads the model of an optimizer by the name that is passed, too."""
    match read, holder:
        case ast.Attribute(value=ast.Name(id=name) as value, attr="model"), ast.Name(id=passed) if (
            name == passed
        ):
            optimizers = context.values(value)
            kind = context.evaluator.hierarchy.kind
            return (
                bool(optimizers)
                and all(isinstance(v, Instance) and _is_optimizer(kind, v) for v in optimizers)
                and not _is_stored(context)
            )
    return False


def _is_optimizer(kind: Callable[[str], str | None], value: Instance) -> bool:
    return kind(value.class_name) == "optimizer" and not value.probable


def _is_but_viewed(
    context: FileContext, view: ast.Assign, model: ast.Name, calls: Collection[ast.Call]
) -> bool:
    """Whether nothing changes a model behind a view of it, or the view: a later one is the same.

    The model is held by its optimizer and viewed, and the view passed to one function.
    """
    scope = context.tree.scope(model)
    if context.tree.scope(view) != scope or _is_repeated(context, view):
        return False
    if scope.function == ir.MODULE_SCOPE and not context.project.modules[scope.module].stands:
        return False  # other files may come to it
    for load in context.finder.loads(scope, model.id):
        match context.tree.parents[load]:
            case ast.Call(func=func, args=[first, *_]) if first is load:
                if context.tree.nnx_name(func) not in {"view", "ModelAndOptimizer"}:
                    return False
            case _:
                return False
    (target,) = view.targets
    return isinstance(target, ast.Name) and all(
        any(call in calls for call in islice(context.tree.ancestors(load), 2))
        for load in context.finder.loads(scope, target.id)
    )


def _is_held(
    context: FileContext,
    model: ast.expr | None,
    holder: ast.expr | None,
    seen: frozenset[tuple[ast.expr, ast.expr]] = frozenset(),
) -> bool:
    """Whether a call passes an optimizer, and the model that it was made of.

    Args:
        seen: what functions return that were gone through on the way.
    """
    if not isinstance(model, ast.Name) or not isinstance(holder, ast.Name):
        return False
    if returned := _returned_together(context, model, holder):
        again = returned in seen
        return not again and _is_held(context, *returned, seen=seen | {returned})
    made = _bound_at(context, holder)
    match made.value if made is not None else None:
        case ast.Call(func=func, args=[ast.Name(id=name) as given, *_]) if name == model.id:
            if context.tree.nnx_name(func) != "ModelAndOptimizer":
                return False
        case _:
            return False
    assert made is not None
    bound = _bound_at(context, model)
    if bound is None or bound is not _bound_at(context, given):
        return False
    if context.tree.scope(bound.targets[0]) != context.tree.scope(made.value):
        return False
    block = context.tree.block_of(made)
    together = bound in block and block.index(bound) < block.index(made)
    return together and not _is_repeated(context, made) and not _is_stored(context)


def _returned_together(
    context: FileContext, model: ast.Name, holder: ast.Name
) -> tuple[ast.expr, ast.expr] | None:
    """What a function of this file returns at the places of two names, `model, optimizer = f()`."""
    stores = [_only_store(context, name) for name in (model, holder)]
    targets = [context.tree.parents.get(store) if store else None for store in stores]
    match targets:
        case [ast.Tuple(elts=elements) as target, other] if target is other:
            statement = context.tree.parents.get(target)
        case _:
            return None
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return None
    if len(statement.targets) != 1 or any(isinstance(each, ast.Starred) for each in elements):
        return None
    returned = _only_return(context, statement.value)
    if returned is None or len(returned.elts) != len(elements):
        return None
    first, second = (returned.elts[elements.index(store)] for store in stores if store)
    return first, second


def _only_store(context: FileContext, name: ast.Name) -> ast.Name | None:
    """Where a name is bound, if it is so once."""
    match context.project.bindings(context.tree.scope(name), name.id):
        case [Located(scope=scope)]:
            stores = _stores(context, scope, name.id)
            return stores[0] if len(stores) == 1 else None
        case _:
            return None


def _stores(context: FileContext, scope: Scope, name: str) -> list[ast.Name]:
    return [
        node
        for node in context.tree.nodes
        if isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Store | ast.Del)
        and context.tree.scope(node) == scope
    ]


def _only_return(context: FileContext, call: ast.Call) -> ast.Tuple | None:
    """The tuple in the one return statement of the function of this file that a call runs."""
    match sorted(context.values(call.func), key=str):
        case [FunctionValue(scope=scope)] if scope.module == context.tree.module:
            definition = context.tree.functions.get(scope.function)
        case _:
            return None
    if not isinstance(definition, ast.FunctionDef) or definition.decorator_list:
        return None
    own = [n for n in ast.walk(definition) if context.tree.scope(n) == scope]
    if any(isinstance(each, ast.Yield | ast.YieldFrom) for each in own):
        return None
    match [each.value for each in own if isinstance(each, ast.Return)]:
        case [ast.Tuple() as returned]:
            return returned
        case _:
            return None


def _bound_at(context: FileContext, name: ast.Name) -> ast.Assign | None:
    """The assignment that a name stands for where it is read."""
    alone = context.tree.assigned_value(context.tree.scope(name), name.id)
    match context.reaching.statement(name) if alone is None else alone[1]:
        case ast.Assign(targets=[ast.Name()]) as found:
            return found
    return None


def _is_repeated(context: FileContext, statement: ast.stmt) -> bool:
    """Whether a loop of the same function runs a statement again."""
    node: ast.AST | None = context.tree.parents.get(statement)
    while node is not None and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if isinstance(node, _LOOPS):
            return True
        node = context.tree.parents.get(node)
    return False


def _is_stored(context: FileContext) -> bool:
    """Whether code of the project may store another model in an optimizer that was made."""
    kind = context.evaluator.hierarchy.kind
    for scope, owner in _stores_of_models(context):
        values = context.evaluator.values(scope, owner)
        optimizers = (isinstance(v, Instance) and kind(v.class_name) == "optimizer" for v in values)
        if is_unknown(values) or any(optimizers):
            return True
    return False


def _stores_of_models(context: FileContext) -> Iterator[tuple[Scope, ir.Expr]]:
    """What code stores a `model` in, and what it stores in under names that it computes."""
    for scope, write in context.evaluator.callers.mentions.outside_writes("model"):
        yield scope, write.target.base if isinstance(write.target, ir.Attribute) else write.target
    yield from FieldStores(context.evaluator).changed_by_text("model", context.project.modules)


def _is_twice(context: FileContext, call: ast.Call, model: str, args: ast.arguments) -> bool:
    """Whether the other arguments of a call hold something twice."""
    left = [value for name, value in (by_parameter(call, args) or {}).items() if name != model]
    lowered = tuple(map(lower_expr, left))
    return bool(context.analysis.sharing.passed.twice(context.scope(call), lowered, call.lineno))
