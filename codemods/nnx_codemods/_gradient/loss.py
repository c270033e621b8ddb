"""What the gradient rules share: is it a Module, what the loss does to it, who sees the grads."""

from __future__ import annotations

import dataclasses

from nnx_codemods._claims import RuleClaim
from nnx_codemods._evidence import is_graph_node, refuse_split
from nnx_codemods._gradient.argnums import Argnums, Target, argnums_of
from nnx_codemods._gradient.refusal import GradientCause
from nnx_codemods._gradient.shown_class import shown_class
from nnx_codemods._gradient.trace_check import checked_beside_runs, checked_when_traced
from nnx_migrate.analysis.domain.containers import all_leaves
from nnx_migrate.analysis.domain.values import (
    Basic,
    Instance,
    Value,
    Values,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.gradient_uses import GradientReaders
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    ArgumentSplit,
    Contribution,
    Decision,
    Manual,
    NotRewritten,
    Pin,
    Same,
    Splits,
)
from nnx_migrate.rewrite.model.functions import (
    argument_contents,
    argument_values,
    function_scopes,
)
from nnx_migrate.rewrite.style.naming import state_name
from nnx_migrate.rewrite.style.spelling import Spelling

_MODULES = frozenset({"module", "metric"})
_RETURNABLE = _MODULES | {"variable", "rngs", "optimizer"}


def decide_gradient(
    context: FileContext, site: Site, rule: str, *, diff_state: bool
) -> Decision | None:
    """The decision at a gradient site; None when the site belongs to the other gradient rule."""
    if not site.spec.differentiates:
        return None
    try:
        param = f"{Spelling.at(context, site.reference).nnx}.Param"
    except NotRewritten as error:
        return None if diff_state else Manual(rule, error.refusal)
    argnums = argnums_of(context, site, param)
    if diff_state != argnums.uses_diff_state:
        return None
    if site.form == "reference":
        return Pin(rule, GradientCause.PASSED_ON.about(text=site.written))
    if argnums.unknown or not site.complete:
        return Pin(rule, argnums.unknown or GradientCause.OPTIONS_HIDDEN)
    values = [
        shown_class(context, site, target.index, argument_values(context, site, target.index))
        for target in argnums.targets
    ]
    if all(_never_module(context, held) for held in values):
        return Same(rule, GradientCause.NO_MODULE)
    return _decide_module(context, site, rule, argnums, values, param)


def _never_module(context: FileContext, values: Values) -> bool:
    """Whether no Module is in it: of all else both modes differentiate all leaves (GRAD-12)."""
    return all_leaves(values, lambda value: _is_no_module(context, value))


def _is_no_module(context: FileContext, value: Value) -> bool:
    match value:
        case Basic(sort=sort):
            return sort in {"state", "array", "plain", "graphdef"}
        case Instance(class_name=class_name):
            hierarchy = context.evaluator.hierarchy
            kind = hierarchy.kind(class_name)
            opaque = kind == "plain" and not hierarchy.is_tree(class_name)
            return opaque or kind in {"variable", "state"}
        case _:
            return False


def _decide_module(
    context: FileContext,
    site: Site,
    rule: str,
    argnums: Argnums,
    values: list[Values],
    param: str,
) -> Decision:
    evidence: list[Evidence] = []
    checked: set[int] = set()
    by_runs: dict[int, tuple[int, Evidence]] = {}
    captured = _returned_captured(context, site)
    if captured is not None:
        return Pin(rule, GradientCause.RETURNS_CAPTURED.about(what=captured.claim), (captured,))
    for target, held in zip(argnums.targets, values, strict=True):
        if _is_whole(context, target, held):
            continue
        refusal = refuse_split(context, site, rule, target.index, held, evidence, _MODULES)
        if refusal is None:
            if check := checked_beside_runs(context, site, target.index):
                by_runs[target.index] = len(evidence) - 1, check
            continue
        check = checked_when_traced(context, site, target.index, held)
        if check is None:
            return refusal
        checked.add(target.index)
        evidence[-1] = check
    if not checked and not argnums.uses_diff_state and _params_only(context, site, argnums, values):
        return Same(rule, GradientCause.ONLY_PARAMS)
    pairs = zip(argnums.targets, values, strict=True)
    whole = frozenset(t.index for t, held in pairs if _is_whole(context, t, held))
    proved = _contribution(rule, argnums, tuple(evidence), param, whole, frozenset(checked))
    if not by_runs:
        return proved
    for place, check in by_runs.values():
        evidence[place] = check
    more = frozenset(checked | by_runs.keys())
    with_checks = _contribution(rule, argnums, tuple(evidence), param, whole, more)
    return dataclasses.replace(with_checks, unchecked=proved)


def _is_whole(context: FileContext, target: Target, values: Values) -> bool:
    """Whether an argument is no Module, so that it is differentiated as it is in both modes."""
    return target.filter is None and _never_module(context, values)


def _returned_captured(context: FileContext, site: Site) -> Evidence | None:
    """A Variable or Module from around the function that it returns beside the loss (OUT-3)."""
    for scope in function_scopes(context, site):
        function = context.project.function(scope)
        own = {parameter.name for parameter in function.parameters} | function.bindings.keys()
        for returned in function.returns:
            for part in returned.elements if isinstance(returned, ir.Sequence) else ():
                root = ir.root_name(part)
                if root is None or root.id in own:
                    continue
                if is_graph_node(context, context.evaluator.values(scope, part), _RETURNABLE):
                    where = Place(scope.module, function.line)
                    return Evidence(
                        str(RuleClaim.RETURNED.about(name=root.id)), Proof.PROVED, where
                    )
    return None


def _params_only(context: FileContext, site: Site, argnums: Argnums, values: list[Values]) -> bool:
    pairs = zip(argnums.targets, values, strict=True)
    if not all(
        argument_contents(context, site, target.index, held).only_params for target, held in pairs
    ):
        return False
    uses = context.finder.uses(site)
    models = values[0] if len(values) == 1 else frozenset()
    readers = GradientReaders(context.tree, context.finder, context.evaluator, models, arrays=False)
    with_value = site.spec.has_value
    return bool(uses) and all(readers.see_leaves_only(use, with_value) for use in uses)


def _contribution(
    rule: str,
    argnums: Argnums,
    evidence: tuple[Evidence, ...],
    param: str,
    whole: frozenset[int],
    checked: frozenset[int],
) -> Contribution:
    """The Modules are split.

    Args:
        whole: places of arguments that are differentiated as they are.
        checked: those of Modules whose structure the new code is to check.
    """
    splits = []
    for target in argnums.targets:
        if target.index in whole:
            continue
        chosen = target.filter or param
        name = state_name(chosen)
        names = ("diff" if name == "selected" else name, "nondiff")
        behind = max(whole, default=0)
        splits.append(
            ArgumentSplit(
                target.index,
                (chosen, "..."),
                "apart",
                names,
                behind=behind,
                checked=target.index in checked,
            )
        )
    options: dict[str, str | None] = {}
    if argnums.uses_diff_state:
        indices = [target.index for target in argnums.targets]
        text = str(indices[0]) if len(indices) == 1 else f"({', '.join(map(str, indices))})"
        options["argnums"] = None if indices == [0] else text
    return Contribution(
        rule,
        GradientCause.SPLIT_AND_CHECKED if checked else GradientCause.SPLIT,
        evidence,
        Splits(tuple(splits)),
        options=options,
        drop=argnums.names if argnums.uses_diff_state else (),
    )
