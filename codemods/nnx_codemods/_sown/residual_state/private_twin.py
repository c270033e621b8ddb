"""A decorated function that sows: a private twin of it pops that, and the function puts it back.

    @nnx.jit
    def _forward_and_pop(model, x):
        return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))

    def forward(model, x):
        result, sown = _forward_and_pop(model, x)
        nnx.update(model, sown)
        return result

Whoever calls the function finds all as it was, in other packages too.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from nnx_codemods._sown.captured import captured
from nnx_codemods._sown.options import GIVING_BACK, Output, check_options
from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_codemods._sown.residual_state.passed_arguments import check_passed
from nnx_codemods._sown.residual_state.put_back import put_back, sown_on
from nnx_codemods._sown.sowing import RULE_NAME, may_sow, sows
from nnx_migrate.analysis.domain.values import ClassValue, Scope
from nnx_migrate.analysis.flax.transforms import SPLITTERS
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.rewrite.model.decisions import NotRewritten
from nnx_migrate.rewrite.model.function_rewrite import FunctionRewrite
from nnx_migrate.rewrite.model.sown_plans import PutBack
from nnx_migrate.rewrite.planner.regions import covered_by_setters
from nnx_migrate.rewrite.style.layout import unit_of
from nnx_migrate.rewrite.style.naming import fresh

#: What a function under `nnx.jit` has beside being called.
_OF_COMPILED = frozenset({"lower", "trace", "clear_cache"})


@remembered
def twins(context: FileContext) -> Mapping[Site, FunctionRewrite | Refusal]:
    """The decorated functions of a file that sow: what is to be done, or in words why it is not."""
    found: dict[Site, FunctionRewrite | Refusal] = {}
    if not may_sow(context.project) or not context.options.runs(RULE_NAME):
        return found
    if captured(context) or any(isinstance(p, PutBack) for p in put_back(context).values()):
        return found  # what these leave is looked at anew
    names: set[str] = set()
    for site in context.finder.sites:
        if site.form != "decorator" or site.transform not in GIVING_BACK:
            continue
        if site.decided or covered_by_setters(context, site.node) or not sows(context, site):
            continue
        try:
            found[site] = _rewrite(context, site, names)
        except NotRewritten as missing:
            found[site] = missing.refusal
    return found


def not_put_back(context: FileContext, site: Site) -> tuple[Evidence, ...]:
    """Why what a site sows is not put back, for the evidence of its pin."""
    for found in (twins(context).get(site), put_back(context).get(site)):
        if isinstance(found, Refusal):
            return (Evidence(str(SownCause.NOT_PUT_BACK.about(why=found)), Proof.PROVED),)
    return ()


def _rewrite(context: FileContext, site: Site, names: set[str]) -> FunctionRewrite:
    """How a function is rewritten.

    Args:
        names: those of the twins so far, to which its own is added.
    """
    definition = site.function
    if not isinstance(definition, ast.FunctionDef):
        raise NotCaptured(SownCause.IS_COROUTINE)
    stack = _decorators(context, definition)
    if next(filter(_gives, stack)) is not site:
        raise NotCaptured(SownCause.DONE_AROUND)
    place, parameter, types, renewed = sown_on(context, site, context.tree.scope_of(definition))
    mapped = [each for each in stack if _gives(each) and not _compiles(each)]
    outputs = [(each, check_options(context, each, place)) for each in mapped]
    pairs = [output for _, output in outputs if output.in_pair or output.options]
    if len(pairs) > 1:
        raise NotCaptured(SownCause.SEVERAL_LOOPS)
    for other in context.finder.sites:
        inside = definition in context.tree.ancestors(other.node)
        if inside and other not in stack and sows(context, other):
            raise NotCaptured(SownCause.INNER_SOWS.about(transform=other.written))
    static = check_passed(context, definition, stack)
    in_pair = any(output.in_pair for output in pairs)
    _check_results(definition, in_pair)
    _check_only_called(context, definition)
    name = _twin_name(context, definition, names)
    method = context.tree.class_around(definition) is not None
    if method and place != 0:
        raise NotCaptured(SownCause.METHOD_OF_OTHER)
    indent = context.text.indent_of_line(definition.lineno) + unit_of(context, definition)
    unit = unit_of(context, definition)
    options = _by_decorator(definition, outputs)
    # LibCST is imported where an edit is made, never to find one.
    from nnx_codemods._sown.residual_state.twin_transformer import Twin, TwinTransformer

    width = context.options.width
    twin = Twin(
        definition,
        name,
        parameter,
        types,
        renewed,
        method,
        static,
        in_pair,
        options,
        indent,
        unit,
        width,
    )
    return FunctionRewrite(definition, lambda facts: TwinTransformer(facts, twin))


def _gives(site: Site) -> bool:
    return site.transform in GIVING_BACK


def _compiles(site: Site) -> bool:
    return site.spec.compiles and not site.spec.maps_axes


def _decorators(context: FileContext, definition: ast.FunctionDef) -> list[Site]:
    """The transforms that a function is decorated with, outermost first: nothing else is."""
    sites = {site.node: site for site in context.finder.sites if site.function is definition}
    stack = [sites.get(decorator) for decorator in definition.decorator_list]
    found = [site for site in stack if site is not None]
    if len(found) != len(stack):
        raise NotCaptured(SownCause.OTHER_DECORATORS)
    for site in found:
        if site.transform not in GIVING_BACK | SPLITTERS or site.decided:
            raise NotCaptured(SownCause.NOT_GIVEN_BACK.about(transform=site.written))
    return found


def _by_decorator(
    definition: ast.FunctionDef, outputs: list[tuple[Site, Output]]
) -> Mapping[int, Mapping[str, str]]:
    """New options by the places of the decorators that have some."""
    places = {decorator: place for place, decorator in enumerate(definition.decorator_list)}
    return {
        places[site.node]: output.options
        for site, output in outputs
        if output.options and isinstance(site.node, ast.expr)
    }


def _check_only_called(context: FileContext, definition: ast.FunctionDef) -> None:
    """It is nowhere lowered or traced by hand, which a plain function cannot be."""
    for attribute in sorted(_OF_COMPILED):
        for _, call in context.evaluator.callers.mentions.calls_of(attribute):
            base = call.func.base if isinstance(call.func, ir.Attribute) else None
            if base is not None and ir.last_name(base) == definition.name:
                raise NotCaptured(
                    SownCause.ATTRIBUTE_CALLED.about(function=definition.name, attribute=attribute)
                )


def _twin_name(context: FileContext, definition: ast.FunctionDef, names: set[str]) -> str:
    """A name that nothing in the project has."""
    around = context.tree.class_around(definition)
    if around is not None:
        _check_alone_in_hierarchy(context, around, definition.name)
    stem = definition.name.strip("_") or "function"
    wanted = f"_{stem}_and_pop"
    words = {wanted} if context.project.has_word(wanted) else set()
    (name,) = fresh([wanted], context.taken_names(definition) | words | names)
    names.add(name)
    return name


def _check_alone_in_hierarchy(context: FileContext, around: ast.ClassDef, method: str) -> None:
    """No related class of another file may get a twin of that name, which this would call."""
    hierarchy = context.evaluator.hierarchy
    for value in context.evaluator.values(context.tree.scope(around), ir.Name(around.name)):
        name = value.class_name if isinstance(value, ClassValue) else ""
        for each in sorted({*hierarchy.ancestry(name).classes, *hierarchy.descendants(name)}):
            own = hierarchy.method(each, method)
            if isinstance(own, Scope) and own.module != context.tree.module:
                raise NotCaptured(SownCause.RELATED_CLASS.about(module=own.module, method=method))


def _check_results(definition: ast.FunctionDef, in_pair: bool) -> None:
    """It returns a value wherever it returns."""
    if not isinstance(definition.body[-1], ast.Return):
        raise NotCaptured(SownCause.NO_RETURN_AT_END)
    todo: list[ast.AST] = list(definition.body)
    for node in todo:
        if isinstance(node, ast.Return):
            pair = isinstance(node.value, ast.Tuple) and len(node.value.elts) == 2
            if node.value is None:
                raise NotCaptured(SownCause.RETURNS_NOTHING)
            if in_pair and not pair:
                raise NotCaptured(SownCause.RESULT_NO_PAIR)
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
            raise NotCaptured(SownCause.IS_GENERATOR)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(node)
