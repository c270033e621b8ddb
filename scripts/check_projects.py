"""Checks real code with `nnx-migrate check`, before and after `nnx-migrate apply`.

    # rewrites its part of docs/check-bed.md
    python scripts/check_projects.py --source datarax=DIR --source artifex=DIR
    # prints, writes no page
    python scripts/check_projects.py --only 07_array_leaves

Each project is copied, migrated, and its own entry point (a test suite, a script) is run on the old
copy, where the calls of what the migration touched are recorded. Exit status: 0 nothing is
different, 1 something is, 2 usage.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from marked_text import markdown_table, replace_marked
from migration_tool import installed_tool
from pinned_sources import FLAX_BEFORE_TREE_MODE, NotToBeHad, copy_tree, unpacked
from proof_projects import GUIDE_NEEDS, GUIDES, TEST_SUITES
from proof_runs import SetUpFailed, environment

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "check-bed.md"
CACHE = ROOT / ".cache" / "sources"
WORK = Path(tempfile.gettempdir()) / "nnx-migrate-check"
VERDICTS = ("proved", "equal", "close", "by callers", "different", "not checked")
HEADER = ("project", "command", "#calls", *(f"#{verdict}" for verdict in VERDICTS))
#: Examples of flax 0.12.0 that the migration changes and that end by themselves without a network.
TOYS = tuple(guide.name for guide in GUIDES if guide.document.startswith("examples/nnx_toy"))
NEVER = "never called"
CHECKER = ("--editable", f"{ROOT}[check]")
#: The folder of one run of pytest, on the machine that ran it.
_OF_PYTEST = re.compile(r"/tmp/pytest-of-\w+/pytest-\d+/")


@dataclasses.dataclass(frozen=True, slots=True)
class Project:
    """Something that can be run.

    Args:
        source: its folder, or its one file.
        command: what runs it, behind the interpreter.
        shown: the command as the page has it.
        roots: where its imports start.
        needs: requirements of its environment.
    """

    name: str
    source: Path
    command: tuple[str, ...]
    shown: str
    roots: tuple[str, ...]
    needs: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Checked:
    """What the checker said of a project."""

    project: Project
    report: Mapping[str, Any]

    def row(self) -> tuple[object, ...]:
        """The project's line in the table."""
        counted = Counter(case["verdict"] for case in self.report["cases"])
        calls = len(self.report["cases"])
        counts = (counted[name] for name in VERDICTS)
        return (self.project.name, f"`{self.project.shown}`", calls, *counts)

    def lines(self) -> Iterator[str]:
        """Why calls are not proved, and what else the checker told."""
        for case in self.report["cases"]:
            for column, result in case["columns"].items():
                why = _OF_PYTEST.sub("", result["reason"] or result["proof"])
                if result["verdict"] not in ("proved", "equal", "close"):
                    yield f"{case['name']} {column}: {result['verdict']}: {_short(why)}"
        told = [*self.report["unchecked"], *self.report["remarks"]]
        unmet = [remark for remark in told if remark.endswith(NEVER)]
        functions = sum(remark.count(", ") + 1 for remark in unmet)
        if unmet:
            yield f"{functions} touched functions in {len(unmet)} files {NEVER} by this command"
        yield from (_short(each) for each in told if each not in unmet)


def projects(names: Sequence[str], sources: Mapping[str, Path]) -> Iterator[Project | str]:
    """Yield what is to be checked, or why it cannot be.

    Args:
        names: of toy examples and test suites.
        sources: folders of projects that the package index cannot give.

    Raises:
        DownloadFailed: an archive is not what was pinned.
    """
    for guide in GUIDES:
        if guide.name in names:
            try:
                flax = unpacked(FLAX_BEFORE_TREE_MODE, CACHE)
            except NotToBeHad as error:
                yield f"{guide.name}: {error}"
                continue
            script = flax / guide.document
            needs = (*GUIDE_NEEDS, *CHECKER)
            yield Project(guide.name, script, (script.name,), script.name, (".",), needs)
    for suite in TEST_SUITES:
        if suite.name not in names:
            continue
        try:
            source = unpacked(suite.pin, CACHE) if suite.pin else sources.get(suite.name)
        except NotToBeHad as error:
            yield f"{suite.name}: {error}"
            continue
        if source is None:
            yield f"{suite.name}: {suite.why_a_source}; give --source {suite.name}=DIR"
            continue
        pytest = ("-m", "pytest", "-q", "-o", "addopts=", *suite.found_in(source))
        shown = f"pytest {' '.join(suite.tests)}"
        tools = (*suite.needs, *CHECKER)
        yield Project(suite.name, source, pytest, shown, (suite.import_from,), tools)


def checked(project: Project, work: Path) -> Checked:
    """Migrates a copy and checks it against another.

    Raises:
        SetUpFailed: its environment could not be made.
        ToolFailed: `nnx-migrate apply` crashed.
        RuntimeError: `nnx-migrate check` gave no report.
    """
    python = environment(work / "environments", project.needs)
    with tempfile.TemporaryDirectory(dir=work) as scratch:
        old, new = (_laid_out(project, Path(scratch, side)) for side in ("old", "new"))
        installed_tool().apply(new, ["."])
        command = [str(python.parent / "nnx-migrate"), "check", str(old), str(new), "--no-cache"]
        command += ["--format", "json", *(f"--root={root}" for root in project.roots)]
        # A test folder and its example with eight devices both run on any machine.
        variables = {
            "JAX_PLATFORMS": "cpu",
            "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
            "MPLBACKEND": "Agg",
        }
        done = subprocess.run(
            [*command, "--", str(python), *project.command],
            cwd=scratch,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
        )
    try:
        return Checked(project, json.loads(done.stdout))
    except json.JSONDecodeError:
        raise RuntimeError(f"{project.name}: no report:\n{done.stderr[-2000:]}") from None


def _laid_out(project: Project, folder: Path) -> Path:
    if project.source.is_dir():
        return copy_tree(project.source, folder)
    folder.mkdir()
    (folder / project.source.name).write_bytes(project.source.read_bytes())
    return folder


def page_text(made: Sequence[Checked], skipped: Sequence[str]) -> str:
    """Return the part of docs/check-bed.md that is about real code."""
    parts = [markdown_table(HEADER, (each.row() for each in made))]
    told = [f"- {each.project.name}: {line}" for each in made for line in each.lines()]
    parts += [*(["\n".join(told)] if told else [])]
    parts += [*(["Skipped: " + "; ".join(skipped) + "."] if skipped else [])]
    return "\n\n".join(parts)


def _short(text: str) -> str:
    line = " ".join(text.split()).replace("|", "\\|")
    return line if len(line) <= 220 else line[:217] + "..."


def _arguments() -> argparse.Namespace:
    known = [*TOYS, *(suite.name for suite in TEST_SUITES)]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--source", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=known, default=None)
    parser.add_argument("--work", type=Path, default=WORK, help="for environments and copies")
    arguments = parser.parse_args()
    arguments.names = arguments.only or [*TOYS, "cax tests", "datarax", "artifex"]
    arguments.sources = {}
    for given in arguments.source:
        name, _, folder = given.partition("=")
        if name not in known or not Path(folder).is_dir():
            parser.error(f"--source {given}: no such project, or no such folder")
        arguments.sources[name] = Path(folder).resolve()
    return arguments


def main() -> int:
    """Check the projects and write the page."""
    arguments = _arguments()
    arguments.work.mkdir(parents=True, exist_ok=True)
    made: list[Checked] = []
    skipped: list[str] = []
    for project in projects(arguments.names, arguments.sources):
        if isinstance(project, str):
            skipped.append(project)
            continue
        try:
            made.append(checked(project, arguments.work.resolve()))
        except SetUpFailed as error:
            skipped.append(f"{project.name}: {error}")
            continue
        print(*made[-1].row(), sep=" | ", flush=True)
        print(*made[-1].lines(), sep="\n", flush=True)
    for line in skipped:
        print(f"skipped: {line}", file=sys.stderr)
    if arguments.only:
        print("docs/check-bed.md is left as it was", file=sys.stderr)
    else:
        replace_marked(PAGE, "scripts/check_projects.py", page_text(made, skipped))
    return int(any(each.report["exit_code"] == 1 for each in made))


if __name__ == "__main__":
    sys.exit(main())
