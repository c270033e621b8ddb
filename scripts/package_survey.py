"""Migrates copies of one package and checks everything that can be checked without running it."""

from __future__ import annotations

import ast
import dataclasses
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from migration_tool import Tool
from pinned_sources import Pin, copy_tree

from nnx_migrate.sources.documents.kinds import is_document, read_source

OUTCOMES = ("rewritten", "rewritten-checked", "pinned", "manual", "same")
#: Counted with another one.
WITH = {"pinned-mid": "pinned"}
#: What counts of a line with several findings.
RANK = ("manual", "pinned", "rewritten-checked", "rewritten", "same")
_GRAPH_MODE = re.compile(
    rb"nnx\.compat\b|set_graph_(?:mode|updates)\(True\)|\bgraph(?:_updates)?=True\b"
)
STATUSES = ("changed", "unchanged", "skipped", "failed", "reverted")


@dataclasses.dataclass(frozen=True, slots=True)
class Package:
    """What is migrated of one archive.

    Args:
        paths: the arguments of `apply`, relative to the unpacked archive.
    """

    pin: Pin
    paths: tuple[str, ...] = (".",)


@dataclasses.dataclass(frozen=True, slots=True)
class Survey:
    """What a run over one package found, and which checks did not hold.

    Args:
        files: Python files and notebooks under the paths.
        nnx_files: those that say `nnx`.
        changed: files that were rewritten.
        rules: rule -> outcome -> findings.
        places: outcome -> lines of code; where several findings are of one line, the first of
            `RANK` counts.
        graph_lines: lines that ask for graph mode, before and after.
        undone: "path: reason" of every file that was skipped, failed or reverted.
        problems: checks that do not hold, in words.
    """

    package: Package
    files: int
    nnx_files: int
    changed: int
    rules: Mapping[str, Mapping[str, int]]
    places: Mapping[str, int]
    graph_lines: tuple[int, int]
    undone: tuple[str, ...]
    problems: tuple[str, ...]

    def sites(self, outcome: str) -> int:
        """Number of places that ended in an outcome."""
        return self.places.get(outcome, 0)


def survey(package: Package, source: Path, tool: Tool, scratch: Path) -> Survey:
    """Migrate copies of a package and check the result.

    Args:
        source: the unpacked archive; it is only read.
        scratch: an empty folder for the copies.

    Raises:
        ToolFailed: `nnx-migrate` crashed.
    """
    applied, patched = (_repository(source, scratch / name) for name in ("applied", "patched"))
    # The patch and what is written come from one plan, which takes most of the time.
    tool = tool.keeping(scratch / "kept")
    original = _contents(applied)
    patch = tool.patch(applied, package.paths)
    problems = [f"--diff changed {name}" for name in _differences(original, _contents(applied))]
    report = tool.apply(applied, package.paths)
    after = _contents(applied)
    problems += _report_problems(report, _differences(original, after), applied)
    problems += _unparsable(original, after)
    problems += _second_run_problems(tool, applied, package.paths, after)
    problems += _patch_problems(patch, patched, after)
    python = [name for name in original if _is_python(name, package.paths)]
    return Survey(
        package,
        files=len(python),
        nnx_files=sum(b"nnx" in original[name] for name in python),
        changed=sum(file["status"] == "changed" for file in report["files"]),
        rules=_count(report),
        places=_places(report),
        graph_lines=(_graph_lines(original, python), _graph_lines(after, python)),
        undone=tuple(_undone(report, applied)),
        problems=tuple(problems),
    )


def _repository(source: Path, target: Path) -> Path:
    """Copy a package into a repository of its own, so that a patch is relative to its root."""
    copy_tree(source, target)
    subprocess.run(["git", "init", "--quiet", str(target)], check=True)
    return target


def _contents(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }


def _differences(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[str]:
    return sorted(
        name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
    )


def _is_python(name: str, paths: Sequence[str]) -> bool:
    inside = any(path == "." or name.startswith(path + "/") for path in paths)
    return inside and name.endswith((".py", ".pyi", ".ipynb"))


def _report_problems(report: Any, changed: Sequence[str], root: Path) -> Iterator[str]:
    for file in report["files"]:
        if file["status"] not in STATUSES:
            yield f"{file['path']}: no such status: {file['status']}"
        for finding in file["findings"]:
            if finding["rule"] == "internal-error":
                yield f"{file['path']}: internal error: {file['reason']}"
            if _outcome(finding) not in OUTCOMES:
                yield f"{file['path']}:{finding['line']}: no outcome: {finding['outcome']!r}"
    claimed = sorted(_name(file, root) for file in report["files"] if file["status"] == "changed")
    if claimed != list(changed):
        yield f"reported as changed {claimed}, but changed on disk {list(changed)}"


def _name(file: Any, root: Path) -> str:
    path = Path(root, file["path"]).resolve()
    return path.relative_to(root.resolve()).as_posix()


def _unparsable(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterator[str]:
    for name in _differences(before, after):
        try:
            path, data = Path(name), after.get(name, b"")
            ast.parse(read_source(path, data).text if is_document(path) else data, name)
        except (SyntaxError, ValueError) as error:
            yield f"{name} does not parse any more: {error}"


def _second_run_problems(
    tool: Tool, root: Path, paths: Sequence[str], written: Mapping[str, bytes]
) -> Iterator[str]:
    for file in tool.apply(root, paths)["files"]:
        if file["status"] == "changed":
            yield f"a second run says that it changed {_name(file, root)}"
    for name in _differences(written, _contents(root)):
        yield f"a second run changed {name}"


def _patch_problems(patch: bytes, root: Path, written: Mapping[str, bytes]) -> Iterator[str]:
    if patch:
        for command in (["git", "apply", "--check"], ["git", "apply"]):
            done = subprocess.run(
                [*command, "--whitespace=nowarn", "-"], cwd=root, input=patch, capture_output=True
            )
            if done.returncode != 0:
                yield f"{' '.join(command)}: {done.stderr.decode(errors='replace').strip()}"
                return
    for name in _differences(_contents(root), written):
        yield f"the patch and apply write different bytes into {name}"


def _outcome(finding: Any) -> str:
    """The outcome of a finding; pins of both kinds are counted together."""
    outcome: str = finding["outcome"]
    return WITH.get(outcome, outcome)


def _count(report: Any) -> dict[str, Counter[str]]:
    rules: dict[str, Counter[str]] = {}
    for file in report["files"]:
        for finding in file["findings"]:
            rules.setdefault(finding["rule"], Counter())[
                WITH.get(finding["outcome"], finding["outcome"])
            ] += 1
    return rules


def _places(report: Any) -> Counter[str]:
    found: dict[tuple[str, int], set[str]] = {}
    for file in report["files"]:
        for finding in file["findings"]:
            found.setdefault((file["path"], finding["line"]), set()).add(_outcome(finding))
    return Counter(
        next(outcome for outcome in (*RANK, *here) if outcome in here) for here in found.values()
    )


def _graph_lines(files: Mapping[str, bytes], names: Sequence[str]) -> int:
    """Lines of these files that ask for graph mode."""
    lines = (line for name in names for line in files[name].splitlines())
    return sum(_GRAPH_MODE.search(line) is not None for line in lines)


def _undone(report: Any, root: Path) -> Iterator[str]:
    for file in report["files"]:
        if file["status"] in ("skipped", "failed", "reverted"):
            yield f"{_name(file, root)} ({file['status']}): {file['reason']}"
