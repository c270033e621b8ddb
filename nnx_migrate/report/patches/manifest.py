"""What `--patch-by` writes to `manifest.json`, field by field; its JSON schema is made of this."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from nnx_migrate.report.patches.split_by import SplitBy
from nnx_migrate.report.pins.document import Tool


class PatchEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One patch, which is reviewed by itself."""

    patch: Annotated[str, Meta(description="File name of the patch.")]
    text: Annotated[str, Meta(description="File name of the text for its pull request.")]
    title: Annotated[str, Meta(description="Title for its pull request.")]
    key: Annotated[
        list[str], Meta(description="What it is for: owners, folders, files, rules, or a number.")
    ]
    rules: Annotated[list[str], Meta(description="Rules with changes in it.")]
    files: Annotated[list[str], Meta(description="Files that it changes.")]
    depends_on: Annotated[
        list[str], Meta(description="File names of the patches to apply before it.")
    ]
    sha256: Annotated[str, Meta(description="Digest of the patch.", pattern="^[0-9a-f]{64}$")]


class LeftForYou(Struct, frozen=True, forbid_unknown_fields=True):
    """A place that no patch changes, and that needs a person."""

    path: Annotated[str, Meta(description="The file, from the root of the repository or project.")]
    line: Annotated[
        int, Meta(ge=0, description="1-based line; 0 if the finding is about the whole file.")
    ]
    rule: Annotated[str, Meta(description="Name of the rule, or a code of the engine.")]
    message: Annotated[str, Meta(description="What to do, in one sentence.")]


class ManifestDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """The patches of a migration, in an order in which they apply."""

    tool: Annotated[Tool, Meta(description="What wrote the document.")]
    split_by: Annotated[SplitBy, Meta(description="What one patch contains.")]
    patches: Annotated[list[PatchEntry], Meta(description="The patches, in their order.")]
    left_for_you: Annotated[list[LeftForYou], Meta(description="Places that need a person.")]
    schema_version: Annotated[Literal[1], Meta(description="Version of this schema.")] = 1
