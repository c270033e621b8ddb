"""What an answer depends on beside the files: this program, its rules, and its Python."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
from collections.abc import Iterable, Iterator
from pathlib import Path

import nnx_migrate
from nnx_migrate.rewrite.model.registry import rule_entries
from nnx_migrate.sources.walk.scanning import read_file


# Code that was imported stays the same while the process runs.
@functools.cache
def program_digest() -> bytes:
    """The digest of all code that decides: an update, or an edit of a rule, gives another one."""
    found = hashlib.blake2b(digest_size=16)
    found.update(f"{nnx_migrate.__version__} {platform.python_version()}".encode())
    for file in sorted(set(_sources())):
        found.update(os.path.basename(file).encode() + b"\0" + read_file(file))
    for name, entry in rule_entries().items():
        found.update(f"{name}={entry.entry_point.value}".encode() + b"\0")
    return found.digest()


def digest_of_parts(parts: Iterable[bytes]) -> bytes:
    """One digest of several texts; other texts that read the same side by side have another."""
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        found.update(len(part).to_bytes(8, "little") + part)
    return found.digest()


def _sources() -> Iterator[str]:
    yield from _below(str(Path(nnx_migrate.__file__).parent))
    for entry in rule_entries().values():
        top = entry.entry_point.module.partition(".")[0]
        spec = importlib.util.find_spec(top)
        for place in (spec.submodule_search_locations or ()) if spec is not None else ():
            yield from _below(place)
        if spec is not None and spec.origin and spec.submodule_search_locations is None:
            yield spec.origin


def _below(folder: str) -> Iterator[str]:
    for place, _, names in os.walk(folder):
        yield from (os.path.join(place, name) for name in names if name.endswith(".py"))
