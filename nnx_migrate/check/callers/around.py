"""What is around a recorded call: who makes it, and where its modules come from."""

from __future__ import annotations

import dataclasses
import functools
import os
import sys
import threading
from pathlib import Path

# So often module-level code is looked for around the calls of a function; a loop may make many.
_MOST_LOOKED_FOR = 1000


class Within(threading.local):
    """The watched function whose call this thread is in.

    Args:
        name: "path:name" of it; None outside of all of them.
    """

    name: str | None = None


within = Within()


@dataclasses.dataclass
class Callers:
    """Who has called a function in this process.

    Args:
        known: as `store.add_caller` has them.
        looked_for: how often code outside of watched functions was.
    """

    known: set[str] = dataclasses.field(default_factory=set)
    looked_for: int = 0

    def another(self, name: str, root: Path) -> str | None:
        """Who makes the call that begins now, where that is not known yet.

        Args:
            name: "path:name" of the function.
            root: the recorded tree.

        Returns:
            A caller that is known from now on; None where there is no other.
        """
        caller = within.name
        if caller == name or ("" in self.known and caller is None):
            return None
        if caller is None:
            self.looked_for += 1
            caller = _code_around(root) if self.looked_for < _MOST_LOOKED_FOR else ""
        if caller in self.known:
            return None
        self.known.add(caller)
        return caller


def _code_around(root: Path) -> str:
    """The file whose module-level code makes this call; "" where any other code does."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        path = _path_of(root, frame.f_code.co_filename)
        if path:
            return path if frame.f_code.co_name == "<module>" else ""
    return ""


@functools.cache
def _path_of(root: Path, file: str) -> str:
    """A file of the user's, relative to the tree; "" for all others."""
    if file.startswith("<"):
        return ""
    place = Path(os.path.realpath(file))
    top = root.resolve()
    inside = place.is_relative_to(top) and "site-packages" not in place.parts
    return place.relative_to(top).as_posix() if inside else ""


@functools.cache
def import_paths(root: Path, entries: tuple[str, ...]) -> tuple[str, ...]:
    """The folders of a tree that imports start from.

    Args:
        root: the tree.
        entries: of `sys.path`.

    Returns:
        They, relative to the tree.
    """
    top = root.resolve()
    inside = [Path(os.path.realpath(entry)) for entry in entries]
    found = [path.relative_to(top).as_posix() for path in inside if path.is_relative_to(top)]
    return tuple(dict.fromkeys(found))


@functools.cache
def module_name(root: Path, path: str) -> str:
    """The name under which a file is imported; it is by now, for its functions are called.

    Args:
        root: the tree.
        path: of the file, relative to it.

    Returns:
        "" for a script.
    """
    file = root.resolve() / path
    for name, module in list(sys.modules.items()):
        origin = getattr(module, "__file__", None)
        if not origin or not origin.endswith(file.name) or Path(origin).resolve() != file:
            continue
        spec = getattr(module, "__spec__", None)
        return name if name != "__main__" else getattr(spec, "name", "")
    return ""
