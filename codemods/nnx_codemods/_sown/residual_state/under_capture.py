"""Functions that run under `nnx.capture` already: what they sow never lies on the object.

There `nnx.pop` finds the values that capture collects, and cannot take them off.
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_codemods._sown.sowing import OF_ARRAYS
from nnx_migrate.analysis.domain.values import FunctionValue, Instance, Scope
from nnx_migrate.analysis.effects.capture_scope import is_capture
from nnx_migrate.analysis.effects.reachability import Reached, is_attribute
from nnx_migrate.analysis.flax.transforms import COLLECTING
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.imports.import_graph import is_of_flax
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.model.context import FileContext, remembered


def check_not_under_capture(context: FileContext, scope: Scope) -> None:
    """A function that sows is never run under capture.

    Raises:
        NotCaptured: it may be.
    """
    if capturing_files(context) and scope in _under_capture(context):
        raise NotCaptured(SownCause.UNDER_CAPTURE)


@remembered
def capturing_files(context: FileContext) -> frozenset[str]:
    """The modules that may capture and run in one program with this file."""
    if not any(map(context.project.has_word, COLLECTING)):
        return frozenset()
    project, wrappers = context.project, context.project.wrappers
    beside = context.analysis.imports.runs_beside(context.tree.module)
    if wrappers is not None and any(map(wrappers.is_like, COLLECTING)):
        return frozenset(beside)
    return frozenset(
        each
        for each in beside
        if not (is_of_flax(each) or COLLECTING.isdisjoint(project.modules[each].words))
    )


def _is_seen(obstacle: Refusal) -> bool:
    """Whether what a function reaches is no code that is not seen."""
    return obstacle.cause is Reached.DEPENDS or is_attribute(obstacle, "sow", "perturb")


@remembered
def _under_capture(context: FileContext) -> frozenset[Scope]:
    """The functions of the project that may run under capture in one program with this file."""
    roots = tuple(_captured(context))
    known = tuple(scope for scope in roots if scope is not None)
    extents = context.analysis.extents
    unseen = any(not _is_seen(each) for each in extents.obstacles(known, OF_ARRAYS))
    if unseen or len(known) < len(roots):
        known += tuple(_methods(context))  # what is called there may be any of them
    return extents.reached(known)


def _methods(context: FileContext) -> Iterator[Scope]:
    for module, record in context.project.modules.items():
        for key, function in record.functions.items():
            if function.owner is not None:
                yield Scope(module, key)


def _captured(context: FileContext) -> Iterator[Scope | None]:
    """What is given to capture; None for what is not known."""
    project, evaluator = context.project, context.evaluator
    files = capturing_files(context)
    decorated: set[ir.Expr] = set()
    for module in sorted(files):
        for key, function in project.modules[module].functions.items():
            for each in function.decorators:
                if is_capture(project, Scope(module, ir.MODULE_SCOPE), each):
                    decorated.add(each)
                    yield Scope(module, key)
    for scope, call in (
        row for name in COLLECTING for row in evaluator.callers.mentions.calls_of(name)
    ):
        if scope.module not in files or call in decorated:
            continue
        if not is_capture(project, scope, call):
            continue
        values = evaluator.values(scope, call.args[0])
        if not values:
            yield None
        for value in values:
            if isinstance(value, FunctionValue):
                yield value.scope
            elif isinstance(value, Instance):
                called = evaluator.hierarchy.method(value.class_name, "__call__")
                yield called if isinstance(called, Scope) else None
            else:
                yield None
