"""The rounds of a campaign: plan, check, and pin what differs, until nothing does."""

from __future__ import annotations

import dataclasses
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from nnx_migrate.campaign.blame import Blame, blamed, unverified
from nnx_migrate.campaign.places import Place, places_of
from nnx_migrate.check.cases.inputs import CannotCheck
from nnx_migrate.check.cases.notebooks import write_twin
from nnx_migrate.check.child_process import exit_code_of, variables_for
from nnx_migrate.check.copies import copy_tree
from nnx_migrate.check.jobs import Mode, Side, SideName
from nnx_migrate.check.report import CheckReport
from nnx_migrate.check.run import CheckRequest, run_check, state_folder
from nnx_migrate.check.settings import CheckSettings
from nnx_migrate.check.trees import side_at
from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.core.pins import KeptPlace
from nnx_migrate.core.totals import RunResult, count
from nnx_migrate.report.text import plural

#: Plans the project with places that are pinned, by file, and writes nothing.
Planner = Callable[[Mapping[Path, tuple[KeptPlace, ...]]], RunResult]
#: Is told what is done now.
Teller = Callable[[str], None]
#: Then all places that are left in the files behind a difference are put back at once.
_MOST_ROUNDS = 12
_IN_NOTEBOOK = "no proof says that it may be rewritten, and nothing can run the code of this file"


@dataclasses.dataclass(frozen=True, slots=True)
class Settled:
    """What a campaign came to.

    Args:
        result: the plan, files that were put back whole as they were.
        report: the last check of it; None where nothing was to be checked.
        places: all places of the plan.
        put_back: places that were pinned for what a check found, and why.
        left: files that were put back whole, by name.
        rounds: how many there were.
        suite: by mode, the exit code of the command on the migrated tree.
    """

    result: RunResult
    report: CheckReport | None
    places: tuple[Place, ...]
    put_back: Mapping[tuple[str, int], str]
    left: frozenset[str]
    rounds: int
    suite: Mapping[Mode, int]

    @property
    def changed(self) -> dict[Path, FileResult]:
        """The files that change."""
        return {each.path: each for each in self.result.results if each.before != each.after}


def settle(
    root: Path,
    plan: Planner,
    command: Sequence[str],
    settings: CheckSettings,
    tell: Teller,
    *,
    jobs: int = 1,
) -> Settled:
    """Finds what of a plan holds; nothing in the tree changes.

    Args:
        root: the tree.
        plan: plans it.
        command: what calls the code.
        settings: how it is checked.
        tell: is told of each step.
        jobs: cases that are checked at once.

    Raises:
        CannotCheck: the command cannot be run.
    """
    with tempfile.TemporaryDirectory(prefix="nnx-migrate-", ignore_cleanup_errors=True) as folder:
        trial = _Trial(root, Path(folder).resolve(), tuple(command), settings, jobs)
        return _settle(trial, plan, tell)


def _settle(trial: _Trial, plan: Planner, tell: Teller) -> Settled:
    put_back: dict[tuple[str, int], str] = {}
    left: frozenset[str] = frozenset()
    report: CheckReport | None = None
    number = 0
    while True:
        number += 1
        tell(f"round {number}: planning")
        result = _without(plan(_kept(trial.root, put_back)), trial.root, left)
        places = places_of(result.results, trial.root)
        # What no proof carries has to be checked.
        unseen = {p.at for p in places if p.file not in left and _cannot_be_checked(p)}
        if unseen:
            left |= {file for file, _ in unseen & put_back.keys()}
            put_back |= dict.fromkeys(unseen, _IN_NOTEBOOK)
            continue
        changing = [p for p in places if p.changes and p.can_run and p.file not in left]
        if not changing:
            report = None
            break
        tell(f"round {number}: checking {plural(len(changing), 'place')}")
        report = trial.check(result, changing)
        blame = _blame(report, changing, result, trial.root, wide=number > _MOST_ROUNDS)
        if not blame:
            break
        # A place that is not pinned although it should be keeps its file from being written.
        left |= blame.files | {place.file for place in blame.places if place.at in put_back}
        put_back |= {place.at: why for place, why in blame.places.items()}
    suite: dict[Mode, int] = {}
    if any(each.before != each.after for each in result.results):
        modes: tuple[Mode, ...] = ("graph", "tree")
        for mode in modes:
            tell(f"running the command on the migrated tree in {mode} mode")
            suite[mode] = trial.exit_code(result, mode)
    return Settled(result, report, places, put_back, left, number, suite)


def _cannot_be_checked(place: Place) -> bool:
    return place.changes and place.is_unproved and not place.can_run


def _blame(
    report: CheckReport, changing: Sequence[Place], result: RunResult, root: Path, *, wide: bool
) -> Blame:
    changed = frozenset(
        each.path.resolve().relative_to(root).as_posix()
        for each in result.results
        if each.before != each.after
    )
    found = blamed(report.cases, changing, changed) or unverified(report.cases, changing)
    if wide and found:
        files = {place.file for place in found.places}
        more = {p: next(iter(found.places.values())) for p in changing if p.file in files}
        return dataclasses.replace(found, places={**more, **found.places})
    return found


def _kept(root: Path, put_back: Mapping[tuple[str, int], str]) -> dict[Path, tuple[KeptPlace, ...]]:
    found: dict[Path, tuple[KeptPlace, ...]] = {}
    for (file, line), why in put_back.items():
        found[root / file] = (*found.get(root / file, ()), KeptPlace(line, why))
    return found


def _without(result: RunResult, root: Path, left: frozenset[str]) -> RunResult:
    """The plan with files as they were that are put back whole."""
    results = [
        dataclasses.replace(
            each,
            status=FileStatus.REVERTED,
            after=each.before,
            edits=(),
            reason="the migrated file computes something else, and no single place explains it",
        )
        if each.path.resolve().relative_to(root).as_posix() in left
        else each
        for each in result.results
    ]
    return dataclasses.replace(
        result, results=tuple(results), totals=count(results, result.totals.looked_at)
    )


@dataclasses.dataclass
class _Trial:
    """The migrated tree of a round, in a folder of its own.

    Args:
        root: the user's tree.
        folder: takes copies.
        command: what calls the code.
        settings: how it is checked.
        jobs: cases that are checked at once.
    """

    root: Path
    folder: Path
    command: tuple[str, ...]
    settings: CheckSettings
    jobs: int
    recorded: frozenset[str] = frozenset()

    def check(self, result: RunResult, changing: Sequence[Place]) -> CheckReport:
        """Checks a plan: the command runs where functions change that it was not recorded for."""
        notebooks = {place.file for place in changing if place.twin}
        new = self._migrated(result, "new", notebooks)
        old = side_at("old", self.root, self.settings.roots)
        if notebooks:
            old = self._side("old", self._copied("old"), notebooks)
        names = frozenset(place.name for place in changing)
        again = not names <= self.recorded
        self.recorded |= names
        also = {place.runs_as for place in changing}
        request = CheckRequest(
            dataclasses.replace(self.settings, cases=(), command=self.command if again else ()),
            recording=state_folder() / "campaign.sqlite",
            jobs=self.jobs,
            also=tuple(sorted(also)),
        )
        return run_check(old, new, request)

    def exit_code(self, result: RunResult, mode: Mode) -> int:
        """That of the command on the migrated tree."""
        side = self._migrated(result, mode)
        try:
            given = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
            return exit_code_of(self.command, side.top, variables_for(side, mode, given))
        except OSError as error:
            raise CannotCheck(f"cannot run {self.command[0]}: {error.strerror}") from None

    def _migrated(self, result: RunResult, name: str, notebooks: Iterable[str] = ()) -> Side:
        target = self._copied(name)
        for each in result.results:
            if each.before != each.after:
                (target / each.path.resolve().relative_to(self.root)).write_bytes(each.after)
        return self._side("new", target, notebooks)

    def _copied(self, name: str) -> Path:
        target = self.folder / name / (self.root.name or "tree")
        if target.exists():
            shutil.rmtree(target)
        copy_tree(self.root, target, self.settings.data)
        return target

    def _side(self, name: SideName, target: Path, notebooks: Iterable[str]) -> Side:
        """A copy of the tree, with modules of the code of notebooks."""
        for each in notebooks:
            write_twin(target / each)
        side = side_at(name, target, self.settings.roots)
        return dataclasses.replace(side, places=(self.root, target))
