"""The result of a check for people and for programs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nnx_migrate.check.branches.coverage import Branch
from nnx_migrate.check.compare.verdicts import CaseResult, ColumnResult, Verdict
from nnx_migrate.check.jobs import Costs
from nnx_migrate.check.output.summary import counted, last_lines
from nnx_migrate.report.terminal import shown

SCHEMA_VERSION = 1
# From here on a cost that grew is worth a line; times are too noisy to be judged.
_TOO_MUCH = {"traces": 1.0, "temporary_bytes": 1.25, "flops": 1.1}
_IGNORED_BYTES = 4096
# A larger relative tolerance would let anything pass.
_MOST_TOLERANT = 0.5


@dataclasses.dataclass(frozen=True, slots=True)
class CheckReport:
    """All that a check found.

    Args:
        cases: in their order.
        columns: the names of the columns that are judged.
        costs: by case, by column; empty where none were asked for.
        scripts: by case and column, the script that shows the difference again.
        remarks: what is told beside the verdicts.
        gaps: what differs between the trees, and no case looks at.
        allows_gaps: they change no exit code.
        not_taken: branches of changed functions that ran, and that no case took.
    """

    cases: Sequence[CaseResult]
    columns: Sequence[str]
    costs: Mapping[str, Mapping[str, Costs]]
    scripts: Mapping[tuple[str, str], str]
    remarks: Sequence[str] = ()
    gaps: Sequence[str] = ()
    allows_gaps: bool = False
    not_taken: Sequence[Branch] = ()

    @property
    def exit_code(self) -> int:
        """0 all that differs was checked and passes, 1 something differs, 2 not all was checked."""
        verdicts = {case.verdict for case in self.cases}
        if Verdict.DIFFERENT in verdicts:
            return 1
        left = self.gaps and not self.allows_gaps
        return 2 if Verdict.NOT_CHECKED in verdicts or not self.cases or left else 0


def as_text(report: CheckReport, *, verbose: bool) -> str:
    """A table, what is behind its entries, and a summary.

    Args:
        report: the result.
        verbose: also say why there is no proof, and all notes.
    """
    parts: list[str] = []
    table = Table(parts.append, verbose=verbose)
    table.begin([case.name for case in report.cases], report.columns)
    for case in report.cases:
        scripts = ((name, report.scripts.get((case.name, name))) for name in report.columns)
        table.case(case, {name: script for name, script in scripts if script})
    table.end(report)
    return "".join(parts)


class Table:
    """The report as a table, written as its parts are known.

    Args:
        write: takes lines, with their ends.
        verbose: as for `as_text`.
    """

    def __init__(self, write: Callable[[str], object], *, verbose: bool) -> None:
        self._write = write
        self._verbose = verbose
        self._width = 4

    def begin(self, cases: Sequence[str], columns: Sequence[str]) -> None:
        """Writes the head, if there is anything to stand below it.

        Args:
            cases: the names of all.
            columns: the names of those that are judged.
        """
        self._width = max([len(name) for name in cases] + [4])
        names = (name.ljust(11) for name in columns)
        if cases:
            self._lines(["  ".join(["case".ljust(self._width), *names]).rstrip()])

    def case(self, result: CaseResult, scripts: Mapping[str, str]) -> None:
        """Writes what is said of a case.

        Args:
            result: of the case.
            scripts: that show a difference again, by name of the column.
        """
        verdicts = (column.verdict.ljust(11) for column in result.columns.values())
        lines = ["  ".join([result.name.ljust(self._width), *verdicts]).rstrip()]
        lines += [f"  {line}" for line in _details(scripts, result, self._verbose)]
        self._lines(lines)

    def end(self, report: CheckReport) -> None:
        """Writes what is said beside the cases, and the summary.

        Args:
            report: the whole of it.
        """
        lines = [f"note: {remark}" for remark in report.remarks]
        lines += [f"note: {branch}" for branch in report.not_taken]
        lines += [f"not checked: {gap}" for gap in report.gaps]
        lines += _cost_table(report)
        lines += last_lines(report)
        self._lines(lines)

    def _lines(self, lines: Sequence[str]) -> None:
        # Names and messages are the user's program's, and may hold what controls a terminal.
        self._write(shown("\n".join(lines) + "\n"))


def as_json(report: CheckReport) -> str:
    """The whole result, for programs; `schema` tells its version.

    Args:
        report: the result.
    """
    return json.dumps(as_document(report), indent=2) + "\n"


def as_json_error(problem: str) -> str:
    """What a check that could not be made has for programs.

    Args:
        problem: why not.
    """
    nothing = as_document(CheckReport((), (), {}, {}))
    return json.dumps({**nothing, "error": problem}, indent=2) + "\n"


def of_a_run(
    report: CheckReport, put_back: Iterable[Path] = (), not_put_back: Iterable[str] = ()
) -> dict[str, Any]:
    """The check of what a run has made of files, as the reports of the run have it.

    Args:
        report: of the check.
        put_back: the files that are as before, since they differ.
        not_put_back: what is said of those that could not be.
    """
    return {
        **as_document(report),
        "put_back": list(map(str, put_back)),
        "not_put_back": list(not_put_back),
    }


def as_document(report: CheckReport) -> dict[str, Any]:
    """What `as_json` writes, as an object."""
    cases = [
        {
            "name": case.name,
            "verdict": case.verdict,
            "cached": case.cached,
            "files": {side: list(files) for side, files in case.files.items()},
            "columns": {
                name: {
                    **dataclasses.asdict(result),
                    "repro": report.scripts.get((case.name, name)),
                }
                for name, result in case.columns.items()
            },
            # No two runs take the same time.
            **({"seconds": round(case.seconds, 3)} if report.costs else {}),
            "costs": {
                name: dataclasses.asdict(costs)
                for name, costs in report.costs.get(case.name, {}).items()
            },
            "regressions": list(regressions(report.costs.get(case.name, {}))),
        }
        for case in report.cases
    ]
    return {
        "schema": SCHEMA_VERSION,
        "summary": {verdict.value: count for verdict, count in counted(report).items()},
        "exit_code": report.exit_code,
        "remarks": list(report.remarks),
        "unchecked": list(report.gaps),
        "branches_not_taken": [
            {**dataclasses.asdict(branch), "told": str(branch)} for branch in report.not_taken
        ],
        "cases": cases,
    }


def regressions(costs: Mapping[str, Costs]) -> Iterator[str]:
    """What a migration makes worse.

    Args:
        costs: of a case, by column; the first is the reference.

    Yields:
        A line for each cost that grew past its threshold: more traces, a quarter more temporary
        memory, a tenth more work.
    """
    names = list(costs)
    for name in names[1:]:
        for field, factor in _TOO_MUCH.items():
            old, new = getattr(costs[names[0]], field), getattr(costs[name], field)
            slack = _IGNORED_BYTES if field == "temporary_bytes" else 0
            if new > old * factor + slack:
                yield f"{name}: {field.replace('_', ' ')} {old:g} -> {new:g}"


def _details(scripts: Mapping[str, str], case: CaseResult, verbose: bool) -> Iterator[str]:
    told: set[str] = set()
    for name, result in case.columns.items():
        for line in _told(result, verbose):
            if line not in told:
                told.add(line)
                yield f"{name}: {line}"
        script = scripts.get(name)
        if script:
            yield f"{name}: to see it again: python {script} {name.replace('@', ' ')}"


def _told(result: ColumnResult, verbose: bool) -> Iterator[str]:
    if result.difference is not None and (not result.verdict.passes or verbose):
        yield f"{result.part}: {result.difference}"
        needed = result.difference.needed
        if needed and needed < _MOST_TOLERANT and result.verdict is Verdict.DIFFERENT:
            yield f"it passes with a relative tolerance of {needed:.1e}"
    elif result.part and not result.verdict.passes:
        yield f"{result.part}: {result.reason}"
        return
    if result.reason and (result.verdict is not Verdict.CLOSE or verbose):
        yield result.reason
    if verbose:
        yield from result.notes
        if result.proof:
            yield f"not proved: {result.proof}"


def _cost_table(report: CheckReport) -> Iterator[str]:
    for case, costs in report.costs.items():
        names = list(costs)
        for name in names:
            cost = costs[name]
            yield (
                f"{case} {name}: {cost.traces} traces, compiled in {cost.compile_seconds:.2f} s, "
                f"{cost.temporary_bytes:,} temporary bytes, {cost.flops:,.0f} flops, "
                f"{cost.call_microseconds:,.0f} us a call"
            )
        yield from (f"{case} costs more: {line}" for line in regressions(costs))
