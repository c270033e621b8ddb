"""A site whose call cannot be rewritten in place becomes a definition of its own.

run = nnx.vmap(f, in_axes=(axes, 0))   ->   def run(model, x):
                                                graphdef, params, rest = nnx.split(model, ...)

                                                @nnx.vmap(in_axes=(0, None, 0))
                                                def run_of_state(params, rest, x):
                                                    return f(nnx.merge(...), x)

                                                return run_of_state(params, rest, x)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from nnx_migrate.analysis.callgraph.binding import leading
from nnx_migrate.analysis.domain.values import FunctionValue
from nnx_migrate.analysis.sites.bound_later import made_anew
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction, FunctionNode, names_in
from nnx_migrate.rewrite.model.causes import EmitCause, SplitCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    CannotEmit,
    CarryPlan,
    Metadata,
    ReturnSplit,
)
from nnx_migrate.rewrite.split.arguments import NamedSplit, positional_names
from nnx_migrate.rewrite.split.nested import result_names
from nnx_migrate.rewrite.split.signature import Rewiring, result_name, rewire
from nnx_migrate.rewrite.split.wrappers import (
    check_names_last,
    is_made_by_call,
    structure_checks,
)
from nnx_migrate.rewrite.style.layout import (
    check_hoistable,
    first_line,
    insert_before,
    line_after,
    within_line_width,
)
from nnx_migrate.rewrite.style.line_width import shown
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.text.edits import Edit

_WORD = re.compile(r"\w+")


def outline(
    context: FileContext,
    site: Site,
    named: Sequence[NamedSplit],
    carry: CarryPlan | None,
    returns: Sequence[ReturnSplit],
    options: Mapping[str, str | None],
    metadata: Metadata | None,
    nnx: str,
    *,
    beside: bool,
) -> list[Edit]:
    """Edits that define the function before the statement, or in the place of the assignment.

    Args:
        beside: put the function over States beside the definition and not inside, because its
            transform keeps what it compiled.

    Raises:
        CannotEmit: the signature of the function is not known, there is no place for it, or what it
            reads may be something else when it is called.
    """
    function, bound = _definition(context, site)
    late = [text for each in named for text in each.split.filters]
    late += [text for each in returns for text in each.filters]
    check_names_last(context, site, late if beside else [*late, *_option_texts(context, site)])
    positional = _signature(function)[bound:]
    taken = context.taken_names(site.node)
    binding = site.binding if site.bound_name else None
    name = site.bound_name or fresh([f"{_verb(site)}_{_stem(function)}"], taken)[0]
    inner = fresh([f"{name}_of_state"], taken)[0]
    args = function.args if isinstance(function, AnyFunction) else None
    read = {name, inner, *positional, *names_in(site.node)}
    texts = [text for split in returns for text in split.filters]
    texts += [each.merged(nnx) for each in named]
    read |= {word for text in texts for word in _WORD.findall(text)}
    names = _result_names(function, read) if function is not None and returns else ()
    wiring = rewire(positional, args, named, carry, returns, nnx, taken | {name, inner}, names)
    callee, first = _made_first(context, site, function, taken | read)
    body = _inner_body(context, site, function, callee, positional, named, wiring)
    lines = _lines(
        context, site, positional, body, wiring, name, inner, options, metadata, beside=beside
    )
    lines = [*_comment_lines(context, site, lines), *first, *lines]
    if binding is not None:
        return _in_place_of(context, binding, lines)
    check_hoistable(context, site.node)
    statement = context.tree.statement(site.node)
    made = Edit(*context.text.span(site.node), name)
    line = first_line(statement)
    above = [""] * _blank_before(context, line).count(context.newline)
    below = [""] * (1 if context.text.indent_of_line(line) else 2)
    return [insert_before(context, statement, [*above, *lines, *below]), made]


def _option_texts(context: FileContext, site: Site) -> list[str]:
    """Source text of the options, which the new function is given again at each call."""
    assert isinstance(site.node, ast.Call)
    return [context.text.of(keyword.value) for keyword in site.node.keywords]


def _made_first(
    context: FileContext, site: Site, function: AnyFunction | None, taken: set[str]
) -> tuple[str, list[str]]:
    """What to call a function, and the statement that makes it where it is made by a call.

    Raises:
        CannotEmit: another turn of a loop would give its name to another one.
    """
    assert isinstance(site.function, ast.expr)
    text = context.text.of(site.function)
    if not is_made_by_call(context, site):
        return text, []
    if made_anew(context.tree, site.node, None if site.escapes else site.uses):
        raise CannotEmit(EmitCause.NAME_BOUND_LATER.about(name=text))
    name = fresh([_stem(function)], taken)[0]
    return name, [f"{name} = {text}", ""]


def _verb(site: Site) -> str:
    return site.spec.participle or site.transform


def _stem(function: AnyFunction | None) -> str:
    return function.name if isinstance(function, FunctionNode) else "fn"


def _definition(context: FileContext, site: Site) -> tuple[AnyFunction | None, int]:
    """The definition of the function, if it is in this file, whose signature is copied; and how
    many of its parameters have their arguments: `self`, and those in a `functools.partial`."""
    if isinstance(site.function, ast.Lambda):
        return site.function, 0
    if not isinstance(site.function, ast.expr):
        raise CannotEmit(SplitCause.FUNCTION_NOT_SEEN)
    values = context.values(site.function)
    found = [v for v in values if isinstance(v, FunctionValue) and not v.bound_keywords]
    if len(found) != 1 or len(values) != 1:
        raise CannotEmit(SplitCause.SIGNATURE_NOT_KNOWN)
    (called,) = found
    if called.scope.module != context.tree.module:
        raise CannotEmit(SplitCause.SIGNATURE_ELSEWHERE)
    return context.tree.functions.get(called.scope.function), leading(called)


def _signature(function: AnyFunction | None) -> list[str]:
    if function is None:
        raise CannotEmit(SplitCause.SIGNATURE_NOT_KNOWN)
    args = function.args
    if args.defaults or args.kwonlyargs or args.posonlyargs or args.vararg or args.kwarg:
        raise CannotEmit(SplitCause.DEFAULTS_OR_VARIABLE)
    return positional_names(function)


def _lines(
    context: FileContext,
    site: Site,
    positional: Sequence[str],
    body: Sequence[str],
    wiring: Rewiring,
    name: str,
    inner: str,
    options: Mapping[str, str | None],
    metadata: Metadata | None,
    *,
    beside: bool,
) -> list[str]:
    unit = context.indent_unit_at(site.node)
    decorators = [f"@{_decorator(context, site, options)}"]
    if metadata is not None:
        decorators.append(metadata_decorator(metadata, options, wiring.nnx))
    over_states = [
        *decorators,
        f"def {inner}({', '.join(wiring.parameters)}):",
        *(f"{unit}{line}" for line in body),
    ]
    head = f"def {name}({', '.join(positional)}):"
    closing = [f"{unit}{line}" for line in wiring.closing(inner)]
    splits = [f"{unit}{line}" for line in wiring.splits]
    if beside:
        return [*over_states, "", head, *splits, *closing]
    gap = [""] if splits else []
    nested = [f"{unit}{line}" for line in over_states]
    return [head, *splits, *gap, *nested, "", *closing]


def metadata_decorator(metadata: Metadata, options: Mapping[str, str | None], nnx: str) -> str:
    """The decorator that names the new axis, with the axes that the transform ends up with."""
    return f"@{nnx}.transform_metadata({', '.join(metadata_arguments(metadata, options))})"


def metadata_arguments(metadata: Metadata, options: Mapping[str, str | None]) -> list[str]:
    """What `nnx.transform_metadata` is given beside the function."""
    texts = {**metadata.axes}
    texts |= {key: text for key in ("in_axes", "out_axes") if (text := options.get(key))}
    axes = [f"{key}={texts[key]}" for key in ("in_axes", "out_axes") if key in texts]
    return [*axes, f"partition={metadata.partition}"]


def _inner_body(
    context: FileContext,
    site: Site,
    function: AnyFunction | None,
    callee: str,
    positional: Sequence[str],
    named: Sequence[NamedSplit],
    wiring: Rewiring,
) -> list[str]:
    """The body of the function over States: a lambda's own, or a call of the function."""
    if isinstance(function, ast.Lambda) and function is site.function:
        value = context.text.of(function.body)
        if "\n" in value or "\r" in value or isinstance(function.body, ast.Tuple):
            value = (
                value
                if value.startswith("(") and isinstance(function.body, ast.Tuple)
                else f"({value})"
            )
        body: ast.expr | None = function.body
    else:
        value = f"{callee}({', '.join(positional)})"
        body = None
    lines = list(wiring.top)
    elements = any(split.place is not None for split in wiring.returns)
    for split in () if elements else wiring.returns:
        value = f"{wiring.nnx}.split({value}, {', '.join(split.filters)})"
    if any(n.split.checked for n in named):
        result = fresh([result_name(site)], {*wiring.taken, *positional})[0]
        lines.append(f"{result} = {value}")
        objects = [positional[n.split.index] for n in named]
        lines += structure_checks(context, site, named, objects, wiring.nnx)
        value, body = result, None
    if elements:
        return [*lines, *_split_elements(context, wiring, value, body)]
    if wiring.carry is None or wiring.carry.alone or wiring.carry.place is None:
        returned = wiring.returned(value, None, None)
        if returned == value and isinstance(body, ast.Tuple):
            returned = _shortest(context, site, value, body)
        return [*lines, f"return {returned}"]
    if isinstance(body, ast.Tuple) and len(body.elts) == 2:
        first, second = (context.text.of(e) for e in body.elts)
    else:
        first, second = fresh(["new_carry", "output"], wiring.taken)
        lines.append(f"{first}, {second} = {value}")
    return [*lines, f"return {wiring.returned(value, first, second)}"]


def _result_names(function: AnyFunction, read: set[str]) -> list[str]:
    """Names for the results where the function is called, in code that reads others."""
    names = result_names(function, read)
    is_free = len(set(names)) == len(names) and not read & set(names)
    return names if is_free else fresh(names, read, "returned")


def _split_elements(
    context: FileContext, wiring: Rewiring, value: str, body: ast.expr | None
) -> list[str]:
    """The tuple that is returned, with its Modules split."""
    names = wiring.result_names
    if not names:
        raise CannotEmit(SplitCause.RESULTS_NOT_COUNTED)
    lines, elements = [], [*names]
    if isinstance(body, ast.Tuple):
        elements = [context.text.of(element) for element in body.elts]
    else:
        lines.append(f"{', '.join(names)} = {value}")
    for split in wiring.returns:
        assert split.place is not None
        element = elements[split.place]
        elements[split.place] = f"{wiring.nnx}.split({element}, {', '.join(split.filters)})"
    text = ", ".join(elements)
    return [*lines, f"return ({text})" if "\n" in text or "\r" in text else f"return {text}"]


def _shortest(context: FileContext, site: Site, text: str, value: ast.Tuple) -> str:
    """A tuple as it is returned: in brackets only where it takes several lines."""
    indent = context.text.indent_of_line(first_line(context.tree.statement(site.node)))
    around = shown(f"{indent}{context.indent_unit_at(site.node) * 2}return ")
    bare = text[1:-1].strip()
    long = "\n" in text or "\r" in text or around + len(bare) > context.options.width
    return text if long or len(value.elts) == 1 else bare


def _decorator(context: FileContext, site: Site, options: Mapping[str, str | None]) -> str:
    """The transform with its options, but without its function, as a decorator."""
    if site.wrapper is not None:
        raise CannotEmit(SplitCause.DECORATOR_NOT_KNOWN.about(wrapper=site.wrapper.name))
    node = site.node
    if not (isinstance(node, ast.Call) and site.function in node.args):
        raise CannotEmit(SplitCause.NO_DECORATOR_FORM)
    assert isinstance(site.function, ast.expr)
    words = []
    for keyword in node.keywords:
        if keyword.arg is None:
            raise CannotEmit(SplitCause.HIDDEN_OPTIONS)
        text = options.get(keyword.arg, context.text.of(keyword.value))
        if text is not None:
            words.append(f"{keyword.arg}={_one_line(text)}")
    words += [f"{k}={v}" for k, v in options.items() if v and k not in site.options]
    head = context.text.of(node.func)
    return f"{head}({', '.join(words)})" if words else head


def _one_line(text: str) -> str:
    """An option's text without line breaks and the comments between them."""
    if "\n" not in text and "\r" not in text:
        return text
    try:
        return ast.unparse(ast.parse(text.strip(), mode="eval"))
    except SyntaxError:
        raise CannotEmit(SplitCause.NEWER_OPTION) from None


def _comment_lines(context: FileContext, site: Site, lines: Sequence[str]) -> list[str]:
    """Comments in the code that is taken apart, which would get lost otherwise."""
    there = context.comments_between(*context.text.span(site.node))
    return [comment for comment in there if not any(comment in line for line in lines)]


def _in_place_of(context: FileContext, assignment: ast.Assign, lines: list[str]) -> list[Edit]:
    line = first_line(assignment)
    indent = context.text.indent_of_line(line)
    begin = context.text.line_start(line)
    start, end = context.text.span(assignment)
    if start != begin + len(indent):
        raise CannotEmit(SplitCause.ASSIGNED_BEHIND_CODE)
    if isinstance(context.tree.parents.get(assignment), ast.ClassDef):
        raise CannotEmit(SplitCause.RESULT_OF_CLASS)
    lines = within_line_width(context, lines, indent)
    text = context.newline.join(f"{indent}{new}" if new else "" for new in lines)
    text = text.removeprefix(indent) + _blank_after(context, assignment)
    edits = [Edit(start, end, text)]
    before = _blank_before(context, line)
    return [Edit(begin, begin, before), *edits] if before else edits


def _blank_before(context: FileContext, line: int) -> str:
    """A definition stands apart from code before it: by two blank lines at module level."""
    have = 0
    current = line - 1
    while current >= 1 and not _line(context, current).strip():
        have += 1
        current -= 1
    if current < 1:
        return ""
    above = _line(context, current).strip()
    if above.endswith(":") or (have == 0 and above.startswith("#")):
        return ""
    wanted = 2 if not context.text.indent_of_line(line) else 1
    return context.newline * max(0, wanted - have)


def _blank_after(context: FileContext, assignment: ast.Assign) -> str:
    assert assignment.end_lineno is not None
    wanted = 2 if assignment.col_offset == 0 else 1
    have = 0
    current = assignment.end_lineno + 1
    while have < wanted and not _line(context, current).strip():
        if current > len(context.text.line_starts) or line_after(context, current) >= len(
            context.text.text
        ):
            return ""
        have += 1
        current += 1
    return context.newline * (wanted - have)


def _line(context: FileContext, line: int) -> str:
    if line > len(context.text.line_starts):
        return ""
    return context.text.text[context.text.line_start(line) : line_after(context, line)]
