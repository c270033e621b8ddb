"""Values that are popped at the end of a function, and put back behind its call, are kept.

y, sown = nnx.vmap(lambda m, x: (m(x), nnx.clone(nnx.pop(m, T))), in_axes=axes)(model, x)
nnx.update(model, sown)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_codemods._sown.residual_state.calls import calls_to_restore
from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.effects.causes import changes_by
from nnx_migrate.analysis.effects.effect import Effect, Effects
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.rewrite.model.functions import function_scopes, given_parameters


def without_restored(context: FileContext, effects: Effects) -> Effects:
    """The effects of a function but for pops of what is put back behind the call that they are in.

    What puts it back is an effect of its own, of the function that does so.
    """
    pops = {effect for effect in effects if changes_by(effect.cause, "pop")}
    return effects - {effect for effect in pops if effect.where in _restored(context, effect)}


def _restored(context: FileContext, effect: Effect) -> frozenset[Place]:
    """The places of such pops in the file that an effect is in."""
    module = effect.where.module
    if module == context.tree.module:
        return _restored_pops(context)
    there = context.at(module)
    return frozenset() if there is None else _restored_pops(there)


@remembered
def _restored_pops(context: FileContext) -> frozenset[Place]:
    """The places of all pops in a file that are put back behind every call of their function."""
    found: dict[int, bool] = {}
    for site in context.finder.sites:
        for definition in _local_functions(context, site):
            for pop in _popped_into_result(context, definition):
                place = _place_of(context, site, context.tree.scope_of(definition), pop)
                restored = place is not None and _is_updated_behind(context, site, place)
                restored = restored and _is_only_transformed(context, definition)
                found[pop.lineno] = restored and found.get(pop.lineno, True)
    return frozenset(Place(context.tree.module, line) for line, each in found.items() if each)


def _local_functions(context: FileContext, site: Site) -> Iterator[AnyFunction]:
    if site.form in {"decorator", "call"}:
        for scope in function_scopes(context, site):
            if scope.module == context.tree.module:
                yield context.tree.functions[scope.function]


def _place_of(context: FileContext, site: Site, scope: Scope, pop: ast.Call) -> int | None:
    """The place among the arguments of the object that is popped."""
    popped = pop.args[0] if pop.args else None
    for place, name, _ in given_parameters(context, site, scope):
        if isinstance(popped, ast.Name) and popped.id == name:
            return place
    return None


def _is_only_transformed(context: FileContext, definition: AnyFunction) -> bool:
    """Whether a function is called through its transform alone."""
    if isinstance(definition, ast.Lambda) or definition.decorator_list:
        return True
    functions = [site.function for site in context.finder.sites]
    loads = context.finder.loads(context.tree.scope(definition), definition.name)
    return all(load in functions for load in loads)


def _given(context: FileContext, site: Site, use: ast.Call, index: int) -> ast.expr | None:
    """What a call passes at a place, the object of a method being the first."""
    definition = site.function
    if isinstance(definition, ast.FunctionDef) and context.tree.class_around(definition):
        if index == 0:
            return use.func.value if isinstance(use.func, ast.Attribute) else None
        index -= 1
    return use.args[index] if index < len(use.args) else None


def _popped_into_result(context: FileContext, definition: AnyFunction) -> Iterator[ast.Call]:
    """The pops that are the last part of what a function returns, or one in it."""
    for node in ast.walk(definition):
        match node:
            case ast.Return(value=ast.Tuple(elts=[*_, last])):
                pass
            case ast.Lambda(body=ast.Tuple(elts=[*_, last])):
                pass
            case _:
                continue
        if context.tree.function_around(last) is not definition:
            continue
        if isinstance(last, ast.Tuple) and last.elts:  # (carry, (outputs, sown))
            last = last.elts[-1]
        match last:
            case ast.Call(func=outer, args=[ast.Call(func=inner) as pop]) if (
                context.tree.nnx_name(outer) == "clone" and context.tree.nnx_name(inner) == "pop"
            ):
                yield pop


def _is_updated_behind(context: FileContext, site: Site, index: int) -> bool:
    """Whether the last part of each result goes into `nnx.update` of the object, at once."""
    uses = calls_to_restore(context, site)
    return bool(uses) and all(_is_restored(context, site, use, index) for use in uses)


def _is_restored(context: FileContext, site: Site, use: ast.Call, index: int) -> bool:
    restored = _given(context, site, use, index)
    if restored is None:
        return False
    statement = context.tree.statement(use)
    block = context.tree.block_of(statement)
    behind = block[block.index(statement) + 1 : block.index(statement) + 3]
    if behind and _takes_off(context, behind[0], restored):
        del behind[0]
    match statement:
        case ast.Assign(targets=[target], value=value) if value is use:
            last = _last_part(site, target)
        case _:
            return False
    match behind:
        case [ast.Expr(value=ast.Call(func=func, args=[given, ast.Name(id=name)])), *_]:
            same = ast.dump(given) == ast.dump(restored)
            named = isinstance(last, ast.Name) and last.id == name
            return same and named and context.tree.nnx_name(func) == "update"
        case _:
            return False


def _takes_off(context: FileContext, statement: ast.stmt, restored: ast.expr) -> bool:
    """Whether a statement is `nnx.pop(model, T)` of that object."""
    match statement:
        case ast.Expr(value=ast.Call(func=func, args=[given, *_])):
            same = ast.dump(given) == ast.dump(restored)
            return same and context.tree.nnx_name(func) == "pop"
        case _:
            return False


def _last_part(site: Site, target: ast.expr) -> ast.expr | None:
    """The last part of what a function returns, in what its result is unpacked into."""
    if site.spec.differentiates:  # (loss, aux), grads = ..., or grads, aux = ...
        if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
            return None
        if site.spec.has_value:
            target = target.elts[0]
    if not isinstance(target, ast.Tuple) or not target.elts:
        return None
    last = target.elts[-1]
    return last.elts[-1] if isinstance(last, ast.Tuple) and last.elts else last
