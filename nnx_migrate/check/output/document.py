"""What `nnx-migrate check --format json` writes, field by field: the source of its schema."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from nnx_migrate.check.compare.verdicts import Verdict

Count = Annotated[int, Meta(ge=0)]


class FirstDifference(Struct, frozen=True, forbid_unknown_fields=True):
    """The first place where OLD and NEW differ."""

    path: Annotated[str, Meta(description="Path of the value; empty for the result itself.")]
    old: Annotated[str, Meta(description="The value in OLD, as text.")]
    new: Annotated[str, Meta(description="The value in NEW, as text.")]
    ulps: Annotated[
        int | None, Meta(description="How far floats differ, in units in the last place.")
    ]
    needed: Annotated[
        float | None, Meta(description="The relative tolerance with which it would pass.")
    ]
    rounding: Annotated[bool, Meta(description="Both are numbers within their tolerance.")]
    scaled: Annotated[
        float | None,
        Meta(description="The largest difference, relative to the largest number of the array."),
    ]
    structural: Annotated[
        bool,
        Meta(description="Only the structure differs, so its callers may have changed with it."),
    ]


class Column(Struct, frozen=True, forbid_unknown_fields=True):
    """A case in one column, compared with OLD."""

    verdict: Annotated[Verdict, Meta(description="How it ended.")]
    reason: Annotated[str, Meta(description="Why, where the verdict does not say it.")]
    part: Annotated[
        str,
        Meta(description="What differs: `arguments`, `call`, `jit`, `gradient`, or empty."),
    ]
    difference: Annotated[
        FirstDifference | None, Meta(description="The first difference; null if there is none.")
    ]
    notes: Annotated[list[str], Meta(description="Remarks that are not differences.")]
    proof: Annotated[str, Meta(description="Why it is not proved; empty if it is.")]
    uncalled: Annotated[
        list[str], Meta(description="Paths of returned functions that differ and were not called.")
    ]
    unprobed: Annotated[
        list[str],
        Meta(description="Paths of gradient transformations whose steps were not compared."),
    ]
    raised: Annotated[bool, Meta(description="Both sides raised the same exception.")]
    repro: Annotated[str | None, Meta(description="The script that shows the difference again.")]


class Cost(Struct, frozen=True, forbid_unknown_fields=True):
    """What a case costs in one column."""

    traces: Annotated[Count, Meta(description="How often five equal calls traced the code.")]
    compile_seconds: Annotated[float, Meta(description="Time to compile the call.")]
    temporary_bytes: Annotated[
        int, Meta(description="Memory that the compiled call needs beside inputs and outputs.")
    ]
    flops: Annotated[float, Meta(description="Operations, as the compiler counts them.")]
    call_microseconds: Annotated[float, Meta(description="Median time of a compiled call.")]


class Case(Struct, frozen=True, forbid_unknown_fields=True):
    """One case: a recorded call, or a function of a case file."""

    name: Annotated[str, Meta(description="Name of the case.")]
    verdict: Annotated[Verdict, Meta(description="The weakest verdict of its columns.")]
    cached: Annotated[bool, Meta(description="The verdict is that of an earlier check.")]
    files: Annotated[
        dict[Literal["old", "new"], list[str]],
        Meta(description="By side, the files of the project that the case imports."),
    ]
    columns: Annotated[dict[str, Column], Meta(description="By name: `new@graph`, `new@tree`.")]
    costs: Annotated[dict[str, Cost], Meta(description="By column; empty without `--costs`.")]
    regressions: Annotated[list[str], Meta(description="Costs that grew, a sentence each.")]
    seconds: Annotated[
        float | UnsetType, Meta(description="How long it took; only with `--costs`.")
    ] = UNSET


class BranchNotTaken(Struct, frozen=True, forbid_unknown_fields=True):
    """A branch of a changed function that no case took."""

    side: Annotated[Literal["old", "new"], Meta(description="Whose code it is.")]
    path: Annotated[str, Meta(description="The file, relative to the side.")]
    function: Annotated[str, Meta(description="Qualified name of the outermost function.")]
    line: Annotated[int, Meta(ge=1, description="1-based line where the branch begins.")]
    what: Annotated[str, Meta(description="The condition, as the code writes it.")]
    cases: Annotated[list[str], Meta(description="Cases that ran the rest of the function.")]
    told: Annotated[str, Meta(description="The same as a sentence.")]


class CheckDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """All that a check found."""

    schema: Annotated[Literal[1], Meta(description="Version of this schema.")]
    summary: Annotated[
        dict[Verdict, Count], Meta(description="How many cases ended in each verdict.")
    ]
    exit_code: Annotated[
        Literal[0, 1, 2],
        Meta(description="0: all that differs passes. 1: something differs. 2: not all checked."),
    ]
    remarks: Annotated[list[str], Meta(description="Notes on the whole check.")]
    unchecked: Annotated[
        list[str], Meta(description="What differs between OLD and NEW and has no case.")
    ]
    branches_not_taken: Annotated[
        list[BranchNotTaken], Meta(description="Branches that no case took.")
    ]
    cases: Annotated[list[Case], Meta(description="The cases, in their order.")]
    error: Annotated[
        str | UnsetType, Meta(description="Why nothing could be checked; only then.")
    ] = UNSET
