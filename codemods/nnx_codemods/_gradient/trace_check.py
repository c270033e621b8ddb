"""Losses of which not all is known: may the new code check, when it is traced, what they do?

The structure of the Module before and after the loss, and which Variables it holds, are compared
in the new code (`nnx.split` before and behind it). That finds attributes that are new, gone or
changed, and replaced Variables, in both modes. A part of the Module that the loss returns beside
its value is found by Flax: tree mode raises for a Variable that comes in and goes out, and in graph
mode the same Variable comes out as before. What neither finds is left to be pinned: what happens to
other objects that the loss is given, and what code in sight is known to do.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from nnx_codemods._claims import RuleClaim
from nnx_codemods._evidence import effects_on, is_graph_node, refuse_split
from nnx_codemods._sown.residual_state.popped_when_traced import pops_to_check
from nnx_codemods._unresolved.unseen_functions import may_be_graph_node, seen_functions
from nnx_migrate.analysis.domain.containers import any_leaf
from nnx_migrate.analysis.domain.values import Basic, Hidden, Instance, Scope, Value, Values
from nnx_migrate.analysis.effects.causes import CalleeUnknown, Cause, MethodUnknown, PassedTo
from nnx_migrate.analysis.effects.effect import NO_EFFECTS, Effect, Effects
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.functions import (
    argument_values,
    function_scopes,
    function_values,
    parameter_at,
)
from nnx_migrate.rewrite.model.unobserved import unobserved_site
from nnx_migrate.rewrite.split.arguments import positional_names
from nnx_migrate.rewrite.split.nested import last_return
from nnx_migrate.sources.bound_names import binds

_MODULES = frozenset({"module"})


def checked_when_traced(
    context: FileContext, site: Site, index: int, values: Values
) -> Evidence | None:
    """What a check in the new code holds the loss to; None where a check would not be enough.

    Args:
        index: the place of the differentiated argument.
        values: what it can be.
    """
    if not context.options.trace_checks or not is_graph_node(context, values, _MODULES):
        return None
    if not _has_place(site, index) or context.analysis.sharing.of(values):
        return None
    scopes = function_scopes(context, site)
    effects: Effects | None
    if scopes:
        effects = effects_on(context, site, scopes, index, values)
    else:
        effects = _unseen(context, site, index)
    if effects is None:
        return None
    effects -= _checked_pops(context, site, scopes, index)
    if any(effect.kind != "unknown" for effect in effects):
        return None
    in_sight = context.analysis.in_sight.differentiated(context.tree.module)
    for effect in effects:
        if not is_checked(effect.cause):
            return None
        possible = in_sight.possible(effect, is_object=True)
        if possible is not None and possible.by is not None:
            return None
    if not _returns_no_object(context, site, scopes or seen_functions(context, site)):
        return None
    return _evidence(context, site, index)


def _checked_pops(
    context: FileContext, site: Site, scopes: tuple[Scope, ...], index: int
) -> Effects:
    """What a loss pops itself of what it has sown: the check sees where more lay there before."""
    names = ((scope, parameter_at(context, site, scope, index)) for scope in scopes)
    found = (pops_to_check(context, scope, name) for scope, name in names if name is not None)
    return NO_EFFECTS.union(*found)


def checked_beside_runs(context: FileContext, site: Site, index: int) -> Evidence | None:
    """What the new code checks of an argument that only runs have shown to be a Module, and which.

    What no run has passed may change its structure, and nothing in the code says that it does not.

    Args:
        index: the place of the differentiated argument.

    Returns:
        None where the code says enough of it, where nothing is to be checked, or no check fits.
    """
    plain = unobserved_site(context, site)
    if plain is None or not context.options.trace_checks or site.form != "call":
        return None
    held = argument_values(*plain, index)
    refused = refuse_split(*plain, "", index, held, [], _MODULES)
    return None if refused is None else _evidence(context, site, index)


def _has_place(site: Site, index: int) -> bool:
    """Whether a check can stand behind a loss: behind its call, or in front of its one return."""
    definition = site.function
    if site.form == "call":
        return True
    if site.form != "decorator" or not isinstance(definition, ast.FunctionDef):
        return False
    return last_return(definition) is not None and keeps_name(definition, index)


def keeps_name(definition: ast.FunctionDef, index: int) -> bool:
    """Whether a name is bound to one of the arguments of a function all the time."""
    names = positional_names(definition)
    return index < len(names) and not _binds(definition.body, names[index])


def _binds(body: Sequence[ast.AST], name: str) -> bool:
    """Whether code binds a name of the function that it stands in, or a function in it does."""
    waiting = [*body]
    while waiting:
        node = waiting.pop()
        if binds(node, {name}):
            return True
        if isinstance(node, ast.FunctionDef) and not _names_outer(node, name):
            waiting += [node.args, *node.decorator_list]  # its names are its own
        else:
            waiting += ast.iter_child_nodes(node)
    return False


def _names_outer(definition: ast.FunctionDef, name: str) -> bool:
    """Whether a function, or one in it, binds a name of the functions around it."""
    said = (node for node in ast.walk(definition) if isinstance(node, ast.Nonlocal))
    return any(name in node.names for node in said)


def _evidence(context: FileContext, site: Site, index: int) -> Evidence:
    claim = str(RuleClaim.KEEPS_STRUCTURE.about(index=index))
    return Evidence(claim, Proof.CHECKED, context.where(site.node))


def is_checked(cause: Cause) -> bool:
    """Whether the new code finds what may happen, whatever that is."""
    match cause:
        case CalleeUnknown() | MethodUnknown():
            return True
        case PassedTo(hidden=hidden):
            # All code in sight may be meant, and there is no name to look for.
            return hidden != "run time"
        case _:
            return False


def _unseen(context: FileContext, site: Site, index: int) -> Effects | None:
    """What a loss that is not all in sight does; None where that cannot be said or checked."""
    function = site.function
    if not isinstance(function, ast.Name | ast.Attribute):
        return None
    values = function_values(context, site)
    by_text = any(isinstance(v, Basic) and v.hidden == "run time" for v in values)
    hidden: Hidden = "run time" if by_text else ""
    name = function.id if isinstance(function, ast.Name) else function.attr
    effect = Effect(
        "unknown", PassedTo(ast.unparse(function), name, hidden=hidden), context.where(site.node)
    )
    for use in site.uses:
        others = [arg for place, arg in enumerate(use.args) if place != index]
        others += [keyword.value for keyword in use.keywords]
        if len(use.args) <= index or any(isinstance(arg, ast.Starred) for arg in use.args):
            return None
        if any(_may_change(context, context.values(arg), effect) for arg in others):
            return None
    seen = seen_functions(context, site)
    known = effects_on(context, site, seen, index) if seen else frozenset[Effect]()
    return known | {effect}


def _may_change(context: FileContext, values: Values, effect: Effect) -> bool:
    """Whether a loss may change the structure of something else that it is given: nobody checks."""
    if any_leaf(values, _is_object(context)):
        return True
    in_sight = context.analysis.in_sight.of(context.tree.module, in_loop=False)
    return (
        may_be_graph_node(context, values)
        and in_sight.possible(effect, is_object=False) is not None
    )


def _returns_no_object(context: FileContext, site: Site, scopes: tuple[Scope, ...]) -> bool:
    """Whether nothing beside the loss is known to be, or to hold, an object of nnx."""
    option = site.options.get("has_aux")
    if option is None or (isinstance(option, ast.Constant) and option.value is False):
        return True
    return not any(
        any_leaf(context.evaluator.values(scope, part), _is_object(context))
        for scope in scopes
        for returned in context.project.function(scope).returns
        for part in _beside_the_loss(returned)
    )


def _beside_the_loss(returned: ir.Expr) -> tuple[ir.Expr, ...]:
    if isinstance(returned, ir.Sequence) and len(returned.elements) > 1:
        return tuple(returned.elements[1:])
    return (returned,)


def _is_object(context: FileContext) -> Callable[[Value], bool]:
    """A test for objects of nnx, Variables and States."""

    def is_object(value: Value) -> bool:
        match value:
            case Basic(sort=sort):
                return sort in {"state", "graphdef"}
            case Instance(class_name=class_name):
                return context.evaluator.hierarchy.kind(class_name) != "plain"
            case _:
                return False

    return is_object
