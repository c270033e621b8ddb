"""What a traced function captures through functions that it calls is passed to these.

    def predict(x):
        return model(x)

    nnx.fori_loop(0, 3, lambda i, x: predict(x), x)

Here `predict` gets the model as a parameter, and all its calls pass it on. Then the function of the
loop shows what it captures.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from nnx_migrate.analysis.domain.values import FunctionValue
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.rewrite.model.decisions import CannotEmit, Capture
from nnx_migrate.rewrite.model.functions import definition_of, free_names
from nnx_migrate.rewrite.model.ownership import direct_calls
from nnx_migrate.rewrite.model.stacks import stack_of
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.rewrite.thread.as_argument import parameter_edits, passed
from nnx_migrate.rewrite.thread.as_keyword import (
    keyword_parameters,
    passed_by_keyword,
    takes_keywords,
)
from nnx_migrate.rewrite.thread.bound_methods import SpelledOut, are_nodes, edited_site


def threaded(context: FileContext, site: Site) -> SpelledOut | None:
    """The site with what its functions capture through others passed to these.

    Raises:
        CannotEmit: a function or a call of it is not written in a way that can be changed.
    """
    needed = needed_by(context, site)
    edits: list[Edit] = []
    for function, names in needed.items():
        calls = direct_calls(context, function)
        if calls is None:
            raise CannotEmit(ThreadCause.MORE_THAN_CALLED.about(function=function.name))
        captures = [Capture(name) for name in sorted(names)]
        by_keyword = takes_keywords(function)
        if by_keyword:
            edits.append(keyword_parameters(context, function, captures))
        else:
            edits += parameter_edits(context, function, captures)
        for call in calls:
            _check_names(context, function, call, names)
            if by_keyword:
                edits.append(passed_by_keyword(context, call, captures))
            else:
                edits.append(passed(context, call, function, captures, by_keyword=True))
    return edited_site(context, site, edits) if edits else None


def _check_names(
    context: FileContext, function: ast.FunctionDef, call: ast.Call, names: set[str]
) -> None:
    """Where a function is called, the names have to stand for what they do in it."""
    for name in names:
        inside = context.project.bindings(context.tree.scope_of(function), name)
        outside = context.project.bindings(context.tree.scope(call), name)
        if {each.scope for each in inside} != {each.scope for each in outside}:
            raise CannotEmit(
                ThreadCause.OTHER_MEANING_AT_CALL.about(name=name, function=function.name)
            )


@remembered
def needed_by(context: FileContext, site: Site) -> Mapping[ast.FunctionDef, set[str]]:
    """The functions that those of the site call, with the names of the objects that they use."""
    traced = site.functions or (stack_of(context, site)[-1].function,)
    found = [definition_of(context, function) for function in traced]
    calls: dict[AnyFunction, set[ast.FunctionDef]] = {}
    waiting = [each for each in found if each is not None]
    while waiting:
        function = waiting.pop()
        if function not in calls:
            calls[function] = set(_called(context, function))
            waiting += calls[function]
    own = {f: _own(context, f) for f in calls if f not in found}
    changed = True
    while changed:
        changed = False
        for function, names in own.items():
            for called in calls[function]:
                if called in own and not own[called] <= names:
                    names |= own[called]
                    changed = True
    return {f: names for f, names in own.items() if names and isinstance(f, ast.FunctionDef)}


def _called(context: FileContext, function: AnyFunction) -> Iterator[ast.FunctionDef]:
    """The functions of this file that a function reads, where each is the only one it can be."""
    for name in free_names(context, function):
        values = context.values(name)
        if not all(isinstance(value, FunctionValue) for value in values):
            continue
        definition = definition_of(context, name)
        if isinstance(definition, ast.FunctionDef):
            yield definition


def _own(context: FileContext, function: AnyFunction) -> set[str]:
    return {
        name.id
        for name in free_names(context, function)
        if are_nodes(context, context.values(name))
    }
