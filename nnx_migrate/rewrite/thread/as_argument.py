"""What a traced function captures becomes an argument of it: the last one, at every call."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence

from nnx_migrate.analysis.flax.transforms import in_nnx, of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction, FunctionNode
from nnx_migrate.rewrite.loops.carry_layout import check_inner_names
from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, Capture
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.model.ownership import calls_by_name, check_in_file, is_given
from nnx_migrate.rewrite.model.stacks import stack_of
from nnx_migrate.rewrite.style.layout import insert_at_top
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.rewrite.thread.bound_methods import are_nodes
from nnx_migrate.rewrite.thread.jax_to_nnx import renamed
from nnx_migrate.rewrite.thread.per_argument_options import option_edits_of

#: Transforms that may stand around each other, with all objects passed through.
_STACKED = of_nnx(lambda t: t.stacks)
#: Those that keep what is passed by keyword.
_BY_KEYWORD = of_nnx(lambda t: t.keeps_keywords)


def pass_edits(context: FileContext, site: Site, captures: Sequence[Capture]) -> list[Edit]:
    """Edits that give the functions of a site what they capture.

    Raises:
        CannotEmit: a function or a call of it is not written in a way that can be changed.
    """
    if not site.complete:
        raise CannotEmit(ThreadCause.HIDDEN_ARGUMENTS)
    if site.form == "operands":
        return _operand_edits(context, site, captures)
    stack = stack_of(context, site)
    names = _names(stack)
    if len(stack) > 1 and (names - _STACKED or any(each.decided for each in stack)):
        raise CannotEmit(ThreadCause.OTHER_TRANSFORMS)
    definition = traced_definition(context, stack[-1])
    uses = calls_of(context, stack[0], definition)
    count = len(_required(definition))
    edits = parameter_edits(context, definition, captures, defaults=True)
    for use in uses:
        edits.append(passed(context, use, definition, captures, by_keyword=names <= _BY_KEYWORD))
    for each in stack:
        if not each.complete:
            raise CannotEmit(ThreadCause.HIDDEN_ARGUMENTS)
        if each.spec.twin:
            edits += renamed(context, each)
            each = dataclasses.replace(each, transform=each.spec.twin)
        edits += option_edits_of(context, each, count, len(captures))
    return list(dict.fromkeys(edits))


def _names(stack: Sequence[Site]) -> set[str]:
    return {in_nnx(each.transform) for each in stack}


def passed(
    context: FileContext,
    use: ast.Call,
    definition: AnyFunction,
    captures: Sequence[Capture],
    *,
    by_keyword: bool,
) -> Edit:
    """The objects as arguments of a call, by keyword where it has keywords."""
    names = [capture.name for capture in captures]
    parameters = [parameter.arg for parameter in _required(definition)]
    given = {keyword.arg for keyword in use.keywords}
    if any(isinstance(argument, ast.Starred) for argument in use.args):
        raise CannotEmit(ThreadCause.CALL_FROM_SEQUENCE)
    if given != {*parameters[len(use.args) :]} or len(use.args) > len(parameters):
        raise CannotEmit(ThreadCause.CALL_WITHOUT_SOME)
    if given and not by_keyword:
        raise CannotEmit(ThreadCause.CALL_NOT_BY_PLACE)
    return argument(context, use, [f"{name}={name}" if given else name for name in names])


def traced_definition(context: FileContext, site: Site) -> AnyFunction:
    """The function of a site, which nothing else uses.

    Raises:
        CannotEmit: it is not in this file, or others use it too.
    """
    if site.form == "decorator":
        definition = site.function
        stack = stack_of(context, site)
        count = len(stack) if _names(stack) <= _STACKED else 1
        if isinstance(definition, ast.FunctionDef) and len(definition.decorator_list) == count:
            return definition
        raise CannotEmit(ThreadCause.OTHER_DECORATORS)
    function = site.function
    definition = definition_of(context, function)
    if definition is None:
        raise CannotEmit(ThreadCause.NOT_IN_FILE)
    if not is_given(context, site, definition):
        raise CannotEmit(ThreadCause.USED_ELSEWHERE)
    return definition


def calls_of(context: FileContext, site: Site, definition: AnyFunction) -> list[ast.Call]:
    """All calls of what the transform gives, or of the function that it decorates."""
    here = context.tree.scope(definition)
    name = site.bound_name
    if site.form == "decorator" and isinstance(definition, FunctionNode):
        name = definition.name
    if name is not None:
        check_in_file(context, context.tree.scope(site.node), name)
    uses = list(site.uses)
    if site.form == "decorator":
        assert isinstance(definition, FunctionNode)
        if context.tree.class_around(definition) is not None:
            raise CannotEmit(ThreadCause.IS_METHOD)
        uses += calls_by_name(context, here, definition.name)
    if site.escapes or not uses:
        raise CannotEmit(site.escapes or ThreadCause.NO_CALL_FOUND)
    return uses


def _operand_edits(context: FileContext, site: Site, captures: Sequence[Capture]) -> list[Edit]:
    call = site.node
    assert isinstance(call, ast.Call)
    flow = site.spec.operands
    start = flow.start if flow is not None else 1
    if call.keywords or len(call.args) < start:
        raise CannotEmit(ThreadCause.ARGUMENTS_NOT_BY_PLACE)
    edits: list[Edit] = []
    for branch in site.branches:
        definition = definition_of(context, branch)
        if definition is None:
            raise CannotEmit(ThreadCause.BRANCH_NOT_IN_FILE)
        if not is_given(context, site, definition):
            raise CannotEmit(ThreadCause.BRANCH_USED_ELSEWHERE)
        if definition.args.defaults and len(_required(definition)) != len(site.operands):
            raise CannotEmit(ThreadCause.BRANCH_DEFAULT_PASSED)
        edits += parameter_edits(context, definition, captures, defaults=True)
    return [*edits, argument(context, call, [c.name for c in captures])]


def _required(definition: AnyFunction) -> list[ast.arg]:
    """The parameters that are passed by their places and have no default."""
    parameters = [*definition.args.posonlyargs, *definition.args.args]
    return parameters[: len(parameters) - len(definition.args.defaults)]


def parameter_edits(
    context: FileContext,
    definition: AnyFunction,
    captures: Sequence[Capture],
    *,
    defaults: bool = False,
) -> list[Edit]:
    """New parameters behind the last one, under the names that the body reads already.

    Args:
        defaults: they may stand in front of parameters with a default, which no call passes.
    """
    args = definition.args
    if args.vararg or args.kwonlyargs or args.kwarg or (args.defaults and not defaults):
        raise CannotEmit(ThreadCause.UNPLACED_PARAMETERS)
    parameters = _required(definition)
    if args.defaults and not parameters:
        raise CannotEmit(ThreadCause.ONLY_DEFAULTS)
    names = new_names(context, definition, captures)
    edits = [_parameter(context, definition, parameters, names)]
    read = [node for node in ast.walk(definition) if isinstance(node, ast.Name)]
    lines = [line for c in captures for line in c.lines({node.id for node in read})]
    if not lines:
        return edits
    if isinstance(definition, ast.Lambda):
        return [*edits, *_aliases(context, definition, captures, read)]
    return [*edits, insert_at_top(context, definition, lines)]


def new_names(
    context: FileContext, definition: AnyFunction, captures: Sequence[Capture]
) -> list[str]:
    """Names of new parameters, which mean nothing else in the function.

    Raises:
        CannotEmit: one does.
    """
    names = [capture.name for capture in captures]
    defaults = (*definition.args.defaults, *filter(None, definition.args.kw_defaults))
    for read in (n for each in defaults for n in ast.walk(each) if isinstance(n, ast.Name)):
        if read.id in names or are_nodes(context, context.values(read)):
            raise CannotEmit(ThreadCause.DEFAULT_HOLDS_OBJECT)
    if {node.arg for node in ast.walk(definition.args) if isinstance(node, ast.arg)} & {*names}:
        raise CannotEmit(ThreadCause.PARAMETER_NAME_TAKEN)
    here = context.tree.scope_of(definition)
    for node in ast.walk(definition):
        if isinstance(node, ast.Nonlocal | ast.Global) and {*names} & {*node.names}:
            raise CannotEmit(ThreadCause.BINDS_NAMES_AROUND)
        if not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Load):
            continue
        if node.id in names and context.tree.scope(node) == here:
            raise CannotEmit(ThreadCause.NAME_BOUND_ANEW.about(name=node.id))
    return names


def _aliases(
    context: FileContext,
    definition: ast.Lambda,
    captures: Sequence[Capture],
    read: Sequence[ast.Name],
) -> list[Edit]:
    """A lambda reads from what it is given what it read under another name."""
    ways = {name: f"{c.name}{rest}" for c in captures for name, rest in c.aliases}
    check_inner_names(definition, {*ways})
    return [Edit(*context.text.span(node), ways[node.id]) for node in read if node.id in ways]


def _parameter(
    context: FileContext, definition: AnyFunction, parameters: list[ast.arg], names: list[str]
) -> Edit:
    more = ", ".join(names)
    if parameters:
        end = context.text.span(parameters[-1])[1]
        return Edit(end, end, f", {more}")
    start = context.text.offset(definition.lineno, definition.col_offset)
    if isinstance(definition, ast.Lambda):
        place = start + len("lambda")
        return Edit(place, place, f" {more}")
    assert isinstance(definition, FunctionNode)
    place = context.text.readable.index("(", context.text.text.index(definition.name, start)) + 1
    return Edit(place, place, more)


def argument(context: FileContext, call: ast.Call, names: list[str]) -> Edit:
    """More arguments, behind all that a call has."""
    more = ", ".join(names)
    if call.args or call.keywords:
        arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        last = max(arguments, key=context.text.span)
        if isinstance(last, ast.GeneratorExp):
            raise CannotEmit(ThreadCause.FOLLOWS_GENERATOR)
        return _behind(context, last, call, more)
    end = context.text.span(call)[1] - 1
    return Edit(end, end, more)


def _behind(context: FileContext, last: ast.expr | ast.keyword, call: ast.Call, more: str) -> Edit:
    """Behind an argument and the parentheses around it."""
    end = context.text.span(last)[1]
    close = context.text.span(call)[1] - 1
    source = context.text.text
    comments = {place for place, _ in context.text.comments}
    place = end
    while place < close:
        if place in comments:
            break
        if source[place] == ")":
            end = place + 1
        elif not source[place].isspace():
            break
        place += 1
    return Edit(end, end, f", {more}")
