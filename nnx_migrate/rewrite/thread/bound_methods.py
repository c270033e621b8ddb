"""Traced functions that are bound to an object, spelled out: `lambda x: self.step(x)`.

A bound method, a partial, or an object that is called captures what it is bound to. As a lambda it
shows that, so that it can be given the object like any other function.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from nnx_migrate.analysis.callgraph.binding import unbound
from nnx_migrate.analysis.domain.values import FunctionValue, Instance, Scope, Values
from nnx_migrate.analysis.heap.globals import OBJECTS
from nnx_migrate.analysis.ir.build import index_tree
from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import Tree, names_in
from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.functions import definition_of, free_names
from nnx_migrate.rewrite.style.composing import shifted
from nnx_migrate.rewrite.style.layout import check_hoistable, insert_before
from nnx_migrate.rewrite.style.naming import fresh, prefix_of
from nnx_migrate.rewrite.text.edits import Edit, Text, apply_edits
from nnx_migrate.sources.text import Source


@dataclasses.dataclass(frozen=True, slots=True)
class SpelledOut:
    """A site as it is when its functions are spelled out.

    Args:
        context: the file with the edits.
        edits: what was changed.
    """

    context: FileContext
    site: Site
    edits: tuple[Edit, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class BoundFunction:
    """A function of a site that is bound to an object.

    Args:
        place: the expression at the site.
        meaning: what makes it; another expression where the site has a name for it.
        values: what it can be.
    """

    place: ast.expr
    meaning: ast.expr
    values: Values


def bound_functions(context: FileContext, site: Site) -> Iterator[BoundFunction]:
    """The functions of a site that are bound to an object."""
    for place in site.functions or (site.function,):
        if not isinstance(place, ast.expr):
            continue
        meaning = _meaning(context, place)
        if isinstance(meaning, ast.Attribute | ast.Name):
            values = context.values(meaning)
            found = _is_method(context, meaning, values) or are_nodes(context, values)
        else:
            found = isinstance(meaning, ast.Call) and _is_partial(context, meaning)
            values = context.values(meaning) if found else frozenset()
        if found:
            yield BoundFunction(place, meaning, values)


def _meaning(context: FileContext, place: ast.expr) -> ast.expr:
    """What a name was bound to that stands for a method or a partial."""
    if not isinstance(place, ast.Name) or are_nodes(context, context.values(place)):
        return place
    found = context.tree.assigned_value(context.tree.scope(place), place.id)
    if found is None or not isinstance(found[0], ast.Attribute | ast.Call):
        return place
    same = context.tree.scope(found[1]) == context.tree.scope(place)
    return found[0] if same else place


def _check_stable(context: FileContext, site: Site, function: BoundFunction) -> None:
    """What the function is bound to has to be the same where it is called.

    Raises:
        CannotEmit: a name or an attribute may stand for something else by then.
    """
    at_once = site.form == "operands" or site.node in {use.func for use in site.uses}
    if function.place is function.meaning and (at_once or site.form == "object"):
        return
    meaning = function.meaning
    parts: list[ast.expr] = [meaning]
    if isinstance(meaning, ast.Call):
        parts = [*meaning.args, *(keyword.value for keyword in meaning.keywords)]
    elif isinstance(meaning, ast.Attribute):
        parts = [meaning.value]
    for part in parts:
        bindings = context.project.bindings(context.tree.scope(part), getattr(part, "id", ""))
        if not isinstance(part, ast.Constant) and len(bindings) != 1:
            raise CannotEmit(ThreadCause.BOUND_OBJECT_MAY_CHANGE)


def _is_method(context: FileContext, function: ast.expr, values: Values) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and bool(values)
        and all(isinstance(v, FunctionValue) and v.bound and not v.partial_args for v in values)
        and are_nodes(context, context.values(function.value))
    )


def are_nodes(context: FileContext, values: Values) -> bool:
    """Whether every value is an object that functions may capture."""
    return bool(values) and all(
        isinstance(v, Instance)
        and not v.partial
        and context.evaluator.hierarchy.kind(v.class_name) in OBJECTS
        for v in values
    )


def _is_partial(context: FileContext, call: ast.Call) -> bool:
    """Whether it binds objects, by names that mean the same when the function is called.

    A function that captures them is as good as one that is bound to them.
    """
    given = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
    return (
        context.tree.dotted(call.func) == "functools.partial"
        and all(keyword.arg for keyword in call.keywords)
        and all(isinstance(a, ast.Name | ast.Attribute | ast.Constant) for a in call.args)
        and all(isinstance(k.value, ast.Name | ast.Attribute | ast.Constant) for k in call.keywords)
        and (
            any(are_nodes(context, context.values(each)) for each in [*call.args[:1], *given])
            or any(captured_names(context, call.args[0]))
        )
    )


def captured_names(context: FileContext, function: ast.expr) -> Iterator[tuple[Scope, str]]:
    """The objects that a function of this file captures, by its scope and their names."""
    definition = definition_of(context, function)
    if definition is None:
        return
    for name in free_names(context, definition):
        if are_nodes(context, context.values(name)):
            yield context.tree.scope_of(definition), name.id


def spelled_out(context: FileContext, site: Site) -> SpelledOut | None:
    """The site with its bound functions as lambdas; None when there are none.

    Raises:
        CannotEmit: it is not to be seen what one of them is called with.
    """
    found = list(bound_functions(context, site))
    if not found:
        return None
    count = _count(site)
    edits: list[Edit] = []
    for function in found:
        _check_stable(context, site, function)
        names = _parameters(context, function, count)
        edits += _defined(context, site, function, names) or [_lambda(context, function, names)]
    return edited_site(context, site, edits)


def edited_site(context: FileContext, site: Site, edits: Sequence[Edit]) -> SpelledOut:
    """The site as it is after edits.

    Raises:
        CannotEmit: it is not found again.
    """
    ordered = tuple(sorted(set(edits)))
    changed = _changed(context, apply_edits(context.text.text, ordered))
    place = shifted(ordered, context.text.span(site.reference)[0])
    for other in changed.finder.sites:
        if changed.text.span(other.reference)[0] == place and other.transform == site.transform:
            return SpelledOut(changed, other, ordered)
    raise CannotEmit(ThreadCause.NOT_SPELLED_OUT)


def _changed(context: FileContext, text: str) -> FileContext:
    root = parse(text)
    source = Source(Path(context.path), b"", text, "utf-8", False)
    module = context.tree.module
    meant = context.project.modules[module].meant
    analysis = context.analysis.replacing(index_tree(root, module, source, meant))
    tree = Tree(root, module, analysis.project)
    return FileContext(context.path, Text(text), tree, analysis, context.options, read=context.read)


def _count(site: Site) -> int:
    """How many arguments the functions of a site are called with."""
    flow = site.spec.operands
    if flow is not None and flow.carried is not None:
        return flow.leading + 1
    if site.form == "operands":
        return site.leading + len(site.operands)
    if site.spec.iterates and site.spec.carries and site.spec.calls_at_once:
        return 2
    counts = {len(use.args) for use in site.uses if not use.keywords}
    if site.escapes or len(counts) != 1 or any(use.keywords for use in site.uses):
        raise CannotEmit(site.escapes or ThreadCause.CALLS_NOT_BY_PLACE)
    return counts.pop()


def _parameters(context: FileContext, function: BoundFunction, count: int) -> list[str]:
    """Names for what the function is called with: those that its definition gives them."""
    found = {_named(context, value) for value in function.values}
    names = next(iter(found)) if len(found) == 1 else None
    if names is None or len(names) < count:
        names = ("x",) if count == 1 else tuple(f"x{place}" for place in range(count))
    return fresh(names[:count], names_in(function.meaning), "given") if count else []


def _named(context: FileContext, value: object) -> tuple[str, ...] | None:
    if isinstance(value, Instance):
        method = context.evaluator.hierarchy.method(value.class_name, "__call__")
        value = FunctionValue(method, "", bound=True) if isinstance(method, Scope) else value
    if not isinstance(value, FunctionValue):
        return None
    left = unbound(context.project.function(value.scope), value)
    return tuple(parameter.name for parameter in left if parameter.kind == "positional")


def _lambda(context: FileContext, function: BoundFunction, names: Sequence[str]) -> Edit:
    head = f"lambda {', '.join(names)}" if names else "lambda"
    body = _call(context, function.meaning, names)
    return Edit(*context.text.span(function.place), f"{head}: {body}")


def _call(context: FileContext, function: ast.expr, names: Sequence[str]) -> str:
    if not isinstance(function, ast.Call):
        special = isinstance(function, ast.Attribute) and function.attr == "__call__"
        target = function.value if isinstance(function, ast.Attribute) and special else function
        return f"{context.text.of(target)}({', '.join(names)})"
    called, *given = [context.text.of(argument) for argument in function.args]
    named = [context.text.of(keyword) for keyword in function.keywords]
    return f"{called}({', '.join([*given, *names, *named])})"


def _defined(
    context: FileContext, site: Site, function: BoundFunction, names: Sequence[str]
) -> list[Edit]:
    """A definition, for the body of a scan with outputs, which has to show its results."""
    back = site.options.get("out_axes")
    if not site.spec.iterates or (back is not None and not isinstance(back, ast.Tuple)):
        return []
    check_hoistable(context, site.node)
    taken = {*context.taken_names(site.node), *names}
    meaning = function.meaning
    called = meaning.args[0] if isinstance(meaning, ast.Call) else meaning
    body = fresh([f"{prefix_of(_call(context, called, ()))}_body"], taken)[0]
    count = len(back.elts) if isinstance(back, ast.Tuple) else 2
    results = fresh(["out"] * (count - 1), taken)
    carry = names[_carry(context, site.options.get("in_axes"))]
    results.insert(_carry(context, back), carry)
    result = ", ".join(results)
    unit = context.indent_unit_at(site.node)
    lines = [
        f"def {body}({', '.join(names)}):",
        f"{unit}{result} = {_call(context, meaning, names)}",
        f"{unit}return {result}",
        "",
    ]
    statement = context.tree.statement(site.node)
    return [
        insert_before(context, statement, lines),
        Edit(*context.text.span(function.place), body),
    ]


def _carry(context: FileContext, axes: ast.expr | None) -> int:
    """The place of the carry: among what a scan is given, or what it gives."""
    elements = axes.elts if isinstance(axes, ast.Tuple) else []
    places = [i for i, each in enumerate(elements) if context.tree.nnx_name(each) == "Carry"]
    return places[0] if places else 0
