"""Runs that tell only of what is new: what no baseline knows, and what stands on changed lines."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Sequence
from pathlib import Path

from nnx_migrate.cli.baseline.options import BaselineOptions
from nnx_migrate.cli.output.emit import report_of
from nnx_migrate.core.findings import Outcome
from nnx_migrate.core.totals import RunResult
from nnx_migrate.engine.narrowed import Keeps, narrowed
from nnx_migrate.report.text import plural, printable
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.documents.kinds import is_document
from nnx_migrate.sources.python_text import parse
from nnx_migrate.sources.walk.scanning import read_file


def only_new(run: RunResult, baseline: BaselineOptions, paths: Sequence[Path]) -> RunResult:
    """The findings that are not known yet, and on lines that changed.

    Args:
        run: wrote nothing.
        baseline: what is known.
        paths: as they were named.

    Raises:
        ConfigError: the baseline cannot be read, or there is no such commit.
    """
    if baseline.baseline is not None:
        run = _unknown(run, baseline.baseline)
    if baseline.diff_base is not None:
        run = narrowed(run, _on_changed_lines(run, baseline.diff_base, paths))
    return run


def write_baseline(run: RunResult, file: Path) -> None:
    """Write the file that knows all findings of a run.

    Raises:
        ConfigError: it cannot be written.
    """
    from nnx_migrate.report.baseline.baseline import render_baseline
    from nnx_migrate.sources.own_folder import put_file

    report = report_of(run, written=False)
    try:
        put_file(file, render_baseline(report).encode(), [report.root])
    except OSError as error:
        raise ConfigError(f"--write-baseline {file}: {error.strerror or error}") from None
    known = sum(f.outcome is not Outcome.SAME for each in run.results for f in each.findings)
    print(
        f"baseline: {plural(known, 'finding')} written to {printable(str(file))}", file=sys.stderr
    )


def _unknown(run: RunResult, file: Path) -> RunResult:
    from nnx_migrate.report.baseline.baseline import BadBaseline, fingerprints_of, read_baseline

    try:
        known = read_baseline(read_file(file))
    except (OSError, BadBaseline) as error:
        hint = "; --write-baseline makes one" if isinstance(error, FileNotFoundError) else ""
        why = (error.strerror if isinstance(error, OSError) else "") or str(error)
        raise ConfigError(f"--baseline {file}: {why}{hint}") from None
    names = fingerprints_of(report_of(run, written=False))
    left_out = sum(name in known for name in names.values())
    print(f"baseline: {plural(left_out, 'known finding')} left out", file=sys.stderr)
    return narrowed(run, lambda path, place: names.get((path, place)) not in known)


def _on_changed_lines(run: RunResult, revision: str, paths: Sequence[Path]) -> Keeps:
    from nnx_migrate.sources.walk.changed_lines import ChangedLines, NoSuchBase

    first = paths[0]
    try:
        changed = ChangedLines(first if first.is_dir() else first.parent, revision)
    except NoSuchBase as error:
        raise ConfigError(f"--diff-base {revision}: {error}") from None
    results = {result.path: result for result in run.results}

    @functools.cache
    def read(path: Path) -> tuple[bytes, ast.Module | None]:
        data = results[path].before or _bytes(path)
        return data, None if is_document(path) else _tree(data)

    def keeps(path: Path, place: int | None) -> bool:
        data, tree = read(path)
        line = results[path].findings[place].line if place is not None else 0
        if not line:  # what is said of a file as a whole is new where any of its lines is
            return changed.touches(path, data, 1, sys.maxsize)
        return changed.touches(path, data, *_around(tree, line))

    return keeps


def _around(tree: ast.Module | None, line: int) -> tuple[int, int]:
    """The lines of what stands on one: a statement, or a function whose decorators are there."""
    best = (line, line)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.stmt):
            continue
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(each.lineno for each in decorators)])
        last = node.end_lineno or node.lineno
        body = getattr(node, "body", None)
        if body and not (decorators and line < node.lineno):
            last = body[0].lineno - 1  # of a block its header counts: it has statements of its own
        if first <= line <= last:
            best = (first, max(last, line))
    return best


def _tree(data: bytes) -> ast.Module | None:
    try:
        return parse(data.decode("utf-8-sig", "replace"))
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return None


def _bytes(path: Path) -> bytes:
    try:
        return read_file(path)
    except OSError:
        return b""
