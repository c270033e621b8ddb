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

from nnx_codemods._sown.as_result import captured, passed_up
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_codemods._sown.residual_state.put_back import put_back, sown_on
from nnx_codemods._sown.sowing import RULE_NAME, may_sow, sows
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.rewrite.model.decisions import NotRewritten
from nnx_migrate.rewrite.model.function_rewrite import FunctionRewrite
from nnx_migrate.rewrite.planner.regions import covered_by_setters
from nnx_migrate.rewrite.style.layout import unit_of
from nnx_migrate.rewrite.style.naming import fresh

_STATIC = frozenset({"static_argnames", "static_argnums"})


@remembered
def twins(context: FileContext) -> Mapping[Site, FunctionRewrite | str]:
    """The decorated functions of a file that sow: what is to be done, or in words why it is not."""
    found: dict[Site, FunctionRewrite | str] = {}
    if not may_sow(context.project) or not context.options.runs(RULE_NAME):
        return found
    others = (
        *captured(context).values(),
        *passed_up(context).values(),
        *put_back(context).values(),
    )
    if not all(isinstance(each, str) for each in others):
        return found  # what these leave is looked at anew
    for site in context.finder.sites:
        if site.form != "decorator" or not site.spec.compiles or site.spec.maps_axes:
            continue
        if site.decided or covered_by_setters(context, site.node) or not sows(context, site):
            continue
        try:
            found[site] = _rewrite(context, site)
        except NotRewritten as missing:
            found[site] = str(missing)
    return found


def _rewrite(context: FileContext, site: Site) -> FunctionRewrite:
    definition = site.function
    if not isinstance(definition, ast.FunctionDef) or len(definition.decorator_list) != 1:
        raise NotCaptured("its function is not decorated with it alone")
    first = definition.body[0]
    line = context.text.text[context.text.line_start(first.lineno) : context.text.span(first)[0]]
    if line.strip():
        raise NotCaptured("its body stands behind the colon")
    place, parameter, types = sown_on(context, site, context.tree.scope_of(definition))
    if place != 0:
        raise NotCaptured("it does not sow on its first argument")
    if not site.complete or site.options.keys() - _STATIC:
        raise NotCaptured(f"{site.written} has options that are not those of static arguments")
    for other in context.finder.sites:
        inside = definition in context.tree.ancestors(other.node)
        if inside and other is not site and sows(context, other):
            raise NotCaptured(f"{other.written} in it sows, too")
    _check_arguments(context, site, definition)
    _check_results(definition)
    mentions = context.evaluator.callers.mentions
    for _, call in mentions.calls_of("lower"):
        if isinstance(call.func, ir.Attribute) and ir.last_name(call.func.base) == definition.name:
            raise NotCaptured(f"{definition.name} is lowered")
    stem = definition.name.strip("_") or "function"
    words = {word for word in (f"_{stem}_and_pop",) if context.project.has_word(word)}
    (name,) = fresh([f"_{stem}_and_pop"], context.taken_names(definition) | words)
    method = context.tree.class_around(definition) is not None
    indent = context.text.indent_of_line(definition.body[-1].lineno)
    unit = unit_of(context, definition)
    # LibCST is imported where an edit is made, never to find one.
    from nnx_codemods._sown.residual_state.twin_transformer import Twin, TwinTransformer

    static = _static_names(site)
    twin = Twin(definition, name, parameter, types, method, static, indent, unit)
    return FunctionRewrite(definition, lambda facts: TwinTransformer(facts, twin))


def _check_arguments(context: FileContext, site: Site, definition: ast.FunctionDef) -> None:
    """What was a default inside is passed now, so that it must be static, or no value."""
    if "static_argnums" in site.options:
        raise NotCaptured("its static arguments are given by number")
    static = _static_names(site)
    arguments = definition.args
    positional = [*arguments.posonlyargs, *arguments.args]
    last = positional[len(positional) - len(arguments.defaults) :]
    defaults = zip(last, arguments.defaults, strict=True)
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    for argument, default in (*defaults, *named):
        is_none = default is None or (isinstance(default, ast.Constant) and default.value is None)
        if not is_none and argument.arg not in static:
            raise NotCaptured(f"the default of {argument.arg} would be traced")


def _static_names(site: Site) -> frozenset[str]:
    """The names of static arguments, where they are written out."""
    match site.options.get("static_argnames"):
        case None:
            return frozenset()
        case ast.Constant(value=str() as name):
            return frozenset({name})
        case ast.Tuple(elts=elements) | ast.List(elts=elements) if all(
            isinstance(each, ast.Constant) and isinstance(each.value, str) for each in elements
        ):
            return frozenset(str(e.value) for e in elements if isinstance(e, ast.Constant))
        case _:
            raise NotCaptured("its static arguments are not written out")


def _check_results(definition: ast.FunctionDef) -> None:
    """It returns a value wherever it returns."""
    if not isinstance(definition.body[-1], ast.Return):
        raise NotCaptured("it does not end with what it returns")
    todo: list[ast.AST] = list(definition.body)
    for node in todo:
        if isinstance(node, ast.Return) and node.value is None:
            raise NotCaptured("it returns without a value")
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
            raise NotCaptured("it is a generator")
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(node)
