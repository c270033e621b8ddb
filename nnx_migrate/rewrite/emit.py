"""From the contributions at a site to edits: one way for each way the site is written."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence

from nnx_migrate.facts.sites import Site
from nnx_migrate.facts.syntax import AnyFunction, FunctionNode, names_in
from nnx_migrate.rewrite.arguments import (
    NamedSplit,
    call_edits,
    filled,
    parameter_edits,
    positional_names,
    replaced_slots,
    split_arguments,
)
from nnx_migrate.rewrite.capturing import capture_edits
from nnx_migrate.rewrite.cloning import clone_edits
from nnx_migrate.rewrite.closures import closure_edits
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.edits import Edit, apply_edits
from nnx_migrate.rewrite.evaluation import check_order
from nnx_migrate.rewrite.functions import definition_of, is_owned
from nnx_migrate.rewrite.layout import hoistable, insert_at_top, insert_before, unit_of
from nnx_migrate.rewrite.metadata import metadata_edits
from nnx_migrate.rewrite.naming import fresh, prefix_of, state_name
from nnx_migrate.rewrite.nested import nested_definition, result_names, sibling_definition
from nnx_migrate.rewrite.options import option_edits
from nnx_migrate.rewrite.outlined import outline
from nnx_migrate.rewrite.perturbing import perturb_edits
from nnx_migrate.rewrite.plan import (
    ArgumentSplit,
    CannotEmit,
    CarryPlan,
    Contribution,
    Metadata,
    ReturnSplit,
)
from nnx_migrate.rewrite.rewiring import rewire
from nnx_migrate.rewrite.spelling import Spelling, replaced_by
from nnx_migrate.rewrite.wrapping import fits, wrapped_function

#: What a lambda is called when it has to become a definition.
_LAMBDA_NAMES = {
    "grad": "loss_fn",
    "value_and_grad": "loss_fn",
    "vmap": "mapped_fn",
    "scan": "scanned_fn",
    "shard_map": "sharded_fn",
}
#: Transforms that keep what they compiled: the function over States is made once, as before.
_COMPILING = frozenset({"jit", "pmap"})


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """A site with all that is to be done at it.

    Args:
        crowded: other objects are split in the same function, so names need a prefix.
    """

    site: Site
    contributions: tuple[Contribution, ...]
    crowded: bool = False

    @property
    def splits(self) -> tuple[ArgumentSplit, ...]:
        return tuple(split for c in self.contributions for split in c.splits)

    @property
    def returns(self) -> tuple[ReturnSplit, ...]:
        return tuple(split for c in self.contributions for split in c.returns)

    @property
    def carry(self) -> CarryPlan | None:
        return next((c.carry for c in self.contributions if c.carry is not None), None)

    @property
    def metadata(self) -> Metadata | None:
        return next((c.metadata for c in self.contributions if c.metadata is not None), None)

    @property
    def options(self) -> dict[str, str | None]:
        merged: dict[str, str | None] = {}
        for contribution in self.contributions:
            merged.update(contribution.options)
        return merged


def split_expressions(context: FileContext, job: Job) -> list[str]:
    """Source text of what the job splits, to see which names it can share."""
    if isinstance(job.site.function, FunctionNode) and job.site.form == "decorator":
        names = positional_names(job.site.function)
        return [names[s.index] for s in job.splits if s.index < len(names)]
    found = []
    for use in job.site.uses:
        found += [context.text.of(use.args[s.index]) for s in job.splits if s.index < len(use.args)]
    return found


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
    if site.transform in _COMPILING and (job.splits or job.returns):
        _check_calls_only(context, site)
    callee = next((c.callee for c in job.contributions if c.callee), None)
    if callee is not None:
        return replaced_by(context, site.reference, callee)
    captures = [capture for c in job.contributions for capture in c.captures]
    if captures:
        return closure_edits(context, site, captures)
    spelling = Spelling.at(context, site.reference)
    edits = list(spelling.import_edits)
    if site.form == "call" and (job.splits or job.returns) and _must_outline(context, job):
        return edits + _outlined(context, job, spelling.nnx)
    edits += option_edits(context, site, job.options)
    capture = next((c.capture for c in job.contributions if c.capture), None)
    if capture is not None:
        return edits + capture_edits(context, site, capture, spelling.nnx)
    perturb = next((c.perturb for c in job.contributions if c.perturb), None)
    if perturb is not None:
        return edits + perturb_edits(context, site, perturb, spelling.nnx)
    places = [place for c in job.contributions for place in c.clones]
    if places:
        if job.splits or job.returns:
            raise CannotEmit("arguments are copied at a site where others are split")
        if job.metadata is not None:
            edits += metadata_edits(context, site, job.metadata, job.options, spelling.nnx)
        return edits + clone_edits(context, site, places, spelling.nnx)
    if site.form == "decorator":
        return edits + _decorated(context, job, spelling.nnx)
    if job.metadata is not None:
        edits += metadata_edits(context, site, job.metadata, job.options, spelling.nnx)
    if job.splits or job.returns:
        edits += _called(context, job, spelling.nnx)
    return edits


def _must_outline(context: FileContext, job: Job) -> bool:
    """Whether the calls of the result cannot be rewritten where they stand."""
    site = job.site
    if site.escapes or job.carry is not None or _called_elsewhere(context, site):
        return True
    if site.bound_name and (site.transform in _COMPILING or _shares_statement(context, job)):
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
            raise CannotEmit(f"{name}.{parent.attr} is read, which a plain function does not have")


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


def _outlined(context: FileContext, job: Job, nnx: str) -> list[Edit]:
    site = job.site
    if site.transform in {"grad", "value_and_grad"} and not site.bound_name:
        raise CannotEmit(site.escapes or "its result is called in another scope")
    return outline(
        context,
        site,
        _named(context, job),
        job.carry,
        job.returns,
        job.options,
        job.metadata,
        nnx,
        beside=site.transform in _COMPILING,
    )


def _called_elsewhere(context: FileContext, site: Site) -> bool:
    """Whether the result is called in another scope than the one that it is made in."""
    here = context.tree.scope(site.node)
    return any(context.tree.scope(use) != here for use in site.uses)


def _named(context: FileContext, job: Job, *others: ast.AST) -> list[NamedSplit]:
    """Choose names for the States of each split."""
    site = job.site
    taken = context.taken_names(site.node)
    places: list[ast.AST] = [*others, *site.uses]
    if isinstance(site.function, ast.AST):
        places.append(site.function)
    for place in places:
        taken |= names_in(place)
        taken |= context.taken_names(place)
    expressions = split_expressions(context, job)
    named: list[NamedSplit] = []
    for number, split in enumerate(job.splits):
        wanted = ["graphdef", *(split.names or [state_name(f) for f in split.filters])]
        own = {e for i, e in enumerate(expressions) if i % len(job.splits) == number}
        prefix = prefix_of(own.pop()) if len(own) == 1 else "model"
        if job.crowded or len(job.splits) > 1:
            wanted = [f"{prefix}_{name}" for name in wanted]
            prefix = f"{prefix}_state" if prefix else ""
        names = fresh(wanted, taken, prefix)
        taken |= set(names)
        named.append(NamedSplit(split, names[0], tuple(names[1:])))
    return named


def _decorated(context: FileContext, job: Job, nnx: str) -> list[Edit]:
    definition = job.site.function
    assert isinstance(definition, FunctionNode)
    beside = job.site.transform in _COMPILING
    edits: list[Edit] = []
    if job.metadata is not None:
        extra = unit_of(context, definition) if (job.splits or job.returns) and not beside else ""
        edits += metadata_edits(context, job.site, job.metadata, job.options, nnx, extra)
    if not job.splits and not job.returns:
        return edits
    taken = context.taken_names(definition) | names_in(definition)
    inner = fresh([f"{definition.name.strip('_')}_of_state"], taken)[0]
    wiring = rewire(
        positional_names(definition),
        definition.args,
        _named(context, job),
        job.carry,
        job.returns,
        nnx,
        taken | {inner},
        result_names(definition, taken),
    )
    if beside:
        return edits + sibling_definition(context, definition, job.site.node, wiring, inner)
    gradient = job.site.transform in {"grad", "value_and_grad"}
    return edits + nested_definition(
        context,
        definition,
        job.site.node,
        wiring,
        inner,
        moves_return_annotation=gradient,
    )


def _called(context: FileContext, job: Job, nnx: str) -> list[Edit]:
    """The result is called where it is made: edit the function and split before each call."""
    site = job.site
    if not site.uses:
        raise CannotEmit("no call of the result was found")
    named = _named(context, job)
    definition = definition_of(context, site.function)
    owned = definition is not None and is_owned(context, site, definition)
    if owned and definition is not None and (not job.returns or definition is site.function):
        edits = _edit_function(context, definition, job, named, nnx)
    else:
        edits = wrapped_function(context, site, definition, named, job.returns, nnx)
    splits: list[Edit] = []
    for use in site.uses:
        reason = hoistable(context, use)
        if reason:
            raise CannotEmit(reason)
        if named:
            arguments, texts = call_edits(context, use, named, positional_names(definition))
            check_order(context, use, split_arguments(use, named, positional_names(definition)))
            edits += arguments
            statement = context.tree.statement(use)
            lines = [n.statement(nnx, t) for n, t in zip(named, texts, strict=True)]
            splits.append(insert_before(context, statement, list(dict.fromkeys(lines))))
        if job.returns:
            start, end = context.text.span(use)
            edits += [Edit(start, start, f"{nnx}.merge(*"), Edit(end, end, ")")]
    return _split_first(context, splits, edits)


def _split_first(context: FileContext, splits: list[Edit], edits: list[Edit]) -> list[Edit]:
    """Edits in which a new function stands below the split whose names it uses."""
    end = context.newline
    for split in dict.fromkeys(splits):
        lines = [
            e for e in edits if e.start == e.end == split.start and e.replacement.endswith(end)
        ]
        text = "".join(e.replacement for e in lines)
        gap = end if text and not text.startswith(end) else ""
        whole = Edit(split.start, split.end, split.replacement + gap + text)
        edits = [whole, *(e for e in edits if e not in lines)]
    return edits


def _edit_function(
    context: FileContext, function: AnyFunction, job: Job, named: Sequence[NamedSplit], nnx: str
) -> list[Edit]:
    if isinstance(function, ast.Lambda):
        wanted = _LAMBDA_NAMES.get(job.site.transform, "fn")
        return _edit_lambda(context, function, named, job.returns, nnx, wanted)
    if not named:
        raise CannotEmit("the result is split, not an argument")
    edits, parameters = parameter_edits(context, function, named)
    merges = [f"{name} = {n.merged(nnx)}" for n, name in zip(named, parameters, strict=True)]
    return [*edits, insert_at_top(context, function, merges)]


def _edit_lambda(
    context: FileContext,
    function: ast.Lambda,
    named: Sequence[NamedSplit],
    returns: Sequence[ReturnSplit],
    nnx: str,
    wanted: str,
) -> list[Edit]:
    """A parameter that is read once is replaced by the merge where it is read."""
    edits, parameters = parameter_edits(context, function, named) if named else ([], [])
    body = context.text.span(function.body)
    for result in returns:
        edits.append(Edit(body[0], body[0], f"{nnx}.split("))
        edits.append(Edit(body[1], body[1], f", {', '.join(result.filters)})"))
    for split, name in zip(named, parameters, strict=True):
        reads = [
            node
            for node in ast.walk(function.body)
            if isinstance(node, ast.Name) and node.id == name
        ]
        if len(reads) != 1 or _evaluated_often(context, reads[0], function):
            if returns:
                raise CannotEmit("the lambda needs its Module more than once")
            return _defined_lambda(context, function, named, nnx, wanted)
        edits.append(Edit(*context.text.span(reads[0]), split.merged(nnx)))
    start, end = context.text.span(function)
    moved = [Edit(e.start - start, e.end - start, e.replacement) for e in edits]
    if (
        named
        and not returns
        and not fits(context, (start, end), apply_edits(context.text.text[start:end], moved))
    ):
        try:
            return _defined_lambda(context, function, named, nnx, wanted)
        except CannotEmit:
            return edits
    return edits


def _evaluated_often(context: FileContext, node: ast.AST, function: ast.Lambda) -> bool:
    loops = ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    for parent in context.tree.ancestors(node):
        if parent is function:
            return False
        if isinstance(parent, loops):
            return True
    return False


def _defined_lambda(
    context: FileContext,
    function: ast.Lambda,
    named: Sequence[NamedSplit],
    nnx: str,
    wanted: str,
) -> list[Edit]:
    """A lambda that reads its Module more than once, or would be too long, becomes a definition."""
    statement = context.tree.statement(function)
    slots = replaced_slots(named)
    positional = positional_names(function)
    if function.args.defaults or function.args.kwonlyargs or function.args.posonlyargs:
        raise CannotEmit("the lambda has defaults")
    parameters: list[str] = []
    for place, name in enumerate(positional):
        parameters += filled(slots.get(place, [name]), name)
    if function.args.vararg:
        parameters.append(f"*{function.args.vararg.arg}")
    if function.args.kwarg:
        parameters.append(f"**{function.args.kwarg.arg}")
    name = fresh([wanted], context.taken_names(function))[0]
    unit = context.indent_unit
    body = context.text.of(function.body)
    if "\n" in body or "\r" in body:
        body = f"({body})"
    lines = [f"def {name}({', '.join(parameters)}):"]
    lines += [f"{unit}{positional[n.split.index]} = {n.merged(nnx)}" for n in named]
    start, end = context.text.span(function)
    around = context.comments_between(start, end)
    lines += [f"{unit}{comment}" for comment in around if comment not in body]
    lines += [f"{unit}return {body}", ""]
    return [insert_before(context, statement, lines), Edit(start, end, name)]
