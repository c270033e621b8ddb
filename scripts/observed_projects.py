"""Measures on real projects what observed facts give, what they cost, and when they are wrong.

    python scripts/observed_projects.py --source datarax=DIR   # rewrites tables of docs/observe.md
    python scripts/observed_projects.py --only "cax tests" --pairs 2 --print    # writes no page
    python scripts/observed_projects.py --only nmn --source nmn=DIR --keep rows.json  # gathers rows
    python scripts/observed_projects.py --from rows.json                        # writes them

Of each project: the tests run as they are and under `nnx-migrate observe`, in turn, for the CPU
seconds of both; the project is migrated without facts, and with those of all tests, and the tests
run in both modes of the second; then with the facts of every second test file, and all tests run
again. What fails in that run and not in the others broke because half of the tests were not seen.
A place that half of the tests settle, and that the facts of all of them leave in graph mode or to a
person, was settled wrongly. Of a suite in one file every second test is taken instead.
Exit status: 0, or 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from marked_text import markdown_table, replace_marked
from observed_suites import MORE_SUITES
from pinned_sources import NotToBeHad, unpacked
from proof_projects import TEST_SUITES, TestSuite
from proof_runs import Defaults, SetUpFailed, SuiteRun, environment, run_suite

from nnx_migrate.sources.facts.observed_facts import digest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "observe.md"
CACHE = ROOT / ".cache" / "sources"
WORK = Path(tempfile.gettempdir()) / "nnx-migrate-proof"
SECONDS = 3000.0
GIVEN = (
    "project",
    "facts",
    "#rewritten",
    "#checked when traced",
    "#pinned",
    "#manual",
    "#same by runs",
    "native",
)
HELD = (
    "project",
    "#tests that pass",
    "default, with facts",
    "flipped, with facts",
    "#places by half of the tests",
    "#of them wrong",
    "broken by the other half",
    "CPU plain",
    "CPU observed",
    "more",
)


@dataclasses.dataclass(frozen=True, slots=True)
class Planned:
    """What a migration makes of a project.

    Args:
        outcomes: how many places end how.
        by_runs: places that count on what runs have shown, by file, line and rule, and their
            outcomes.
        left: places with a finding that stays in graph mode, or with a person.
        transforms: how many there are.
        native: how many of them are in neither graph mode nor mid mode.
    """

    outcomes: Counter[str]
    by_runs: dict[str, str]
    left: frozenset[str]
    transforms: int
    native: int

    @property
    def share(self) -> str:
        """That of native transforms, in words."""
        percent = 100 * self.native / self.transforms if self.transforms else 0
        return f"{self.native} of {self.transforms} ({percent:.0f} %)"


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """What was found of one project."""

    name: str
    without: Planned
    with_facts: Planned
    held_out: Planned
    before: SuiteRun
    after: dict[Defaults, SuiteRun]
    after_held_out: dict[Defaults, SuiteRun]
    plain: list[float]
    observed: list[float]

    def given(self) -> Iterator[tuple[str, ...]]:
        """Rows of the first table."""
        plans = (("none", self.without), ("half of the tests", self.held_out))
        for told, plan in (*plans, ("all tests", self.with_facts)):
            counts = plan.outcomes
            same = sum(outcome == "same" for outcome in plan.by_runs.values())
            numbers = (
                counts["rewritten"],
                counts["rewritten-checked"],
                counts["pinned"] + counts["pinned-mid"],
                counts["manual"],
                same,
            )
            yield (self.name, told, *map(str, numbers), plan.share)

    def wrong(self) -> tuple[str, ...]:
        """The places that half of the tests settle, and all of them do not."""
        kept = self.with_facts.left
        return tuple(sorted(place for place in self.held_out.by_runs if place in kept))

    def held(self) -> tuple[str, ...]:
        """The row of the second table."""
        lost = {mode: self.before.passed - run.passed for mode, run in self.after.items()}
        broken = {
            name
            for mode, run in self.after_held_out.items()
            for name in self.before.passed - run.passed - lost[mode]
        }
        plain, observed = statistics.median(self.plain), statistics.median(self.observed)
        return (
            self.name,
            str(len(self.before.passed)),
            *(_told(lost[mode]) for mode in Defaults),
            str(len(self.held_out.by_runs)),
            str(len(self.wrong())),
            f"{len(broken)} tests" if broken else "none",
            f"{plain:.0f} s",
            f"{observed:.0f} s",
            f"{100 * (observed / plain - 1):+.1f} %",
        )


def _told(lost: frozenset[str]) -> str:
    return f"{len(lost)} fail" if lost else "all pass"


@dataclasses.dataclass(frozen=True, slots=True)
class Bench:
    """Where a project is measured.

    Args:
        suite: it.
        source: its files, which stay as they are.
        python: an interpreter with what it needs.
        folder: takes copies.
    """

    suite: TestSuite
    source: Path
    python: Path
    folder: Path

    def copy(self, name: str) -> Path:
        """A fresh copy of the project."""
        target = self.folder / name
        shutil.rmtree(target, ignore_errors=True)
        ignored = shutil.ignore_patterns(".git", "__pycache__", ".venv")
        shutil.copytree(self.source, target, symlinks=True, ignore=ignored)
        return target

    def run(self, project: Path, defaults: Defaults) -> SuiteRun:
        """The tests in a copy."""
        tests = self.suite.found_in(project)
        return run_suite(self.python, project, self.suite.import_from, tests, defaults, SECONDS)

    def observe(self, project: Path, facts: Path, tests: Sequence[str]) -> None:
        """The facts of some tests."""
        command = [sys.executable, "-m", "nnx_migrate", "observe", "--fresh", "--out", str(facts)]
        self._pytest(project, tests, ["--", *self._words()], before=command)

    def tests(self, project: Path, tests: Sequence[str]) -> list[str]:
        """The names of the tests, as pytest takes them."""
        listed = self._pytest(project, tests, [*self._words(), "--collect-only"])
        return [line for line in listed.splitlines() if "::" in line]

    def _words(self) -> list[str]:
        words = [str(self.python), "-m", "pytest", "-q", "-o", "addopts="]
        return [*words, "-p", "no:cacheprovider"]

    def _pytest(
        self, project: Path, tests: Sequence[str], words: Sequence[str], before: Sequence[str] = ()
    ) -> str:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("NNX_")}
        steady = {"JAX_PLATFORMS": "cpu", "MPLBACKEND": "Agg", "PYTHONHASHSEED": "0"}
        steady |= {"PYTHONDONTWRITEBYTECODE": "1"}
        steady |= {"PYTHONPATH": str(project / self.suite.import_from)}
        done = subprocess.run(
            [*before, *words, *tests],
            cwd=project,
            env={**kept, **steady},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        return done.stdout

    def plan(self, project: Path, facts: Path | None) -> Planned:
        """Migrates a copy in place."""
        given = ["--facts", str(facts)] if facts is not None else []
        words = ["apply", ".", "--no-journal", "--output-format", "json", *given]
        report = json.loads(_tool(project, words))
        findings = [
            (f"{file['path']}:{each['line']}:{each['rule']}", each)
            for file in report["files"]
            for each in file["findings"]
        ]
        by_runs = {
            place: each["outcome"]
            for place, each in findings
            if each["outcome"] in ("rewritten", "rewritten-checked", "same")
            and any(evidence["proof"] == "observed" for evidence in each["evidence"])
        }
        unsettled = ("pinned", "pinned-mid", "manual")
        left = frozenset(place for place, each in findings if each["outcome"] in unsettled)
        pins: dict[str, Any] = json.loads(_tool(project, ["pins", ".", "--format", "json"]))
        outcomes = Counter(each["outcome"] for _, each in findings)
        return Planned(outcomes, by_runs, left, pins["transforms"], pins["native"])


def _tool(folder: Path, words: Sequence[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "nnx_migrate", *words], cwd=folder, capture_output=True, text=True
    )
    if not done.stdout:
        raise SetUpFailed(f"nnx-migrate {words[0]}: {done.stderr[-400:]}")
    return done.stdout


def measure(suite: TestSuite, source: Path, python: Path, pairs: int) -> Measured:
    """Measures a project.

    Args:
        suite: it.
        source: its files.
        python: an interpreter with what it needs.
        pairs: how often its tests run as they are, and observed.

    Raises:
        SetUpFailed: the tool does not run on it.
    """
    with tempfile.TemporaryDirectory(prefix="nnx-migrate-") as name:
        bench = Bench(suite, source.resolve(), python, Path(name).resolve())
        facts = bench.folder / "facts.json"
        project = bench.copy("seen")
        tests = suite.found_in(project)
        plain, observed = [], []
        for _ in range(pairs):
            began = _cpu()
            before = bench.run(project, Defaults.GRAPH)
            between = _cpu()
            bench.observe(project, facts, tests)
            plain.append(between - began)
            observed.append(_cpu() - between)
        if not before.passed:
            raise SetUpFailed(f"none of its tests passes: {before}")
        parts = _files(project, tests)
        if len(parts) == 1:
            parts = bench.tests(project, tests)
        held_facts = bench.folder / "held.json"
        bench.observe(project, held_facts, parts[::2])
        # Facts name their root by the way from their own folder.
        plans: dict[str, Planned] = {}
        runs: dict[str, dict[Defaults, SuiteRun]] = {}
        known: dict[str, dict[Defaults, SuiteRun]] = {}
        for told, given in (("without", None), ("all", facts), ("half", held_facts)):
            project.rename(bench.folder / "kept")
            bench.copy("seen")
            plans[told] = bench.plan(project, given)
            if given is not None:
                # Where half of the tests say what all of them do, the code is the same.
                state = _state(project)
                if state not in known:
                    known[state] = {mode: bench.run(project, mode) for mode in Defaults}
                runs[told] = known[state]
            shutil.rmtree(project)
            (bench.folder / "kept").rename(project)
        return Measured(
            suite.name,
            plans["without"],
            plans["all"],
            plans["half"],
            before,
            runs["all"],
            runs["half"],
            plain,
            observed,
        )


def _state(project: Path) -> str:
    """The digest of the Python files and notebooks of a copy."""
    files = sorted(file for kind in ("*.py", "*.ipynb") for file in project.rglob(kind))
    parts = [f"{file.relative_to(project)} {digest(file)}" for file in files]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _files(project: Path, tests: Sequence[str]) -> list[str]:
    """The test files behind what pytest is given."""
    found: list[str] = []
    for each in tests:
        path = project / each
        files = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
        found += [str(file.relative_to(project)) for file in files]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--source", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--python", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--only", nargs="*", metavar="NAME")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--print", action="store_true", help="write no page")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="add the rows to FILE (JSON)")
    parser.add_argument(
        "--from", dest="kept", nargs="+", type=Path, metavar="FILE", help="write these rows"
    )
    options = parser.parse_args(arguments)
    sources = dict(each.split("=", 1) for each in options.source)
    pythons = dict(each.split("=", 1) for each in options.python)
    given: list[Sequence[str]] = []
    held: list[Sequence[str]] = []
    if options.kept is not None:
        for file in options.kept:
            rows = json.loads(file.read_text())
            given += rows["given"]
            held += rows["held"]
    else:
        for suite in (*TEST_SUITES, *MORE_SUITES):
            if options.only is not None and suite.name not in options.only:
                continue
            if suite.pin is None and suite.name not in sources:
                print(f"{suite.name}: {suite.why_a_source}; give --source {suite.name}=DIR")
                continue
            try:
                source = (
                    Path(sources[suite.name])
                    if suite.name in sources or suite.pin is None
                    else unpacked(suite.pin, CACHE)
                )
                python = pythons.get(suite.name) or environment(WORK, suite.needs)
                measured = measure(suite, source, Path(python), options.pairs)
            except (NotToBeHad, SetUpFailed) as error:
                print(f"{suite.name}: {error}")
                continue
            given += measured.given()
            held.append(measured.held())
            print("\n".join(map(str, [*measured.given(), measured.held()])), flush=True)
            print("\n".join(f"wrong by half: {place}" for place in measured.wrong()))
            if options.keep is not None:
                options.keep.write_text(json.dumps({"given": given, "held": held}))
    text = f"{markdown_table(GIVEN, given)}\n\n{markdown_table(HELD, held)}"
    if options.print or options.keep is not None:
        print(text)
    else:
        replace_marked(PAGE, "scripts/observed_projects.py", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
