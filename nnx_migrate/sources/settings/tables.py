"""The tables of `[tool.nnx-migrate]` and of `nnx-migrate.toml`, key by key.

They are the one list of keys: reading (reading.py), the JSON schema for editors and the reference
in docs/configuration.md (`scripts/configuration_page.py`) are made of it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from nnx_migrate.core.permissions import Permission

Count = Annotated[int, Meta(ge=1)]
Amount = Annotated[float, Meta(ge=0)]
Filled = Annotated[str, Meta(min_length=1)]
Transform = Annotated[str, Meta(pattern=r"^nnx\.", examples=["nnx.jit"])]


class Decisions(Struct, rename="kebab", forbid_unknown_fields=True, kw_only=True, frozen=True):
    """What may be set for all files, or for some of them in an override."""

    select: Annotated[
        list[str] | UnsetType, Meta(description="Run only these rules. All of them by default.")
    ] = UNSET
    ignore: Annotated[list[str] | UnsetType, Meta(description="Do not run these rules.")] = UNSET
    allow: Annotated[
        list[Permission] | UnsetType,
        Meta(description="Let rewrites assume this. Nothing by default."),
    ] = UNSET
    unsafe: Annotated[
        bool | UnsetType,
        Meta(description="Let rewrites assume everything that `allow` knows. Default: false."),
    ] = UNSET
    on_unsafe: Annotated[
        Literal["pin", "leave"] | UnsetType,
        Meta(
            description="Where an assumption is not allowed: pin the place to graph mode, or leave "
            "it with a finding. Default: `pin`."
        ),
    ] = UNSET
    trace_checks: Annotated[
        bool | UnsetType,
        Meta(
            description="Write code that checks, when jax traces it, what is not proved. false "
            "pins such places. Default: true."
        ),
    ] = UNSET
    unpin: Annotated[
        bool | UnsetType,
        Meta(
            description="true: plan everything that looks like a pin again. false: no pin. "
            "By default, only pins that nnx-migrate alone writes this way."
        ),
    ] = UNSET


class Override(Decisions, frozen=True):
    """Other decisions for some paths; later overrides beat earlier ones."""

    paths: Annotated[
        list[str],
        Meta(min_length=1, description="The files, as .gitignore patterns."),
    ]


class OwnTransformTable(
    Struct, rename="kebab", forbid_unknown_fields=True, kw_only=True, frozen=True
):
    """A wrapper of your own around a transform of nnx."""

    like: Annotated[Transform, Meta(description="The transform that it behaves like.")]
    renamed: Annotated[
        dict[str, str] | UnsetType,
        Meta(description="Its keywords, each with the option of the transform that it sets."),
    ] = UNSET
    bound: Annotated[
        list[str] | UnsetType,
        Meta(description="Options of the transform that the wrapper sets itself."),
    ] = UNSET
    own: Annotated[
        list[str] | UnsetType,
        Meta(description="Keywords of the wrapper that the transform does not get."),
    ] = UNSET
    passes: Annotated[
        bool | list[str] | UnsetType,
        Meta(description="Keywords that it passes on unchanged. true: all others."),
    ] = UNSET
    compat: Annotated[
        str | UnsetType,
        Meta(description="The absolute dotted name of its form for graph mode; pins use it."),
    ] = UNSET


class CheckTable(Struct, rename="kebab", forbid_unknown_fields=True, kw_only=True, frozen=True):
    """How `nnx-migrate check` and `apply --verify` run the project."""

    cases: Annotated[
        list[str] | UnsetType, Meta(description="Files of cases, relative to this file.")
    ] = UNSET
    command: Annotated[
        str | list[str] | UnsetType,
        Meta(description="A program to record, such as `pytest tests/ -x -q`."),
    ] = UNSET
    roots: Annotated[
        list[str] | UnsetType,
        Meta(description="Folders that imports start from. Default: `src` and the folder itself."),
    ] = UNSET
    timeout: Annotated[
        Amount | UnsetType, Meta(description="Seconds for one case. Default: 120.")
    ] = UNSET
    memory: Annotated[
        Amount | UnsetType,
        Meta(description="Gigabytes for one process. 0: no limit. Default: 0."),
    ] = UNSET
    tolerances: Annotated[
        dict[str, Amount] | UnsetType,
        Meta(description="Relative tolerance by dtype. The absolute one is a tenth of it."),
    ] = UNSET
    exclude: Annotated[
        list[str] | UnsetType,
        Meta(description="Leave out cases that have one of these in their name."),
    ] = UNSET
    allow_unchecked: Annotated[
        bool | UnsetType,
        Meta(
            description="Code that differs and has no case does not change the exit code. "
            "Default: false."
        ),
    ] = UNSET
    data: Annotated[
        list[str] | UnsetType,
        Meta(description="Paths that git ignores and cases read."),
    ] = UNSET


class Settings(Decisions, frozen=True):
    """The configuration of nnx-migrate."""

    follow_installed: Annotated[
        bool | UnsetType,
        Meta(
            description="Read installed packages that get objects with shared parts. "
            "Default: false."
        ),
    ] = UNSET
    python: Annotated[
        Filled | UnsetType,
        Meta(
            description="The environment of those packages: its folder or its interpreter, "
            "relative to this file. It is not run. Default: the active one."
        ),
    ] = UNSET
    jobs: Annotated[
        Count | UnsetType,
        Meta(description="Worker processes. Default: as many as processors, up to 8."),
    ] = UNSET
    timeout: Annotated[
        Count | UnsetType,
        Meta(description="Seconds that `apply` may take for one file. Default: 300."),
    ] = UNSET
    exclude: Annotated[
        list[str] | UnsetType,
        Meta(description="Paths that are not read at all, as .gitignore patterns."),
    ] = UNSET
    docs: Annotated[
        bool | UnsetType,
        Meta(description="Also read .md and .rst files, and doctests. Default: false."),
    ] = UNSET
    overrides: Annotated[
        list[Override] | UnsetType, Meta(description="Other decisions for some paths.")
    ] = UNSET
    transforms: Annotated[
        dict[str, OwnTransformTable] | UnsetType,
        Meta(description="Your own wrappers of transforms, by their absolute dotted names."),
    ] = UNSET
    check: Annotated[
        CheckTable | UnsetType,
        Meta(description="How `nnx-migrate check` and `apply --verify` run the project."),
    ] = UNSET
