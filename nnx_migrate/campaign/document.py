"""What a campaign writes to `report.json`, field by field; its JSON schema is made of this."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from nnx_migrate.check.compare.verdicts import Verdict
from nnx_migrate.check.output.document import CheckDocument
from nnx_migrate.core.findings import Outcome


class CampaignPlace(Struct, frozen=True, forbid_unknown_fields=True):
    """One place and its result."""

    file: Annotated[str, Meta(description="The file, from the folder of the campaign.")]
    line: Annotated[int, Meta(ge=0, description="1-based line in the file as it was.")]
    rule: Annotated[str, Meta(description="Name of the rule, or a code of the engine.")]
    outcome: Annotated[Outcome, Meta(description="How the place ended.")]
    message: Annotated[str, Meta(description="The finding, in one sentence.")]
    verdict: Annotated[
        Verdict, Meta(description="The weakest passing verdict of its calls, or `not checked`.")
    ]
    cases: Annotated[list[str], Meta(description="Names of the calls that checked it.")]
    put_back: Annotated[
        str, Meta(description="Why its rewrite became a pin again; empty if it did not.")
    ]


class ExitCodes(Struct, frozen=True, forbid_unknown_fields=True):
    """How the command ended."""

    before: Annotated[int, Meta(description="On the old code.")]
    graph: Annotated[
        int | UnsetType, Meta(description="On the new code, in graph mode; if it changed.")
    ] = UNSET
    tree: Annotated[
        int | UnsetType, Meta(description="On the new code, in tree mode; if it changed.")
    ] = UNSET


class CampaignDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A campaign: a command, the migration, and what the command's calls showed."""

    schema: Annotated[Literal[1], Meta(description="Version of this schema.")]
    command: Annotated[list[str], Meta(description="The command, word by word.")]
    rounds: Annotated[int, Meta(ge=0, description="How often the tree was planned and checked.")]
    places: Annotated[list[CampaignPlace], Meta(description="The places, by file and line.")]
    left: Annotated[
        list[str], Meta(description="Files that differ without a place that explains it.")
    ]
    exit_codes: Annotated[ExitCodes, Meta(description="How the command ended, before and after.")]
    written: Annotated[
        str, Meta(description="The run for `undo`, or the branch; empty if nothing was written.")
    ]
    branch: Annotated[bool, Meta(description="`written` is a branch.")]
    failed: Annotated[list[str], Meta(description="Files that could not be written, and why.")]
    check: Annotated[
        CheckDocument | None, Meta(description="The last check; null if nothing was checked.")
    ]
