"""Pins: the transform by its `nnx.compat` name, and graph mode for all that runs inside.

`compat` changes the default of the call it names and of nothing inside (docs/semantics.md: MIX-1),
so the function gets the two mode setters as decorators, unless all that it reaches was seen to hold
no nnx call that depends on the mode. Functions that trace nothing and are not in `compat` get
`graph=True`, or are called with graph mode set.
"""

from __future__ import annotations

import ast

from nnx_migrate.analysis.domain.values import FunctionValue, Instance
from nnx_migrate.analysis.flax.model import mode_dependent_functions
from nnx_migrate.analysis.flax.transforms import KEEPERS, SETTERS
from nnx_migrate.analysis.ir.lowering.literal_lookups import is_computed_lookup, lookup
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.causes import PinCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.functions import definition_of, is_owned
from nnx_migrate.rewrite.planner.pin_wrapper import wrapper_edits
from nnx_migrate.rewrite.style.layout import line_after
from nnx_migrate.rewrite.style.options import option_edits
from nnx_migrate.rewrite.style.self_documenting import keep_printed_text
from nnx_migrate.rewrite.style.spelling import Spelling
from nnx_migrate.rewrite.text.edits import Edit

_COMPAT = ".compat"


def mid_mode_edits(context: FileContext, site: Site) -> list[Edit]:
    """Edits that keep a site in graph mode without its updates.

    Raises:
        CannotEmit: there is no place for the options.
    """
    edits = option_edits(context, site, {"graph": "True", "graph_updates": "False"})
    return edits if site.form == "decorator" else on_short_lines(context, site.node, edits)


def pin_edits(context: FileContext, site: Site, cover_extent: bool) -> list[Edit]:
    """Edits that keep a site in graph mode.

    Args:
        cover_extent: set both modes for what runs inside the function too.

    Raises:
        CannotEmit: nnx has no name at the site, and none can be given to it.
    """
    if site.form == "object":
        return _pinned_call(context, site)
    if site.wrapper is not None:
        edits = wrapper_edits(context, site, site.wrapper)
        if not cover_extent:
            return edits
        spelling = Spelling.at(context, site.reference)
        # What closes around the function stands before the options that follow it.
        return [*spelling.import_edits, *_cover(context, site, spelling.nnx), *edits]
    spelling = Spelling.at(context, site.reference)
    edits = [*spelling.import_edits, compat_edit(context, site.reference, spelling.nnx)]
    edits += keep_printed_text(context, site.reference)
    if cover_extent:
        edits += _cover(context, site, spelling.nnx)
    if site.spec.has_passes:
        edits += _cover_passes(context, site, spelling.nnx)
    return edits


def _cover_passes(context: FileContext, site: Site, nnx: str) -> list[Edit]:
    """Graph mode for both passes of `f.defvjp(fwd, bwd)`, which run when no call of f does."""
    name = site.bound_name
    place: ast.AST = site.node
    if isinstance(site.function, ast.FunctionDef):
        name, place = site.function.name, site.function
    edits: list[Edit] = []
    for load in context.finder.loads(context.tree.scope(place), name) if name else ():
        method = context.tree.parents[load]
        call = context.tree.parents.get(method)
        if not (isinstance(method, ast.Attribute) and method.attr == "defvjp"):
            continue
        if isinstance(call, ast.Call) and call.func is method:
            covered: list[Edit] = []
            for function in (*call.args, *(keyword.value for keyword in call.keywords)):
                if not _is_free_of_mode(context, function):
                    covered += _cover_function(context, site, function, nnx)
            edits += on_short_lines(context, call, covered)
    return edits


def _is_free_of_mode(context: FileContext, function: ast.expr) -> bool:
    values = context.values(function)
    scopes = tuple(value.scope for value in values if isinstance(value, FunctionValue))
    seen = bool(scopes) and len(scopes) == len(values)
    return seen and context.analysis.extents.is_free_of_mode(scopes)


def _pinned_call(context: FileContext, site: Site) -> list[Edit]:
    """By the `compat` name, by `graph=True`, or called with graph mode set, whichever there is."""
    if site.transform == "GraphDef.apply":
        return option_edits(context, site, {"graph": "True"})
    function = mode_dependent_functions().get(f"flax.nnx.{site.transform}")
    if function is None:
        raise CannotEmit(PinCause.NO_MODE.about(transform=site.transform))
    # A class of the project that is made from it has a name of its own, and so none in compat.
    if site.transform in KEEPERS and function.has_graph_parameter and not function.in_compat:
        return option_edits(context, site, {"graph": "True"})
    spelling = Spelling.at(context, site.reference)
    edits = [*spelling.import_edits, *keep_printed_text(context, site.reference)]
    if function.in_compat:
        return [*edits, compat_edit(context, site.reference, spelling.nnx)]
    if site.transform == "Module.iter_modules":  # a generator: it runs when no setter is around
        return [*edits, *_as_function(context, site, f"{spelling.nnx}.compat.iter_modules")]
    if function.has_graph_parameter and isinstance(site.node, ast.Call):
        return option_edits(context, site, {"graph": "True"})
    start, end = context.text.span(site.reference)
    setter = f"{spelling.nnx}.{SETTERS[0]}(True)"
    return [*edits, Edit(start, start, f"{setter}("), Edit(end, end, ")")]


def _as_function(context: FileContext, site: Site, name: str) -> list[Edit]:
    """Edits that call a function with the object in the place of a method of it."""
    assert isinstance(site.node, ast.Call)
    start, base_end = context.text.span(site.operands[0])
    open_bracket = context.text.text.index("(", context.text.span(site.reference)[1])
    separator = ", " if site.node.args or site.node.keywords else ""
    return [
        Edit(start, start, f"{name}("),
        Edit(base_end, open_bracket + 1, separator),
    ]


def compat_edit(context: FileContext, reference: ast.expr, nnx: str) -> Edit:
    start, end = context.text.span(reference)
    found = lookup(reference)
    if found is not None and found.caller is not None and found.base is not None:
        head_end = context.text.span(found.base)[1]
        return Edit(head_end, head_end, _COMPAT)
    if isinstance(reference, ast.Call) and is_computed_lookup(reference):
        head_end = context.text.span(reference.args[0])[1]
        return Edit(head_end, head_end, _COMPAT)
    direct = isinstance(reference, ast.Attribute) and (
        context.tree.dotted(reference.value) == "flax.nnx"
    )
    if isinstance(reference, ast.Attribute) and direct:  # not nnx.graph.split
        head_end = context.text.span(reference.value)[1]
        return Edit(head_end, head_end, _COMPAT)
    return Edit(start, end, f"{nnx}.compat.{_public_name(context, reference)}")


def _public_name(context: FileContext, reference: ast.expr) -> str:
    name = context.tree.nnx_name(reference)
    assert name is not None
    return name


def _cover(context: FileContext, site: Site, nnx: str) -> list[Edit]:
    if site.form == "decorator":
        assert site.node.end_lineno is not None
        place = line_after(context, site.node.end_lineno)
        indent = context.text.indent_of_line(site.node.lineno)
        lines = "".join(f"{indent}@{nnx}.{setter}(True){context.newline}" for setter in SETTERS)
        return [Edit(place, place, lines)]
    functions = site.functions if site.form == "operands" else (site.function,)
    edits: list[Edit] = []
    for function in functions:
        if isinstance(function, ast.expr) and not _is_refused(context, site, function):
            edits += _cover_function(context, site, function, nnx)
    return on_short_lines(context, site.node, edits)


def _is_refused(context: FileContext, site: Site, function: ast.expr) -> bool:
    """Whether it is a method bound to a Module, which transforms of nnx raise for.

    With a setter around it they could not tell, and what raises would run.
    """
    if site.form != "call" or site.spec.splits_rngs:
        return False
    if not isinstance(function, ast.Attribute):
        return False
    kind = context.evaluator.hierarchy.kind
    holders = context.values(function.value)
    values = context.values(function)
    return (
        bool(holders and values)
        and all(isinstance(v, Instance) and kind(v.class_name) == "module" for v in holders)
        and all(isinstance(v, FunctionValue) and v.bound and not v.transforms for v in values)
    )


def on_short_lines(context: FileContext, call: ast.expr, edits: list[Edit]) -> list[Edit]:
    """Edits with breaks inside the brackets of the call, where its line would be too long."""
    if not isinstance(call, ast.Call) or call.lineno != call.end_lineno:
        return edits
    if any(isinstance(parent, ast.JoinedStr) for parent in context.tree.ancestors(call)):
        return edits  # before Python 3.12 what stands in an f-string has to stay on one line
    text = context.text.text
    end = context.text.span(call)[1] - 1
    start = text.index("(", context.text.span(call.func)[1]) + 1
    added = sum(len(edit.replacement) for edit in edits if start <= edit.start <= end)
    line = text[context.text.line_start(call.lineno) : line_after(context, call.lineno)].rstrip()
    if not added or len(line) + len(_COMPAT) + added <= context.options.width:
        return edits
    outer = context.newline + context.text.indent_of_line(call.lineno)
    inner = outer + context.continuation_unit
    breaks, comma = [Edit(start - 1, start, f"({inner}")], ""
    if len(inner) + end - start + added > context.options.width:
        parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        for place in sorted(context.text.span(part)[0] for part in parts)[1:]:
            before = len(text[:place].rstrip())
            if text[before - 1] == ",":  # and no bracket around the argument
                breaks.append(Edit(before - 1, place, f",{inner}"))
        comma = "," if parts[1:] and not text[:end].rstrip().endswith(",") else ""
        last = max(context.text.span(part)[1] for part in parts)
        edits = [_broken(edit, inner) if edit.start == last else edit for edit in edits]
    return [*breaks, *edits, Edit(end, end + 1, f"{comma}{outer})")]


def _broken(edit: Edit, indent: str) -> Edit:
    """An edit that adds options behind the last argument, each on a line of its own."""
    return Edit(edit.start, edit.end, edit.replacement.replace(", ", f",{indent}"))


def _cover_function(context: FileContext, site: Site, function: ast.expr, nnx: str) -> list[Edit]:
    opening = "".join(f"{nnx}.{setter}(True)(" for setter in SETTERS)
    closing = ")" * len(SETTERS)
    listed = isinstance(context.tree.parents.get(function), ast.List | ast.Tuple)
    flow = site.spec.operands
    if flow is not None and flow.listed and not listed:  # all branches in one expression
        start, end = context.text.span(function)
        each = f"[{opening}branch{closing} for branch in "
        return [Edit(start, start, each), Edit(end, end, "]")]
    definition = definition_of(context, function)
    if isinstance(definition, ast.FunctionDef) and is_owned(context, site, definition):
        indent = context.text.indent_of_line(definition.lineno)
        place = context.text.line_start(definition.lineno)
        if not context.text.text[place : context.text.span(definition)[0]].strip():
            lines = "".join(f"{indent}@{nnx}.{setter}(True){context.newline}" for setter in SETTERS)
            return [Edit(place, place, lines)]
    start, end = context.text.span(function)
    return [Edit(start, start, opening), Edit(end, end, closing)]
