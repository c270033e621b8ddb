"""What `nnx-migrate pins` does between its flags and its exit code."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nnx_migrate.cli import console
from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.report.terminal import width_of
from nnx_migrate.report.text import printable

if TYPE_CHECKING:
    from nnx_migrate.core.pins import PinnedPlace
    from nnx_migrate.report.pins.document import By


def list_pins(paths: Sequence[Path], by: By, report_format: str, flags: Mapping[str, Any]) -> int:
    """Print the list and return the exit code.

    Args:
        paths: files and folders.
        by: what places are grouped by.
        report_format: "text" or "json".
        flags: the options for files that were given, by name.
    """
    from nnx_migrate.engine.pins import pins_of
    from nnx_migrate.report.pins.grouping import grouped
    from nnx_migrate.report.pins.rendering import as_json, as_text

    with console.errors_reported():
        console.require_paths(paths, changing=False)
        result = console.run_paths(paths, flags)
        console.warn_of(result, paths, written=True)
        found = pins_of(result.results)
        groups = grouped(found.places, _keys(by, [each.path for each in result.results]))
        typed = shlex.join(map(str, paths))
        if report_format == "json":
            sys.stdout.write(as_json(groups, found, by))
        else:
            sys.stdout.write(as_text(groups, found, by, width_of(sys.stdout), typed))
        sys.stdout.flush()
        unread = [each for each in result.results if each.status in _UNREAD]
        for each in unread:
            told = printable(f"{each.path}: {_why(each)}")
            print(f"nnx-migrate: not read: {told}", file=sys.stderr)
        return console.WORK_LEFT if unread else console.DONE


_UNREAD = frozenset({FileStatus.FAILED, FileStatus.REVERTED})


def _why(result: FileResult) -> str:
    return result.reason or next((each.message for each in result.findings), str(result.status))


def _keys(by: str, paths: Sequence[Path]) -> Callable[[PinnedPlace], Sequence[str]]:
    """What gives the group of a place.

    Raises:
        ConfigError: the owners are not known.
    """
    if by == "cause":
        return lambda place: (place.cause,)
    if by == "file":
        return lambda place: (str(place.path),)
    from nnx_migrate.report.patches.owners import owners_in
    from nnx_migrate.report.patches.patch import patch_root, patched_name

    root = patch_root(paths)
    owners = owners_in(root, "--by owner")
    return lambda place: owners(patched_name(place.path, root))
