"""A lambda that is given States in place of an object: edited, or made a definition."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.rewrite.model.causes import SplitCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, NotRewritten
from nnx_migrate.rewrite.split.arguments import (
    NamedSplit,
    filled,
    parameter_edits,
    positional_names,
    replaced_slots,
)
from nnx_migrate.rewrite.split.job import Job
from nnx_migrate.rewrite.style.layout import fits, in_brackets, insert_before
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.text.edits import Edit, apply_edits


def lambda_edits(
    context: FileContext,
    function: ast.Lambda,
    job: Job,
    named: Sequence[NamedSplit],
    nnx: str,
) -> list[Edit]:
    """A parameter that is read once is replaced by the merge where it is read."""
    wanted = job.site.spec.lambda_name
    edits, parameters = parameter_edits(context, function, named, nnx) if named else ([], [])
    body = context.text.span(function.body)
    for result in job.returns:
        edits.append(Edit(body[0], body[0], f"{nnx}.split("))
        edits.append(Edit(body[1], body[1], f", {', '.join(result.filters)})"))
    for split, name in zip(named, parameters, strict=True):
        nodes = ast.walk(function.body)
        reads = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
        if len(reads) != 1 or _evaluated_often(context, reads[0], function):
            if job.returns:
                raise CannotEmit(SplitCause.LAMBDA_NEEDS_TWICE)
            return _defined_lambda(context, function, named, nnx, wanted)
        edits.append(Edit(*context.text.span(reads[0]), split.merged(nnx)))
    if not named or job.returns:
        return edits
    start, end = context.text.span(function)
    moved = [Edit(e.start - start, e.end - start, e.replacement) for e in edits]
    if fits(context, (start, end), apply_edits(context.text.text[start:end], moved)):
        return edits
    try:
        return _defined_lambda(context, function, named, nnx, wanted)
    except NotRewritten:
        return edits


def _evaluated_often(context: FileContext, node: ast.AST, function: ast.Lambda) -> bool:
    loops = ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    for parent in context.tree.ancestors(node):
        if parent is function:
            return False
        if isinstance(parent, loops):
            return True
    return False


def _defined_lambda(
    context: FileContext,
    function: ast.Lambda,
    named: Sequence[NamedSplit],
    nnx: str,
    wanted: str,
) -> list[Edit]:
    """A lambda that reads its Module more than once, or would be too long, becomes a definition."""
    statement = context.tree.statement(function)
    slots = replaced_slots(named)
    positional = positional_names(function)
    if function.args.defaults or function.args.kwonlyargs or function.args.posonlyargs:
        raise CannotEmit(SplitCause.LAMBDA_DEFAULTS)
    parameters: list[str] = []
    for place, name in enumerate(positional):
        parameters += filled(slots.get(place, [name]), name)
    if function.args.vararg:
        parameters.append(f"*{function.args.vararg.arg}")
    if function.args.kwarg:
        parameters.append(f"**{function.args.kwarg.arg}")
    taken = context.taken_names(function)
    name = fresh([wanted if wanted not in taken else f"{wanted}_of_state"], taken)[0]
    unit = context.indent_unit_at(function)
    body = context.text.of(function.body)
    if isinstance(function.body, ast.Tuple) and function.body.elts and body.isprintable():
        body = body[1:-1]  # the parentheses that a tuple needs in a lambda
    elif "\n" in body or "\r" in body:
        body = in_brackets(context, function.body, statement, unit)
    lines = [f"def {name}({', '.join(parameters)}):"]
    lines += [f"{unit}{positional[n.split.index]} = {n.merged(nnx)}" for n in named]
    start, end = context.text.span(function)
    around = context.comments_between(start, end)
    lines += [f"{unit}{comment}" for comment in around if comment not in body]
    lines += [f"{unit}return {body}", ""]
    return [insert_before(context, statement, lines), Edit(start, end, name)]
