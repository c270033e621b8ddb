"""Which files of a tree a case is about, whatever ran in its process before.

A module that one case has imported is there for the next one, which then imports nothing. So the
imports are read, and followed; what is only found while a program runs counts for all cases.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nnx_migrate.check.compare.verdicts import CaseResult
from nnx_migrate.check.jobs import Job, Side


def with_own_files(
    results: Sequence[CaseResult], jobs: Mapping[str, Job], sides: Sequence[Side]
) -> list[CaseResult]:
    """Results with the files of each case alone.

    Args:
        results: their files are all that their processes had imported by then.
        jobs: of the results, by name.
        sides: the trees.
    """
    trees = {side.name: _Tree(side) for side in sides}
    loaded = {str(name): _together(each.files.get(name, ()) for each in results) for name in trees}
    own = [
        {
            str(name): tree.behind(jobs[each.name]) & loaded[name]
            for name, tree in trees.items()
            if name in each.files
        }
        for each in results
    ]
    found = []
    for each, files in zip(results, own, strict=True):
        # Nobody's, by what is written: a plugin that is found by its name, say.
        told = {
            name: tuple(sorted(mine | (loaded[name] - _together(o.get(name, ()) for o in own))))
            for name, mine in files.items()
        }
        found.append(dataclasses.replace(each, files=told if each.files else each.files))
    return found


def _together(several: Iterator[Sequence[str] | set[str]]) -> set[str]:
    return {name for each in several for name in each}


class _Tree:
    def __init__(self, side: Side) -> None:
        self._side = side
        self._behind: dict[Path, frozenset[Path]] = {}
        self._imports: dict[Path, frozenset[Path]] = {}

    def behind(self, job: Job) -> set[str]:
        """The files that a case imports, relative to the side, as far as it is written."""
        if self._side.is_program:
            return {"."}
        if job.kind == "recorded":
            first = self._side.root / job.name.partition(":")[0]
        elif job.kind == "module":
            first = self._side.root / job.entry
        else:
            first = job.file
        seen: set[Path] = set()
        waiting = [first]
        while waiting:
            file = waiting.pop()
            if file not in seen:
                seen.add(file)
                waiting += self._imported(file)
        root = self._side.root
        return {file.relative_to(root).as_posix() for file in seen if file.is_relative_to(root)}

    def _imported(self, file: Path) -> frozenset[Path]:
        if file not in self._imports:
            self._imports[file] = frozenset(self._read(file))
        return self._imports[file]

    def _read(self, file: Path) -> Iterator[Path]:
        try:
            tree = ast.parse(file.read_bytes())
        except (OSError, SyntaxError, ValueError):
            return
        # A script finds what lies beside it.
        roots = [*self._side.import_roots, file.parent]
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from _files_of(roots, alias.name.split("."))
            elif isinstance(node, ast.ImportFrom):
                start = [file.parents[node.level - 1]] if node.level else roots
                parts = node.module.split(".") if node.module else []
                for alias in node.names:
                    yield from _files_of(start, [*parts, alias.name])


def _files_of(roots: Sequence[Path], parts: Sequence[str]) -> Iterator[Path]:
    """The files of a module and of the packages around it; the last part may be a name in one."""
    for root in roots:
        for length in range(len(parts) + 1):
            place = root.joinpath(*parts[:length])
            for file in (place / "__init__.py", place.with_name(f"{place.name}.py")):
                if (length or file.name == "__init__.py") and file.is_file():
                    yield file
