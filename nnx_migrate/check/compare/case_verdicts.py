"""From what two columns gave for a case to a verdict: pure functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence

from nnx_migrate.check.compare.comparison import (
    EXACT,
    WIDE,
    Comparison,
    Difference,
    Tolerance,
    Unknown,
    compare,
    compare_views,
    ending,
)
from nnx_migrate.check.compare.files import is_of_files
from nnx_migrate.check.compare.files import told as written
from nnx_migrate.check.compare.forms import NotDone, Observation, Traced, View
from nnx_migrate.check.compare.rounding import round_alike
from nnx_migrate.check.compare.verdicts import ColumnResult, Verdict
from nnx_migrate.check.jobs import Probed, Ran, Widened

_NOTHING = (
    "nothing to compare: it returns nothing, gets nothing that it could change, and writes no "
    "file; printed output is not compared"
)
# What ends the process: nothing after it was seen.
_ENDINGS = ("SystemExit", "KeyboardInterrupt", "Exited")


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
        `proved`; `different` where no number could show it; or `not checked` with the reason in
        `proof`, for numbers to decide.
    """
    for traced, side in ((old, "old"), (new, "new")):
        if isinstance(traced, NotDone):
            return _unproved(f"{side}: {traced.reason}")
    assert isinstance(old, Traced)
    assert isinstance(new, Traced)
    if taken := sorted(new.donated - old.donated):
        # Whether a run shows it depends on the device, and on where the array came from.
        kept = Difference(taken[0], "an array as before", "one that was donated")
        return ColumnResult(Verdict.DIFFERENT, "", "call", kept)
    before = compare_views(old.before, new.before, EXACT, strict_kinds=True)
    if before.different is not None:
        return _unproved(f"the arguments are not the same: {before.different}")
    seen = compare_views(old.view, new.view, EXACT, strict_kinds=strictness.kinds)
    if seen.different is not None:
        return _unproved(f"the structure differs: {seen.different}")
    questions, told = _open_questions(before, seen)
    if questions:
        return _unproved(str(questions[0]))
    if not old.view.shows_something():
        return _unproved(_NOTHING)
    if old.placements != new.placements:
        return _unproved("the shardings differ")
    if old.placements or old.before.is_placed():
        told = (*told, "the shardings are the same; the placement of results is not compared")
    apart = [path for path in old.outputs if old.outputs[path] != new.outputs.get(path)]
    if apart or old.outputs.keys() != new.outputs.keys():
        where = apart[0] if apart else "an output"
        return _unproved(f"{where} is computed in another way")
    if isinstance(old.gradient, NotDone):
        # What has no gradient cannot lose it.
        note = f"the gradient is not compared: {old.gradient.reason}"
        return ColumnResult(Verdict.PROVED, notes=(*seen.notes, *told, note))
    gradients = new.gradient if isinstance(new.gradient, Mapping) else {}
    if any(gradients.get(path) != each for path, each in (old.gradient or {}).items()):
        return _unproved("a gradient is computed in another way")
    return ColumnResult(Verdict.PROVED, notes=(*seen.notes, *told))


def judge_runs(
    old: Ran,
    new: Ran,
    strictness: Strictness,
    proof: str,
    alike: Collection[str] = (),
) -> ColumnResult:
    """Compares two runs, part by part.

    Args:
        old: of the reference.
        new: of the column.
        strictness: what counts.
        proof: why there is no proof.
        alike: gradient transformations of other code, by path, that make the same steps.
    """
    if old.called.raised == "case":
        return ColumnResult(Verdict.NOT_CHECKED, f"old: {old.called.message}", proof=proof)
    if new.called.raised == "case":
        return ColumnResult(Verdict.DIFFERENT, f"new: {new.called.message}", "arguments")
    notes: list[str] = []
    close = None
    compared: dict[str, Comparison] = {}
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
        if part == "gradient":
            right = _where_old_has_one(left, right)
        found = compare(left, right, strictness.tolerances, strict_kinds=strictness.kinds)
        compared[part] = found
        notes += [note for note in found.notes if note not in notes]
        if found.different is not None:
            return ColumnResult(
                Verdict.DIFFERENT, "", part, found.different, tuple(notes), proof=proof
            )
        if found.close is not None and close is None:
            close = (part, found.close)
    questions, told = _open_questions(compared["arguments"], compared["call"])
    questions = tuple(each for each in questions if each.path not in alike)
    notes += told
    notes += [f"{path} is built differently, and takes the same steps" for path in sorted(alike)]
    if seen := old.called.view or old.called.left:
        notes += [f"{written(path)}: compared" for path in seen.form if is_of_files(path)]
    if questions:
        uncalled = tuple(each.path for each in questions if each.is_product)
        asked = uncalled if len(uncalled) == len(questions) else ()
        steps = tuple(each.path for each in questions if each.transformation)
        probes = steps if len(steps) == len(questions) else ()
        reason = str(questions[0])
        return ColumnResult(
            Verdict.NOT_CHECKED, reason, "", None, tuple(notes), proof, asked, probes
        )
    if old.called.view is not None and not old.called.view.shows_something():
        return ColumnResult(Verdict.NOT_CHECKED, _NOTHING, "", None, tuple(notes), proof)
    if old.called.raised in _ENDINGS:
        reason = f"it ends with {ending(old.called)}, and what it did before is not compared"
        return ColumnResult(Verdict.NOT_CHECKED, reason, "", None, tuple(notes), proof)
    # An error is as good a result as another, but seldom what was meant to be checked.
    raises = bool(old.called.raised)
    if close is not None:
        return ColumnResult(Verdict.CLOSE, "", *close, tuple(notes), proof=proof, raised=raises)
    both = f"both raise {ending(old.called)}" if raises else ""
    return ColumnResult(Verdict.EQUAL, both, notes=tuple(notes), proof=proof, raised=raises)


def judge_products(result: ColumnResult, called: Sequence[str]) -> ColumnResult:
    """Looks again at a call that returned functions, once their own calls were compared.

    Args:
        result: of the call.
        called: where the functions are in its result of which calls are cases of their own.
    """
    places = ["result/" + place.strip("[]") if place else "result" for place in called]
    if not result.uncalled or any(
        all(path != place and not path.startswith(f"{place}/") for place in places)
        for path in result.uncalled
    ):
        return result
    note = "the functions that it returns changed; their calls are separate cases"
    return dataclasses.replace(
        result, verdict=Verdict.EQUAL, reason="", notes=(*result.notes, note), uncalled=()
    )


def judge_probes(
    result: ColumnResult, old: Probed | NotDone, new: Probed | NotDone
) -> ColumnResult:
    """Looks at the steps of gradient transformations that are made in another way.

    Args:
        result: of the call, with nothing else open.
        old: the steps of the reference.
        new: those of the column.

    Returns:
        `different`; `equal` where all of them make the same steps; else the result, with a reason.
    """
    for side in (old, new):
        if isinstance(side, NotDone):
            return dataclasses.replace(result, reason=f"{result.reason}; no steps: {side.reason}")
    assert isinstance(old, Probed)
    assert isinstance(new, Probed)
    why = ""
    for path in result.unprobed:
        if path not in old.steps or path not in new.steps:
            why = why or old.missing.get(path) or new.missing.get(path) or "its steps are unknown"
            continue
        apart = compare_views(old.steps[path], new.steps[path], WIDE)
        if apart.different is not None:
            return dataclasses.replace(
                result,
                verdict=Verdict.DIFFERENT,
                reason="",
                part="arguments" if path[0] in "01" else "call",
                difference=dataclasses.replace(
                    apart.different, path=f"{path}/{apart.different.path}"
                ),
            )
        if path in old.invented or path in new.invented:
            why = why or "the steps are the same, but only made-up parameters were tried"
        elif apart.unknown:
            why = why or str(apart.unknown[0])
    if why:
        return dataclasses.replace(result, reason=f"{result.reason}; {why}")
    return dataclasses.replace(result, verdict=Verdict.EQUAL, reason="")


def judge_rounding(result: ColumnResult, old: Widened, new: Widened) -> ColumnResult:
    """Looks at a difference of float32 again, in float64.

    Args:
        result: `close`, of float32.
        old: what the reference gave in float64.
        new: likewise the column.

    Returns:
        `close` with a word on what float64 says, or `different` where it is no rounding.
    """
    told = [_in_float64(result, old.called, new.called)]
    if not isinstance(old.gradient, NotDone):
        told.append(_in_float64(result, old.gradient, new.gradient, "the gradient, "))
    worse = [each for each in told if each.verdict is Verdict.DIFFERENT]
    # What is said of a gradient is said of the gradient.
    return (worse or told[result.part == "gradient" and len(told) > 1 :])[0]


def judge_cancellation(
    result: ColumnResult, runs: tuple[Ran, Ran], wide: tuple[Widened, Widened]
) -> ColumnResult:
    """Looks at numbers beyond their tolerance again, in float64.

    Where most of a number cancels, what is left of it is rounding alone, and differs by any
    factor. It is acquitted where both sides agree in float64, and the new one is no further from
    that than the old one is.

    Args:
        result: `different`, of float32.
        runs: of the reference and of the column.
        wide: the same in float64.

    Returns:
        `close`, or the result as it is.
    """
    old, new = runs
    called, gradient = [[each.called for each in wide], [each.gradient for each in wide]]
    for left, right, both in (
        (old.called, new.called, called),
        (old.jitted, new.jitted, called),
        (old.gradient, new.gradient, gradient),
    ):
        if isinstance(left, NotDone):
            continue
        seen = [each for each in (right, *both) if isinstance(each, Observation)]
        if len(seen) < 3 or not round_alike(left, *seen):
            return result
    return dataclasses.replace(
        result,
        verdict=Verdict.CLOSE,
        reason=(
            "rounding beyond the tolerance: in float64 the difference disappears, and old and "
            "new are about equally far from that result"
        ),
    )


def _in_float64(
    result: ColumnResult, old: Observation | NotDone, new: Observation | NotDone, part: str = ""
) -> ColumnResult:
    if isinstance(old, NotDone) or isinstance(new, NotDone):
        return dataclasses.replace(
            result, reason="within the tolerance; float64 could not be run to say why"
        )
    wide: Comparison = compare(old, new, WIDE)
    if wide.different is None:
        return dataclasses.replace(result, reason="rounding: in float64 the difference disappears")
    if "float64" not in wide.different.old:
        return dataclasses.replace(
            result, reason="within the tolerance; the code computes in float32 only"
        )
    return dataclasses.replace(
        result,
        verdict=Verdict.DIFFERENT,
        reason=f"within the tolerance, but not rounding: in float64, {part}{wide.different}",
    )


def _where_old_has_one(old: Observation, new: Observation) -> Observation:
    """The gradient of the new side by what the old side has one by."""
    if old.view is None or new.view is None or old.view.form.keys() - new.view.form.keys():
        return new
    return Observation(
        View(
            {path: new.view.form[path] for path in old.view.form} | {"": old.view.form[""]},
            new.view.shared,
        )
    )


def _open_questions(
    before: Comparison, called: Comparison
) -> tuple[tuple[Unknown, ...], tuple[str, ...]]:
    """What could not be compared; and, as notes, what need not be.

    A function of the user's that is an argument is part of the program on each side, and what it
    does is seen in what comes of the call.
    """
    names = {"0": "arguments", "1": "keywords"}
    given = {
        f"{names[root]}/{rest}"
        for root, _, rest in (each.path.partition("/") for each in before.unknown if each.code)
    }
    open_ones = [each for each in before.unknown if not each.code]
    open_ones += [each for each in called.unknown if not (each.code and each.path in given)]
    notes = [
        f"{each.path} changed; only its effect on this call is compared" for each in before.unknown
    ]
    return tuple(open_ones), tuple(notes) if not open_ones else ()


def _unproved(why: str) -> ColumnResult:
    return ColumnResult(Verdict.NOT_CHECKED, proof=why)
