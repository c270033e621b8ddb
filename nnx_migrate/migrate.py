"""One file from facts to its migrated bytes: a pure function of the source and the project."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nnx_migrate.config import Options
from nnx_migrate.facts.analysis import Analysis, analysis_of
from nnx_migrate.facts.index import index_tree
from nnx_migrate.facts.parsing import parse
from nnx_migrate.facts.project import Project
from nnx_migrate.facts.syntax import Tree
from nnx_migrate.outcomes import FileResult, FileStatus, Finding
from nnx_migrate.registry import rule_entries
from nnx_migrate.rewrite.chosen_mode import chosen_modes, may_choose
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.dropping import drop_unread
from nnx_migrate.rewrite.edits import Edit, LineMap, Text, apply_edits
from nnx_migrate.rewrite.gate import gate
from nnx_migrate.rewrite.history import History
from nnx_migrate.rewrite.located import source_edits
from nnx_migrate.rewrite.round import RoundPlan, plan_round
from nnx_migrate.rewrite.rule import Rule
from nnx_migrate.sources.suppressions import Suppression, parse_suppressions
from nnx_migrate.sources.text import Source, UnencodableText, decode

_MAX_ROUNDS = 20


def active_rules(options: Options) -> list[Rule]:
    """The rules that are installed and selected, in the order of their names."""
    found = []
    for name, entry in rule_entries().items():
        selected = options.select is None or name in options.select
        if selected and name not in options.ignore:
            rule = entry.load()
            assert isinstance(rule, Rule)
            found.append(rule)
    return found


def plan(
    source: Source,
    module: str,
    project: Project,
    options: Options,
    refuses: Callable[[str], str] | None = None,
) -> FileResult:
    """Migrate one file.

    Args:
        source: the file as it was read.
        module: its dotted module name in `project`.
        project: facts of all files, this one included.
        options: which rules, and how far they may go.
        refuses: says why a new text cannot be written back, "" when it can; what is refused at one
            site is done otherwise there.

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser.
    """
    suppressions = parse_suppressions(source.text)
    if suppressions.skip_file:
        return _result(source, FileStatus.SKIPPED, reason="nnx-migrate: skip-file")
    active = {rule.name: rule for rule in active_rules(options)}
    rules = [rule for rule in active.values() if rule.concerns(project, module)]
    if not rules and not may_choose(source.text):
        unused = suppressions.unused((), known=rule_entries().keys(), active=active.keys())
        return _finished(source, source.text, [], unused, History(source.text))
    used: set[Suppression] = set()
    findings: list[Finding] = []
    freed: dict[str, tuple[Finding, ...]] = {}
    text = source.text
    lines = LineMap(len(Text(text).line_starts))
    history = History(text)
    for number in range(_MAX_ROUNDS):
        tree = parse(text)
        if number == 0:
            analysis = analysis_of(project)
        else:
            analysis = Analysis(project.replacing(index_tree(tree, module, source)))
        context = FileContext(
            str(source.path),
            Text(text),
            Tree(tree, module, analysis.project),
            analysis,
            options,
            refuses,
        )
        if number == 0:
            findings += chosen_modes(context)
        result = plan_round(context, rules, suppressions, lines, first=number == 0)
        used |= result.suppressed
        findings += result.findings
        for name, findings_of in result.freed.items():
            freed[name] = freed.get(name, ()) + findings_of
        tidied = {} if result.edits else _tidied(context, freed)
        if tidied:
            lines.advance(context.text, tidied)
            history.advance(list(tidied), tidied)
            text = apply_edits(text, tidied)
            freed.clear()
            continue
        if not result.edits:
            findings += result.standing
            unused = suppressions.unused(used, known=rule_entries().keys(), active=active.keys())
            return _finished(source, text, findings, unused, history)
        lines.advance(context.text, result.edits)
        history.advance(result.edits, result.owners)
        history.together += result.together
        text = apply_edits(text, result.edits)
        broken = gate(source.text, text)
        if broken:
            return _reverted(source, result, broken)
    return _result(source, FileStatus.REVERTED, reason="the rewrite did not settle")


def _tidied(
    context: FileContext, freed: Mapping[str, tuple[Finding, ...]]
) -> dict[Edit, tuple[Finding, ...]]:
    """Edits that take out names that rewrites have freed, with the findings behind them."""
    edits = {edit: freed[name] for name in sorted(freed) for edit in drop_unread(context, name)}
    refused = context.refuses is not None and context.refuses(apply_edits(context.text.text, edits))
    return {} if refused else edits


def _finished(
    source: Source, text: str, findings: list[Finding], unused: list[Finding], history: History
) -> FileResult:
    ordered = tuple(sorted([*findings, *unused], key=lambda f: (f.line, f.column, f.rule)))
    if text == source.text:
        return FileResult(source.path, FileStatus.UNCHANGED, source.data, source.data, ordered)
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
    )


def _reverted(source: Source, round_plan: RoundPlan, reason: str) -> FileResult:
    rules = ", ".join(sorted({finding.rule for finding in round_plan.findings}))
    return _result(source, FileStatus.REVERTED, reason=f"{reason} (after {rules})")


def _result(source: Source, status: FileStatus, reason: str) -> FileResult:
    return FileResult(source.path, status, source.data, source.data, (), reason)
