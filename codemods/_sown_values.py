"""What is sown is what is popped: one type, by its very name, and nobody else looks for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from codemods._forward import NotCaptured
from codemods._routes import Route
from codemods._sown import INTERMEDIATE, Sowing, Sown
from nnx_migrate.facts import ir
from nnx_migrate.facts.sites import Site
from nnx_migrate.facts.values import ClassValue, Instance, Scope, short_name
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.plan import CapturedCall

#: What looks for attributes by name, or for all of them.
_ASKING = frozenset({"getattr", "hasattr"})
_LISTING = frozenset({"dir", "vars"})


def popped_type(
    context: FileContext,
    site: Site | None,
    sown: Sequence[Sown],
    pairs: tuple[CapturedCall, ...],
) -> str:
    """The one type that is popped, and that alone is sown: capture goes by the exact type.

    Args:
        site: where the type has to be named; None where it is popped.
    """
    popped = {v for pair in pairs for v in context.values(pair.pop.args[1])}
    if len(popped) != 1 or len({context.text.of(pair.pop.args[1]) for pair in pairs}) != 1:
        raise NotCaptured("it is popped by different filters")
    (wanted,) = popped
    if not isinstance(wanted, ClassValue):
        raise NotCaptured("it is popped by a filter that is no type")
    for each in sown:
        if each.types != popped:
            raise NotCaptured(f"not {short_name(wanted.class_name)} itself is sown ({each.where})")
    _check_type(context, site, wanted.class_name, pairs)
    return wanted.class_name


def _check_type(
    context: FileContext, site: Site | None, name: str, pairs: tuple[CapturedCall, ...]
) -> None:
    """Nothing but `sow` makes such Variables, and the type can be named at the site."""
    mentions = context.evaluator.callers.mentions
    hierarchy = context.evaluator.hierarchy
    shorts = {short_name(each).rpartition(".")[2] for each in (name, *hierarchy.descendants(name))}
    if name == INTERMEDIATE:
        shorts.add("Perturbation")
    made = sorted(short for short in shorts if mentions.is_called(short))
    if made:
        raise NotCaptured(f"nnx.pop may take Variables that are not sown: {made[0]}(...)")
    if name == INTERMEDIATE:
        return
    located = context.project.class_of(name)
    if located is None or located[1].methods or located[1].attributes or located[1].decorators:
        raise NotCaptured(f"{short_name(name)} is more than a type of its own")
    wanted = pairs[0].pop.args[1]
    if site is None:
        return
    if not isinstance(wanted, ast.Name) or not _is_bound_above(context, site, wanted.id):
        raise NotCaptured(f"{short_name(name)} has no name yet where the function is")


def _is_bound_above(context: FileContext, site: Site, name: str) -> bool:
    """Whether the module binds a name, once, before the line of a site."""
    if len(context.project.bindings(context.tree.scope(site.node), name)) != 1:
        return False
    for node in context.tree.root.body:
        if node.lineno >= site.node.lineno:
            return False
        names = [a.asname or a.name for a in getattr(node, "names", ()) if isinstance(a, ast.alias)]
        if (isinstance(node, ast.ClassDef) and node.name == name) or name in names:
            return True
    return False


def check_names(context: FileContext, sowing: Sowing, route: Route) -> None:
    """Nobody looks for what is sown as an attribute: under capture there is none.

    What runs while it is there is the function itself, and the code up to the pops.
    """
    names = {each.name for each in sowing.sown}
    if "" in names:
        raise NotCaptured("under what name it sows is not known")
    around = {context.tree.scope(call.use) for call in route.calls} | set(route.sowing)
    reached = context.analysis.extents.reached((sowing.scope,))
    for scope in sorted(reached | around, key=str):
        for base, read in _attributes(context.project.function(scope)):
            if read in {"", *names} and _may_be_module(context, scope, base):
                read = read or "an attribute of any name"
                raise NotCaptured(
                    f"{read} is looked for in {context.project.path_of(scope.module)}"
                )


def _attributes(function: ir.Function) -> Iterator[tuple[ir.Expr, str]]:
    """The attributes that a function reads, asks for or calls: what of, and their names.

    The name is empty where the code computes it.
    """
    for read in function.reads:
        yield read.base, "" if read.name == "__dict__" else read.name
    for call in function.calls:
        match call:
            case ir.Call(func=ir.Attribute(base=base, name=name)):
                yield base, name
            case ir.Call(func=ir.Name(id=asked), args=(base, wanted, *_)) if asked in _ASKING:
                yield base, wanted.text if isinstance(wanted, ir.Constant) else ""
            case ir.Call(func=ir.Name(id=asked), args=(base,)) if asked in _LISTING:
                yield base, ""


def _may_be_module(context: FileContext, scope: Scope, expr: ir.Expr) -> bool:
    if context.project.dotted(scope, expr) is not None:
        return False  # something imported
    values = context.evaluator.values(scope, expr)
    kinds = [v for v in values if isinstance(v, Instance)]
    unknown = any(getattr(v, "sort", "") == "unknown" for v in values) or not values
    return unknown or any(context.evaluator.hierarchy.kind(v.class_name) == "module" for v in kinds)
