"""Functions that must stay as they are: a new one around them takes States and merges them."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterable, Sequence

from nnx_migrate.analysis.sites.bound_later import bound_later, stored_later
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction, names_in
from nnx_migrate.rewrite.model.causes import EmitCause, SplitCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, NotRewritten, ReturnSplit
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.split.arguments import NamedSplit, filled, positional_names, replaced_slots
from nnx_migrate.rewrite.split.nested import checked_return
from nnx_migrate.rewrite.split.signature import Rewiring, result_name
from nnx_migrate.rewrite.style.layout import fits, in_brackets, insert_at_top, insert_before
from nnx_migrate.rewrite.style.naming import fresh, prefix_of
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.sources.bound_names import binds

_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")


def wrapped_function(
    context: FileContext,
    site: Site,
    definition: AnyFunction | None,
    named: Sequence[NamedSplit],
    returns: Sequence[ReturnSplit],
    nnx: str,
) -> list[Edit]:
    """Replace the transformed function by a lambda over States that calls it.

    Raises:
        CannotEmit: the calls cannot be forwarded, or a name may be bound anew before they run.
    """
    function = site.function
    assert isinstance(function, ast.expr)
    check_names_last(context, site)
    keywords = _keywords(site, named, definition)
    arity = max((len(use.args) for use in site.uses), default=0)
    starred = any(isinstance(arg, ast.Starred) for use in site.uses for arg in use.args)
    known = positional_names(definition) or _names_in_call(site)
    parameters, arguments = _forwarded(named, known, nnx, arity, starred, keywords)
    text = context.text.of(function)
    callee = f"({text})" if isinstance(function, ast.Lambda) else text
    body = f"{callee}({', '.join(arguments)})"
    for split in returns:
        body = f"{nnx}.split({body}, {', '.join(split.filters)})"
    span = context.text.span(function)
    wrapper = f"lambda {', '.join(parameters)}: {body}"
    if fits(context, span, wrapper) or isinstance(function, ast.Lambda):
        return [Edit(*span, wrapper)]
    name = fresh([f"{prefix_of(text).lstrip('_')}_of_state"], context.taken_names(function))[0]
    unit = context.indent_unit_at(function)
    lines = [f"def {name}({', '.join(parameters)}):", f"{unit}return {body}", ""]
    try:
        return [insert_before(context, context.tree.statement(function), lines), Edit(*span, name)]
    except NotRewritten:
        return [Edit(*span, wrapper)]


def checked_function(
    context: FileContext,
    site: Site,
    definition: AnyFunction | None,
    named: Sequence[NamedSplit],
    watched: Sequence[int],
    nnx: str,
) -> list[Edit]:
    """Replace the transformed function by one over States that calls it, and raises where the
    structure of a Module is not what it was before.

    Args:
        watched: places of arguments that are not split, whose structure is to stay, too.

    Raises:
        CannotEmit: a function cannot stand before the statement, the calls cannot be forwarded, or
            a name may be bound anew before they run.
    """
    function = site.function
    assert isinstance(function, ast.expr)
    check_names_last(context, site)
    keywords = _keywords(site, named, definition)
    arity = max((len(use.args) for use in site.uses), default=0)
    starred = any(isinstance(arg, ast.Starred) for use in site.uses for arg in use.args)
    known = positional_names(definition) or _names_in_call(site)
    parameters, arguments = _forwarded(named, known, nnx, arity, starred, keywords)
    text = context.text.of(function)
    unit = context.indent_unit_at(function)
    # Its own names hide those around it, of which it reads the callee's and the graphdefs.
    own = positional_names(function) if isinstance(function, ast.Lambda) else []
    taken = names_in(function).difference(own)
    taken |= {nnx.partition(".")[0], *parameters, *(n.graphdef for n in named)}
    merges, objects = [], []
    for n in named:
        merged = n.merged(nnx)
        name = fresh([_object_name(site, definition, n)], taken)[0]
        taken.add(name)
        arguments[arguments.index(merged)] = name
        merges.append(f"{unit}{name} = {merged}")
        objects.append(name)
    if any(place >= len(arguments) or not arguments[place].isidentifier() for place in watched):
        raise CannotEmit(EmitCause.NO_PLACE_FOR_CHECK)
    checks = structure_checks(context, site, named, objects, nnx)
    if watched:
        kept = [name for n, name in zip(named, objects, strict=True) if n.split.checked]
        kept += [arguments[place] for place in watched]
        first, checks = _compared(context, site, kept, taken, nnx)
        merges.append(f"{unit}{first}")
    result = fresh([result_name(site)], taken)[0]
    outer = {*context.taken_names(function), *taken}
    wrapper = fresh([f"{prefix_of(_shown(text)).lstrip('_')}_of_state"], outer)[0]
    lines = [
        f"def {wrapper}({', '.join(parameters)}):",
        *merges,
        f"{unit}{result} = {_result_of(context, function, arguments)}",
        *(f"{unit}{line}" for line in checks),
        f"{unit}return {result}",
        "",
    ]
    statement = context.tree.statement(function)
    return [insert_before(context, statement, lines), Edit(*context.text.span(function), wrapper)]


def check_names_last(context: FileContext, site: Site, texts: Iterable[str] = ()) -> None:
    """A new function reads names when it is called, which a transform reads where it is made.

    Args:
        texts: source text that the new function has, beside the function that it calls.

    Raises:
        CannotEmit: one of them may be bound anew in the meantime.
    """
    assert isinstance(site.function, ast.expr)
    if _is_called_at_once(context, site):
        return
    names = {word for text in texts for word in _NAME.findall(text)}
    attributes: set[str] = set()
    if not isinstance(site.function, ast.Lambda) and not is_made_by_call(context, site):
        names |= {n.id for n in ast.walk(site.function) if isinstance(n, ast.Name)}
        attributes = {n.attr for n in ast.walk(site.function) if isinstance(n, ast.Attribute)}
    late = bound_later(context.tree, site.node, names, None if site.escapes else site.uses)
    late = late or stored_later(context.tree, site.node, attributes)
    if late:
        raise CannotEmit(EmitCause.NAME_BOUND_LATER.about(name=late))


def is_made_by_call(context: FileContext, site: Site) -> bool:
    """Whether the function is what a call gives (`make_loss(rate)`), but for a partial."""
    if isinstance(site.function, ast.Lambda) or _is_called_at_once(context, site):
        return False
    assert isinstance(site.function, ast.expr)
    calls = (node for node in ast.walk(site.function) if isinstance(node, ast.Call))
    return any(context.tree.dotted(call.func) != "functools.partial" for call in calls)


def _is_called_at_once(context: FileContext, site: Site) -> bool:
    """Whether its result is called where it stands, or what other transforms make of that is."""
    made: ast.AST = site.node
    around = context.tree.parents.get(made)
    while isinstance(around, ast.Call) and made in around.args[:1]:
        transform = around.func.func if isinstance(around.func, ast.Call) else around.func
        if context.tree.nnx_name(transform) is None:
            return False
        made, around = around, context.tree.parents.get(around)
    return isinstance(around, ast.Call) and around.func is made


def _result_of(context: FileContext, function: ast.expr, arguments: Sequence[str]) -> str:
    """The call of a function; what a lambda gives whose parameters have those very names."""
    text = context.text.of(function)
    if not isinstance(function, ast.Lambda):
        return f"{text}({', '.join(arguments)})"
    named = ast.arguments(
        [], [ast.arg(name) for name in arguments], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    body = context.text.of(function.body)
    start, end = context.text.span(function)
    comments = context.comments_between(start, end)
    if ast.dump(function.args) != ast.dump(named) or any(each not in body for each in comments):
        return f"({text})({', '.join(arguments)})"
    if "\n" in body or "\r" in body:
        statement = context.tree.statement(function)
        return in_brackets(context, function.body, statement, context.indent_unit_at(function))
    return body


def watched_definition(
    context: FileContext, site: Site, watched: Sequence[int], nnx: str
) -> list[Edit]:
    """A jitted function raises where the structure of its arguments is not what it was before.

    Args:
        watched: the places of these arguments.

    Raises:
        CannotEmit: what it does does not end in one place.
    """
    definition = definition_of(context, site.function)
    assert isinstance(definition, ast.FunctionDef)
    names = positional_names(definition)
    taken = context.taken_names(definition) | names_in(definition) | {nnx.partition(".")[0]}
    first, checks = _compared(context, site, [names[place] for place in watched], taken, nnx)
    result = fresh(["result"], taken)[0]
    return [
        insert_at_top(context, definition, [first]),
        *checked_return(context, definition, checks, result),
    ]


def checked_body(
    context: FileContext,
    site: Site,
    definition: ast.FunctionDef,
    named: Sequence[NamedSplit],
    nnx: str,
) -> list[Edit]:
    """Checks in front of what a loss returns, which merges its Modules itself.

    Raises:
        CannotEmit: it does not end in one place, or means something else by a name of the checks.
    """
    objects = [positional_names(definition)[n.split.index] for n in named]
    for name in objects:
        if any(binds(node, {name}) for each in definition.body for node in ast.walk(each)):
            raise CannotEmit(SplitCause.NAME_BOUND_ANEW.about(name=name))
    own = names_in(definition.args).union(*map(names_in, definition.body))
    new = {name for n in named for name in (n.graphdef, *n.states)}
    if not own.isdisjoint(new):
        raise CannotEmit(EmitCause.NO_PLACE_FOR_CHECK)
    result = fresh([result_name(site)], {nnx.partition(".")[0], *own, *new})[0]
    checks = structure_checks(context, site, named, objects, nnx)
    return checked_return(context, definition, checks, result)


def structure_checks(
    context: FileContext,
    site: Site,
    named: Sequence[NamedSplit],
    objects: Sequence[str],
    nnx: str,
) -> list[str]:
    """Statements behind the call of a loss that raise where it has changed the structure of what
    it was given.

    Args:
        objects: what each of the arguments is called once it is merged.
    """
    lines: list[str] = []
    for n, name in zip(named, objects, strict=True):
        if n.split.checked:
            before = f"({', '.join([n.graphdef, *n.states])})"
            lines += _check(context, site, [name], n.split_of(nnx, name), before)
    return lines


def _compared(
    context: FileContext, site: Site, names: Sequence[str], taken: set[str], nnx: str
) -> tuple[str, list[str]]:
    """What splits objects before a function runs, and what raises behind it where they are not
    split as before: all of them at once.

    Args:
        names: of the objects.
        taken: names that mean something else; the new one is added.
    """
    alone = len(names) == 1
    before = fresh([f"{names[0]}_before" if alone else "before"], taken)[0]
    taken.add(before)
    whole = f"{nnx}.split({names[0]})" if alone else f"{nnx}.split(({', '.join(names)}))"
    return f"{before} = {whole}", _check(context, site, names, whole, before)


def _check(
    context: FileContext, site: Site, names: Sequence[str], split: str, before: str
) -> list[str]:
    """What raises where objects are not split as they were before.

    Args:
        names: of the objects.
        split: source text of what splits them.
        before: that of what they were split into.
    """
    *others, last = names
    told = f"{', '.join(others)} and {last} must keep their" if others else f"{last} must keep its"
    what = f"{told} structure"
    return [
        f"if {split} != {before}:",
        f'{context.indent_unit_at(site.node)}raise ValueError("{what}")',
    ]


def with_checks(
    context: FileContext,
    site: Site,
    definition: AnyFunction,
    named: Sequence[NamedSplit],
    wiring: Rewiring,
) -> Rewiring:
    """The pieces of a decorated loss, with what checks the structure of its Modules at its end."""
    objects = [positional_names(definition)[n.split.index] for n in named]
    checks = structure_checks(context, site, named, objects, wiring.nnx)
    if not checks:
        return wiring
    own = {*names_in(definition), *wiring.parameters, *(n.graphdef for n in named)}
    result = fresh([result_name(site)], {wiring.nnx.partition(".")[0], *own})[0]
    return dataclasses.replace(wiring, result=result, checks=tuple(checks))


def _names_in_call(site: Site) -> list[str]:
    """What the only call of a function calls its arguments, where these can be parameters."""
    if len(site.uses) != 1:
        return []
    (use,) = site.uses
    named = [arg for arg in use.args if isinstance(arg, ast.Name | ast.Attribute)]
    names = [arg.id if isinstance(arg, ast.Name) else arg.attr for arg in named]
    assert isinstance(site.function, ast.expr)
    hidden = names_in(site.function).union(k.arg for k in use.keywords if k.arg)
    whole = len(names) == len(use.args) == len(set(names))
    return names if whole and hidden.isdisjoint(names) else []


def _shown(callee: str) -> str:
    """What a message calls a function."""
    return callee if all(part.isidentifier() for part in callee.split(".")) else "the loss"


def _object_name(site: Site, definition: AnyFunction | None, named: NamedSplit) -> str:
    """What the function calls its Module, or else the call."""
    known = positional_names(definition)
    place = named.split.index
    if place < len(known):
        return known[place]
    given = next((use.args[place] for use in site.uses if place < len(use.args)), None)
    return prefix_of(ast.unparse(given)) if given is not None else "model"


def _forwarded(
    named: Sequence[NamedSplit],
    known: Sequence[str],
    nnx: str,
    arity: int,
    starred: bool,
    keywords: Sequence[str],
) -> tuple[list[str], list[str]]:
    """Parameters of the wrapper, and the arguments that it calls the function with."""
    slots = replaced_slots(named) if named else {}
    merged = {n.split.index: n.merged(nnx) for n in named}
    last = max(slots, default=-1)
    introduced = {name for names in slots.values() for name in names}
    introduced |= {n.graphdef for n in named}
    parameters: list[str] = []
    arguments: list[str] = []
    for place in range(last + 1):
        if place in merged:
            parameters += slots[place]
            arguments.append(merged[place])
            continue
        name = known[place] if place < len(known) else f"arg{place}"
        name = fresh([name], introduced)[0]
        parameters += filled(slots.get(place, [name]), name)
        arguments.append(name)
    if arity > last + 1 or starred:
        rest = known[last + 1 : arity]
        if rest and len(rest) == arity - last - 1 and not starred and len(rest) <= 3:
            names = [fresh([name], introduced)[0] for name in rest]
            parameters += names
            arguments += names
        else:
            parameters.append("*args")
            arguments.append("*args")
    if keywords and "*args" in parameters:
        raise CannotEmit(SplitCause.SEQUENCE_AND_KEYWORD)
    for keyword in keywords:
        if keyword in introduced or keyword in parameters:
            raise CannotEmit(SplitCause.KEYWORD_TAKEN.about(keyword=keyword))
        parameters.append(keyword)
        arguments.append(f"{keyword}={keyword}")
    return parameters, arguments


def _keywords(site: Site, named: Sequence[NamedSplit], definition: AnyFunction | None) -> list[str]:
    """Keywords that the calls pass on; graph mode wants each as a parameter with a place."""
    known = positional_names(definition)
    split = {known[n.split.index] for n in named if n.split.index < len(known)}
    found: list[list[str]] = []
    for use in site.uses:
        if any(keyword.arg is None for keyword in use.keywords):
            raise CannotEmit(SplitCause.KEYWORDS_FROM_DICTIONARY)
        found.append([k.arg for k in use.keywords if k.arg and k.arg not in split])
    if any(set(names) != set(found[0]) for names in found):
        raise CannotEmit(SplitCause.DIFFERENT_KEYWORDS)
    return found[0] if found else []
