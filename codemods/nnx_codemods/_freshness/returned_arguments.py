"""Objects that a step returns as it was given them, and that its callers bind as they had them.

    model, loss = step(model, x)          loss = step(model, x)

The transform updates what it is given, so both names are the same object in graph mode too. Where
callers need all that was returned, or nobody sees them, the function gets a private name, and one
that returns all has its name:

    def step(model, x):
        loss = _step(model, x)
        return model, loss
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection, Iterator

from nnx_codemods._freshness.optimizer_alias import by_parameter, is_only_read
from nnx_migrate.analysis.domain.values import ARRAY, PLAIN
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import names_in
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import ReturnedAgain
from nnx_migrate.rewrite.model.ownership import direct_calls
from nnx_migrate.rewrite.split.returned_again import elements_of
from nnx_migrate.rewrite.style.naming import fresh

_BINDING = of_nnx(lambda t: t.binds)
#: Options that say nothing of what comes out.
_OF_ARGUMENTS = frozenset({"static_argnames", "static_argnums"})
_Places = dict[tuple[int, ...], ast.expr]


def returned_again(context: FileContext, site: Site, names: frozenset[str]) -> ReturnedAgain | None:
    """How a function can return less: its callers go on with what they passed, or a twin does.

    Args:
        names: its parameters that it returns; all of them have to go.
    """
    less = _returning_less(context, site, names)
    if less is None:
        return None
    uses = _uses(context, less.function, _places_of(context, less.returns, names))
    if uses is not None:
        return dataclasses.replace(less, uses=uses)
    twin = _twin_of(context, less.function, less.returns)
    return dataclasses.replace(less, twin=twin) if twin else None


def _returning_less(
    context: FileContext, site: Site, names: frozenset[str]
) -> ReturnedAgain | None:
    """How a function can return less, whatever its callers do."""
    function = site.function
    if site.form != "decorator" or not site.spec.compiles or not site.complete:
        return None
    if not isinstance(function, ast.FunctionDef) or len(function.decorator_list) != 1:
        return None
    if not _OF_ARGUMENTS.issuperset(site.options) or not is_only_read(context, function, names):
        return None
    args = function.args
    if args.posonlyargs or args.vararg or args.kwarg:
        return None
    returns = tuple(returns_of(context, function))
    places = _places_of(context, returns, names)
    if not places or not fits(function.returns, places):
        return None
    return ReturnedAgain(function, returns, (), frozenset(places))


def _uses(
    context: FileContext, function: ast.FunctionDef, places: dict[tuple[int, ...], str]
) -> tuple[ast.Assign, ...] | None:
    """The statements that bind what the function returns; None where one needs all of it."""
    calls = direct_calls(context, function, decorated=True)
    uses: list[ast.Assign] = []
    for call in calls or ():
        statement = context.tree.parents[call]
        if isinstance(statement, ast.Expr):
            continue
        if not isinstance(statement, ast.Assign) or not _binds_again(
            statement, places, by_parameter(call, function.args)
        ):
            return None
        uses.append(statement)
    return tuple(uses) if calls else None


def _twin_of(
    context: FileContext, function: ast.FunctionDef, returns: tuple[ast.Return, ...]
) -> str:
    """A private name for a function that another one with its name is to call; "" if none can."""
    scope = context.tree.scope(function)
    if not isinstance(context.tree.parents[function], ast.Module):
        return ""
    if len(context.project.bindings(scope, function.name)) != 1:
        return ""
    for load in context.finder.loads(scope, function.name):
        # What it has as the result of a transform (`step.lower`), a function has not.
        used = context.tree.parents[load]
        if isinstance(used, ast.Attribute) or _needs_compiled(context, used):
            return ""
        if function in context.tree.ancestors(load):
            return ""
    shapes = {
        frozenset(place for place, _ in leaves_of(each.value)) for each in returns if each.value
    }
    if len(shapes) != 1:
        return ""
    private = function.name.startswith("_")
    wanted = f"{function.name}_traced" if private else f"_{function.name}"
    (name,) = fresh([wanted], names_in(context.tree.root))
    return name


def _needs_compiled(context: FileContext, node: ast.AST) -> bool:
    """Whether a call takes none but what `nnx.jit` has made."""
    name = context.tree.nnx_name(node.func) if isinstance(node, ast.Call) else None
    return (name or "").removeprefix("compat.") in _BINDING


def returns_of(context: FileContext, function: ast.FunctionDef) -> Iterator[ast.Return]:
    """What a function returns, at each place, and not those in it."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and context.tree.function_around(node) is function:
            yield node


def _places_of(
    context: FileContext, returns: tuple[ast.Return, ...], names: frozenset[str]
) -> dict[tuple[int, ...], str]:
    """Where the parameters stand in what is returned; empty where they stand elsewhere too."""
    found: list[dict[tuple[int, ...], str]] = []
    for each in returns:
        if each.value is None:
            return {}
        leaves = dict(leaves_of(each.value))
        own = {p: e.id for p, e in leaves.items() if isinstance(e, ast.Name) and e.id in names}
        others = (leaf for place, leaf in leaves.items() if place not in own)
        if set(own.values()) != names or any(may_hold(context, each, names) for each in others):
            return {}
        found.append(own)
    return found[0] if found and all(each == found[0] for each in found) else {}


def may_hold(context: FileContext, leaf: ast.expr, names: Collection[str]) -> bool:
    """Whether what else is returned names one of the objects, and is more than data."""
    if not any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(leaf)):
        return False
    values = context.values(leaf)
    return not values or not values <= ARRAY | PLAIN


def leaves_of(
    node: ast.expr, place: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], ast.expr]]:
    """What stands in an expression and in the tuples in it, by places."""
    if isinstance(node, ast.Tuple):
        for number, element in enumerate(node.elts):
            yield from leaves_of(element, (*place, number))
    else:
        yield place, node


def fits(annotation: ast.expr | None, places: Collection[tuple[int, ...]]) -> bool:
    """Whether what is said of the result says something of each object that goes."""
    if annotation is None or () in places:
        return True
    for place in places:
        at = annotation
        for number in place:
            within = elements_of(at)
            if number >= len(within):
                return False
            at = within[number]
    return True


def _binds_again(
    statement: ast.Assign,
    places: dict[tuple[int, ...], str],
    given: dict[str, ast.expr] | None,
) -> bool:
    """Whether a call binds each object to the name that it passed, and to no other one."""
    if given is None or len(statement.targets) != 1:
        return False
    bound = dict(leaves_of(statement.targets[0]))
    if any(isinstance(each, ast.Starred) for each in bound.values()):
        return False
    for place, parameter in places.items():
        match bound.get(place), given.get(parameter):
            case ast.Name(id=target), ast.Name(id=passed) if target == passed:
                continue
            case _:
                return False
    kept = [each for place, each in bound.items() if place not in places]
    again = {each.id for place in places if isinstance(each := bound[place], ast.Name)}
    return not any(
        isinstance(node, ast.Name) and node.id in again for each in kept for node in ast.walk(each)
    )
