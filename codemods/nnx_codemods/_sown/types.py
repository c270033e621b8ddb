"""What is sown is what is popped: one type, by its very name, and nobody else looks for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_codemods._sown.sowing import INTERMEDIATE, Sown
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
    context: FileContext, site: Site, sown: Sequence[Sown], calls: Sequence[CapturedCall]
) -> SownType:
    """The one type that is sown and popped, by its name at the site.

    Capture goes by the exact type.

    Raises:
        NotCaptured: it is not one type, or others take it too.
    """
    types = {value for each in sown for value in each.types}
    popped = {value for call in calls for value in context.values(call.pop.args[1])}
    if len(types) != 1 or any(each.types != types for each in sown):
        raise NotCaptured(SownCause.SEVERAL_TYPES)
    if popped != types:
        raise NotCaptured(SownCause.OTHER_FILTER)
    (kind,) = types
    if not isinstance(kind, ClassValue):
        raise NotCaptured(SownCause.TYPE_NOT_KNOWN)
    check_only_sown(context, kind.class_name)
    return named_type(context, site, kind)


def named_type(context: FileContext, site: Site, kind: ClassValue) -> SownType:
    """A type by its name at a site.

    Raises:
        NotCaptured: it has none there.
    """
    if kind.class_name == INTERMEDIATE:
        return SownType("Intermediate", True)
    return SownType(name_at(context, site, kind), False)


def check_only_sown(context: FileContext, name: str) -> None:
    """Nothing but `sow`, or a store that is like it, makes such Variables.

    Raises:
        NotCaptured: something does.
    """
    mentions = context.evaluator.callers.mentions
    hierarchy = context.evaluator.hierarchy
    if context.analysis.effects.added.is_only_added(name):
        return
    shorts = {short_name(each).rpartition(".")[2] for each in (name, *hierarchy.descendants(name))}
    if name == INTERMEDIATE:
        shorts.add("Perturbation")
    made = sorted(
        short
        for short in shorts
        if any(ir.last_name(call.func) == short for _, call in mentions.calls_of(short))
    )
    if made:
        raise NotCaptured(SownCause.MAY_TAKE_OTHERS.about(type=made[0]))


def name_at(context: FileContext, site: Site, kind: ClassValue) -> str:
    """The name of a type of the project, where the function of a site is.

    Raises:
        NotCaptured: it has none there, or is not a type of what is sown alone.
    """
    located = context.project.class_of(kind.class_name)
    short = short_name(kind.class_name)
    if located is None or located[1].methods or located[1].attributes or located[1].decorators:
        raise NotCaptured(SownCause.MORE_THAN_TYPE.about(type=short))
    known = context.evaluator.values(context.tree.scope(site.node), ir.Name(short))
    if known != {kind} or not _is_bound_above(context, site, short):
        raise NotCaptured(SownCause.TYPE_HAS_NO_NAME.about(type=short))
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
                raise NotCaptured(SownCause.LOOKED_FOR.about(Place(scope.module), attribute=read))


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
