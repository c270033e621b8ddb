"""Whether anything sown lies on an object already when what sows on it is called."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.residual_sow import ResidualSowFinder
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.ownership import calls_by_name, check_in_file
from nnx_migrate.rewrite.model.sown_plans import CapturedCall


def check_no_residual_sow(
    context: FileContext, calls: Sequence[CapturedCall], collected: Mapping[Scope, str]
) -> None:
    """Nothing sown lies on the object yet when the function is called.

    Args:
        collected: the functions all of whose calls are followed by nnx.pop.

    Raises:
        NotCaptured: something may.
    """
    finder = ResidualSowFinder(context.analysis, collected)
    for call in calls:
        model = call.use.args[0]
        assert isinstance(model, ast.Name)
        reason = finder.on(context.tree.scope(model), model.id)
        if reason:
            raise NotCaptured(reason)
    for scope in sorted(finder.holders, key=str):
        _check_holder(context, scope)


def _check_holder(context: FileContext, scope: Scope) -> None:
    """All calls of a function that is given the object are to be seen, in its file."""
    holder = context.tree.functions.get(scope.function)
    if scope.module != context.tree.module or not isinstance(holder, ast.FunctionDef):
        raise NotCaptured(SownCause.CALLED_ELSEWHERE)
    around = context.tree.scope(holder)
    check_in_file(context, around, holder.name)
    calls_by_name(context, around, holder.name)
