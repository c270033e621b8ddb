"""A transform whose result is called where it is made: the function is edited, or wrapped there.

So is a loss under a decorator that is called beside its definition alone:

    @nnx.value_and_grad                    ->   @nnx.value_and_grad
    def loss_fn(model):                         def loss_fn(params, nondiff):
        return jnp.mean(model(x) ** 2)              model = nnx.merge(graphdef, params, nondiff)
                                                    return jnp.mean(model(x) ** 2)

    loss, grads = loss_fn(model)                graphdef, params, nondiff = nnx.split(model, ...)
                                                loss, grads = loss_fn(params, nondiff)
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
from collections.abc import Sequence

from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.causes import EmitCause, SplitCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.functions import definition_of, is_owned
from nnx_migrate.rewrite.split.arguments import (
    NamedSplit,
    call_edits,
    parameter_edits,
    positional_names,
    split_arguments,
)
from nnx_migrate.rewrite.split.job import Job, named_splits
from nnx_migrate.rewrite.split.lambdas import lambda_edits
from nnx_migrate.rewrite.split.wrappers import checked_body, checked_function, wrapped_function
from nnx_migrate.rewrite.style.evaluation_order import check_order
from nnx_migrate.rewrite.style.layout import check_hoistable, insert_at_top, insert_before
from nnx_migrate.rewrite.text.edits import Edit


def with_calls(context: FileContext, job: Job) -> Job:
    """The job of a decorated loss with its calls, where these are all of them, and stand in the
    function that defines it; any other job as it is.

    Two calls in one statement would both be split before it.
    """
    site, definition = job.site, job.site.function
    if site.form != "decorator" or not site.spec.differentiates or job.metadata or job.returns:
        return job
    if not isinstance(definition, ast.FunctionDef) or definition.decorator_list != [site.node]:
        return job
    uses = context.finder.uses(site)
    if len({context.tree.statement(use) for use in uses}) != len(uses):
        return job
    here = context.tree.scope(definition)
    if any(context.tree.scope(use) != here for use in uses):
        return job
    return dataclasses.replace(job, site=dataclasses.replace(site, uses=uses))


def edited_in_place(context: FileContext, job: Job, nnx: str) -> list[Edit]:
    """The result is called where it is made: edit the function and split before each call."""
    site = job.site
    if not site.uses:
        raise CannotEmit(SplitCause.NO_CALL_FOUND)
    named = named_splits(context, job)
    definition = definition_of(context, site.function)
    decorated = site.form == "decorator"
    owned = decorated or (definition is not None and is_owned(context, site, definition))
    if job.watched or any(n.split.checked for n in named):
        edits = _checked(context, job, definition, named, nnx, owned=owned)
    elif owned and definition is not None and (not job.returns or definition is site.function):
        edits = _edit_function(context, definition, job, named, nnx)
    else:
        edits = wrapped_function(context, site, definition, named, job.returns, nnx)
    splits: list[Edit] = []
    for use in site.uses:
        check_hoistable(context, use)
        if named:
            arguments, texts = call_edits(context, use, named, positional_names(definition))
            check_order(context, use, split_arguments(use, named, positional_names(definition)))
            edits += arguments
            statement = context.tree.statement(use)
            lines = [n.statement(nnx, t) for n, t in zip(named, texts, strict=True)]
            splits.append(insert_before(context, statement, list(dict.fromkeys(lines))))
        if job.returns:
            start, end = context.text.span(use)
            edits += [Edit(start, start, f"{nnx}.merge(*"), Edit(end, end, ")")]
    return _split_first(context, splits, edits)


def _checked(
    context: FileContext,
    job: Job,
    definition: AnyFunction | None,
    named: Sequence[NamedSplit],
    nnx: str,
    *,
    owned: bool,
) -> list[Edit]:
    """The function raises where it changes a structure: it itself, or a new one around it.

    Args:
        owned: nothing else uses the function.
    """
    if owned and isinstance(definition, ast.FunctionDef) and not job.watched:
        with contextlib.suppress(CannotEmit):
            checks = checked_body(context, job.site, definition, named, nnx)
            return [*_edit_function(context, definition, job, named, nnx), *checks]
    if not isinstance(job.site.function, ast.expr):
        raise CannotEmit(EmitCause.NO_PLACE_FOR_CHECK)
    return checked_function(context, job.site, definition, named, job.watched, nnx)


def _split_first(context: FileContext, splits: list[Edit], edits: list[Edit]) -> list[Edit]:
    """Edits in which a new function stands below the split whose names it uses."""
    end = context.newline
    for split in dict.fromkeys(splits):
        lines = [
            e for e in edits if e.start == e.end == split.start and e.replacement.endswith(end)
        ]
        text = "".join(e.replacement for e in lines)
        gap = end if text and not text.startswith(end) else ""
        whole = Edit(split.start, split.end, split.replacement + gap + text)
        edits = [whole, *(e for e in edits if e not in lines)]
    return edits


def _edit_function(
    context: FileContext, function: AnyFunction, job: Job, named: Sequence[NamedSplit], nnx: str
) -> list[Edit]:
    if isinstance(function, ast.Lambda):
        return lambda_edits(context, function, job, named, nnx)
    if not named:
        raise CannotEmit(SplitCause.RESULT_SPLIT)
    edits, parameters = parameter_edits(context, function, named, nnx)
    merges = [f"{name} = {n.merged(nnx)}" for n, name in zip(named, parameters, strict=True)]
    return [*edits, insert_at_top(context, function, merges)]
