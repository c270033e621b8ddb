"""Places in files: as the analysis has them, and as a reader finds them.

A sentence about code names places. The analysis knows a place as a line of a module; under what
name a reader knows the file, and which cell of a notebook a line of its virtual module stands in,
is known where the sentence is shown. Until then a `Place` stands in the sentence as a reference.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

# Code points that Unicode keeps for a program's own use: no text is expected to hold them.
_OPEN, _BETWEEN, _CLOSE = "\ufdd0", "\ufdd1", "\ufdd2"
#: A reference in a sentence.
REFERENCE = re.compile(
    f"{_OPEN}(?P<module>[^{_OPEN}{_BETWEEN}{_CLOSE}]*){_BETWEEN}(?P<at>[0-9]{{1,9}}){_CLOSE}"
)


class Place(NamedTuple):
    """A line of a module; in a formatted text, the reference to it.

    Places are ordered by module and line, however the files were named.

    Args:
        module: the dotted name of the module, or of the virtual module of a document.
        line: 1-based; 0 for the file as a whole.
    """

    module: str
    line: int = 0

    def __str__(self) -> str:
        return f"{_OPEN}{self.module}{_BETWEEN}{self.line}{_CLOSE}"


@dataclasses.dataclass(frozen=True, slots=True)
class Location:
    """A place as a reader finds it; as text, under the name that he knows the file by.

    Args:
        path: the file as it was named or found.
        name: the file's name from the root of its repository or project, with "/".
        line: 1-based line of the file; 0 for the file as a whole.
        cell: 1-based number of a notebook's cell, or 0.
        cell_line: 1-based line in the cell, or 0.
    """

    path: Path
    name: str
    line: int = 0
    cell: int = 0
    cell_line: int = 0

    def __str__(self) -> str:
        if self.cell:
            return f"{self.name}:cell {self.cell}:{self.cell_line}"
        return f"{self.name}:{self.line}" if self.line else self.name


def written_out(text: str, named: Callable[[Place], str]) -> str:
    """A sentence with its references replaced.

    Args:
        named: what to write for a place.
    """
    if _OPEN not in text:
        return text
    return REFERENCE.sub(lambda found: named(Place(found["module"], int(found["at"]))), text)


def places_in(text: str) -> list[Place]:
    """The places that a sentence refers to, in order."""
    return [Place(found["module"], int(found["at"])) for found in REFERENCE.finditer(text)]


def refers_to(text: str, module: str) -> bool:
    """Whether a sentence holds a reference to a place in a module."""
    return f"{_OPEN}{module}{_BETWEEN}" in text
