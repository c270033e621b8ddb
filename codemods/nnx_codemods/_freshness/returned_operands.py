"""Objects that the branches of a conditional return as they were given them.

    model, loss = nnx.cond(due, update, skip, model)      loss = nnx.cond(due, update, skip, model)

Graph mode hands the very object back, and the conditional updates it in place, so its name still
stands for it. A frozen tree that holds such objects is made anew, of the same objects and arrays.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from nnx_codemods._evidence import is_graph_node
from nnx_codemods._freshness.frozen_trees import is_frozen_tree
from nnx_codemods._freshness.returned_arguments import (
    fits,
    leaves_of,
    may_hold,
    returns_of,
)
from nnx_migrate.analysis.domain.values import FunctionValue, Scope
from nnx_migrate.analysis.effects.causes import Returned
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import OperandsAgain
from nnx_migrate.rewrite.model.ownership import is_of_file
from nnx_migrate.sources.bound_names import binds

_Branch = ast.FunctionDef | ast.Lambda
_Places = dict[tuple[int, ...], int]


def operands_again(
    context: FileContext, site: Site, returned: frozenset[tuple[Scope, str]]
) -> OperandsAgain | None:
    """How the branches can return less, because the names of the operands are bound again.

    Args:
        returned: all the parameters of the branches that may be returned, or a part of them.
    """
    call = site.node
    if site.form != "operands" or not site.complete or not isinstance(call, ast.Call):
        return None
    operands = [each.id if isinstance(each, ast.Name) else "" for each in site.operands]
    branches = [_branch(context, site, each) for each in site.branches]
    found: list[_Places] = []
    for branch in branches:
        if branch is None:
            return None
        names = {name for scope, name in returned if scope == context.tree.scope_of(branch)}
        places = _places_in(context, branch, names, len(operands))
        if places is None:
            return None
        found.append(places)
    if not found or not found[0] or any(each != found[0] for each in found):
        return None
    definitions = [each for each in branches if each is not None]
    use = _bound_by(context, call, {p: operands[i] for p, i in found[0].items()})
    if use is None:
        return None
    again = {operands[i] for i in found[0].values()}
    if _is_rebound_from_within(context, again):
        return None
    statement = use if isinstance(use, ast.Assign) else None
    return OperandsAgain(tuple(dict.fromkeys(definitions)), statement, frozenset(found[0]))


def _branch(context: FileContext, site: Site, node: ast.expr) -> _Branch | None:
    """The function that a branch is, if nothing but this conditional uses it."""
    if isinstance(node, ast.Lambda):
        return node
    if not isinstance(node, ast.Name):
        return None
    definition = _defined_before(context, node) or _defined_alone(context, node)
    if definition is None or definition.decorator_list:
        return None
    scope = context.tree.scope(definition)
    if not is_of_file(context, scope, definition.name):
        return None
    for load in context.finder.loads(scope, definition.name):
        if load in site.branches:
            continue
        used = _defined_before(context, load)
        if used is None or used is definition:
            return None
    return definition


def _defined_alone(context: FileContext, load: ast.Name) -> ast.FunctionDef | None:
    """The definition that is all that a name is ever bound to, in a function or file around it."""
    (value, *others) = context.values(load) or (None,)
    if others or not isinstance(value, FunctionValue):
        return None
    definition = context.tree.functions.get(value.scope.function)
    here = value.scope.module == context.tree.module
    if not here or not isinstance(definition, ast.FunctionDef) or definition.name != load.id:
        return None
    scope = context.tree.scope(definition)
    alone = len(context.project.bindings(scope, load.id)) == 1
    return definition if alone and load in context.finder.loads(scope, load.id) else None


def _defined_before(context: FileContext, load: ast.Name) -> ast.FunctionDef | None:
    """The definition that a name is bound by in the block where it is read, and no other one."""
    statement = context.tree.statement(load)
    around = context.tree.parents[statement]
    for _, block in ast.iter_fields(around):
        if not isinstance(block, list) or statement not in block:
            continue
        for before in reversed(block[: block.index(statement)]):
            if isinstance(before, ast.FunctionDef) and before.name == load.id:
                return before
            if any(binds(node, {load.id}) for node in ast.walk(before)):
                return None
    return None


def _places_in(
    context: FileContext, branch: _Branch, names: set[str], count: int
) -> _Places | None:
    """Where a branch returns its parameters, and which; None where it does more with them.

    Args:
        names: those that it may return.
        count: how many it is given.
    """
    args = branch.args
    if args.posonlyargs or args.vararg or args.kwarg or args.kwonlyargs:
        return None
    parameters = [each.arg for each in args.args][:count]
    if len(parameters) < count or not names <= set(parameters) or _rebinds(context, branch, names):
        return None
    scope = context.tree.scope_of(branch)
    if not all(_stays_whole(context, scope, name) for name in names):
        return None
    found: list[_Places] = []
    for value in _returned_by(context, branch):
        if value is None:
            return None
        places: _Places = {}
        for place, leaf in leaves_of(value):
            if isinstance(leaf, ast.Name) and leaf.id in names:
                places[place] = parameters.index(leaf.id)
            elif may_hold(context, leaf, names):
                return None
        if {parameters[i] for i in places.values()} != names:
            return None
        found.append(places)
    if not found or any(each != found[0] for each in found):
        return None
    if isinstance(branch, ast.FunctionDef) and not fits(branch.returns, found[0]):
        return None
    return found[0]


def _returned_by(context: FileContext, branch: _Branch) -> Sequence[ast.expr | None]:
    if isinstance(branch, ast.Lambda):
        return [branch.body]
    yields = (ast.Yield, ast.YieldFrom)
    inside = (node for node in ast.walk(branch) if isinstance(node, yields))
    if any(context.tree.function_around(node) is branch for node in inside):
        return []
    return [each.value for each in returns_of(context, branch)]


def _rebinds(context: FileContext, branch: _Branch, names: set[str]) -> bool:
    body = branch.body if isinstance(branch.body, list) else [branch.body]
    own = context.tree.scope_of(branch)
    for node in itertools.chain.from_iterable(map(ast.walk, body)):
        if isinstance(node, ast.Global | ast.Nonlocal):
            return True
        elsewhere = isinstance(node, ast.Name) and context.tree.scope(node) != own
        if binds(node, names) and not elsewhere:
            return True
    return False


def _stays_whole(context: FileContext, scope: Scope, name: str) -> bool:
    """Whether what a branch was given is what it returns, with all that is in it.

    An object of nnx is, whatever happens to its Variables; what else happens to it has its own
    rule. A tree has to be frozen, and to hold nothing but objects and arrays: a number comes back
    as an array.
    """
    values = context.evaluator.values(scope, ir.Name(name))
    if is_graph_node(context, values):
        return True
    effects = context.effects_of(scope, name)
    if any(effect.kind != "escape" or effect.cause != Returned() for effect in effects):
        return False
    return is_frozen_tree(context, scope, ir.Name(name))


def _bound_by(
    context: FileContext, call: ast.Call, places: dict[tuple[int, ...], str]
) -> ast.stmt | None:
    """The statement that binds each object to the name that it was passed by, or nothing at all."""
    statement = context.tree.parents[call]
    if isinstance(statement, ast.Expr):
        return statement
    around = context.tree.function_around(call)
    if any(
        isinstance(each, ast.ClassDef) and context.tree.function_around(each) is around
        for each in context.tree.ancestors(call)
    ):
        return None  # a name of a class is not the one that is read in it
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    bound = dict(leaves_of(statement.targets[0]))
    for place, name in places.items():
        target = bound.pop(place, None)
        if not name or not isinstance(target, ast.Name) or target.id != name:
            return None
    again = set(places.values())
    inside = (node for each in bound.values() for node in ast.walk(each))
    if any(isinstance(node, ast.Starred) for node in bound.values()):
        return None
    if any(isinstance(node, ast.Name) and node.id in again for node in inside):
        return None
    return statement


def _is_rebound_from_within(context: FileContext, names: set[str]) -> bool:
    """Whether a function of the file may bind one of the names for the functions around it."""
    return any(name in names for name in _declared(context))


def _declared(context: FileContext) -> Iterator[str]:
    for node in ast.walk(context.tree.root):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names
