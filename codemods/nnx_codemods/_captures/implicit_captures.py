"""Functions that do not show what they capture, decided as if they did."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Collection, Iterator

from nnx_codemods._captures.by_hand import ways_to_pass, ways_to_unbind
from nnx_codemods._captures.captures import definitions_of, uses_when_bound
from nnx_codemods._captures.must_execute import is_certain, is_expected_to_raise
from nnx_codemods._captures.refusal import CaptureCause
from nnx_codemods._captures.trace_level import may_be_captured
from nnx_migrate.analysis.domain.values import Values
from nnx_migrate.analysis.effects.captured.steps import Use
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Reason
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    Contribution,
    Decision,
    Manual,
    NotRewritten,
)
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.thread.bound_methods import (
    BoundFunction,
    bound_functions,
    captured_names,
    spelled_out,
)
from nnx_migrate.rewrite.thread.callees import needed_by, threaded
from nnx_migrate.rewrite.thread.captures import closure_edits

Decide = Callable[[FileContext, Site], Decision | None]


def as_lambdas(context: FileContext, site: Site, decide: Decide) -> Decision | None:
    """A site with functions that are bound to an object: as if they were lambdas that name it."""
    functions = list(bound_functions(context, site))
    found = _done_when_called(context, functions)
    defined = any(each is not None for each in definitions_of(context, site))
    if not found and not defined:
        return None
    try:
        spelled = spelled_out(context, site)
        decision = None if spelled is None else decide(spelled.context, spelled.site)
        if isinstance(decision, Contribution):
            closure_edits(context, site, decision.captures)
    except NotRewritten as error:
        return bound_and_raising(context, site, error.refusal)
    if not isinstance(decision, Contribution | Manual):
        return None
    uses = sorted(found, key=lambda use: (not use.certain, use.where, use.what))
    evidence = [Evidence(use.what, Proof.PROVED, use.where) for use in uses[:3]]
    decision = dataclasses.replace(decision, evidence=tuple(evidence) or decision.evidence)
    if isinstance(decision, Manual):
        return decision
    named = [f.place.id for f in functions if isinstance(f.place, ast.Name)]
    drop = tuple(f for f in named if f not in {capture.name for capture in decision.captures})
    # All arguments are passed by their places, and what the method is bound to among them.
    settles = frozenset({"keyword-arguments"})
    return dataclasses.replace(decision, settles=settles, drop=(*decision.drop, *drop))


def _done_when_called(context: FileContext, functions: Collection[BoundFunction]) -> list[Use]:
    """What functions do to what they are bound to, and to what that of a partial captures."""
    found = [use for function in functions for use in _uses(context, function.values)]
    for function in functions:
        if isinstance(function.meaning, ast.Call) and function.meaning.args:
            for scope, name in captured_names(context, function.meaning.args[0]):
                found += context.analysis.uses.of(scope, name)
    return found


def bound_and_raising(context: FileContext, site: Site, reason: Reason) -> Manual | None:
    """For a person to do, where functions update for certain what they are bound to.

    Args:
        reason: why it is not passed to them.
    """
    functions = list(bound_functions(context, site))
    if may_be_captured(context) or is_expected_to_raise(context, [site.node, *site.uses]):
        return None
    found = _done_when_called(context, functions)
    certain = [use for use in found if use.kind == "update" and is_certain(context, use)]
    if not certain:
        return None
    use = min(certain, key=lambda use: (use.where, use.what))
    names = " and ".join(dict.fromkeys(ast.unparse(function.place) for function in functions))
    message = CaptureCause.BOUND_UPDATES.about(
        use.where, names=names, what=use.what, transform=site.written, reason=reason
    )
    return Manual(
        "captured-module",
        message,
        (Evidence(use.what, Proof.PROVED, use.where),),
        blocks=False,
        ways_out=ways_to_unbind(site),
    )


def _uses(context: FileContext, values: Values) -> Iterator[Use]:
    """What functions that are bound to an object do to it."""
    yield from uses_when_bound(context, values)
    yield from context.analysis.uses.of_call(values, context.file)


def through_others(context: FileContext, site: Site, decide: Decide) -> Decision | None:
    """A site of which the functions capture objects through others that they call."""
    try:
        changed = threaded(context, site)
        decision = None if changed is None else decide(changed.context, changed.site)
        if isinstance(decision, Contribution):
            closure_edits(context, site, decision.captures)
    except NotRewritten as error:
        return raising(context, site, error.refusal)
    return decision if isinstance(decision, Contribution | Manual) else None


def raising(context: FileContext, site: Site, reason: Reason) -> Manual | None:
    """For a person to do, where a function that is called updates what it captures for certain.

    Args:
        reason: why it is not passed to that function.
    """
    needed = needed_by(context, site)
    places = [each for each in definitions_of(context, site) if each is not None]
    if may_be_captured(context) or is_expected_to_raise(context, [site.node, *places]):
        return None
    names = {function.name for function in needed}
    for call in (node for place in places for node in ast.walk(place)):
        if not isinstance(call, ast.Call) or getattr(call.func, "id", "") not in names:
            continue
        called = definition_of(context, call.func)
        if not isinstance(called, ast.FunctionDef):
            continue
        for name in sorted(needed.get(called, ())):
            uses = context.analysis.uses.of(context.tree.scope_of(called), name)
            for use in sorted(uses, key=lambda use: (use.where, use.what)):
                way = dataclasses.replace(use, via=(context.where(call), *use.via))
                if use.kind == "update" and is_certain(context, way):
                    return Manual(
                        "captured-module",
                        CaptureCause.CALLED_UPDATES.about(
                            use.where, function=called.name, name=name, what=use.what, reason=reason
                        ),
                        (Evidence(f"{name}: {use.what}", Proof.PROVED, use.where),),
                        blocks=False,
                        ways_out=ways_to_pass(site, (name,)),
                    )
    return None
