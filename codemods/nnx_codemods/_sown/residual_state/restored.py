"""Values that are popped at the end of a function, and put back behind its call, are kept.

y, sown = nnx.vmap(lambda m, x: (m(x), nnx.clone(nnx.pop(m, T))), in_axes=axes)(model, x)
nnx.update(model, sown)
"""

from __future__ import annotations

import ast

from nnx_migrate.analysis.effects.causes import changes_by
from nnx_migrate.analysis.effects.summary import Effects
from nnx_migrate.analysis.flax.transforms import SPLITTERS
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.functions import function_scopes


def without_restored(context: FileContext, site: Site, index: int, effects: Effects) -> Effects:
    """The effects of a site's function but for pops of what its call puts back.

    Args:
        index: the place of the argument that the effects are on.
    """
    if not any(changes_by(effect.cause, "pop") for effect in effects):
        return effects
    lines = _popped_into_result(context, site)
    if not lines or not _is_updated_behind(context, site, index):
        return effects
    return frozenset(
        effect
        for effect in effects
        if not (
            changes_by(effect.cause, "pop")
            and effect.where.module == context.tree.module
            and effect.where.line in lines
        )
    )


def call_of(context: FileContext, site: Site) -> ast.Call | None:
    """The one call of what a transform gives, through what splits Rngs around it."""
    if len(site.uses) == 1 and not site.escapes:
        return site.uses[0]
    if isinstance(site.function, ast.FunctionDef):
        return _only_call(context, site.function)
    if site.form != "call":
        return None
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
    """The one call of a decorated function, of a name that nothing else in the project has."""
    if not definition.name.startswith("_") or definition.name.startswith("__"):
        return None
    calls = list(context.evaluator.callers.mentions.calls_of(definition.name))
    uses = [
        node
        for node in context.tree.of_kind(ast.Call)
        if definition.name in {getattr(node.func, "attr", None), getattr(node.func, "id", None)}
    ]
    return uses[0] if len(calls) == len(uses) == 1 else None


def _given(context: FileContext, site: Site, use: ast.Call, index: int) -> ast.expr | None:
    """What a call passes at a place, the object of a method being the first."""
    definition = site.function
    if isinstance(definition, ast.FunctionDef) and context.tree.class_around(definition):
        if index == 0:
            return use.func.value if isinstance(use.func, ast.Attribute) else None
        index -= 1
    return use.args[index] if index < len(use.args) else None


def _popped_into_result(context: FileContext, site: Site) -> frozenset[int]:
    """The lines of the pops that are the last part of what a function returns, or one in it."""
    scopes = function_scopes(context, site)
    if any(scope.module != context.tree.module for scope in scopes):
        return frozenset()
    found: set[int] = set()
    definitions = (context.tree.functions[scope.function] for scope in scopes)
    for node in (node for definition in definitions for node in ast.walk(definition)):
        match node:
            case ast.Return(value=ast.Tuple(elts=[*_, last])):
                pass
            case ast.Lambda(body=ast.Tuple(elts=[*_, last])):
                pass
            case _:
                continue
        if isinstance(last, ast.Tuple) and last.elts:  # (carry, (outputs, sown))
            last = last.elts[-1]
        match last:
            case ast.Call(func=outer, args=[ast.Call(func=inner) as pop]) if (
                context.tree.nnx_name(outer) == "clone" and context.tree.nnx_name(inner) == "pop"
            ):
                found.add(pop.lineno)
    return frozenset(found)


def _is_updated_behind(context: FileContext, site: Site, index: int) -> bool:
    """Whether the last part of the result goes into `nnx.update` of the object, at once."""
    use = call_of(context, site)
    restored = None if use is None else _given(context, site, use, index)
    if use is None or restored is None:
        return False
    statement = context.tree.statement(use)
    block = context.tree.block_of(statement)
    behind = block[block.index(statement) + 1 : block.index(statement) + 2]
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=[*_, target])], value=value) if value is use:
            last = target.elts[-1] if isinstance(target, ast.Tuple) else target
        case _:
            return False
    match behind:
        case [ast.Expr(value=ast.Call(func=func, args=[given, ast.Name(id=name)]))]:
            same = ast.dump(given) == ast.dump(restored)
            named = isinstance(last, ast.Name) and last.id == name
            return same and named and context.tree.nnx_name(func) == "update"
        case _:
            return False
