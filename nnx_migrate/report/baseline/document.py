"""What `--write-baseline` writes, field by field; its JSON schema is made of this."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct


class KnownFinding(Struct, frozen=True, forbid_unknown_fields=True):
    """A finding that later runs leave out."""

    path: Annotated[str, Meta(description="The file, from the root of the repository or project.")]
    rule: Annotated[str, Meta(description="Name of the rule, or a code of the engine.")]
    fingerprint: Annotated[
        str,
        Meta(
            description="What a run compares: made from file, rule, and message, without numbers, "
            "so it stays when lines move."
        ),
    ]


class BaselineDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """The findings that a project knows about."""

    findings: Annotated[list[KnownFinding], Meta(description="The findings, by file and line.")]
    schema_version: Annotated[Literal[1], Meta(description="Version of this schema.")] = 1
