"""What `nnx-migrate pins --format json` writes, field by field; its JSON schema is made of this."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from nnx_migrate.core.pins import Origin

By = Literal["cause", "owner", "file"]
Count = Annotated[int, Meta(ge=0)]
Line = Annotated[int, Meta(ge=1)]


class Tool(Struct, frozen=True, forbid_unknown_fields=True):
    """What wrote the document."""

    version: Annotated[str, Meta(description="Version of `nnx-migrate`.")]
    name: Annotated[Literal["nnx-migrate"], Meta(description="Always the same.")] = "nnx-migrate"


class Place(Struct, frozen=True, forbid_unknown_fields=True):
    """One place that stays in graph mode."""

    path: Annotated[str, Meta(description="The file as it was named or found.")]
    line: Annotated[Line, Meta(description="1-based line in the file.")]
    column: Annotated[Line, Meta(description="1-based column in characters (code points).")]
    kept: Annotated[str, Meta(description="What stays in graph mode, as the code writes it.")]
    written: Annotated[str, Meta(description="How the pin is written, in words.")]
    mode: Annotated[
        str,
        Meta(
            description="`graph`, or `mid` if only shared objects need it (`graph_updates=False`).",
            pattern="^(graph|mid)$",
        ),
    ]
    origin: Annotated[Origin, Meta(description="Who wrote the pin.")]
    cause: Annotated[
        str, Meta(description="The rule that keeps it, `not-needed`, or empty where it was chosen.")
    ]
    reason: Annotated[str, Meta(description="Why it stays, in one sentence.")]
    way_out: Annotated[str, Meta(description="What to change so that no pin is needed.")]
    cell: Annotated[
        Line | UnsetType, Meta(description="In a notebook: the 1-based number of the cell.")
    ] = UNSET
    cell_line: Annotated[
        Line | UnsetType, Meta(description="In a notebook: the 1-based line in the cell.")
    ] = UNSET


class Group(Struct, frozen=True, forbid_unknown_fields=True):
    """Places with the same cause, owner, or file."""

    key: Annotated[str, Meta(description="The cause, owner, or file.")]
    count: Annotated[Count, Meta(description="How many places it has.")]
    places: Annotated[list[Place], Meta(description="The places, by file and line.")]


class PinsDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """All that stays in graph mode, in groups."""

    tool: Annotated[Tool, Meta(description="What wrote the document.")]
    by: Annotated[By, Meta(description="What the groups stand for.")]
    transforms: Annotated[Count, Meta(description="Transforms in the files that were read.")]
    native: Annotated[Count, Meta(description="Those of them that nothing keeps in graph mode.")]
    places: Annotated[Count, Meta(description="Places that stay in graph mode.")]
    unmigrated: Annotated[
        Count, Meta(description="Places without a pin that `apply` would rewrite or pin.")
    ]
    groups: Annotated[list[Group], Meta(description="The groups, the biggest first.")]
    schema_version: Annotated[Literal[1], Meta(description="Version of this schema.")] = 1
