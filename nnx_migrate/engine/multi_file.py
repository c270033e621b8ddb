"""What several files have to change in at once: a function in one, and its calls in another.

It is planned for the whole project from the files as they are, and comes before all else that is
done to each of them. Every process that plans one of these files comes to the same plan.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path

from nnx_migrate.analysis.facts import analysis_of
from nnx_migrate.analysis.ir.build import index_tree
from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import Tree
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.core.findings import Finding
from nnx_migrate.rewrite.gate.checks import Gate, Refused
from nnx_migrate.rewrite.gate.untouched_nodes import Version
from nnx_migrate.rewrite.model.active_rules import active_rules
from nnx_migrate.rewrite.model.context import FileContext, Readable, Reader, nothing_else
from nnx_migrate.rewrite.model.decisions import CannotEmit, Contribution, NotRewritten
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.model.sown_plans import CapturePlan
from nnx_migrate.rewrite.planner.contributions import contributions_of
from nnx_migrate.rewrite.planner.emit import emit
from nnx_migrate.rewrite.sown.capture import result_edits
from nnx_migrate.rewrite.split.job import Job
from nnx_migrate.rewrite.style.spelling import Spelling
from nnx_migrate.rewrite.text.edits import Edit, Text
from nnx_migrate.sources.configuration import Options
from nnx_migrate.sources.suppressions import parse_suppressions
from nnx_migrate.sources.text import Source


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """What is done in one file together with others.

    Args:
        partners: the modules that it is right with only.
    """

    edits: tuple[Edit, ...] = ()
    findings: tuple[Finding, ...] = ()
    partners: frozenset[str] = frozenset()

    def and_(self, other: Part) -> Part:
        """Both; an edit that both ask for is made once."""
        edits = tuple(dict.fromkeys((*self.edits, *other.edits)))
        findings = (*self.findings, *other.findings)
        return Part(edits, findings, self.partners | other.partners)


@dataclasses.dataclass(frozen=True, slots=True)
class Together:
    """All such parts of a project.

    Args:
        parts: by module.
        project: the facts once they are done.
        texts: of the files that change, by module, once they have.
    """

    parts: Mapping[str, Part]
    project: Project
    texts: Mapping[str, str]

    def reading(self, read: Reader) -> Reader:
        """The files as they are once all parts are done, when none may be changed for another."""

        def changed(module: str) -> Readable | None:
            found = read(module)
            if found is None:
                return None
            text = self.texts.get(module, found.source.text)
            return Readable(dataclasses.replace(found.source, text=text), None)

        return changed


@functools.lru_cache(maxsize=2)
def planned_together(project: Project, read: Reader) -> Together:
    """Plan what files of a project change in together.

    Args:
        read: gives the files, and says which ones may change.
    """
    parts: dict[str, Part] = {}
    texts: dict[str, str] = {}
    for module in sorted(_imported(project)) if read is not nothing_else else ():
        context = _context(project, module, read)
        if context is None:
            continue
        for change in _changes(context):
            merged = {name: parts.get(name, Part()).and_(part) for name, part in change.items()}
            changed = _applied(context, merged)
            if changed is not None:
                parts |= merged
                texts |= changed
    indexes = []
    for name, text in texts.items():
        source = Source(Path(project.path_of(name)), b"", text, "utf-8", False)
        indexes.append(index_tree(parse(text), name, source, project.modules[name].meant))
    return Together(parts, project.replacing(*indexes) if indexes else project, texts)


def _imported(project: Project) -> set[str]:
    """The modules that others import, where a rule that reaches into others has something to do."""
    analysis = analysis_of(project)
    rules = [rule for rule in active_rules(Options()) if rule.across_files]
    rules = [r for r in rules if any(map(project.has_word, r.project_words))]
    found = {name for name in project.modules if any(r.concerns(project, name) for r in rules)}
    used = {
        name
        for module in (project.modules if found else ())
        for name in analysis.imports.of(module)
        if name != module
    }
    return found & used


def _context(project: Project, module: str, read: Reader) -> FileContext | None:
    """A file that may change, with the others that may."""

    def readable(name: str) -> Readable | None:
        found = read(name)
        if found is not None and parse_suppressions(found.source.text).skip_file:
            return Readable(found.source, None)
        return found

    found = readable(module)
    if found is None or found.options is None:
        return None
    try:
        tree = Tree(parse(found.source.text), module, project)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    path, text = str(found.source.path), Text(found.source.text)
    return FileContext(
        path, text, tree, analysis_of(project), found.options, editable=True, read=readable
    )


def _changes(context: FileContext) -> Iterator[dict[str, Part]]:
    """What the sites of a file ask for that reaches into others: parts by module."""
    rules = active_rules(context.options)
    for rule in (rule for rule in rules if rule.across_files):
        for site in context.finder.sites:
            if site.transform not in rule.transforms:
                continue
            decision = rule.decide(context, site)
            plan = decision.change if isinstance(decision, Contribution) else None
            if not isinstance(plan, CapturePlan) or not plan.modules - {context.tree.module}:
                continue
            try:
                yield _parts(context, site, rules, plan)
            except NotRewritten:
                continue


def _parts(
    context: FileContext, site: Site, rules: list[Rule], plan: CapturePlan
) -> dict[str, Part]:
    concerned = [rule for rule in rules if site.transform in rule.transforms]
    decisions = [d for rule in concerned if (d := rule.decide(context, site)) is not None]
    contributions = contributions_of(decisions)
    if not contributions or any(not isinstance(c.change, CapturePlan) for c in contributions):
        raise CannotEmit("more has to be done at the site")
    own = context.tree.module
    (contribution,) = contributions
    edits = emit(context, Job(site, (contribution,)))
    found = {own: Part(tuple(edits), (_finding(context, site.reference, contribution),))}
    for module in plan.modules - {own}:
        there = context.where_it_is(module)
        within = plan.within(module)
        uses = [*(call.use for call in within.calls), *(each.use for each in within.passed_on)]
        edits = _elsewhere(there, site, within, uses[0])
        message = f"what {context.where(site.node)} sows is a result of it, and taken from there"
        findings = tuple(
            _finding(there, use, dataclasses.replace(contribution, message=message))
            for use in dict.fromkeys(uses)
        )
        found[module] = Part(tuple(edits), findings)
    everyone = frozenset(found)
    return {
        module: dataclasses.replace(part, partners=everyone - {module})
        for module, part in found.items()
    }


def _elsewhere(context: FileContext, site: Site, plan: CapturePlan, use: ast.Call) -> list[Edit]:
    """The edits to a file that may have no name for nnx, and may not need one.

    Raises:
        CannotEmit: it needs one, and has no place for it.
    """
    edits = result_edits(context, site, plan, "nnx")
    if not any("nnx." in edit.replacement for edit in edits):
        return edits
    spelling = Spelling.at(context, use.func)
    return [*result_edits(context, site, plan, spelling.nnx), *spelling.import_edits]


def _finding(context: FileContext, node: ast.expr, contribution: Contribution) -> Finding:
    start = context.text.span(node)[0]
    line = context.text.line_of(start)
    return Finding(
        contribution.rule,
        line,
        start - context.text.line_start(line) + 1,
        contribution.outcome,
        contribution.told,
        contribution.evidence,
    )


def _applied(context: FileContext, parts: Mapping[str, Part]) -> dict[str, str] | None:
    """The texts that parts leave; None when they overlap, or the gate stops one."""
    texts: dict[str, str] = {}
    for module, part in parts.items():
        there = context.where_it_is(module)
        before = Version(there.text, there.tree.root)
        try:
            texts[module] = Gate(before).changed(before, part.edits).text.text
        except (ValueError, Refused):
            return None
    return texts
