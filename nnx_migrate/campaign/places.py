"""The places that a plan changes, and the functions that they stand in."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from nnx_migrate.check.cases.notebooks import NOTEBOOK, document_of, twin
from nnx_migrate.core.findings import FileResult, Finding, Outcome, Proof

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_REWRITTEN = frozenset({Outcome.REWRITTEN, Outcome.REWRITTEN_CHECKED})


@dataclasses.dataclass(frozen=True, slots=True)
class Function:
    """An outermost function or a method, as a recording names it.

    Args:
        name: "Trainer.step".
        lines: those that it takes up, decorators included.
    """

    name: str
    lines: range


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """A line that a plan does something at.

    Args:
        file: its name from the root, with "/".
        line: 1-based, in the file as it was.
        function: around it; None where it runs at import.
        findings: of the rules.
        twin: of a notebook the module of its code, which runs in its place; its functions are those
            of that module.
    """

    file: str
    line: int
    function: Function | None
    findings: tuple[Finding, ...]
    twin: str = ""

    @property
    def runs_as(self) -> str:
        """The file that a check runs."""
        return self.twin or self.file

    @property
    def name(self) -> str:
        """What a check calls its function: "train.py:Trainer.step", of a file "train.py"."""
        return self.runs_as if self.function is None else f"{self.runs_as}:{self.function.name}"

    @property
    def at(self) -> tuple[str, int]:
        """What it is known by in every round."""
        return self.file, self.line

    @property
    def changes(self) -> bool:
        """Whether it would do something else if the plan were wrong.

        What runs alone show to be the same in both modes is not written, and may differ all the
        same when the default changes.
        """
        return any(
            finding.outcome in _REWRITTEN
            or (finding.outcome is Outcome.SAME and _rests_on_runs(finding))
            for finding in self.findings
        )

    @property
    def can_run(self) -> bool:
        """Whether a check can look at it: it stands in a module, or in a notebook that has one."""
        return self.runs_as.endswith(".py")

    @property
    def is_unproved(self) -> bool:
        """Whether it counts on something that only runs have shown, or that is assumed."""
        return any(
            each.proof in (Proof.OBSERVED, Proof.ASSUMED)
            for finding in self.findings
            if finding.outcome in (*_REWRITTEN, Outcome.SAME)
            for each in finding.evidence
        )

    def ran(self, lines: Mapping[str, Sequence[int]]) -> bool:
        """Whether its function ran.

        Args:
            lines: by file, those that did.
        """
        ran = lines.get(self.runs_as, ())
        return bool(ran) if self.function is None else any(n in self.function.lines for n in ran)


def _rests_on_runs(finding: Finding) -> bool:
    return any(each.proof is Proof.OBSERVED for each in finding.evidence)


def places_of(results: Iterable[FileResult], root: Path) -> tuple[Place, ...]:
    """The places of a plan, in the order of the files.

    Args:
        results: of a run that wrote nothing.
        root: what names of files start from; files elsewhere are left out.
    """
    found: list[Place] = []
    for result in results:
        path = result.path.resolve()
        if not path.is_relative_to(root):
            continue
        by_line: dict[int, list[Finding]] = {}
        for finding in result.findings:
            if finding.line:
                by_line.setdefault(finding.line, []).append(finding)
        if by_line:
            found += _places_in(path, path.relative_to(root).as_posix(), by_line)
    return tuple(found)


def _places_in(path: Path, name: str, by_line: Mapping[int, list[Finding]]) -> Iterator[Place]:
    document = document_of(path) if path.suffix == NOTEBOOK else None
    functions: tuple[Function, ...] = ()
    with contextlib.suppress(OSError):
        if document is not None:
            functions = functions_of(document.source.text)
        elif path.suffix == ".py":
            functions = functions_of(path.read_bytes())
    for line, findings in sorted(by_line.items()):
        inside = line if document is None else document.virtual_line(line)
        around = next((each for each in functions if inside in each.lines), None)
        yield Place(name, line, around, tuple(findings), twin(name) if document is not None else "")


def functions_of(text: str | bytes) -> tuple[Function, ...]:
    """The outermost functions and methods of a file; none where it is no Python.

    Args:
        text: what it has in it.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    return tuple(_functions(tree, ""))


def _functions(node: ast.AST, scope: str) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _FUNCTIONS):
            first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
            last = child.end_lineno or child.lineno
            yield Function(scope + child.name, range(first, last + 1))
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{scope}{child.name}.")
        elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _functions(child, scope)
