"""Whether what a function sows can become a result: it is popped after each call, and only that."""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping

from codemods._forward import NotCaptured
from codemods._popped import is_cleared_before
from codemods._routes import route_of
from codemods._sown import (
    INTERMEDIATE,
    SOWN_UNDER,
    Sowing,
    known_calls,
    may_pop,
    sowing_of,
    sows,
)
from nnx_migrate.facts import ir
from nnx_migrate.facts.effects import Effects
from nnx_migrate.facts.leftovers import CollectingEffects, LeftoverFinder
from nnx_migrate.facts.sites import Site
from nnx_migrate.facts.values import ClassValue, Instance, Scope, short_name
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.layout import line_after
from nnx_migrate.rewrite.plan import CapturedCall, CapturePlan
from nnx_migrate.rewrite.round import covered_by_setters

RULE_NAME = "sown-intermediates"
_POPS = re.compile(r"nnx\.pop\(")

#: What looks for attributes by name, or for all of them.
_ASKING = frozenset({"getattr", "hasattr"})
_LISTING = frozenset({"dir", "vars"})
_WORDS = _ASKING | _LISTING | {"__dict__"}


@dataclasses.dataclass(frozen=True, slots=True)
class Captured:
    """A function whose sown values become a result of it, and how.

    Args:
        ignored: a comment by the site speaks to this tool, so that it may stay as it is.
        assumed: why something might be sown on the object before, which is taken not to be.
    """

    sowing: Sowing
    plan: CapturePlan
    ignored: bool
    assumed: tuple[str, ...] = ()


@functools.lru_cache(maxsize=2)
def captured(context: FileContext) -> Mapping[Site, Captured | str]:
    """The sites of a file whose functions sow: what is to be done, or in words why it is not."""
    found: dict[Site, Captured | str] = {}
    for site in context.finder.sites:
        if site.transform in SOWN_UNDER and sows(context, site):
            try:
                found[site] = _captured(context, site)
            except NotCaptured as missing:
                found[site] = str(missing)
    return found


def _captured(context: FileContext, site: Site) -> Captured:
    if site.decided or covered_by_setters(context, site.node):
        raise NotCaptured("its mode is chosen already")
    if not context.options.runs(RULE_NAME):
        raise NotCaptured(f"{RULE_NAME} is not to run")
    sowing = sowing_of(context, site)
    route = route_of(context, sowing)
    variable_type = _popped_type(context, site, sowing, route.calls)
    if sowing.forward is not None and site.transform == "vmap" and variable_type != INTERMEDIATE:
        raise NotCaptured("which axis StateAxes give to what is sown is not known")
    _check_names(context, sowing)
    assumed = _check_nothing_left(context, route.calls)
    (short,) = {context.text.of(pair.pop.args[1]) for pair in route.calls}
    of_library = variable_type == INTERMEDIATE
    name = "Intermediate" if of_library else short
    plan = CapturePlan(name, of_library, route.calls, sowing.forward, route.passed_on)
    return Captured(sowing, plan, _is_ignored(context, site), assumed)


def missing(context: FileContext, site: Site) -> str:
    """What to add to a reason for which a site keeps what its function sows."""
    if not may_pop(context.project):
        return ""
    reason = captured(context).get(site, None)
    return f"; nnx.capture does not do: {reason}" if isinstance(reason, str) else ""


def is_done(context: FileContext, site: Site) -> bool:
    """Whether what the function at a site sows becomes a result of it now."""
    found = captured(context).get(site)
    return isinstance(found, Captured) and not found.ignored


def _is_ignored(context: FileContext, site: Site) -> bool:
    statement = context.tree.statement(site.node)
    start = context.text.line_start(site.node.lineno)
    last = max(site.node.end_lineno or 0, getattr(statement, "end_lineno", None) or 0)
    last = last if site.form == "call" else site.node.end_lineno or 0
    comments = context.comments_between(start, line_after(context, last))
    return any("nnx-migrate" in comment for comment in comments)


def left_after(context: FileContext, site: Site, scope: Scope, parameter: str) -> Effects:
    """What a function does to a parameter once what is captured in it is no more sown.

    Of the functions of sites that are to be captured themselves, all that they do now.
    """
    effects = context.analysis.effects.of(scope, parameter)
    if not may_pop(context.project) or not any(e.sows or _POPS.match(e.what) for e in effects):
        return effects
    if is_done(context, site):
        return effects
    finder, popped = _without_captured(context)
    return frozenset(
        effect
        for effect in finder.of(scope, parameter)
        if not (_POPS.match(effect.what) and effect.where in popped)
    )


@functools.lru_cache(maxsize=2)
def _without_captured(context: FileContext) -> tuple[CollectingEffects, frozenset[str]]:
    """Effects where what is captured is not sown, and the places of the pops that go."""
    found = (each for each in captured(context).values() if isinstance(each, Captured))
    done = [each for each in found if not each.ignored]
    path = context.project.path_of(context.tree.module)
    popped = {f"{path}:{call.pop.lineno}" for each in done for call in each.plan.calls}
    collected = {each.sowing.scope: each.sowing.parameter for each in done}
    return CollectingEffects(context.evaluator, collected), frozenset(popped)


def _popped_type(
    context: FileContext, site: Site, sowing: Sowing, pairs: tuple[CapturedCall, ...]
) -> str:
    """The one type that is popped, and that alone is sown: capture goes by the exact type."""
    popped = {v for pair in pairs for v in context.values(pair.pop.args[1])}
    if len(popped) != 1 or len({context.text.of(pair.pop.args[1]) for pair in pairs}) != 1:
        raise NotCaptured("it is popped by different filters")
    (wanted,) = popped
    if not isinstance(wanted, ClassValue):
        raise NotCaptured("it is popped by a filter that is no type")
    for each in sowing.sown:
        if each.types != popped:
            raise NotCaptured(f"not {short_name(wanted.class_name)} itself is sown ({each.where})")
    _check_type(context, site, wanted.class_name, pairs)
    return wanted.class_name


def _check_type(
    context: FileContext, site: Site, name: str, pairs: tuple[CapturedCall, ...]
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


def _check_names(context: FileContext, sowing: Sowing) -> None:
    """Nobody looks for what is sown as an attribute: under capture there is none."""
    names = {each.name for each in sowing.sown}
    if "" in names:
        raise NotCaptured("under what name it sows is not known")
    for module, record in context.project.modules.items():
        if not names.isdisjoint(record.words) or not _WORDS.isdisjoint(record.words):
            for key, function in record.functions.items():
                scope = Scope(module, key)
                for base, read in _attributes(function):
                    if read in {"", *names} and _may_be_module(context, scope, base):
                        read = read or "an attribute of any name"
                        raise NotCaptured(f"{read} is looked for in {record.path}")


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


def _check_nothing_left(context: FileContext, pairs: tuple[CapturedCall, ...]) -> tuple[str, ...]:
    """Nothing sown lies on the object yet when the function is called, but for what is assumed."""
    unsafe = context.options.unsafe
    finder = LeftoverFinder(context.analysis, _collected(context), trusting=unsafe)
    for pair in pairs:
        if is_cleared_before(context, pair):
            continue
        model = pair.use.args[0]
        assert isinstance(model, ast.Name)
        reason = finder.on(context.tree.scope(model), model.id)
        if reason:
            raise NotCaptured(reason)
    assumed = list(finder.trusted)
    for scope in sorted(finder.holders, key=str):
        try:
            _check_holder(context, scope)
        except NotCaptured as unseen:
            if not unsafe:
                raise
            assumed.append(str(unseen))
    return tuple(dict.fromkeys(assumed))


def _check_holder(context: FileContext, scope: Scope) -> None:
    """All calls of a function that is given the object are in this file."""
    holder = context.tree.functions.get(scope.function)
    if scope.module != context.tree.module or not isinstance(holder, ast.FunctionDef):
        raise NotCaptured("it is called from other files too")
    known_calls(context, holder, holder.name)


def _collected(context: FileContext) -> dict[Scope, str]:
    """The functions of this file all of whose calls are followed by nnx.pop."""
    found: dict[Scope, str] = {}
    for site in context.finder.sites:
        if site.transform in SOWN_UNDER and sows(context, site):
            try:
                found |= route_of(context, sowing_of(context, site)).sowing
            except NotCaptured:
                continue
    return found
