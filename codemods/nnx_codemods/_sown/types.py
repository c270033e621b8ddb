"""What is sown is what is popped: one type, by its very name, and nobody else looks for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_codemods._sown.propagation import Route
from nnx_codemods._sown.sowing import INTERMEDIATE, Sowing, Sown
from nnx_migrate.analysis.domain.values import ClassValue, Instance, Scope, short_name
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import CapturedCall, SownType

#: What looks for attributes by name, or for all of them.
_ASKING = frozenset({"getattr", "hasattr"})
_LISTING = frozenset({"dir", "vars"})


def sown_type(
    context: FileContext,
    site: Site | None,
    sown: Sequence[Sown],
    pairs: tuple[CapturedCall, ...],
) -> SownType:
    """The one type that is sown, by its name at the site: capture goes by the exact type.

    What pops it may name a base class of it, as long as nothing else is of that class.

    Args:
        site: where the type has to be named; None where it is popped.
    """
    filters = [(context.where_it_is(pair.module), f) for pair in pairs for f in pair.filters]
    popped = {v for there, each in filters for v in there.values(each)}
    if len(popped) > 1 or len({(t.path, t.text.of(each)) for t, each in filters}) > len(
        {there.path for there, _ in filters}
    ):
        raise NotCaptured("it is popped by different filters")
    types = sown[0].types
    (wanted,) = (popped or types) if len(types) == 1 else (None,)
    if not isinstance(wanted, ClassValue):
        raise NotCaptured("it is popped by a filter that is no type")
    if wanted.class_name != INTERMEDIATE and context.project.class_of(wanted.class_name) is None:
        raise NotCaptured(f"{short_name(wanted.class_name)} may be the type of other Variables")
    below = {wanted.class_name, *context.evaluator.hierarchy.descendants(wanted.class_name)}
    for each in sown:
        kinds = {getattr(value, "class_name", "") for value in each.types}
        if each.types != types or not kinds <= below:
            raise NotCaptured(f"not {short_name(wanted.class_name)} itself is sown ({each.where})")
    check_only_sown(context, wanted.class_name)
    (kind,) = types
    assert isinstance(kind, ClassValue)
    if kind.class_name == INTERMEDIATE:
        return SownType("Intermediate", True)
    if site is None and popped == types:
        names = {there.text.of(each) for there, each in filters}
        if len(names) > 1:
            raise NotCaptured(f"{short_name(kind.class_name)} has several names")
        return SownType(names.pop(), False)
    if site is None:
        raise NotCaptured(f"{short_name(kind.class_name)} is popped by a base class")
    return SownType(name_at(context, site, kind), False)


def check_only_sown(context: FileContext, name: str) -> None:
    """Nothing but `sow` makes such Variables.

    Raises:
        NotCaptured: something does.
    """
    mentions = context.evaluator.callers.mentions
    hierarchy = context.evaluator.hierarchy
    shorts = {short_name(each).rpartition(".")[2] for each in (name, *hierarchy.descendants(name))}
    if name == INTERMEDIATE:
        shorts.add("Perturbation")
    made = sorted(
        short
        for short in shorts
        if any(ir.last_name(call.func) == short for _, call in mentions.calls_of(short))
    )
    if made:
        raise NotCaptured(f"nnx.pop may take Variables that are not sown: {made[0]}(...)")


def name_at(context: FileContext, site: Site, kind: ClassValue) -> str:
    """The name of a type of the project, where the function of a site is.

    Raises:
        NotCaptured: it has none there, or is not a type of what is sown alone.
    """
    located = context.project.class_of(kind.class_name)
    short = short_name(kind.class_name)
    if located is None or located[1].methods or located[1].attributes or located[1].decorators:
        raise NotCaptured(f"{short} is more than a type of its own")
    known = context.evaluator.values(context.tree.scope(site.node), ir.Name(short))
    if known != {kind} or not _is_bound_above(context, site, short):
        raise NotCaptured(f"{short} has no name yet where the function is")
    return short


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
    around = set(route.sowing)
    checked = set[tuple[Scope, str]]()
    for call in route.calls:
        there = context.where_it_is(call.module)
        around.add(there.tree.scope(call.use))
        model = call.use.args[0] if call.pop is None else None
        if isinstance(model, ast.Name):
            checked.add((there.tree.scope(model), model.id))
    reached = context.analysis.extents.reached((sowing.scope,))
    check_not_read(context, names, around | reached, frozenset(checked))


def check_not_read(
    context: FileContext,
    names: set[str],
    scopes: set[Scope],
    states: frozenset[tuple[Scope, str]] = frozenset(),
) -> None:
    """None of these functions looks for such attributes of a Module.

    Args:
        states: names of States in them, or of objects that were looked at.
    """
    for scope in sorted(scopes, key=str):
        for base, read in _attributes(context.project.function(scope)):
            if read not in {"", *names} or (scope, _root(base)) in states:
                continue
            if _may_be_module(context, scope, base):
                read = read or "an attribute of any name"
                raise NotCaptured(f"{read} is looked for in {Place(scope.module)}")


def _root(expr: ir.Expr) -> str:
    """The name that an attribute, or an element of one, is looked up from in the end."""
    while isinstance(expr, ir.Attribute | ir.Element | ir.Unpacked):
        expr = expr.base
    return expr.id if isinstance(expr, ir.Name) else ""


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
