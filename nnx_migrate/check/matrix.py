"""Runs the cases of a check through the matrix old@graph, new@graph, new@tree.

Every case is traced in every column; where the hashes of the programs are equal, that is all. What
is left is run with numbers, and what differs by rounding is run once more in float64.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from nnx_migrate.check.branches.sites import Taken
from nnx_migrate.check.compare.case_verdicts import (
    Strictness,
    judge_cancellation,
    judge_probes,
    judge_products,
    judge_programs,
    judge_rounding,
    judge_runs,
)
from nnx_migrate.check.compare.comparison import EXACT, compare
from nnx_migrate.check.compare.files import is_of_files
from nnx_migrate.check.compare.forms import NotDone
from nnx_migrate.check.compare.namespaces import without_new_names
from nnx_migrate.check.compare.verdicts import CaseResult, ColumnResult, Verdict
from nnx_migrate.check.jobs import Column, Job, Method, Probed, Ran, Side, WasTraced, Widened
from nnx_migrate.check.worker import column as worker
from nnx_migrate.check.worker.processes import Pending, Workers

# Beside the largest number of a leaf: what rounding may be at most.
_NEAR = 0.05


def matrix(old: Side, new: Side) -> tuple[Column, Column, Column]:
    """The columns of a check; the first is the reference.

    Args:
        old: the tree before the migration.
        new: the tree after it.
    """
    return Column(old, "graph"), Column(new, "graph"), Column(new, "tree")


def check_jobs(
    jobs: Sequence[Job],
    workers: Workers,
    strictness: Strictness,
    method: Method = Method.PROVE_OR_RUN,
) -> Iterator[CaseResult]:
    """Checks cases.

    Args:
        jobs: the cases.
        workers: running; their first column is the reference.
        strictness: what counts as a difference.
        method: whether cases are proved, run, or first the one and then the other.

    Yields:
        A result for each case, in their order.
    """
    columns = workers.columns
    on_shapes = method is Method.PROVE_ON_SHAPES
    tracer = worker.trace_on_shapes if on_shapes else worker.trace
    tracing = {
        job.name: [workers.submit(tracer, column, job) for column in columns]
        for job in jobs
        if method is not Method.RUN and _can_be_traced(job)
    }
    for column in columns:
        if tracing and not on_shapes:
            workers.submit(worker.refresh, column, jobs[0])
    waiting: list[_Case] = []
    for job in jobs:
        case = _Case(job, workers, strictness)
        if job.name in tracing:
            case.read_programs(tracing[job.name])
        if on_shapes:
            case.leave_unproved()
        else:
            case.ask_for_runs()
        waiting.append(case)
        # A few cases ahead, so that the columns need not wait for each other.
        while waiting and (len(waiting) > 3 or not waiting[0].runs):
            yield waiting.pop(0).finished()
    for case in waiting:
        yield case.finished()


def _may_be_rounding(result: ColumnResult) -> bool:
    """Whether numbers beyond their tolerance are near enough to ask float64 about them."""
    scaled = result.difference.scaled if result.difference is not None else None
    near = scaled is not None and scaled < _NEAR
    return result.verdict is Verdict.DIFFERENT and result.part != "arguments" and near


def _can_be_traced(job: Job) -> bool:
    return job.kind != "module" and job.entry != "drive"


@dataclasses.dataclass
class _Case:
    """A case on its way through the matrix."""

    job: Job
    workers: Workers
    strictness: Strictness
    results: dict[str, ColumnResult] = dataclasses.field(default_factory=dict)
    runs: dict[str, Pending] = dataclasses.field(default_factory=dict)
    stopped: dict[str, NotDone] = dataclasses.field(default_factory=dict)
    seconds: float = 0.0
    files: dict[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    read: dict[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    outside: set[str] = dataclasses.field(default_factory=set)
    lines: dict[str, dict[str, tuple[int, ...]]] = dataclasses.field(default_factory=dict)
    ways: dict[str, tuple[Taken, ...]] = dataclasses.field(default_factory=dict)
    unknown_ways: set[str] = dataclasses.field(default_factory=set)

    @property
    def reference(self) -> Column:
        return self.workers.columns[0]

    @property
    def others(self) -> Sequence[Column]:
        return self.workers.columns[1:]

    def read_programs(self, pending: Sequence[Pending]) -> None:
        """Compares the traced programs of all columns."""
        found = [self.workers.settle(each, WasTraced) for each in pending]
        programs = {}
        for column, traced in zip(self.workers.columns, found, strict=True):
            if isinstance(traced, WasTraced):
                self._note(column, traced)
                programs[column.name] = traced.traced
            else:
                self.stopped[column.name] = programs[column.name] = traced
        for column in self.others:
            self.results[column.name] = judge_programs(
                programs[self.reference.name], programs[column.name], self.strictness
            )

    def leave_unproved(self) -> None:
        """Says why nothing but a run could tell, where there is to be none."""
        for column in self.others:
            result = self.results.get(column.name)
            why = result.proof if result is not None else "the case drives a whole program"
            if result is None or result.verdict is not Verdict.PROVED:
                reason = f"not proved, and --abstract runs nothing: {why}"
                self.results[column.name] = ColumnResult(Verdict.NOT_CHECKED, reason)

    def ask_for_runs(self) -> None:
        """Queues what is not proved."""
        if self.reference.name in self.stopped:
            return
        left = [
            column
            for column in self.others
            if column.name not in self.stopped
            and (
                column.name not in self.results
                or self.results[column.name].verdict is Verdict.NOT_CHECKED
            )
        ]
        for column in [self.reference, *left] if left else []:
            self.runs[column.name] = self.workers.submit(worker.run, column, self.job)

    def finished(self) -> CaseResult:
        """Waits for the runs and judges them."""
        for column in self.others:
            # What hung or crashed while it was traced would do so again.
            for each in (column, self.reference):
                if each.name in self.stopped:
                    reason = f"{each.side.name}: {self.stopped[each.name].reason}"
                    self.results[column.name] = ColumnResult(Verdict.NOT_CHECKED, reason)
        if self.runs:
            # What was traced alone says nothing of the branches that a run took.
            self.ways = {}
            old = self._ran(self.reference)
            for column in self.others:
                if column.name in self.runs:
                    self.results[column.name] = self._judged(column, old)
        if any(result.uncalled for result in self.results.values()):
            called = self._products_called()
            for name, result in self.results.items():
                self.results[name] = judge_products(result, called)
        for column in self.others:
            found = self._of_its_side(self.results[column.name], column)
            told = [f"it writes {path}, outside of its tree" for path in sorted(self.outside)]
            told += (
                f"branches inside traced code were not followed: {why}" for why in self.unknown_ways
            )
            self.results[column.name] = dataclasses.replace(found, notes=(*found.notes, *told))
        return CaseResult(
            self.job.name,
            self.results,
            self.seconds,
            self.files,
            read=self.read,
            lines=self.lines,
            ways=self.ways,
        )

    def _products_called(self) -> Sequence[str]:
        if self.job.kind != "recorded":
            return ()
        from nnx_migrate.check.recording.store import products_called

        return products_called(self.job.file, int(self.job.entry))

    def _of_its_side(self, result: ColumnResult, column: Column) -> ColumnResult:
        """Takes back what was said of a side of which not one file was imported."""
        for side in (self.reference.side, column.side):
            if result.verdict.passes and not self.files.get(side.name):
                reason = (
                    f"no file of {side.name.upper()} was imported, so other code ran (an "
                    "installed package, or a folder on PYTHONPATH); say where imports start with "
                    "--root"
                )
                return ColumnResult(Verdict.NOT_CHECKED, reason, proof=result.proof)
        return result

    def _judged(self, column: Column, old: Ran | NotDone) -> ColumnResult:
        proof = self.results[column.name].proof if column.name in self.results else ""
        new = self._ran(column)
        if isinstance(old, NotDone):
            return ColumnResult(Verdict.NOT_CHECKED, f"old: {old.reason}", proof=proof)
        if isinstance(new, NotDone):
            return ColumnResult(Verdict.NOT_CHECKED, f"new: {new.reason}", proof=proof)
        added: tuple[str, ...] = ()
        if self.job.kind == "module":
            called, added = without_new_names(old.called, new.called)
            new = dataclasses.replace(new, called=called)
        result = judge_runs(old, new, self.strictness, proof)
        if added:
            told = f"{', '.join(added)}: only NEW has {'it' if len(added) == 1 else 'them'}"
            result = dataclasses.replace(result, notes=(*result.notes, told))
        if result.unprobed:
            steps = [self._probed(each) for each in (self.reference, column)]
            asked, result = result.unprobed, judge_probes(result, *steps)
            if result.verdict is not Verdict.EQUAL:
                return result
            result = judge_runs(old, new, self.strictness, proof, asked)
        if result.difference is not None and is_of_files(result.difference.path):
            return self._written_otherwise(result, old)
        beyond = _may_be_rounding(result)
        if result.verdict is not Verdict.CLOSE and not beyond:
            return result
        wide = self._in_float64(self.reference), self._in_float64(column)
        if beyond:
            return judge_cancellation(result, (old, new), wide)
        return judge_rounding(result, *wide)

    def _written_otherwise(self, result: ColumnResult, old: Ran) -> ColumnResult:
        """Asks the old side whether it writes the same twice, before it is a difference."""
        pending = self.workers.submit(worker.run, self.reference, self.job)
        again = self.workers.settle(pending, Ran)
        if isinstance(again, Ran) and compare(old.called, again.called, EXACT).equal:
            return result
        reason = "the old code writes different files when it is called again"
        return dataclasses.replace(
            result, verdict=Verdict.NOT_CHECKED, reason=reason, part="", difference=None
        )

    def _probed(self, column: Column) -> Probed | NotDone:
        return self.workers.settle(
            self.workers.submit(worker.probe_steps, column, self.job), Probed
        )

    def _in_float64(self, column: Column) -> Widened:
        pending = self.workers.submit(worker.widen, column, self.job)
        found = self.workers.settle(pending, Widened)
        return found if isinstance(found, Widened) else Widened(found, found)

    def _ran(self, column: Column) -> Ran | NotDone:
        found = self.workers.settle(self.runs[column.name], Ran)
        if isinstance(found, Ran):
            self._note(column, found)
        return found

    def _note(self, column: Column, found: Ran | WasTraced) -> None:
        self.seconds += found.seconds
        name = column.side.name
        self.files[name] = tuple(sorted({*self.files.get(name, ()), *found.files}))
        self.read[name] = tuple(sorted({*self.read.get(name, ()), *found.read}))
        self.outside.update(found.outside)
        if isinstance(found.ways, NotDone):
            self.unknown_ways.add(found.ways.reason)
        else:
            self.ways[name] = (*self.ways.get(name, ()), *found.ways)
        lines = self.lines.setdefault(name, {})
        for path, ran in found.lines.items():
            lines[path] = tuple(sorted({*lines.get(path, ()), *ran}))
