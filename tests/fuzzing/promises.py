"""What is promised of a migrated program, asked of one program after the other."""

from __future__ import annotations

import collections
import dataclasses
import enum
import io
import tokenize
from collections.abc import Mapping
from pathlib import Path

from nnx_migrate.check.compare.forms import Observation
from nnx_migrate.core.findings import FileResult, FileStatus, Outcome
from nnx_migrate.sources.text import decode
from tests.fuzzing.programs import Program
from tests.fuzzing.running import difference, run_all
from tests.hazards.running import migrated
from tests.properties.test_edits import check_edits


class Verdict(enum.StrEnum):
    """How a program ends; only the last four break a promise."""

    INVALID = "does not run today"
    MENDED = "does not run today; migrated, the same in both modes"
    SAME = "the same in all modes"
    TOLD = "something is left for the user, and said"
    OTHER_OBJECT = "another object with the same values after the flip"
    SILENT = "another result after the flip, and not a word"
    RAISES = "raises after the flip, and not a word"
    TODAY = "another result today"
    TEXT = "the text itself is wrong"


WRONG = frozenset({Verdict.SILENT, Verdict.RAISES, Verdict.TODAY, Verdict.TEXT})


@dataclasses.dataclass(frozen=True, slots=True)
class Judged:
    """A program that was migrated and run.

    Args:
        verdict: how it ended.
        detail: what is different, or why it does not run.
        result: of the migration.
    """

    verdict: Verdict
    detail: str
    result: FileResult

    def outcomes(self) -> collections.Counter[tuple[str, str]]:
        """Rule and outcome of each finding."""
        return collections.Counter((f.rule, f.outcome.value) for f in self.result.findings)


def judge(programs: Mapping[str, Program]) -> dict[str, Judged]:
    """Migrate programs, run them before and after, and compare.

    Args:
        programs: by name.
    """
    results = {name: migrated(each.text().encode()) for name, each in programs.items()}
    found = {name: Judged(Verdict.TEXT, wrong_text(r), r) for name, r in results.items()}
    found = {name: each for name, each in found.items() if each.detail}
    before = {name: results[name].before for name in programs if name not in found}
    (reference,) = run_all([(before, "graph")])
    after = {n: results[n].after for n in before if _worth_running(reference[n], results[n])}
    changed = {name: data for name, data in after.items() if data != before[name]}
    graph, tree = run_all([(changed, "graph"), (after, "tree")])
    for name, seen in reference.items():
        if name in after:
            verdict, detail = _compared(results[name], seen, graph.get(name, seen), tree[name])
        else:
            verdict, detail = Verdict.INVALID, f"{seen.raised}: {seen.message}"
        found[name] = Judged(verdict, detail, results[name])
    return {name: found[name] for name in programs}


def _worth_running(reference: Observation, result: FileResult) -> bool:
    """What does not run today may do so once it is migrated."""
    return reference.view is not None or result.before != result.after


def _compared(
    result: FileResult, reference: Observation, graph: Observation, tree: Observation
) -> tuple[Verdict, str]:
    runs = reference.view is not None
    if not runs and graph.view is None:
        return Verdict.INVALID, f"{reference.raised}: {reference.message}"
    today = difference(reference, graph) if runs else ""
    if today:
        return Verdict.TODAY, today
    flipped = difference(graph, tree)
    if not flipped:
        return (Verdict.SAME if runs else Verdict.MENDED), ""
    if any(finding.outcome is Outcome.MANUAL for finding in result.findings):
        return Verdict.TOLD, flipped
    if " the same object as " in flipped:
        return Verdict.OTHER_OBJECT, flipped
    return (Verdict.RAISES if tree.view is None else Verdict.SILENT), flipped


def wrong_text(result: FileResult) -> str:
    """What a migration did that none may do to a text, "" for nothing.

    Args:
        result: of a file that can be read and parsed.
    """
    if result.status not in {FileStatus.CHANGED, FileStatus.UNCHANGED}:
        return f"{result.status}: {result.reason}"
    before, after = (decode(result.path, data).text for data in (result.before, result.after))
    lost = comments(before) - comments(after)
    if lost:
        return f"comments are gone: {sorted(lost)}"
    try:
        check_edits(result)
    except AssertionError as error:
        return f"its edits are not what happened: {error}"
    again = migrated(result.after)
    if again.after != result.after:
        return "a second run changes it again"
    return "" if again.status in {FileStatus.CHANGED, FileStatus.UNCHANGED} else again.reason


def comments(text: str) -> collections.Counter[str]:
    """The comments of a Python text.

    Args:
        text: it can be parsed.
    """
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return collections.Counter(
        token.string.rstrip()
        for token in tokenize.generate_tokens(io.StringIO(unified).readline)
        if token.type == tokenize.COMMENT
    )


def smallest(program: Program, verdict: Verdict, rounds: int = 8) -> tuple[Program, Judged]:
    """A program that still breaks the same promise, with as few pieces as possible.

    Args:
        program: it breaks one.
        verdict: which one.
        rounds: pieces to take away at the most.
    """
    judged = judge({"0": program})["0"]
    for _ in range(rounds):
        candidates = {str(n): each for n, each in enumerate(program.smaller())}
        fewer = judge(candidates) if candidates else {}
        wrong = [name for name, each in fewer.items() if each.verdict is verdict]
        if not wrong:
            break
        program, judged = candidates[wrong[0]], fewer[wrong[0]]
    return program, judged


def save(folder: Path, name: str, program: Program, judged: Judged) -> None:
    """Keep a program, what became of it, and why it is wrong.

    Args:
        folder: it is made.
        name: of the files.
        program: before.
        judged: what came of it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    said = "".join(
        f"# {f.line}:{f.column} {f.rule} {f.outcome}: {f.message}\n" for f in judged.result.findings
    )
    why = judged.detail.replace("\n", "\n# ")
    (folder / f"{name}.before.py").write_text(
        f"# {judged.verdict}\n# {why}\n{said}{program.text()}"
    )
    (folder / f"{name}.after.py").write_bytes(judged.result.after)
