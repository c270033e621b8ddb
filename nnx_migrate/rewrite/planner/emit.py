"""From the contributions at a site to edits: one way for each way the site is written."""

from __future__ import annotations

import ast
import contextlib

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import FunctionNode, names_in
from nnx_migrate.rewrite.hoist.before_calls import hoist_edits
from nnx_migrate.rewrite.model.causes import EmitCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    ByPlace,
    CannotEmit,
    Captures,
    OperandsAgain,
    OwnedArgument,
    Replacement,
    ReturnedAgain,
    StateOutside,
)
from nnx_migrate.rewrite.model.function_rewrite import FunctionRewrite
from nnx_migrate.rewrite.model.lifted_rngs import FirstKeeps, LiftedRngs
from nnx_migrate.rewrite.model.sown_plans import CapturePlan, PerturbPlan, PutBack
from nnx_migrate.rewrite.sown.capture import capture_edits
from nnx_migrate.rewrite.sown.perturb import perturb_edits
from nnx_migrate.rewrite.sown.put_back import put_back_edits
from nnx_migrate.rewrite.split.arguments import positional_names
from nnx_migrate.rewrite.split.copies import clone_edits
from nnx_migrate.rewrite.split.in_place import edited_in_place, with_calls
from nnx_migrate.rewrite.split.job import Job, named_splits
from nnx_migrate.rewrite.split.metadata import metadata_edits
from nnx_migrate.rewrite.split.nested import nested_definition, result_names, sibling_definition
from nnx_migrate.rewrite.split.outlined import outline
from nnx_migrate.rewrite.split.returned_again import operands_again_edits, returned_again_edits
from nnx_migrate.rewrite.split.signature import rewire
from nnx_migrate.rewrite.split.state_outside import state_outside_edits
from nnx_migrate.rewrite.split.wrappers import is_made_by_call, watched_definition, with_checks
from nnx_migrate.rewrite.style.layout import unit_of
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.style.options import option_edits
from nnx_migrate.rewrite.style.spelling import Spelling, replaced_by
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.rewrite.thread.by_place import by_place_edits
from nnx_migrate.rewrite.thread.captures import closure_edits
from nnx_migrate.rewrite.thread.lifted_rngs import first_keeps_edits, lifted_edits
from nnx_migrate.rewrite.thread.owned_argument import owned_argument_edits


def emit(context: FileContext, job: Job) -> list[Edit]:
    """The edits that carry a job out.

    Raises:
        CannotEmit: the code around the site has no place for it.
    """
    edits = _emit(context, job)
    spans = [(e.start, e.end) for e in edits if e.start < e.end]
    return [  # white space put in front of a line that is taken out goes with it
        e
        for e in edits
        if e.replacement.strip() or not any(a < e.start and e.end < b for a, b in spans)
    ]


def _emit(context: FileContext, job: Job) -> list[Edit]:
    site = job.site
    if job.hoist is not None:
        return hoist_edits(context, job.hoist)
    # What is compiled is kept: the function over States is made once, as before.
    if site.spec.compiles and (job.splits or job.returns):
        _check_calls_only(context, site)
    if site.wrapper is not None and (isinstance(job.alone, Replacement) or job.metadata):
        raise CannotEmit(
            EmitCause.WRAPPER_NOT_KNOWN.about(wrapper=site.wrapper.name, transform=site.transform)
        )
    match job.alone:
        case Replacement(callee, copied):
            return replaced_by(context, site.reference, callee) + _copies(context, site, copied)
        case Captures(objects):
            return closure_edits(context, site, objects)
        case ByPlace() as placed:
            return by_place_edits(context, placed)
        case OwnedArgument() as owned:
            return owned_argument_edits(context, owned) + option_edits(context, site, job.options)
        case ReturnedAgain() as again:
            return returned_again_edits(context, again)
        case OperandsAgain() as again:
            return operands_again_edits(context, again)
        case LiftedRngs() as lift:
            return lifted_edits(context, lift)
        case FirstKeeps() as first:
            return first_keeps_edits(context, first)
        case FunctionRewrite() as rewrite:
            # Importing LibCST takes 300 ms: for files that have such a site.
            from nnx_migrate.rewrite.libcst.rewrite import function_edits

            return function_edits(context, site, rewrite)
    spelling = Spelling.at(context, site.reference)
    edits, nnx = list(spelling.import_edits), spelling.nnx
    outlined = site.form == "call" and (job.splits or job.returns) and _must_outline(context, job)
    in_definition = site.spec.compiles and not (job.splits or job.returns)
    if job.watched and (outlined or not (site.form == "call" or in_definition)):
        raise CannotEmit(EmitCause.NO_PLACE_FOR_CHECK)
    if job.watched and in_definition:
        edits += watched_definition(context, site, job.watched, nnx)
    if outlined:
        return edits + _outlined(context, job, nnx)
    edits += option_edits(context, site, job.options)
    match job.alone:
        case CapturePlan() as plan:
            return edits + capture_edits(context, site, plan, nnx)
        case PutBack() as plan:
            return edits + put_back_edits(context, site, plan, nnx)
        case PerturbPlan() as plan:
            return edits + perturb_edits(context, site, plan, nnx)
        case StateOutside() as outside:
            return edits + state_outside_edits(context, outside, nnx)
    return edits + _together(context, job, nnx)


def _together(context: FileContext, job: Job, nnx: str) -> list[Edit]:
    """Copies, States and metadata, which can all be asked for at one site."""
    site = job.site
    if job.clones and (job.splits or job.returns):
        raise CannotEmit(EmitCause.COPIED_AND_SPLIT)
    if site.form == "decorator" and not job.clones:
        return _decorated(context, job, nnx)
    edits: list[Edit] = []
    if job.metadata is not None:
        edits += metadata_edits(context, site, job.metadata, job.options, nnx)
    if job.clones:
        edits += clone_edits(context, site, job.clones, nnx)
    if job.splits or job.returns:
        edits += edited_in_place(context, job, nnx)
    return edits


def _copies(context: FileContext, site: Site, places: tuple[int, ...]) -> list[Edit]:
    """Edits that put copies in the place of arguments: new objects that hold the same Variables."""
    if not places:
        return []
    assert isinstance(site.node, ast.Call)
    spelling = Spelling.at(context, site.reference)
    edits = list(spelling.import_edits)
    for place in places:
        start, end = context.text.span(site.node.args[place])
        edits.append(Edit(start, start, f"{spelling.nnx}.clone("))
        edits.append(Edit(end, end, ", variables=False)"))
    return edits


def _must_outline(context: FileContext, job: Job) -> bool:
    """Whether the calls of the result cannot be rewritten where they stand."""
    site = job.site
    if site.escapes or job.carry is not None or _called_elsewhere(context, site):
        return True
    if site.bound_name and (site.spec.compiles or _shares_statement(context, job)):
        return True
    if is_made_by_call(context, site):
        return True
    return any(r.place is not None for r in job.returns)


def _check_calls_only(context: FileContext, site: Site) -> None:
    """A function that replaces a compiled one can be called; it has no `lower` or `clear_cache`."""
    name = site.bound_name
    place: ast.AST = site.node
    if isinstance(site.function, FunctionNode):
        name, place = site.function.name, site.function
    if name is None:
        return
    for load in context.finder.loads(context.tree.scope(place), name):
        parent = context.tree.parents[load]
        if isinstance(parent, ast.Attribute):
            raise CannotEmit(EmitCause.ATTRIBUTE_READ.about(name=name, attribute=parent.attr))


def _shares_statement(context: FileContext, job: Job) -> bool:
    """Whether one statement calls the result with different objects.

    Both would be split before it, and the function would see the graphdef of the second alone.
    """
    first: dict[ast.stmt, list[str]] = {}
    for use in job.site.uses:
        texts = [context.text.of(use.args[s.index]) for s in job.splits if s.index < len(use.args)]
        if first.setdefault(context.tree.statement(use), texts) != texts:
            return True
    return False


def _called_elsewhere(context: FileContext, site: Site) -> bool:
    """Whether the result is called in another scope than the one that it is made in."""
    here = context.tree.scope(site.node)
    return any(context.tree.scope(use) != here for use in site.uses)


def _outlined(context: FileContext, job: Job, nnx: str) -> list[Edit]:
    site = job.site
    if site.spec.differentiates and not site.bound_name and not site.escapes:
        raise CannotEmit(EmitCause.CALLED_IN_OTHER_SCOPE)
    return outline(
        context,
        site,
        named_splits(context, job),
        job.carry,
        job.returns,
        job.options,
        job.metadata,
        nnx,
        beside=site.spec.compiles,
    )


def _decorated(context: FileContext, job: Job, nnx: str) -> list[Edit]:
    definition = job.site.function
    assert isinstance(definition, FunctionNode)
    beside = job.site.spec.compiles
    edits: list[Edit] = []
    if job.metadata is not None:
        extra = unit_of(context, definition) if (job.splits or job.returns) and not beside else ""
        edits += metadata_edits(context, job.site, job.metadata, job.options, nnx, extra)
    if not job.splits and not job.returns:
        return edits
    called = with_calls(context, job)
    if called.site.uses:
        with contextlib.suppress(CannotEmit):
            return edits + edited_in_place(context, called, nnx)
    taken = context.taken_names(definition) | names_in(definition)
    inner = fresh([f"{definition.name.strip('_')}_of_state"], taken)[0]
    named = named_splits(context, job)
    wiring = rewire(
        positional_names(definition),
        definition.args,
        named,
        job.carry,
        job.returns,
        nnx,
        taken | {inner},
        result_names(definition, taken),
    )
    wiring = with_checks(context, job.site, definition, named, wiring)
    if beside:
        return edits + sibling_definition(context, definition, job.site.node, wiring, inner)
    gradient = job.site.spec.differentiates
    return edits + nested_definition(
        context,
        definition,
        job.site.node,
        wiring,
        inner,
        moves_return_annotation=gradient,
    )
