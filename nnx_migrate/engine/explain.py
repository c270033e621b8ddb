"""Why a site ends as it does: what the tool knows of it, and what each rule says."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from nnx_migrate.analysis.domain.values import Scope, describe
from nnx_migrate.analysis.effects.effect import worst
from nnx_migrate.analysis.facts import Analyses, Analysis
from nnx_migrate.analysis.flax.transforms import AS_VALUE, JAX_SITES, OTHER_PACKAGE
from nnx_migrate.analysis.ir.build import index_module
from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import FunctionNode, Tree
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.core.findings import FileResult, Finding, Outcome
from nnx_migrate.core.pins import Unpin
from nnx_migrate.core.place import Place
from nnx_migrate.engine.locate import Locator
from nnx_migrate.engine.migrate import plan
from nnx_migrate.engine.projects.redefined import Redefined, Redefinitions
from nnx_migrate.report.text import evidence_line, plural
from nnx_migrate.report.ways_out import alternatives
from nnx_migrate.rewrite.classes.edits import class_edits
from nnx_migrate.rewrite.model.active_rules import active_rules
from nnx_migrate.rewrite.model.context import FileContext, Reader, nothing_else
from nnx_migrate.rewrite.model.decisions import (
    Contribution,
    Decision,
    Manual,
    Pin,
)
from nnx_migrate.rewrite.model.functions import function_scopes, given_parameters
from nnx_migrate.rewrite.pinned.withdrawn import withdrawn
from nnx_migrate.rewrite.planner.observed_decisions import decided
from nnx_migrate.rewrite.planner.regions import covered_by_setters
from nnx_migrate.rewrite.text.edits import LineMap, Text, apply_edits
from nnx_migrate.sources.configuration import Options
from nnx_migrate.sources.suppressions import parse_suppressions
from nnx_migrate.sources.text import Source


def explain(
    source: Source,
    module: str,
    project: Project,
    options: Options,
    line: int,
    read: Reader = nothing_else,
) -> str:
    """Say what is known of the sites at a line, and why they end as they do.

    Args:
        source: the file as it was read.
        module: its dotted module name in `project`.
        project: facts of all files, this one included.
        options: which rules, and how far they may go.
        line: 1-based.
        read: gives the files of the project, and what counts for them.

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser.
    """
    looked = _look(source, module, project, options, line, read)
    if not looked.sites and options.withdraws is not Unpin.ALL:
        anew = dataclasses.replace(options, unpin=True)
        pinned = _look(source, module, project, anew, line, read)
        looked = pinned if pinned.sites else looked
    if looked.sites:
        told = ("".join(f"{each}\n" for each in _site(looked, site)) for site in looked.sites)
        return "\n".join(told)
    if found := looked.at_the_line():
        told = ("".join(f"{each}\n" for each in _outcome(looked, finding)) for finding in found)
        return "\n".join(told)
    of_nnx = (site for site in looked.context.finder.sites if site.transform != OTHER_PACKAGE)
    lines = sorted({site.node.lineno for site in of_nnx})
    place = looked.locator.location(Place(module, looked.line))
    count = len(source.text.splitlines())
    if line > count:
        return f"{source.path}: the file has {plural(count, 'line')}\n"
    if not lines:
        return f"{place}: the file has no transform of nnx\n"
    there = looked.locator.text(f"lines {', '.join(map(str, lines))}")
    return f"{place}: no transform of nnx here; try {there}\n"


def _outcome(looked: _Looked, finding: Finding) -> Iterator[str]:
    """What a run finds or changes at a line that no transform is on: of a class, say."""
    yield _with(looked, finding) if finding.line != looked.asked else _place(looked, finding)
    yield f"  {finding.rule}: {_ENDS[finding.outcome]}: {finding.why}"
    yield from map(evidence_line, dict.fromkeys(finding.evidence))
    yield from (f"    help: {way}" for way in alternatives(finding))


def _place(looked: _Looked, finding: Finding) -> str:
    cell = finding.in_cell
    at = finding if cell is None else cell
    within = "" if cell is None else f"cell {cell.cell}:"
    return f"{looked.result.path}:{within}{at.line}:{at.column}"


def _with(looked: _Looked, finding: Finding) -> str:
    return f"changes with {_place(looked, finding)}"


@dataclasses.dataclass(frozen=True, slots=True)
class _Looked:
    """The sites at a line, in the text that is planned on.

    Args:
        context: the file without the pins of earlier runs, with its classes as they will be.
        asked: the line in the file.
        line: the line in that text.
        sites: those at the line.
        result: what a run says of the file.
        findings: what a run says of the file, by rule and line of that text.
        kept: those of pins that stay.
        locator: writes places out.
    """

    context: FileContext
    asked: int
    line: int
    sites: tuple[Site, ...]
    result: FileResult
    findings: Mapping[tuple[str, int], Sequence[Finding]]
    kept: Sequence[Finding]
    locator: Locator

    def at_the_line(self) -> list[Finding]:
        """What is found at the line, or changes it."""
        touching = {
            number
            for edit in self.result.edits
            if edit.line <= self.asked <= edit.end_line
            for number in edit.findings
        }
        numbered = enumerate(self.result.findings)
        return [each for n, each in numbered if each.line == self.asked or n in touching]

    def of(self, rule: str, site: Site) -> Finding | None:
        """How a run ends at a site by a rule."""
        there = self.findings.get((rule, site.node.lineno), ())
        here = [each for each in there if each.column == site.node.col_offset + 1]
        return next(iter(here or there), None)


def _look(
    source: Source, module: str, project: Project, options: Options, line: int, read: Reader
) -> _Looked:
    own = withdrawn(source, options.withdraws)
    if own.pins and project.modules[module].lines != own.source.lines:
        index = index_module(own.source, module, project.modules[module].meant)
        project = project.replacing(index)
    analyses = Analyses()
    met = Redefinitions(project, read, analyses).met_by(module)
    text, known = _with_classes(own.source, module, met, analyses.of(met.project), options)
    own = dataclasses.replace(own, source=text)
    tree = Tree(parse(text.text), module, known)
    context = FileContext(str(source.path), Text(text.text), tree, analyses.of(known), options)
    within = own.line_without(line)
    sites = tuple(_sites_at(context, within))
    findings: dict[tuple[str, int], list[Finding]] = {}
    result = plan(source, module, project, options, analyses, read=read)
    kept = [finding for pin in result.pins if pin.needed for finding in pin.findings]
    for finding in (*kept, *result.findings):
        at = own.line_without(finding.line)
        findings.setdefault((finding.rule, at), []).append(finding)
    locator = Locator(known, module)
    return _Looked(context, line, within, sites, result, findings, kept, locator)


def _with_classes(
    source: Source, module: str, met: Redefined, analysis: Analysis, options: Options
) -> tuple[Source, Project]:
    """A file and its project with the classes as they will be when all of it is migrated."""
    text, tree = Text(source.text), Tree(parse(source.text), module, met.project)
    context = FileContext(str(source.path), text, tree, analysis, options)
    edits = class_edits(context, parse_suppressions(source.text), met.classes).owners
    if not edits:
        return source, met.project
    lines = LineMap(len(text.line_starts))
    lines.advance(text, edits)
    after = apply_edits(source.text, edits)
    there = (lines.original(at) for at in range(1, len(Text(after).line_starts) + 1))
    before = source.lines
    changed = dataclasses.replace(
        source,
        text=after,
        data=source.encode(after),
        lines=tuple(before[at - 1] if 0 < at <= len(before) else at for at in there),
    )
    index = index_module(changed, module, met.project.modules[module].meant)
    return changed, met.project.replacing(index)


def _sites_at(context: FileContext, line: int) -> list[Site]:
    """The sites that a line belongs to: by their expression, else by their statement."""

    def spans(node: ast.AST) -> bool:
        return getattr(node, "lineno", 0) <= line <= (getattr(node, "end_lineno", None) or 0)

    sites = context.finder.sites
    return [site for site in sites if spans(site.node)] or [
        site
        for site in sites
        if not isinstance(statement := context.tree.statement(site.node), FunctionNode)
        and spans(statement)
    ]


def _site(looked: _Looked, site: Site) -> Iterator[str]:
    context, written = looked.context, looked.locator.text
    place = f"{context.where(site.node)}:{site.node.col_offset + 1}"
    own_name = site.transform in JAX_SITES or site.transform in {OTHER_PACKAGE, AS_VALUE}
    name = site.transform if own_name else site.written
    yield written(f"{place}: {name} ({_FORMS[site.form]})")
    yield from map(written, _facts(context, site))
    if site.decided:
        yield "  unchanged: it chooses its mode (graph=, graph_updates=)"
    elif covered_by_setters(context, site.node):
        yield "  unchanged: the code around it sets the mode"
    else:
        yield from _verdicts(looked, site)


def _facts(context: FileContext, site: Site) -> Iterator[str]:
    scopes = function_scopes(context, site)
    for scope in scopes:
        yield from _function(context, site, scope)
    if site.form == "object":
        yield f"  argument: {describe(context.values(site.operands[0]), _NAMED)}"
    elif not scopes:
        yield "  the transformed function might not be in this project"
    if site.escapes:
        yield f"  some calls of its result are out of sight: {site.escapes}"


#: What an argument may be, as far as it is written out.
_NAMED = 3
_FORMS = {
    "decorator": "as a decorator",
    "call": "called with its function",
    "operands": "control flow",
    "object": "called with an object",
    "reference": "passed on as a value",
}


def _function(context: FileContext, site: Site, scope: Scope) -> Iterator[str]:
    function = context.project.function(scope)
    yield f"  runs {function.name} ({Place(scope.module, function.line)})"
    for _, name, values in given_parameters(context, site, scope):
        effect = worst(context.effects_of(scope, name))
        done = f"; {effect.what} ({effect.where})" if effect else ""
        yield f"    {name}: {describe(values, _NAMED)}{done}"


def _verdicts(looked: _Looked, site: Site) -> Iterator[str]:
    """What each rule says, and where the run ends otherwise, that: edits may be refused."""
    silent = True
    for rule in active_rules(looked.context.options):
        if site.transform not in rule.transforms:
            continue
        decision = decided(rule, looked.context, site)
        if decision is None:
            continue
        silent = False
        finding = looked.of(decision.rule, site)
        if finding is not None:
            stays = finding in looked.kept
            end = finding.message if stays else f"{_ENDS[finding.outcome]}: {finding.why}"
            yield f"  {finding.rule}: {end}"
            yield from map(evidence_line, finding.evidence)
            ways = finding.ways_out if stays else alternatives(finding)
            yield from (f"    help: {way}" for way in ways)
        else:
            yield looked.locator.text(_decision(decision))
            at = site.node.lineno
            told = (looked.locator.evidence(each, at) for each in decision.evidence)
            yield from map(evidence_line, told)
    if silent:
        others = [_with(looked, finding) for finding in looked.at_the_line()]
        yield f"  {' and '.join(others) or 'unchanged: no rule applies here'}"


_ENDS = {
    Outcome.REWRITTEN: "rewrite",
    Outcome.REWRITTEN_CHECKED: "rewrite, with a check",
    Outcome.PINNED: "keep in graph mode",
    Outcome.PINNED_MID: "keep in mid mode",
    Outcome.MANUAL: "left to you",
    Outcome.SAME: "nothing changes",
}


def _decision(decision: Decision) -> str:
    match decision:
        case Contribution(rule=rule, message=message, outcome=outcome):
            return f"  {rule}: {_ENDS[outcome]}: {message}"
        case Pin(rule=rule, reason=reason):
            return f"  {rule}: keep in graph mode: {reason}"
        case Manual(rule=rule, reason=reason):
            return f"  {rule}: left to you: {reason}"
        case _:
            return f"  {decision.rule}: nothing changes: {decision.reason}"
