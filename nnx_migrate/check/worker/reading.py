"""The files that the user's code reads: what a verdict depends on beside the project's code."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nnx_migrate
from nnx_migrate.check.jobs import Side

_LIBRARIES = (sysconfig.get_path("stdlib"), str(Path(nnx_migrate.__file__).parent))
_OF_THE_SYSTEM = ("/proc/", "/sys/", "/dev/")
_INSTALLED = {"site-packages", "dist-packages", "__pycache__"}
_opened: set[str] = set()
# Since the current case began, with whether they were opened to be written to.
_of_the_case: dict[tuple[str, bool], None] = {}


class Opened:
    """The files that are opened from now on, until the next one of these is made."""

    def __init__(self) -> None:
        _of_the_case.clear()

    def outside(self, side: Side) -> tuple[str, ...]:
        """Files that were opened to be written to, elsewhere than in the tree.

        Names that are drawn anew in each run, those of temporary files, are not told.

        Args:
            side: whose tree it is.
        """
        if side.copy_of is None:
            return ()
        passing = (str(side.top) + os.sep, tempfile.gettempdir() + os.sep)
        found = {path for path, writes in _of_the_case if writes and not _is_installed(path)}
        theirs = tuple(f"{place}{os.sep}" for place in side.places)
        return tuple(sorted(p for p in found if p.startswith(theirs) or not p.startswith(passing)))

    def left_out(self, side: Side) -> str:
        """Says which file was asked for that the user's tree has, and its copy has not.

        Args:
            side: whose copy it is.

        Returns:
            "" for none.
        """
        inside = str(side.top) + os.sep
        for path, writes in _of_the_case:
            name = path.removeprefix(inside)
            # Bytecode is looked for beside each module, and never copied.
            if writes or name == path or _is_installed(path) or os.path.lexists(path):
                continue
            if any(os.path.lexists(os.path.join(place, name)) for place in side.places):
                return f"it opens {name}, which its copy of the tree does not have (--data {name})"
        return ""


def watch_reading() -> None:
    """Notes every file that is opened for reading in this process from now on, by Python code."""
    sys.addaudithook(_note)


def files_read(side: Side) -> tuple[str, ...]:
    """The files that were read so far, and those of imported modules, installed ones left out.

    What one case has read may be kept in a module for the next one, so it counts for all.

    Args:
        side: paths in its folder are relative to it.
    """
    inside = str(side.top).rstrip(os.sep) + os.sep
    found = {path.removeprefix(inside) for path in _of_the_user()}
    return tuple(sorted(found))


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("os.listdir", "os.scandir"):
        path, mode, flags = arguments[0], "r", 0
    elif event == "open":
        path, mode, flags = arguments
    else:
        return
    if not isinstance(path, (str, bytes)):
        return
    writes = set("wax+") & set(mode) if isinstance(mode, str) else (flags or 0) & os.O_ACCMODE
    absolute = os.path.abspath(os.fsdecode(path))
    _of_the_case[absolute, bool(writes)] = None
    if not writes:
        _opened.add(absolute)


def _of_the_user() -> Iterator[str]:
    modules = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    for path in {*_opened, *filter(None, modules)}:
        if not _is_installed(path) and os.path.isfile(path):
            yield path


@functools.cache
def _is_installed(path: str) -> bool:
    kept = os.environ.get("JAX_COMPILATION_CACHE_DIR", "")
    libraries = (*_LIBRARIES, *_OF_THE_SYSTEM, *([kept] if kept else []))
    return path.startswith(libraries) or not _INSTALLED.isdisjoint(Path(path).parts)
