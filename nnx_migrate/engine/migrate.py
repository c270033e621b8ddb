"""One file from facts to its migrated bytes: a pure function of the source and the project."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from nnx_migrate.analysis.facts import Analyses
from nnx_migrate.analysis.ir.build import index_module
from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.analysis.sites.find import SiteFinder
from nnx_migrate.analysis.sites.tree import Tree
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.core.relocation import moved
from nnx_migrate.engine.locate import Locator
from nnx_migrate.engine.rounds import Rounds
from nnx_migrate.report.manuals import way_out_of
from nnx_migrate.rewrite.classes.edits import ClassPlan, concerns, plan_classes
from nnx_migrate.rewrite.model.active_rules import active_rules
from nnx_migrate.rewrite.model.context import FileContext, Reader, nothing_else
from nnx_migrate.rewrite.model.registry import rule_entries
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.pinned.withdrawn import Withdrawn, withdrawn
from nnx_migrate.rewrite.planner.chosen_mode import may_choose
from nnx_migrate.rewrite.style.locations import source_edits
from nnx_migrate.rewrite.text.edits import Text
from nnx_migrate.rewrite.text.history import History
from nnx_migrate.sources.configuration import Options
from nnx_migrate.sources.suppressions import parse_suppressions
from nnx_migrate.sources.text import Source, UnencodableText, decode


def plan(
    source: Source,
    module: str,
    project: Project,
    options: Options,
    analyses: Analyses,
    refuses: Callable[[str], str] | None = None,
    read: Reader = nothing_else,
    original: Callable[[int], int] | None = None,
    classes: ClassPlan | None = None,
) -> FileResult:
    """Migrate one file.

    Args:
        source: the file as it was read.
        module: its dotted module name in `project`.
        project: facts of all files, this one included.
        options: which rules, and how far they may go.
        analyses: of projects; those of this one are kept for its other files.
        refuses: says why a new text cannot be written back, "" when it can; what is refused at one
            site is done otherwise there.
        read: gives the other files, and says what counts for them.
        original: gives the line that a line of `source` was on before, when it was changed already.
        classes: what is wanted of the classes of the project; by default what the file alone says.

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser.
    """

    def told(findings: Iterable[Finding]) -> tuple[Finding, ...]:
        if original is not None:
            findings = [moved(finding, module, original) for finding in findings]
        located = Locator(project, module).findings(findings)
        return tuple(_with_ways_out(_of_the_file(finding, own)) for finding in located)

    own, project = _without_pins(source, module, project, options)
    options = _kept_without_pins(own, options)
    suppressions = parse_suppressions(own.source.text)
    if suppressions.skip_file:
        return _result(source, FileStatus.SKIPPED, reason="nnx-migrate: skip-file")
    active = {rule.name: rule for rule in active_rules(options)}
    rules = _rules_for(active.values(), project, module)
    changes = concerns(options, project.modules[module])
    if not (rules or own.pins or changes or may_choose(source.text)):
        unused = suppressions.unused((), known=rule_entries().keys(), active=active.keys())
        return _finished(source, source.text, [*unused], History(source.text), told)
    tree = Tree(parse(own.source.text), module, project)
    text, analysis = Text(own.source.text), analyses.of(project)
    asis = FileContext(str(source.path), text, tree, analysis, options, pins=own.pins)
    if classes is None:
        classes = plan_classes([asis]) if changes else ClassPlan()
    rounds = Rounds(source, asis, refuses, read, own, classes)
    if changes and (refusal := rounds.redefine(suppressions)):
        return _result(source, FileStatus.REVERTED, reason=refusal)
    refusal = rounds.run(rules, suppressions, _others(options) if own.pins else ())
    if refusal:
        return _result(source, FileStatus.REVERTED, reason=refusal)
    unused = suppressions.unused(rounds.used, known=rule_entries().keys(), active=active.keys())
    findings = [*rounds.findings, *unused]
    result = _finished(source, rounds.text.text, findings, rounds.history, told)
    kept = [
        dataclasses.replace(pin, findings=told(pin.findings)) for pin in rounds.settlement.kept()
    ]
    return dataclasses.replace(result, pins=tuple(kept))


def _rules_for(rules: Iterable[Rule], project: Project, module: str) -> list[Rule]:
    """The rules that look at a file: none, or all that may find anything in the project.

    What one of them writes, such as `nnx.split` and `nnx.jit`, is a site of others.
    """
    home = [rule for rule in rules if rule.is_at_home(project)]
    return home if any(rule.concerns(project, module) for rule in home) else []


def _without_pins(
    source: Source, module: str, project: Project, options: Options
) -> tuple[Withdrawn, Project]:
    """A file without the pins of earlier runs that are sites of its own, and the facts of it."""
    own = withdrawn(source, options.withdraws)
    if not own.pins:
        return own, project
    if project.modules[module].lines != own.source.lines:  # it was indexed with them
        project = _indexed(own.source, module, project)
    tree = Tree(parse(own.source.text), module, project)
    text = Text(own.source.text)
    seen = {text.span(site.reference)[0] for site in SiteFinder(tree).sites}
    unseen = [each.pin for each in own.pins if each.at not in seen]
    if not unseen:
        return own, project
    own = withdrawn(source, options.withdraws, unseen)
    return own, _indexed(own.source, module, project)


def _kept_without_pins(own: Withdrawn, options: Options) -> Options:
    """The options with the lines of kept places as they are without the pins."""
    if not own.pins or not options.kept:
        return options
    moved_places = (dataclasses.replace(k, line=own.line_without(k.line)) for k in options.kept)
    return dataclasses.replace(options, kept=tuple(moved_places))


def _indexed(source: Source, module: str, project: Project) -> Project:
    return project.replacing(index_module(source, module, project.modules[module].meant))


def _others(options: Options) -> list[Rule]:
    """The rules that do not run."""
    running = {rule.name for rule in active_rules(options)}
    return [rule for rule in active_rules(Options()) if rule.name not in running]


def _of_the_file(finding: Finding, own: Withdrawn) -> Finding:
    if not own.pins or not finding.line:
        return finding
    return dataclasses.replace(finding, line=own.original(finding.line))


def _with_ways_out(finding: Finding) -> Finding:
    """What is kept of a result says it all: who only looks it up loads no rule."""
    if finding.ways_out or finding.outcome is Outcome.SAME:
        return finding
    way = way_out_of(finding.rule)
    return dataclasses.replace(finding, ways_out=(way,)) if way else finding


def _finished(
    source: Source,
    text: str,
    findings: list[Finding],
    history: History,
    told: Callable[[Iterable[Finding]], tuple[Finding, ...]],
) -> FileResult:
    ordered = tuple(sorted(findings, key=lambda f: (f.line, f.column, f.rule)))
    if text == source.text:
        status, after = FileStatus.UNCHANGED, source.data
        return FileResult(source.path, status, after, after, told(ordered))
    try:
        after = source.encode(text)
        decode(source.path, after)
    except UnencodableText as error:
        return _result(source, FileStatus.REVERTED, reason=error.reason)
    edits = source_edits(source, text, after, history, ordered)
    return FileResult(
        source.path,
        FileStatus.CHANGED,
        source.data,
        after,
        told(ordered),
        edits=edits,
        encoding=source.encoding,
    )


def _result(source: Source, status: FileStatus, reason: str) -> FileResult:
    return FileResult(source.path, status, source.data, source.data, (), reason)
