"""A function returns what it computed, and no more the objects that it was given."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from nnx_migrate.rewrite.model.causes import EmitCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, OperandsAgain, ReturnedAgain
from nnx_migrate.rewrite.style.layout import (
    docstring_of,
    header_end,
    line_after,
    removed_statement,
    within_line_width,
)
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.text.edits import Edit

_Places = frozenset[tuple[int, ...]]


def returned_again_edits(context: FileContext, plan: ReturnedAgain) -> list[Edit]:
    """The edits in the function and at each call of it.

    Raises:
        CannotEmit: the function does nothing else, or a statement shares its line.
    """
    edits = list[Edit]()
    for each in plan.returns:
        edits.append(_returning_less(context, plan.function, each, plan.dropped))
    if plan.function.returns is not None:
        edits.append(_annotation(context, plan.function.returns, plan.dropped))
    if plan.twin:
        return edits + _beside_twin(context, plan)
    return edits + [_binding_less(context, use, plan.dropped) for use in plan.uses]


def operands_again_edits(context: FileContext, plan: OperandsAgain) -> list[Edit]:
    """The edits in each branch, and where the result of the conditional is bound.

    Raises:
        CannotEmit: a statement shares its line.
    """
    edits = list[Edit]()
    for branch in plan.branches:
        if isinstance(branch, ast.Lambda):
            left = pruned(context, branch.body, plan.dropped) or "None"
            edits.append(Edit(*context.text.span(branch.body), left))
            continue
        for node in ast.walk(branch):
            if isinstance(node, ast.Return) and context.tree.function_around(node) is branch:
                if branch.body == [node] and () in plan.dropped:
                    edits.append(Edit(*context.text.span(node), "pass"))
                else:
                    edits.append(_returning_less(context, branch, node, plan.dropped))
        if branch.returns is not None:
            edits.append(_annotation(context, branch.returns, plan.dropped))
    return edits + ([_binding_less(context, plan.use, plan.dropped)] if plan.use else [])


def _returning_less(
    context: FileContext, function: ast.FunctionDef, each: ast.Return, dropped: _Places
) -> Edit:
    assert each.value is not None
    left = pruned(context, each.value, dropped)
    if left is not None:
        return Edit(*context.text.span(each.value), left)
    if each is not function.body[-1]:
        return Edit(*context.text.span(each), "return")
    return _taken_out(context, function, each)


def _binding_less(context: FileContext, use: ast.Assign, dropped: _Places) -> Edit:
    target = use.targets[0]
    left = pruned(context, target, dropped)
    start, end = context.text.span(target)
    if left is None:
        return Edit(start, context.text.span(use.value)[0], "")
    return Edit(start, end, left)


def _beside_twin(context: FileContext, plan: ReturnedAgain) -> list[Edit]:
    """The function gets a private name, and one that returns all that it did has its name."""
    function, text, newline = plan.function, context.text, context.newline
    header = text.text[text.span(function)[0] : header_end(text, function)]
    name = text.span(function)[0] + header.index(function.name, len("def"))
    edits = [Edit(name, name + len(function.name), plan.twin)]
    unit = context.indent_unit_at(function)
    body = _documented(context, function, edits)
    result, whole = _results(context, plan)
    call = f"{plan.twin}({', '.join(_passed(function))})"
    body += within_line_width(context, [f"{result} = {call}" if result else call], unit)
    body += within_line_width(context, [f"return {whole}"], unit)
    lines = ["", "", header, *(f"{unit}{line}" if line else "" for line in body)]
    assert function.end_lineno is not None
    place = line_after(context, function.end_lineno)
    block = "".join(f"{line}{newline}" for line in lines)
    if not text.text[:place].endswith(("\n", "\r")):
        block = newline + block.removesuffix(newline)
    return [*edits, Edit(place, place, block)]


def _documented(context: FileContext, function: ast.FunctionDef, edits: list[Edit]) -> list[str]:
    """The lines of a docstring, which goes with the name, and with it the empty lines below."""
    docstring = docstring_of(function)
    if docstring is None:
        return []
    taken = removed_statement(context, docstring)
    source, end = context.text.text, taken.end
    while (below := source.find("\n", end) + 1) and not source[end:below].strip():
        end = below
    edits.append(Edit(taken.start, end, taken.replacement))
    return [context.text.of(docstring)]


def _passed(function: ast.FunctionDef) -> Iterator[str]:
    yield from (each.arg for each in function.args.args)
    yield from (f"{each.arg}={each.arg}" for each in function.args.kwonlyargs)


def _results(context: FileContext, plan: ReturnedAgain) -> tuple[str, str]:
    """What the result of the twin is bound to, and what is returned of that and the arguments."""
    value = plan.returns[0].value
    assert value is not None
    taken = {each.arg for each in [*plan.function.args.args, *plan.function.args.kwonlyargs]}
    names: dict[tuple[int, ...], str] = {}
    for place, leaf in _kept_leaves(value, plan.dropped):
        wanted = leaf.id if isinstance(leaf, ast.Name) else "result"
        (names[place],) = fresh([wanted], taken | {*names.values(), plan.twin})
    result = _told(context, value, names, plan.dropped, whole=False)
    return result, _told(context, value, names, plan.dropped, whole=True)


def _kept_leaves(
    node: ast.expr, dropped: _Places, place: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], ast.expr]]:
    if isinstance(node, ast.Tuple):
        for i, element in enumerate(node.elts):
            yield from _kept_leaves(element, dropped, (*place, i))
    elif place not in dropped:
        yield place, node


def _told(
    context: FileContext,
    node: ast.expr,
    names: Mapping[tuple[int, ...], str],
    dropped: _Places,
    place: tuple[int, ...] = (),
    *,
    whole: bool,
) -> str:
    """What is returned, with names for its parts: all of it, or what the twin returns of it."""
    if not isinstance(node, ast.Tuple):
        return names.get(place) or (context.text.of(node) if whole else "")
    parts = [
        _told(context, each, names, dropped, (*place, i), whole=whole)
        for i, each in enumerate(node.elts)
    ]
    told = [part for part in parts if part]
    if len(told) == 1 and not whole and len(parts) > 1:
        return told[0]
    joined = ", ".join(told) + ("," if len(told) == 1 else "")
    return f"({joined})" if place and told else joined


def _taken_out(context: FileContext, function: ast.FunctionDef, last: ast.Return) -> Edit:
    """Take out the return at the end of a function, with the line in front of it."""
    text = context.text
    start, end = text.span(last)
    before = text.text[: text.line_start(last.lineno)].rstrip()
    alone = not text.text[text.line_start(last.lineno) : start].strip()
    at_end = not text.text[end : line_after(context, last.end_lineno or 0)].strip()
    if len(function.body) < 2 or not alone or not at_end:
        raise CannotEmit(EmitCause.RETURNS_ALONE.about(name=function.name))
    return Edit(len(before), end, "")


def pruned(
    context: FileContext, node: ast.expr, dropped: _Places, place: tuple[int, ...] = ()
) -> str | None:
    """Source text of an expression without some parts of its tuples; None where none is left."""
    if place in dropped:
        return None
    text = context.text.of(node)
    if not isinstance(node, ast.Tuple):
        return text
    parts = [pruned(context, e, dropped, (*place, i)) for i, e in enumerate(node.elts)]
    left = [part for part in parts if part is not None]
    if len(left) == len(parts) and left == [context.text.of(each) for each in node.elts]:
        return text
    if len(left) < 2:
        return left[0] if left else None
    joined = ", ".join(left)
    bare = context.text.span(node)[0] == context.text.span(node.elts[0])[0]
    return joined if bare else f"({joined})"


def _annotation(context: FileContext, annotation: ast.expr, dropped: _Places) -> Edit:
    """The return annotation, of which `elements_of` has said that it has those of the result."""
    left = _pruned_annotation(context, annotation, dropped, ())
    return Edit(*context.text.span(annotation), "None" if left is None else left)


def _pruned_annotation(
    context: FileContext, annotation: ast.expr, dropped: _Places, place: tuple[int, ...]
) -> str | None:
    if place in dropped:
        return None
    within = elements_of(annotation)
    if not within or not any(each[: len(place)] == place for each in dropped):
        return context.text.of(annotation)
    parts = (
        _pruned_annotation(context, each, dropped, (*place, i)) for i, each in enumerate(within)
    )
    left = [part for part in parts if part is not None]
    if len(left) < 2:
        return left[0] if left else None
    assert isinstance(annotation, ast.Subscript)
    return f"{context.text.of(annotation.value)}[{', '.join(left)}]"


def elements_of(annotation: ast.expr) -> list[ast.expr]:
    """What `tuple[A, B]` says of each element; empty for anything else."""
    match annotation:
        case ast.Subscript(
            value=ast.Name(id="tuple" | "Tuple") | ast.Attribute(attr="Tuple"),
            slice=ast.Tuple(elts=[*within]),
        ) if not any(isinstance(each, ast.Constant) for each in within):
            return within
        case _:
            return []
