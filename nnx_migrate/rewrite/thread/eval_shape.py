"""`jax.eval_shape(model, x)` becomes a call of nnx that is given the model: nothing is captured."""

from __future__ import annotations

import ast
import dataclasses

from nnx_migrate.analysis.domain.values import Instance, Scope
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.style.spelling import Spelling
from nnx_migrate.rewrite.text.edits import Edit


def is_abstract(site: Site) -> bool:
    """Whether it calls a function to tell what that would give, and leaves objects as they are."""
    return site.spec.inspects and site.spec.calls_at_once


def of_function(context: FileContext, site: Site) -> Site | None:
    """An `eval_shape` of a function, as one that calls it with operands; None of other things."""
    call = site.node
    if not isinstance(call, ast.Call) or not call.args:
        return None
    function, *operands = call.args
    if definition_of(context, function) is None:
        return None
    starred = any(isinstance(each, ast.Starred) for each in operands)
    return dataclasses.replace(
        site,
        form="operands",
        complete=not call.keywords and not starred,
        function=None,
        uses=(call,),
        escapes="",
        functions=(function,),
        branches=(function,),
        operands=tuple(operands),
    )


def abstract_edits(context: FileContext, site: Site) -> list[Edit]:
    """Edits that pass the object on which `eval_shape` is called.

    Raises:
        CannotEmit: the call does not show what the object is called with.
    """
    call = site.node
    assert isinstance(call, ast.Call)
    if call.keywords or any(isinstance(argument, ast.Starred) for argument in call.args):
        raise CannotEmit(ThreadCause.SHOWN_CALL_NOT_BY_PLACE)
    target, *given = call.args
    if any(isinstance(node, ast.NamedExpr) for node in ast.walk(target)):
        raise CannotEmit(ThreadCause.OBJECT_BOUND_IN_CALL)
    names = _parameters(context, target, len(given))
    wanted = target.id if isinstance(target, ast.Name) else "model"
    own = fresh([wanted], names)[0]
    parameters = ", ".join([own, *names])
    start = context.text.span(target)[0]
    opening = context.text.span(call.func)[1]
    between = context.text.text[opening:start]
    for comment in context.comments_between(opening, start):
        between = between.replace(comment, "")
    if between.strip() != "(":
        raise CannotEmit(ThreadCause.OBJECT_IN_PARENTHESES)
    line = context.text.line_start(target.lineno)
    alone = not context.text.text[line:start].strip()
    gap = f",{context.newline}{context.text.text[line:start]}" if alone else ", "
    spelling = Spelling.at(context, site.reference)
    edits = [
        *spelling.import_edits,
        Edit(start, start, f"lambda {parameters}: {own}({', '.join(names)}){gap}"),
    ]
    if site.spec.becomes:
        place = context.text.span(site.reference)
        edits.append(Edit(*place, f"{spelling.nnx}.{site.spec.becomes}"))
    return edits


def _parameters(context: FileContext, target: ast.expr, count: int) -> list[str]:
    """Names for what the object is called with: those that its class gives them."""
    methods = {
        context.evaluator.hierarchy.method(value.class_name, "__call__")
        for value in context.values(target)
        if isinstance(value, Instance)
    }
    method = methods.pop() if len(methods) == 1 else None
    if isinstance(method, Scope):
        positional = [
            p.name
            for p in context.project.function(method).parameters[1:]
            if p.kind == "positional"
        ]
        if len(positional) >= count:
            return positional[:count]
    return ["x"] if count == 1 else [f"x{place}" for place in range(count)]
