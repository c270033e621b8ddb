"""The files that the user's code reads: what a verdict depends on beside the project's code."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nnx_migrate

_LIBRARIES = (sysconfig.get_path("stdlib"), str(Path(nnx_migrate.__file__).parent))
_OF_THE_SYSTEM = ("/proc/", "/sys/", "/dev/")
_INSTALLED = {"site-packages", "dist-packages", "__pycache__"}
_opened: set[str] = set()


def watch_reading() -> None:
    """Notes every file that is opened for reading in this process from now on, by Python code."""
    sys.addaudithook(_note)


def files_read(root: Path) -> tuple[str, ...]:
    """The files that were read so far, and those of imported modules, installed ones left out.

    What one case has read may be kept in a module for the next one, so it counts for all.

    Args:
        root: of the side; paths in it are relative to it.
    """
    inside = str(root).rstrip(os.sep) + os.sep
    found = {path.removeprefix(inside) for path in _of_the_user()}
    return tuple(sorted(found))


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open":
        return
    path, mode, flags = arguments
    if not isinstance(path, (str, bytes)):
        return
    writes = set("wax+") & set(mode) if isinstance(mode, str) else (flags or 0) & os.O_ACCMODE
    if not writes:
        _opened.add(os.path.abspath(os.fsdecode(path)))


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
