"""Answers that lie on disk between runs, read back without trusting who wrote them.

A pickle may name any function and have it called. What this tool keeps is made of its own classes
and of a few plain ones, so nothing else is looked up when it is read: a folder of results that a
repository brings can give wrong answers at worst, as its sources can, but run no code.
"""

from __future__ import annotations

import io
import pathlib
import pickle
import sys
from typing import Any

_OWN = "nnx_migrate."
#: Functions that make records which share their parts.
_MAKERS = frozenset({"shared_attribute", "shared_name"})
_PLAIN = {
    ("builtins", "frozenset"): frozenset,
    ("builtins", "set"): set,
    ("builtins", "complex"): complex,
    ("builtins", "bytearray"): bytearray,
    ("pathlib", "Path"): pathlib.Path,
    ("pathlib", "PosixPath"): pathlib.Path,
    ("pathlib", "WindowsPath"): pathlib.Path,
    ("pathlib", "PurePosixPath"): pathlib.PurePosixPath,
}


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        plain = _PLAIN.get((module, name))
        if plain is not None:
            return plain
        # A module that is not imported yet is imported for its classes; it is one of ours.
        if module.startswith(_OWN) and "." not in name:
            __import__(module)
            found = getattr(sys.modules[module], name, None)
            is_ours = getattr(found, "__module__", None) == module
            if is_ours and (isinstance(found, type) or name in _MAKERS):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not a part of an answer")


def read_answer(data: bytes) -> Any:
    """Return what was pickled.

    Args:
        data: as `pickle.dumps` gave it.

    Raises:
        ValueError: it is damaged, or holds what no answer is made of.
    """
    try:
        return _Reader(io.BytesIO(data)).load()
    # Damaged bytes may end in any of these.
    except (
        pickle.UnpicklingError,
        AttributeError,
        EOFError,
        ImportError,
        IndexError,
        KeyError,
        MemoryError,
        OverflowError,
        TypeError,
        UnicodeError,
    ) as error:
        raise ValueError(str(error)) from None
