"""Makes the proof of one project: it is run as it is and migrated, under both sets of defaults."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

from guides import script_of
from migration_tool import Tool
from pinned_sources import copy_tree
from proof_projects import GUIDE_NEEDS, Guide, TestSuite
from proof_runs import (
    Defaults,
    ScriptRun,
    SetUpFailed,
    SuiteRun,
    environment,
    run_script,
    run_suite,
)


@dataclasses.dataclass(frozen=True, slots=True)
class Proof:
    """The four runs of a project, and what the migration did.

    Args:
        runs: as it is under graph and tree defaults, migrated under graph and tree defaults.
        lost: what worked at first and does not in the migrated copy.
    """

    name: str
    required: bool
    runs: tuple[str, str, str, str]
    rewritten: int
    pinned: int
    manual: int
    lost: tuple[str, ...]

    def row(self) -> tuple[object, ...]:
        """The project's line in the table."""
        restored = "yes" if not self.lost else "**no**" if self.required else "no"
        edits = (self.rewritten, self.pinned, self.manual)
        return (self.name, *self.runs[:2], *edits, *self.runs[2:], restored)


@dataclasses.dataclass(frozen=True, slots=True)
class Bench:
    """What every proof is made with.

    Args:
        work: folder outside the repository, for environments and copies.
        seconds: the most that one run may take.
    """

    tool: Tool
    work: Path
    seconds: float


def prove_suite(suite: TestSuite, source: Path, bench: Bench) -> Proof:
    """Run a project's tests four times, on copies of its source.

    Raises:
        SetUpFailed: its environment could not be made.
        ToolFailed: `nnx-migrate` crashed.
    """
    python = environment(bench.work / "environments", suite.needs)
    tests = suite.found_in(source)

    def run(project: Path, defaults: Defaults) -> SuiteRun:
        given = [*tests, *(("-k", suite.select) if suite.select else ())]
        return run_suite(python, project, suite.import_from, given, defaults, bench.seconds)

    with tempfile.TemporaryDirectory(dir=bench.work) as scratch:
        before = copy_tree(source, Path(scratch, "before"))
        after = copy_tree(source, Path(scratch, "after"))
        counts = _migrate(bench.tool, after)
        runs = [run(folder, mode) for folder in (before, after) for mode in Defaults]
    migrated = dict(zip((mode.value for mode in Defaults), runs[2:], strict=True))
    lost = [
        f"{name}: {one.outcomes.get(name, 'not run')} when migrated, {mode}"
        for mode, one in migrated.items()
        for name in sorted(runs[0].passed - one.passed)
    ]
    if not runs[0].passed:
        lost.append("nothing passes as it is, so there is nothing to show")
    said = (str(runs[0]), str(runs[1]), str(runs[2]), str(runs[3]))
    return Proof(suite.name, suite.required, said, *counts, tuple(lost))


def prove_guide(guide: Guide, source: Path, bench: Bench) -> Proof:
    """Run a guide four times as a script; what it shows of a project is migrated with it.

    Raises:
        SetUpFailed: its environment could not be made, or it is not the document that was meant.
        ToolFailed: `nnx-migrate` crashed.
    """
    python = environment(bench.work / "environments", GUIDE_NEEDS)
    with tempfile.TemporaryDirectory(dir=bench.work) as scratch:
        folders = [Path(scratch, side) for side in ("before", "after")]
        scripts = [_lay_out(guide, source, folder) for folder in folders]
        counts = _migrate(bench.tool, folders[1])
        runs = [
            run_script(
                python,
                script,
                mode,
                bench.seconds,
                folder / guide.import_from,
                in_float64=guide.in_float64,
            )
            for script, folder in zip(scripts, folders, strict=True)
            for mode in Defaults
        ]
    said = tuple(_said(one, runs[0]) for one in runs)
    lost = [
        f"{line} when migrated, {mode.value}"
        for one, mode in zip(runs[2:], Defaults, strict=True)
        for line in _lost(one, runs[0])
    ]
    if runs[0].error:
        lost.append("it does not run as it is, so there is nothing to show")
    return Proof(
        guide.name, guide.required, (said[0], said[1], said[2], said[3]), *counts, tuple(lost)
    )


def _lay_out(guide: Guide, source: Path, folder: Path) -> Path:
    """Put the guide's script, and the project that it shows, into a folder; return the script."""
    if guide.project:
        copy_tree(source, folder)
        script = folder / Path(guide.document).with_suffix(".py")
    else:
        folder.mkdir()
        script = folder / f"{guide.name}.py"
    text = script_of(source / guide.document, guide.without_last)
    for old, new in guide.instead:
        if old not in text:
            raise SetUpFailed(f"{guide.document} does not say {old!r}")
        text = text.replace(old, new)
    script.write_text(text, encoding="utf-8")
    return script


def _said(run: ScriptRun, first: ScriptRun) -> str:
    if run.error:
        return run.error
    others = run.differences(first)
    return f"runs, other {', '.join(others)}" if others else "runs"


def _lost(run: ScriptRun, first: ScriptRun) -> list[str]:
    if run.error:
        return [run.error]
    return [f"{name}: {line}" for name, line in run.differences(first).items()]


def _migrate(tool: Tool, folder: Path) -> tuple[int, int, int]:
    report = tool.apply(folder, ["."])
    found = [finding["outcome"] for file in report["files"] for finding in file["findings"]]
    rewritten = found.count("rewritten") + found.count("rewritten-checked")
    pinned = found.count("pinned") + found.count("pinned-mid")
    return rewritten, pinned, found.count("manual")
