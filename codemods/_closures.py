"""What the functions of a site capture: which objects, and what is done to them."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Iterator

from codemods._evidence import is_graph_node
from nnx_migrate.facts import ir
from nnx_migrate.facts.sites import Site
from nnx_migrate.facts.syntax import AnyFunction, FunctionNode
from nnx_migrate.facts.use_search import Use
from nnx_migrate.facts.values import (
    ContainerValue,
    FunctionValue,
    Instance,
    Located,
    ParameterOf,
    Scope,
    TupleValue,
    Value,
    Values,
    is_unknown,
)
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.functions import definition_of, free_names
from nnx_migrate.rewrite.plan import Capture
from nnx_migrate.rewrite.stacks import stack_of

_KINDS = frozenset({"module", "metric", "rngs", "optimizer", "variable"})
_MAX_DEPTH = 6


@dataclasses.dataclass(frozen=True, slots=True)
class Captured:
    """What the functions of a site capture.

    Args:
        objects: the Modules and the like.
        uses: what is done to them that needs them to be given.
        unseen: something is done to them that is not seen.
        obstacle: why they cannot be passed; empty when nothing was found against it.
        where: the function around the site that binds each, by its name.
    """

    objects: tuple[Capture, ...]
    uses: frozenset[Use] = frozenset()
    unseen: bool = False
    obstacle: str = ""
    where: tuple[tuple[str, Scope], ...] = ()


def definitions_of(context: FileContext, site: Site) -> list[AnyFunction | None]:
    """The functions of a site, as they are defined in this file."""
    functions = site.functions or (stack_of(context, site)[-1].function,)
    return [definition_of(context, function) for function in functions]


def calls_of_decorated(context: FileContext, site: Site) -> Iterator[ast.Call]:
    """The calls of a decorated function, where they are in this file."""
    if site.form == "decorator" and isinstance(site.function, FunctionNode):
        here = context.tree.scope(site.function)
        for load in context.finder.loads(here, site.function.name):
            call = context.tree.parents[load]
            if isinstance(call, ast.Call) and call.func is load:
                yield call


def may_capture(context: FileContext, site: Site) -> bool:
    """Whether a function of the site stands where there are names to capture; a cheap check."""
    functions = site.functions or (stack_of(context, site)[-1].function,)
    for each in functions:
        if isinstance(each, ast.AST) and site.form == "operands":
            return True
        if isinstance(each, ast.AST) and context.tree.function_around(each) is not None:
            return True
    return bool(_objects_of_module(context))


@functools.lru_cache(maxsize=2)
def _objects_of_module(context: FileContext) -> frozenset[str]:
    """The names of the file itself that are bound to a call which gives an object."""
    scope = Scope(context.tree.module, ir.MODULE_SCOPE)
    bindings = context.project.function(scope).bindings
    return frozenset(
        name
        for name, values in bindings.items()
        if any(not isinstance(value, _DEFINED) for value in values)
        and is_graph_node(context, context.evaluator.values(scope, ir.Name(name)), _KINDS)
    )


_DEFINED = ir.FunctionRef | ir.ClassRef | ir.ImportRef | ir.Constant


def captured_by(context: FileContext, site: Site) -> Captured | None:
    """What the functions of a site capture; None when these are not all seen in this file."""
    definitions = definitions_of(context, site)
    names: dict[str, Scope] = {}
    obstacles: list[str] = []
    for definition in definitions:
        if definition is None:
            continue
        for read in free_names(context, definition):
            values = context.values(read)
            if is_graph_node(context, values, _KINDS):
                names.setdefault(read.id, context.tree.scope_of(definition))
            elif reason := _hidden(context, read, values):
                obstacles.append(reason)
    branches = [definition_of(context, function) for function in site.branches]
    if not names or None in (branches if site.form == "operands" else definitions):
        return None
    objects, unclear = _distinct(context, names)
    uses: set[Use] = set()
    unseen = any(definition is None for definition in definitions)
    for name in names:
        for definition in definitions:
            if definition is None:
                continue
            scope = context.tree.scope_of(definition)
            uses |= context.analysis.uses.of(scope, name)
            for effect in context.analysis.effects.of(scope, name):
                unseen = unseen or effect.kind == "unknown"
                if effect.kind != "unknown":
                    obstacles.append(f"{effect.what} ({effect.where})")
    objects = tuple(
        dataclasses.replace(each, updated=_may_be_updated(context, site, each, frozenset(uses)))
        for each in objects
    )
    where = tuple((name, _binding_scope(context, scope, name)) for name, scope in names.items())
    reason = next(iter(sorted(obstacles)), "") or unclear
    return Captured(objects, frozenset(uses), unseen, reason, where)


def _may_be_updated(
    context: FileContext, site: Site, capture: Capture, uses: frozenset[Use]
) -> bool:
    """Whether anything updates it: Params alone are not what a forward pass updates."""
    values = context.evaluator.values(context.tree.scope(site.node), ir.Name(capture.name))
    updated = any(use.kind == "update" for use in uses)
    return updated or not context.analysis.contents.of(values).only_params


def _binding_scope(context: FileContext, scope: Scope, name: str) -> Scope:
    return context.project.bindings(scope, name)[0].scope


def _hidden(context: FileContext, name: ast.Name, values: Values) -> str:
    """Why what a function captures may hold an object that is not seen to be passed."""
    for value in values:
        if _holds_node(context, value):
            return f"{name.id} is, or holds, an object in a way that is not followed"
        if isinstance(value, FunctionValue) and _captures_node(context, value, _MAX_DEPTH):
            return f"the function {name.id} uses an object from outside too"
    parent = context.tree.parents[name]
    if is_unknown(values) and isinstance(parent, ast.Call) and parent.func is name:
        return f"what {name.id}() runs is not known"
    return ""


def _holds_node(context: FileContext, value: Value) -> bool:
    match value:
        case ContainerValue(element=element):
            return any(_holds_node(context, each) for each in element)
        case TupleValue(elements=elements):
            return any(_holds_node(context, each) for part in elements for each in part)
        case _:
            return is_graph_node(context, frozenset({value}), _KINDS)


def _captures_node(context: FileContext, value: FunctionValue, depth: int) -> bool:
    """Whether a function of this file is bound to an object, or captures one, through others."""
    if value.bound or value.partial_args or value.bound_keywords:
        return True
    if value.scope.module != context.tree.module:
        return False
    definition = context.tree.functions.get(value.scope.function)
    if definition is None or depth == 0:
        return True
    for name in free_names(context, definition):
        for held in context.values(name):
            if _holds_node(context, held):
                return True
            if not isinstance(held, FunctionValue) or held.scope == value.scope:
                continue
            if _captures_node(context, held, depth - 1):
                return True
    return False


def _distinct(context: FileContext, names: dict[str, Scope]) -> tuple[tuple[Capture, ...], str]:
    """The captured objects, each once, and why two of them may not be told apart."""
    paths = {
        name: context.analysis.identity.path(scope, ir.Name(name)) for name, scope in names.items()
    }
    roots: dict[str, list[tuple[str, str]]] = {}
    reason = ""
    holders = _optimizers(context, names, paths)
    for name in sorted(names, key=lambda n: (len(paths[n]), n in holders, n)):
        if (optimizer := holders.get(name)) is not None:
            roots.setdefault(optimizer, []).append((name, ".model"))
            continue
        holder = next((r for r in roots if paths[name][: len(paths[r])] == paths[r]), None)
        if holder is None:
            reason = reason or _shares(context, names, roots, name)
            roots.setdefault(name, [])
        elif _is_alias(context, names[name], name, holder):
            rest = paths[name][len(paths[holder]) :]
            roots[holder].append((name, "".join(f".{part}" for part in rest)))
        else:
            reason = reason or f"{name} is a part of {holder}"
            roots[name] = []
    order = sorted(roots)
    return tuple(Capture(name, tuple(roots[name])) for name in order), reason


def _optimizers(
    context: FileContext, names: dict[str, Scope], paths: dict[str, tuple[str, ...]]
) -> dict[str, str]:
    """The models that were given to a ModelAndOptimizer beside them, each with that one."""
    found: dict[str, str] = {}
    for holder, scope in names.items():
        bindings = context.project.bindings(scope, holder)
        if len(bindings) != 1 or not isinstance(bindings[0], Located):
            continue
        where, made = bindings[0].scope, bindings[0].expr
        if not isinstance(made, ir.Call) or not made.args:
            continue
        if context.project.nnx_name(where, made.func) != "ModelAndOptimizer":
            continue
        model = context.analysis.identity.path(where, made.args[0])
        for name, path in paths.items():
            single = len(context.project.bindings(names[name], name)) == 1
            single = single and not _is_stored(context, holder, "model")
            if model and path == model and single:
                found[name] = holder
    return found


def _is_stored(context: FileContext, holder: str, name: str) -> bool:
    """Whether an attribute of an object is set anywhere in the file."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == name
        and not isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id == holder
        for node in context.tree.nodes
    )


def _is_alias(context: FileContext, scope: Scope, name: str, holder: str) -> bool:
    """Whether a name is bound to attributes of `holder`, by no other name in between."""
    bindings = context.project.bindings(scope, name)
    if len(bindings) != 1 or isinstance(bindings[0], ParameterOf):
        return False
    expr = bindings[0].expr
    while isinstance(expr, ir.Attribute):
        expr = expr.base
    return expr == ir.Name(holder)


def _shares(
    context: FileContext,
    names: dict[str, Scope],
    roots: dict[str, list[tuple[str, str]]],
    name: str,
) -> str:
    values = context.evaluator.values(names[name], ir.Name(name))
    identity = context.analysis.identity
    path = identity.path(names[name], ir.Name(name))
    for root in roots:
        held = identity.path(names[root], ir.Name(root))
        kept = [
            *identity.kept(names[root], ir.Name(root)),
            *identity.kept(names[name], ir.Name(name)),
        ]
        if any(each[: len(p)] == p for each in kept for p in (path, held)):
            return f"{name} and {root} hold the same object"
        others = context.evaluator.values(names[root], ir.Name(root))
        if not disjoint(context, values, others):
            return f"{name} and {root} may share Variables"
    return ""


def _alone(values: Values) -> Values:
    """An nnx.Optimizer without the model that it was made for, which it does not keep."""
    return frozenset(
        dataclasses.replace(value, wraps=frozenset())
        if isinstance(value, Instance) and value.class_name == "flax.nnx.Optimizer"
        else value
        for value in values
    )


def disjoint(context: FileContext, values: Values, others: Values) -> bool:
    """Whether two objects hold Variables of different types alone, so that they share none."""
    one, other = (context.analysis.contents.of(_alone(v)) for v in (values, others))
    return not (one.unseen or other.unseen or one.variables & other.variables)
