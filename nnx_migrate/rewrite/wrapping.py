"""Functions that must stay as they are: a new one around them takes States and merges them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nnx_migrate.facts.sites import Site
from nnx_migrate.facts.syntax import AnyFunction, FunctionNode
from nnx_migrate.rewrite.arguments import NamedSplit, positional_names, replaced_slots
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.edits import Edit, apply_edits
from nnx_migrate.rewrite.layout import MAX_LINE, first_line, insert_before, line_after
from nnx_migrate.rewrite.naming import fresh, prefix_of
from nnx_migrate.rewrite.options import option_edits
from nnx_migrate.rewrite.plan import CannotEmit

if TYPE_CHECKING:
    from nnx_migrate.rewrite.emit import Job


def wrapped_function(
    context: FileContext,
    site: Site,
    definition: AnyFunction | None,
    named: Sequence[NamedSplit],
    return_filters: Sequence[str],
    nnx: str,
) -> list[Edit]:
    """Replace the transformed function by a lambda over States that calls it."""
    function = site.function
    assert isinstance(function, ast.expr)
    keywords = any(use.keywords for use in site.uses)
    arity = max((len(use.args) for use in site.uses), default=0)
    starred = any(isinstance(arg, ast.Starred) for use in site.uses for arg in use.args)
    parameters, arguments = _forwarded(named, definition, nnx, arity, starred, keywords)
    text = context.text.of(function)
    callee = f"({text})" if isinstance(function, ast.Lambda) else text
    body = f"{callee}({', '.join(arguments)})"
    if return_filters:
        body = f"{nnx}.split({body}, {', '.join(return_filters)})"
    span = context.text.span(function)
    wrapper = f"lambda {', '.join(parameters)}: {body}"
    if _fits(context, span, wrapper) or isinstance(function, ast.Lambda):
        return [Edit(*span, wrapper)]
    name = fresh([f"{prefix_of(text)}_of_state"], context.taken_names(function))[0]
    lines = [f"def {name}({', '.join(parameters)}):", f"{context.indent_unit}return {body}", ""]
    try:
        return [insert_before(context, context.tree.statement(function), lines), Edit(*span, name)]
    except CannotEmit:
        return [Edit(*span, wrapper)]


def _fits(context: FileContext, span: tuple[int, int], replacement: str) -> bool:
    """Whether the line stays short with the replacement in it."""
    line = context.text.line_of(span[0])
    start = context.text.line_start(line)
    rest = context.text.text[span[1] : line_after(context, context.text.line_of(span[1]))]
    return span[0] - start + len(replacement) + len(rest.rstrip()) <= MAX_LINE


def _forwarded(
    named: Sequence[NamedSplit],
    definition: AnyFunction | None,
    nnx: str,
    arity: int,
    starred: bool,
    keywords: bool,
) -> tuple[list[str], list[str]]:
    """Parameters of the wrapper, and the arguments that it calls the function with."""
    slots = replaced_slots(named) if named else {}
    merged = {n.split.index: n.merged(nnx) for n in named}
    last = max(slots, default=-1)
    known = positional_names(definition)
    introduced = {name for names in slots.values() for name in names}
    introduced |= {n.graphdef for n in named}
    parameters: list[str] = []
    arguments: list[str] = []
    for place in range(last + 1):
        if place in slots:
            parameters += slots[place]
            arguments.append(merged[place])
            continue
        name = known[place] if place < len(known) else f"arg{place}"
        name = fresh([name], introduced)[0]
        parameters.append(name)
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
    if keywords:
        parameters.append("**kwargs")
        arguments.append("**kwargs")
    return parameters, arguments


def definition_for_binding(
    context: FileContext, site: Site, named: Sequence[NamedSplit], job: Job, nnx: str
) -> list[Edit]:
    """Turn `name = nnx.T(f, ...)` into a definition of `name` that splits and calls it.

    Raises:
        CannotEmit: the site is no assignment to a name.
    """
    assignment = site.binding
    if assignment is None or site.bound_name is None:
        raise CannotEmit(site.escapes or "its result is called in another scope")
    if isinstance(context.tree.parents.get(assignment), ast.ClassDef):
        raise CannotEmit("its result is an attribute of a class")
    definition = _known_definition(context, site)
    names = _signature(definition)
    slots = replaced_slots(named) if named else {}
    inner: list[str] = []
    call: list[str] = []
    for place, name in enumerate(names):
        inner += slots.get(place, [name])
        if place in slots:
            call.append(next(n.merged(nnx) for n in named if n.split.index == place))
        else:
            call.append(name)
    unit, newline = context.indent_unit, context.newline
    line = first_line(assignment)
    indent = context.text.indent_of_line(line)
    if context.text.span(assignment)[0] != context.text.line_start(line) + len(indent):
        raise CannotEmit("the assignment stands behind other code on its line")
    function = site.function
    assert isinstance(function, ast.expr)
    if isinstance(function, ast.Lambda):
        raise CannotEmit("the function is a lambda that is bound to a name")
    inner_name = fresh([f"{site.bound_name}_of_state"], context.taken_names(assignment))[0]
    split_lines = [n.statement(nnx, names[n.split.index]) for n in named]
    body = f"{context.text.of(function)}({', '.join(call)})"
    result = f"{inner_name}({', '.join(inner)})"
    if job.return_filters:
        body = f"{nnx}.split({body}, {', '.join(job.return_filters)})"
        result = f"{nnx}.merge(*{result})"
    lines = [
        f"def {site.bound_name}({', '.join(names)}):",
        *(f"{unit}{text}" for text in split_lines),
        *([""] if split_lines else []),
        f"{unit}@{_decorator(context, site, job)}",
        f"{unit}def {inner_name}({', '.join(inner)}):",
        f"{unit}{unit}return {body}",
        "",
        f"{unit}return {result}",
    ]
    text = newline.join(f"{indent}{new}" if new else "" for new in lines).removeprefix(indent)
    start, end = context.text.span(assignment)
    before = _blank_before(context, line)
    after = _blank_after(context, assignment)
    return [Edit(start, end, f"{text}{after}")] if not before else [
        Edit(context.text.line_start(line), context.text.line_start(line), before),
        Edit(start, end, f"{text}{after}"),
    ]


def _blank_before(context: FileContext, line: int) -> str:
    """A definition at module level stands apart from code before it by two blank lines."""
    wanted = 2 if not context.text.indent_of_line(line) else 1
    have = 0
    current = line - 1
    while current >= 1 and not _line(context, current).strip():
        have += 1
        current -= 1
    if current < 1 or _line(context, current).rstrip().endswith(":"):
        return ""
    return context.newline * max(0, wanted - have)


def _blank_after(context: FileContext, assignment: ast.Assign) -> str:
    assert assignment.end_lineno is not None
    wanted = 2 if assignment.col_offset == 0 else 1
    have = 0
    current = assignment.end_lineno + 1
    total = len(context.text.line_starts)
    while current <= total and not _line(context, current).strip() and have < wanted:
        if context.text.line_start(current) >= len(context.text.text):
            return ""
        have += 1
        current += 1
    return context.newline * (wanted - have)


def _line(context: FileContext, line: int) -> str:
    return context.text.text[context.text.line_start(line) : line_after(context, line)]


def _known_definition(context: FileContext, site: Site) -> AnyFunction | None:
    function = site.function
    if not isinstance(function, ast.Name):
        return None
    values = context.values(function)
    scopes = {getattr(value, "scope", None) for value in values}
    if len(scopes) != 1:
        return None
    scope = scopes.pop()
    if scope is None or scope.module != context.tree.module:
        return None
    return context.tree.functions.get(scope.function)


def _signature(definition: AnyFunction | None) -> list[str]:
    """Parameter names for the new definition: those of the function that it calls, if known."""
    if isinstance(definition, FunctionNode):
        args = definition.args
        plain = not (args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs)
        names = positional_names(definition)
        if plain and not args.defaults:
            return names
        raise CannotEmit("the function has defaults or variable arguments")
    raise CannotEmit("the signature of the function is not known")


def _decorator(context: FileContext, site: Site, job: Job) -> str:
    """The transform with its options, but without its function, as a decorator."""
    node = site.node
    assert isinstance(node, ast.Call)
    if not isinstance(site.function, ast.expr) or site.function not in node.args:
        raise CannotEmit("the transform is written in a way that has no decorator form")
    start, end = context.text.span(node)
    edits = option_edits(context, site, job.options)
    function_start, function_end = context.text.span(site.function)
    if node.keywords:
        function_end = context.text.span(node.keywords[0])[0]
    edits = [e for e in edits if e.start >= function_end]
    removal = Edit(function_start, function_end, "")
    moved = [Edit(e.start - start, e.end - start, e.replacement) for e in [removal, *edits]]
    text = apply_edits(context.text.text[start:end], moved)
    return text.removesuffix("()")
