"""A folder of patches: for each part a patch and the text of its pull request, and a manifest."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

import nnx_migrate
from nnx_migrate.report.levels import Level, Report, shown_path, told
from nnx_migrate.report.patches.dependencies import needs_of
from nnx_migrate.report.patches.manifest import LeftForYou, ManifestDocument, PatchEntry
from nnx_migrate.report.patches.owners import owners_in
from nnx_migrate.report.patches.parts import Part, split, state
from nnx_migrate.report.patches.patch import render_change
from nnx_migrate.report.patches.pull_request import by_file, pull_request, title_of
from nnx_migrate.report.patches.split_by import SplitBy
from nnx_migrate.report.pins.document import Tool
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.own_folder import OwnFolder
from nnx_migrate.sources.walk.scanning import read_file

MANIFEST = "manifest.json"
_LONGEST = 80
_LARGEST_MANIFEST = 2**28
_ODD = re.compile(r"[^A-Za-z0-9._]+")


def write_patches(report: Report, folder: Path, by: SplitBy) -> None:
    """Write a migration as patches that are reviewed on their own.

    Applied in the order of the manifest they give what `apply` writes; so they do in any order in
    which each follows those that it depends on.

    Args:
        report: a run that wrote nothing.
        folder: where to; new, empty, or written by this function before.
        by: what goes into one patch.

    Raises:
        ConfigError: the folder holds other things, or cannot be written, or owners are not known.
    """
    changed = [result for result in report.results if result.before != result.after]
    owners = owners_in(report.root) if by == "owner" else lambda name: (name,)
    parts = split(changed, by, report.root, owners)
    needs = needs_of(parts)
    names = list(_names(parts))
    items = by_file(told(report))
    texts: dict[str, bytes] = {}
    for number, part in enumerate(parts):
        before = [names[need] for need in sorted(needs[number])]
        texts[f"{names[number]}.patch"] = _patch(part, [parts[n] for n in sorted(needs[number])])
        patch, first = f"{names[number]}.patch", [f"{name}.patch" for name in before]
        text = pull_request(part, patch, first, report, items)
        texts[f"{names[number]}.md"] = text.encode("utf-8", "backslashreplace")
    manifest = ManifestDocument(
        tool=Tool(nnx_migrate.__version__),
        split_by=by,
        patches=[
            _entry(part, names, number, needs[number], texts) for number, part in enumerate(parts)
        ],
        left_for_you=list(_left(report)),
    )
    texts[MANIFEST] = (json.dumps(msgspec.to_builtins(manifest), indent=1) + "\n").encode()
    try:
        with OwnFolder(folder, [report.root]) as own:
            _emptied(own)
            for name, data in texts.items():
                own.put(name, data)
    except OSError as error:
        raise ConfigError(f"--patch {folder}: {error.strerror}") from None


def _patch(part: Part, before: Sequence[Part]) -> bytes:
    """The patch of a part on top of those that it needs."""
    pieces = []
    for name, file in sorted(part.files.items()):
        first = [other.files[name] for other in before if name in other.files]
        old, new = state(file.result, first), state(file.result, [*first, file])
        pieces.append(render_change(name, old, new))
    return b"".join(pieces)


def _entry(
    part: Part, names: Sequence[str], number: int, needs: set[int], texts: dict[str, bytes]
) -> PatchEntry:
    patch = f"{names[number]}.patch"
    return PatchEntry(
        patch=patch,
        text=f"{names[number]}.md",
        title=title_of(part),
        key=list(part.key),
        rules=sorted(
            {f.result.findings[p].rule for f in part.files.values() for p in f.findings()}
        ),
        files=sorted(part.files),
        depends_on=[f"{names[need]}.patch" for need in sorted(needs)],
        sha256=hashlib.sha256(texts[patch]).hexdigest(),
    )


def _left(report: Report) -> Iterator[LeftForYou]:
    for item in told(report):
        if item.level is Level.ERROR:
            yield LeftForYou(
                path=shown_path(item.result.path, report.root),
                line=item.finding.line,
                rule=item.finding.rule,
                message=item.finding.message,
            )


def _names(parts: Sequence[Part]) -> Iterator[str]:
    """Names of files without an ending; the number in front makes each the only one."""
    width = len(str(len(parts)))
    for number, part in enumerate(parts, start=1):
        word = _ODD.sub("-", "+".join(part.key))[:_LONGEST].strip("-.") or "patch"
        yield f"{number:0{width}}-{word}"


def strangers_in(folder: Path) -> list[str]:
    """The names of what `write_patches` has not put into a folder.

    Args:
        folder: of patches; one that is not there has none.

    Raises:
        OSError: it cannot be read.
    """
    if not folder.exists():
        return []
    ours: set[str] = {MANIFEST}
    try:
        manifest = json.loads(read_file(folder / MANIFEST, _LARGEST_MANIFEST))
        if manifest["tool"]["name"] == "nnx-migrate":
            for entry in manifest["patches"]:
                ours |= {entry["patch"], entry["text"]}
    except (OSError, ValueError, KeyError, TypeError):
        ours = set()
    return sorted({path.name for path in folder.iterdir()} - ours)


def _emptied(folder: OwnFolder) -> None:
    """Take out what an earlier run put in, and nothing else."""
    folder.require_no_links()
    folder.remove_unfinished()
    if others := strangers_in(folder.path):
        what = f"it holds {others[0]!r}, which nnx-migrate did not write"
        raise ConfigError(f"--patch {folder.path}: {what}")
    for name in folder.names():
        folder.remove(name)
