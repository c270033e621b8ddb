"""One file from facts to its migrated bytes: a pure function of the source and the project."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from pathlib import Path

from nnx_migrate.active import active_rules
from nnx_migrate.config import Options
from nnx_migrate.facts.analysis import analysis_of
from nnx_migrate.facts.index import index_tree
from nnx_migrate.facts.parsing import parse
from nnx_migrate.facts.project import Project
from nnx_migrate.facts.syntax import Tree
from nnx_migrate.outcomes import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.registry import rule_entries
from nnx_migrate.rewrite.chosen_mode import chosen_modes, may_choose
from nnx_migrate.rewrite.context import FileContext, Reader, nothing_else
from nnx_migrate.rewrite.dropping import drop_unread
from nnx_migrate.rewrite.edits import Edit, LineMap, Text, apply_edits
from nnx_migrate.rewrite.gate import Gate, Refused
from nnx_migrate.rewrite.history import History
from nnx_migrate.rewrite.located import source_edits
from nnx_migrate.rewrite.round import RoundPlan, plan_round
from nnx_migrate.sources.suppressions import Suppression, parse_suppressions
from nnx_migrate.sources.text import Source, UnencodableText, decode
from nnx_migrate.together import Part, planned_together

_MAX_ROUNDS = 20


def plan(
    source: Source,
    module: str,
    project: Project,
    options: Options,
    refuses: Callable[[str], str] | None = None,
    read: Reader = nothing_else,
) -> FileResult:
    """Migrate one file.

    Args:
        source: the file as it was read.
        module: its dotted module name in `project`.
        project: facts of all files, this one included.
        options: which rules, and how far they may go.
        refuses: says why a new text cannot be written back, "" when it can; what is refused at one
            site is done otherwise there.
        read: gives the other files, and says which of them may change together with this one.

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser.
    """
    suppressions = parse_suppressions(source.text)
    if suppressions.skip_file:
        return _result(source, FileStatus.SKIPPED, reason="nnx-migrate: skip-file")
    active = {rule.name: rule for rule in active_rules(options)}
    rules = [rule for rule in active.values() if rule.concerns(project, module)]
    together = planned_together(project, read)
    part = together.parts.get(module, Part())
    partners = tuple(sorted(Path(project.path_of(each)) for each in part.partners))
    if not rules and not may_choose(source.text) and not part.edits:
        unused = suppressions.unused((), known=rule_entries().keys(), active=active.keys())
        history = History(source.text)
        return _finished(source, source.text, [*part.findings], unused, history, partners)
    used: set[Suppression] = set()
    findings: list[Finding] = []
    freed: dict[str, tuple[Finding, ...]] = {}
    tree = Tree(parse(source.text), module, project)
    asis = FileContext(str(source.path), Text(source.text), tree, analysis_of(project), options)
    findings += [*chosen_modes(asis), *part.findings]
    text = apply_edits(source.text, part.edits)
    lines = LineMap(len(asis.text.line_starts))
    lines.advance(asis.text, part.edits)
    history = History(source.text)
    history.advance(part.edits, dict.fromkeys(part.edits, part.findings))
    history.together += part.findings
    gate, root = Gate(source.text), tree.root
    for number in range(_MAX_ROUNDS):
        if number == 0 and together.project is project and not part.edits:
            analysis = asis.analysis
        elif number == 0:
            analysis = analysis_of(together.project)
            tree = Tree(parse(text), module, analysis.project)
        else:
            whole = analysis_of(together.project)
            analysis = whole.replacing(index_tree(root, module, source))
            tree = Tree(root, module, analysis.project)
        context = FileContext(
            asis.path,
            asis.text if text == asis.text.text else Text(text),
            tree,
            analysis,
            options,
            refuses,
            read=together.reading(read),
        )
        result = plan_round(context, rules, suppressions, lines, first=number == 0)
        used |= result.suppressed
        findings += [f for f in result.findings if not _is_told(f, part)]
        for name, findings_of in result.freed.items():
            freed[name] = freed.get(name, ()) + findings_of
        tidied = None if result.edits else _tidied(context, freed, gate)
        if tidied is not None:
            edits, text, root = tidied
            lines.advance(context.text, edits)
            history.advance(list(edits), edits)
            freed.clear()
            continue
        if not result.edits:
            findings += result.standing
            unused = suppressions.unused(used, known=rule_entries().keys(), active=active.keys())
            return _finished(source, text, findings, unused, history, partners)
        lines.advance(context.text, result.edits)
        history.advance(result.edits, result.owners)
        history.together += result.together
        text = apply_edits(text, result.edits)
        try:
            root = gate.passed(text)
        except Refused as refused:
            return _reverted(source, result, str(refused))
    return _result(source, FileStatus.REVERTED, reason="the rewrite did not settle")


def _is_told(finding: Finding, part: Part) -> bool:
    """Whether the outcome of a site stands among what is done together with other files."""
    place = finding.rule, finding.line, finding.column
    told = ((each.rule, each.line, each.column) for each in part.findings)
    return finding.outcome is Outcome.SAME and place in told


def _tidied(
    context: FileContext, freed: Mapping[str, tuple[Finding, ...]], gate: Gate
) -> tuple[dict[Edit, tuple[Finding, ...]], str, ast.Module] | None:
    """Edits that take out names that rewrites have freed, with the findings behind them.

    With them the text that they leave, and its syntax tree; None when there are none.
    """
    edits = {edit: freed[name] for name in sorted(freed) for edit in drop_unread(context, name)}
    text = apply_edits(context.text.text, edits)
    if not edits or (context.refuses is not None and context.refuses(text)):
        return None
    try:
        return edits, text, gate.passed(text)
    except Refused:
        return None


def _finished(
    source: Source,
    text: str,
    findings: list[Finding],
    unused: list[Finding],
    history: History,
    partners: tuple[Path, ...],
) -> FileResult:
    ordered = tuple(sorted([*findings, *unused], key=lambda f: (f.line, f.column, f.rule)))
    if text == source.text:
        status, after = FileStatus.UNCHANGED, source.data
        return FileResult(source.path, status, after, after, ordered, together=partners)
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
        ordered,
        edits=edits,
        encoding=source.encoding,
        together=partners,
    )


def _reverted(source: Source, round_plan: RoundPlan, reason: str) -> FileResult:
    rules = ", ".join(sorted({finding.rule for finding in round_plan.findings}))
    return _result(source, FileStatus.REVERTED, reason=f"{reason} (after {rules})")


def _result(source: Source, status: FileStatus, reason: str) -> FileResult:
    return FileResult(source.path, status, source.data, source.data, (), reason)
