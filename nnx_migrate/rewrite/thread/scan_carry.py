"""What the body of a scan captures and updates becomes part of its carry."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence

from nnx_migrate.analysis.flax.transforms import METADATA_OPTION
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.loops.bodies import Gives, function_edits, returned_edits
from nnx_migrate.rewrite.loops.carry import initial_edits, may_ignore, result_edits
from nnx_migrate.rewrite.loops.carry_layout import (
    Carry,
    FunctionDefinition,
    LoopFunction,
    constant_index,
    is_flat,
    loop_function,
)
from nnx_migrate.rewrite.loops.lambdas import lambda_elements, lambda_result
from nnx_migrate.rewrite.loops.results import bound_in_front
from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, Capture
from nnx_migrate.rewrite.split.nested import own_returns
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.style.tuple_display import appended
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.rewrite.thread.as_argument import calls_of, traced_definition


@dataclasses.dataclass(frozen=True, slots=True)
class ScanForm:
    """Where a scan has its carry.

    Args:
        argument: the place among the arguments.
        result: the place among the results; None when the carry is all of the result.
        results: how many there are.
    """

    argument: int
    result: int | None
    results: int


def scan_carry_edits(context: FileContext, site: Site, captures: Sequence[Capture]) -> list[Edit]:
    """Edits that make a scan carry what its body captures.

    Raises:
        CannotEmit: a part of the scan is not written in a way that can be changed.
    """
    if not site.complete or METADATA_OPTION in site.options:
        raise CannotEmit(ThreadCause.SCAN_OPTIONS)
    definition = traced_definition(context, site)
    if not isinstance(definition, FunctionDefinition):
        raise CannotEmit(ThreadCause.SCAN_BODY_NOT_PLAIN)
    count = len(definition.args.posonlyargs) + len(definition.args.args)
    form = _form(context, site, count)
    names = [name for capture in captures for name, _ in capture.ways()]
    function = loop_function(context, definition, form.argument, names, count)
    uses = calls_of(context, site, definition)
    for use in uses:
        if len(use.args) <= form.argument or any(isinstance(a, ast.Starred) for a in use.args):
            raise CannotEmit(ThreadCause.CARRY_NOT_SHOWN)
    return body_and_calls(context, function, definition, uses, captures, form)


def body_and_calls(
    context: FileContext,
    function: LoopFunction,
    definition: FunctionDefinition,
    uses: Sequence[ast.Call],
    captures: Sequence[Capture],
    form: ScanForm,
) -> list[Edit]:
    """Edits to the body of a scan, to what its calls carry, and to what their results are bound to.

    Raises:
        CannotEmit: one of them is not written in a way that can be changed.
    """
    carry = Carry(_flat_size(context, function, uses, form), tuple(captures))
    gives: Gives = "carry" if form.result is None else "carry and outputs"
    edits = function_edits(context, function, carry, gives)
    if form.result is not None and isinstance(definition, ast.Lambda):
        element = _elements(definition.body, form)[form.result]
        edits += lambda_result(context, element, carry, lambda_elements(context, function, carry))
    elif form.result is not None and isinstance(definition, ast.FunctionDef):
        edits += _returns(context, definition, carry, form)
    for use in uses:
        edits += initial_edits(context, use.args[form.argument], carry)
        edits += _result(context, use, uses, carry, form)
    return edits


def _form(context: FileContext, site: Site, count: int) -> ScanForm:
    given, back = (site.options.get(name) for name in ("in_axes", "out_axes"))
    argument = _carry_place(context, given)
    if given is None and count != 2:
        raise CannotEmit(ThreadCause.AXES_OTHER_NUMBER)
    if back is not None and not isinstance(back, ast.Tuple):
        if context.tree.nnx_name(back) != "Carry":
            raise CannotEmit(ThreadCause.NO_CARRY)
        return ScanForm(argument, None, 1)
    results = len(back.elts) if isinstance(back, ast.Tuple) else 2
    return ScanForm(argument, _carry_place(context, back), results)


def _carry_place(context: FileContext, axes: ast.expr | None) -> int:
    if axes is None:
        return 0
    elements = axes.elts if isinstance(axes, ast.Tuple) else [axes]
    places = [i for i, each in enumerate(elements) if context.tree.nnx_name(each) == "Carry"]
    if len(places) != 1:
        raise CannotEmit(ThreadCause.NO_CARRY)
    return places[0]


def _flat_size(
    context: FileContext, function: LoopFunction, uses: Sequence[ast.Call], form: ScanForm
) -> int | None:
    """How many elements the carry has, when all of it is written out as a tuple."""
    sizes = set()
    for use in uses:
        initial = use.args[form.argument]
        if not isinstance(initial, ast.Tuple) or not initial.elts:
            return None
        if any(isinstance(element, ast.Starred) for element in initial.elts):
            return None
        size = len(initial.elts)
        target = _carry_target(context, use, form)
        if form.result is not None and not (
            isinstance(target, ast.Tuple)
            and len(target.elts) == size
            and not any(isinstance(element, ast.Starred) for element in target.elts)
        ):
            return None
        sizes.add(size)
    size = sizes.pop()
    return size if not sizes and is_flat(context, function, size) else None


def _carry_target(context: FileContext, use: ast.Call, form: ScanForm) -> ast.expr | None:
    """What the carry is bound to by the statement that takes the results apart."""
    match context.tree.parents[use]:
        case ast.Assign(targets=[ast.Tuple(elts=elts)]) if form.result is not None:
            if len(elts) == form.results and not any(isinstance(e, ast.Starred) for e in elts):
                return elts[form.result]
    return None


def _elements(value: ast.expr | None, form: ScanForm) -> list[ast.expr]:
    """What is returned as the carry and the outputs."""
    if not isinstance(value, ast.Tuple) or len(value.elts) != form.results:
        raise CannotEmit(ThreadCause.NO_PAIR_RETURNED)
    if any(isinstance(element, ast.Starred) for element in value.elts):
        raise CannotEmit(ThreadCause.NO_PAIR_RETURNED)
    return value.elts


def _returns(
    context: FileContext, definition: ast.FunctionDef, carry: Carry, form: ScanForm
) -> list[Edit]:
    edits: list[Edit] = []
    found = own_returns(definition)
    for node in found:
        assert form.result is not None
        element = _elements(node.value, form)[form.result]
        edits += returned_edits(context, element, carry, within=True)
    if not found:
        raise CannotEmit(ThreadCause.NOTHING_RETURNED)
    return edits


def _result(
    context: FileContext, use: ast.Call, uses: Sequence[ast.Call], carry: Carry, form: ScanForm
) -> list[Edit]:
    if form.result is None:
        return result_edits(context, use, carry)
    parent = context.tree.parents[use]
    if isinstance(parent, ast.Expr):
        return []
    if isinstance(parent, ast.Subscript) and parent.value is use and carry.size is None:
        place = constant_index(parent, form.results)
        if place is not None:
            end = context.text.span(parent)[1]
            return [Edit(end, end, "[0]")] if place == form.result else []
    target = _carry_target(context, use, form)
    if target is None:
        return _taken_apart(context, use, uses, carry, form)
    statement = context.tree.statement(use)
    if not may_ignore(context, statement):
        raise CannotEmit(ThreadCause.UNDERSCORE_IN_USE)
    ignored = ["_"] * len(carry.added)
    if carry.size is not None:
        assert isinstance(target, ast.Tuple)
        return [appended(context, target, ignored)]
    start, end = context.text.span(target)
    return [Edit(start, start, "("), Edit(end, end, f", {', '.join(ignored)})")]


def _taken_apart(
    context: FileContext, use: ast.Call, uses: Sequence[ast.Call], carry: Carry, form: ScanForm
) -> list[Edit]:
    """Results that are used whole are bound in parts first, without what was added."""
    if not may_ignore(context, context.tree.statement(use)):
        raise CannotEmit(ThreadCause.UNDERSCORE_IN_USE)
    assert form.result is not None
    names = fresh(["outputs"] * (form.results - 1), context.taken_names(use))
    names.insert(form.result, fresh(["carry"], context.taken_names(use), "last")[0])
    ignored = ", ".join(["_"] * len(carry.added))
    targets = [f"({n}, {ignored})" if i == form.result else n for i, n in enumerate(names)]
    return bound_in_front(context, use, uses, targets, names)
