"""The tool applied to one project in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from nnx_migrate.analysis.facts import Analyses
from nnx_migrate.analysis.ir.build import index_module
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.core.findings import FileResult, Outcome
from nnx_migrate.engine.migrate import plan
from nnx_migrate.rewrite.model.context import Readable
from nnx_migrate.sources.configuration import Options
from nnx_migrate.sources.text import decode
from tests.golden.cases import Expectation


def options_for(expectation: Expectation) -> Options:
    """The options that a case asks for."""
    select = frozenset(expectation.select) if expectation.select else None
    return Options(select=select, unsafe=expectation.unsafe)


def migrate_tree(files: Mapping[str, bytes], options: Options) -> dict[str, FileResult]:
    """Migrates a project of several files, all of them or none.

    Args:
        files: path relative to the import root ("pkg/nets.py") -> bytes.
        options: what the tool is told.

    Returns:
        A result for each path.

    Raises:
        UndecodableSource, SyntaxError: a file is no Python source.
    """
    sources = {name: decode(Path(name), data) for name, data in files.items()}
    indexes = {name: index_module(source, _module(name)) for name, source in sources.items()}
    project = Project(list(indexes.values()))
    by_module = {_module(name): source for name, source in sources.items()}

    def read(module: str) -> Readable | None:
        return Readable(by_module[module], options) if module in by_module else None

    analyses = Analyses()
    return {
        name: plan(source, _module(name), project, options, analyses, read=read)
        for name, source in sources.items()
    }


def _module(name: str) -> str:
    parts = Path(name).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def count_outcomes(results: Mapping[str, FileResult]) -> dict[str, Counter[str]]:
    """Counts findings.

    Args:
        results: what `migrate_tree` gave.

    Returns:
        Rule -> outcome -> number of findings, over all files.
    """
    counted: dict[str, Counter[str]] = {}
    for result in results.values():
        for finding in result.findings:
            counted.setdefault(finding.rule, Counter())[finding.outcome.value] += 1
    return counted


def wrong_outcomes(expectation: Expectation, results: Mapping[str, FileResult]) -> list[str]:
    """Compares the findings with what a case expects.

    Args:
        expectation: the case's expect.toml.
        results: what `migrate_tree` gave.

    Returns:
        One line for each count that is not as expected, with the findings behind it.
    """
    found = count_outcomes(results)
    wrong = []
    for rule in sorted(found.keys() | expectation.outcomes.keys()):
        expected = expectation.outcomes.get(rule, {})
        for outcome in map(str, Outcome):
            if outcome == "same" and outcome not in expected:
                continue
            actual = found.get(rule, Counter())[outcome]
            if actual != expected.get(outcome, 0):
                count = expected.get(outcome, 0)
                wrong.append(f"{rule}: expected {count} {outcome}, found {actual}")
    if wrong:
        wrong += [
            f"  {name}:{finding.line}: {finding.rule} {finding.outcome}: {finding.message}"
            for name, result in results.items()
            for finding in result.findings
        ]
    return wrong
