"""From what two columns gave for a case to a verdict: pure functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from nnx_migrate.check.compare.comparison import (
    EXACT,
    Comparison,
    Tolerance,
    compare,
    compare_views,
    ending,
)
from nnx_migrate.check.compare.forms import NotDone, Observation, Traced
from nnx_migrate.check.compare.verdicts import ColumnResult, Verdict
from nnx_migrate.check.jobs import Ran

# What is left of a difference in float64, when it was rounding in float32.
_ROUNDING = Tolerance(1e-9, 1e-11)


@dataclasses.dataclass(frozen=True, slots=True)
class Strictness:
    """What counts as a difference.

    Args:
        tolerances: by name of the dtype.
        kinds: a State in the place of a Module counts, too.
    """

    tolerances: Mapping[str, Tolerance]
    kinds: bool = False


def judge_programs(
    old: Traced | NotDone, new: Traced | NotDone, strictness: Strictness
) -> ColumnResult:
    """Compares two traced programs.

    Args:
        old: of the reference.
        new: of the column.
        strictness: what counts.

    Returns:
        `proved`; or `not checked` with the reason in `proof`, for numbers to decide.
    """
    for traced, side in ((old, "old"), (new, "new")):
        if isinstance(traced, NotDone):
            return _unproved(f"{side}: {traced.reason}")
    assert isinstance(old, Traced)
    assert isinstance(new, Traced)
    before = compare_views(old.before, new.before, EXACT, strict_kinds=True)
    if not before.equal:
        return _unproved(f"the arguments are not the same: {before.different}")
    seen = compare_views(old.view, new.view, EXACT, strict_kinds=strictness.kinds)
    if not seen.equal:
        return _unproved(f"not the same tree: {seen.different}")
    apart = [path for path in old.outputs if old.outputs[path] != new.outputs.get(path)]
    if apart or old.outputs.keys() != new.outputs.keys():
        where = apart[0] if apart else "an output"
        return _unproved(f"{where} is computed in another way")
    if isinstance(old.gradient, NotDone):
        # What has no gradient cannot lose it.
        note = f"the gradient is not compared: {old.gradient.reason}"
        return ColumnResult(Verdict.PROVED, notes=(*seen.notes, note))
    if old.gradient != new.gradient:
        return _unproved("a gradient is computed in another way")
    return ColumnResult(Verdict.PROVED, notes=seen.notes)


def judge_runs(old: Ran, new: Ran, strictness: Strictness, proof: str) -> ColumnResult:
    """Compares two runs, part by part.

    Args:
        old: of the reference.
        new: of the column.
        strictness: what counts.
        proof: why there is no proof.
    """
    if old.called.raised == "case":
        return ColumnResult(Verdict.NOT_CHECKED, f"old: {old.called.message}", proof=proof)
    if new.called.raised == "case":
        return ColumnResult(Verdict.DIFFERENT, f"new: {new.called.message}", "arguments")
    notes: list[str] = []
    close = None
    for part, left, right in (
        ("arguments", old.before, new.before),
        ("call", old.called, new.called),
        ("jit", old.jitted, new.jitted),
        ("gradient", old.gradient, new.gradient),
    ):
        if isinstance(left, NotDone):
            notes.append(f"{part} is not compared: {left.reason}")
            continue
        if isinstance(right, NotDone):
            return ColumnResult(Verdict.DIFFERENT, right.reason, part, proof=proof)
        found = compare(left, right, strictness.tolerances, strict_kinds=strictness.kinds)
        notes += [note for note in found.notes if note not in notes]
        if found.different is not None:
            return ColumnResult(
                Verdict.DIFFERENT, "", part, found.different, tuple(notes), proof=proof
            )
        if found.close is not None and close is None:
            close = (part, found.close)
    # An error is as good a result as another, but seldom what was meant to be checked.
    raised = f"both raise {ending(old.called)}" if old.called.raised else ""
    if close is not None:
        return ColumnResult(Verdict.CLOSE, "", *close, tuple(notes), proof=proof)
    return ColumnResult(Verdict.EQUAL, raised, notes=tuple(notes), proof=proof)


def judge_rounding(
    result: ColumnResult, old: Observation | NotDone, new: Observation | NotDone
) -> ColumnResult:
    """Looks at a difference of float32 again, in float64.

    Args:
        result: `close`, of float32.
        old: what the jitted call of the reference gave in float64.
        new: likewise of the column.

    Returns:
        `close` with a word on what float64 says, or `different` where it is no rounding.
    """
    if isinstance(old, NotDone) or isinstance(new, NotDone):
        return dataclasses.replace(
            result, reason="within the tolerance; no float64 run to tell why"
        )
    assert result.difference is not None
    wide: Comparison = compare(old, new, {"float64": _ROUNDING, "complex128": _ROUNDING})
    if wide.different is None:
        return dataclasses.replace(result, reason="rounding: in float64 it goes away")
    if "float64" not in wide.different.old:
        return dataclasses.replace(
            result, reason="within the tolerance; it computes in float32 only"
        )
    return dataclasses.replace(
        result,
        verdict=Verdict.DIFFERENT,
        reason=f"within the tolerance, and no rounding: in float64 {wide.different}",
    )


def _unproved(why: str) -> ColumnResult:
    return ColumnResult(Verdict.NOT_CHECKED, proof=why)
