"""What the prefix-filter rules share: each group of Variables is an argument with its own axis."""

from __future__ import annotations

import ast
import dataclasses

from nnx_codemods._axes.axis_texts import (
    argument_split,
    axes_text,
    filters_of_result,
    joined,
    output_text,
    stays_whole,
    tuple_text,
)
from nnx_codemods._axes.prefix import Axes, Element, Group, read_axes
from nnx_codemods._axes.refusal import AxisCause
from nnx_codemods._evidence import effects_on, refuse_split, returned_argument, updated_broadcast
from nnx_migrate.analysis.sites.prefix_filters import filters_travel
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence
from nnx_migrate.core.refusal import Reason
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    ArgumentSplit,
    CarryPlan,
    Contribution,
    Decision,
    Pin,
    ReturnSplit,
    Splits,
)
from nnx_migrate.rewrite.model.functions import (
    argument_values,
    function_scopes,
)


@dataclasses.dataclass(frozen=True, slots=True)
class AxisOptions:
    """The names of a transform's options for arguments and results."""

    inputs: str
    outputs: str


def decide_by_axes(
    context: FileContext, site: Site, rule: str, class_name: str, options: AxisOptions
) -> Decision | None:
    """The decision at a site whose axes may be prefix filters; None when they are not."""
    inputs = read_axes(context, site.options.get(options.inputs), class_name)
    outputs = read_axes(context, site.options.get(options.outputs), class_name)
    unknown = inputs.unknown or outputs.unknown
    if not unknown and not inputs.has_groups and not outputs.has_groups:
        hidden = not site.complete and not {options.inputs, options.outputs} <= site.options.keys()
        if hidden and filters_travel(context.project, class_name):
            return _hidden(context, site, rule, class_name)
        return None
    if not unknown and not site.complete:
        unknown = AxisCause.OPTIONS_HIDDEN
    if not unknown and inputs.has_groups and not inputs.is_tuple:
        unknown = AxisCause.FOR_ALL_ARGUMENTS.about(class_name=class_name)
    reason = unknown or _not_expressible(site, inputs, outputs)
    if reason:
        return Pin(rule, reason, outward=_may_change_structure(context, site))
    sown = [i for i, e in enumerate(inputs.elements) if any(map(_is_sown, e.groups))]
    given = any(map(_is_sown, (g for e in outputs.elements for g in e.groups)))
    if given or (sown and _may_sow(context, site, sown)):
        return Pin(rule, AxisCause.SOWN_AXES, outward=True)
    return _decide_known(context, site, rule, options, inputs, outputs)


def _hidden(context: FileContext, site: Site, rule: str, class_name: str) -> Decision | None:
    """A transform whose options are elsewhere, in a project that hands such filters around."""
    if site.form != "reference":
        return Pin(rule, AxisCause.MAY_BE_HIDDEN.about(class_name=class_name))
    parent = context.tree.parents.get(site.node)
    if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
        return None  # an alias; its calls are sites of their own
    why = AxisCause.MAY_BE_PASSED_ON.about(text=site.written, class_name=class_name)
    return Pin(rule, why)


def _is_sown(group: Group) -> bool:
    return "Intermediate" in group.filter or "Perturbation" in group.filter


def _may_sow(context: FileContext, site: Site, places: list[int]) -> bool:
    """Whether the function may sow on its arguments at these places."""
    scopes = function_scopes(context, site)
    effects = (e for place in places for e in effects_on(context, site, scopes, place))
    return not scopes or any(effect.sows or effect.kind == "unknown" for effect in effects)


def _may_change_structure(context: FileContext, site: Site) -> bool:
    """Whether the function may do something to an argument that a tree-mode boundary would stop."""
    scopes = function_scopes(context, site)
    parameters = {p.name for s in scopes for p in context.project.function(s).parameters}
    return not scopes or any(
        effect.kind != "escape"
        for scope in scopes
        for name in parameters
        for effect in context.effects_of(scope, name)
    )


def _not_expressible(site: Site, inputs: Axes, outputs: Axes) -> Reason:
    groups = [g for e in (*inputs.elements, *outputs.elements) for g in e.groups]
    if site.spec.carries:
        if any(g.kind == "unknown" for g in groups):
            return AxisCause.AXIS_NOT_WRITTEN
        if any(g.kind in {"carry", "none"} for e in outputs.elements for g in e.groups):
            return AxisCause.RESULTS_CARRIED
    elif any(g.kind == "carry" for g in groups):
        return AxisCause.CARRY_IS_NO_AXIS
    if site.spec.compiles:
        moved = [i for i, e in enumerate(inputs.elements) if e.groups and e.uniform is None]
        fixed = {"static_argnums", "donate_argnums", "static_argnames", "donate_argnames"}
        if moved and fixed & site.options.keys():
            return AxisCause.PLACES_CHANGE
    return ""


def _decide_known(
    context: FileContext,
    site: Site,
    rule: str,
    options: AxisOptions,
    inputs: Axes,
    outputs: Axes,
) -> Decision:
    evidence: list[Evidence] = []
    scan = site.spec.carries
    splits: list[ArgumentSplit] = []
    returned = returned_argument(context, function_scopes(context, site))
    if outputs.has_groups and returned is not None:
        name, effect = returned
        return Pin(rule, AxisCause.ARGUMENT_RETURNED.about(effect.where, name=name))
    for index, element in enumerate(inputs.elements):
        if not element.groups:
            why = updated_broadcast(context, site, index) if element.text == "None" else None
            if scan and why is not None:
                return Pin(rule, why)
            continue
        values = argument_values(context, site, index)
        refusal = refuse_split(context, site, rule, index, values, evidence, by_code_in_sight=True)
        if refusal is not None:
            return refusal
        if not stays_whole(element, scan):
            splits.append(argument_split(site, index, element))
    if any(split.carried and any(split.carried) for split in splits):
        return _carried(site, rule, options, inputs, outputs, splits, tuple(evidence))
    changed: dict[str, str | None] = {}
    if inputs.has_groups:
        texts = [axes_text(e, scan, site.spec.compiles) for e in inputs.elements]
        changed[options.inputs] = tuple_text([t for part in texts for t in part])
    returns = [
        ReturnSplit(place if outputs.is_tuple else None, filters_of_result(element))
        for place, element in enumerate(outputs.elements)
        if element.groups and element.uniform is None
    ]
    if outputs.has_groups:
        texts_out = [output_text(e) for e in outputs.elements]
        changed[options.outputs] = tuple_text(texts_out) if outputs.is_tuple else texts_out[0]
    return Contribution(
        rule,
        AxisCause.SPLIT,
        tuple(evidence),
        Splits(tuple(splits), tuple(returns)),
        options=changed,
        drop=(*inputs.names, *outputs.names),
    )


def _carried(
    site: Site,
    rule: str,
    options: AxisOptions,
    inputs: Axes,
    outputs: Axes,
    splits: list[ArgumentSplit],
    evidence: tuple[Evidence, ...],
) -> Decision:
    """Groups with axis Carry join the carry of the scan."""
    place = next(
        (i for i, e in enumerate(inputs.elements) if e.text.rpartition(".")[2] == "Carry"), None
    )
    carry = "nnx.Carry"
    for element in (*inputs.elements, *outputs.elements):
        if element.text.rpartition(".")[2] == "Carry":
            carry = element.text
    for element in inputs.elements:
        for group in element.groups:
            carry = group.axis if group.kind == "carry" else carry
    results = [e.text for e in outputs.elements]
    if site.options.get(options.outputs) is None:
        results = [carry, "0"]
    has_carry = bool(results) and results[0] == carry
    single = len(results) == 1 and outputs.is_tuple
    if has_carry != (place is not None) or (has_carry and (len(results) > 2 or single)):
        return Pin(rule, AxisCause.CARRY_DOES_NOT_FIT)
    if not has_carry and outputs.is_tuple:
        result_text = f"({carry}, {tuple_text(results)})"
    elif not has_carry:
        result_text = f"({carry}, {results[0]})"
    else:
        result_text = tuple_text(results) if len(results) == 2 else results[0]
    texts: list[str] = [] if place is not None else [carry]
    for element, split in _paired(inputs.elements, splits):
        if split is None:
            texts += axes_text(element, True, False)
        else:
            groups = zip(joined(element), split.carried, strict=True)
            texts += [group.axis for group, carried in groups if not carried]
    return Contribution(
        rule,
        AxisCause.CARRIED,
        evidence,
        Splits(
            tuple(splits),
            carry=CarryPlan(place, has_carry and len(results) == 1 and not outputs.is_tuple),
        ),
        options={options.inputs: tuple_text(texts), options.outputs: result_text},
        drop=(*inputs.names, *outputs.names),
    )


def _paired(
    elements: tuple[Element, ...], splits: list[ArgumentSplit]
) -> list[tuple[Element, ArgumentSplit | None]]:
    by_index = {split.index: split for split in splits}
    return [(element, by_index.get(i)) for i, element in enumerate(elements)]
