"""Programs before and after a migration, and ways to break the migrated one, or not.

`programs/NAME.txt` holds a program in sections, each under a line `==== ...`: `before`, `after`, a
`cases` file for both, and then mutations of `after`: `broken: what a bad codemod did` or
`harmless: what a person may have done`, the text to find, a line `----`, and what replaces it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

PROGRAMS = Path(__file__).parent / "programs"
Kind = Literal["broken", "harmless"]
UNCHANGED = "as it was migrated"


class Malformed(ValueError):
    """A program file that is not as it has to be; the text says where."""


@dataclasses.dataclass(frozen=True, slots=True)
class Mutant:
    """A migrated program with one change.

    Args:
        kind: whether it still does the same.
        name: what was changed.
        text: the program.
    """

    kind: Kind
    name: str
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """A program of the test-bed.

    Args:
        name: of its file.
        before: the program in graph mode.
        cases: the case file; its functions take `program`.
        mutants: the migrated program as it is, then each mutation of it.
    """

    name: str
    before: str
    cases: str
    mutants: tuple[Mutant, ...]


def all_programs(folder: Path = PROGRAMS) -> list[Program]:
    """The programs of the test-bed, by name.

    Args:
        folder: where they are.

    Raises:
        Malformed: a mutation is not to be applied at exactly one place, or is named twice.
    """
    return [_program(file) for file in sorted(folder.glob("*.txt"))]


def _program(file: Path) -> Program:
    sections = list(_sections(file.read_text(encoding="utf-8")))
    texts = dict(sections[:3])
    mutants = [Mutant("harmless", UNCHANGED, texts["after"])]
    for title, body in sections[3:]:
        kind, _, name = title.partition(": ")
        find, line, replace = body.partition("\n----\n")
        at = f"{file.name}: {title}"
        if not line or texts["after"].count(find) != 1:
            raise Malformed(f"{at}: occurs {texts['after'].count(find)} times")
        if name in {mutant.name for mutant in mutants}:
            raise Malformed(f"{at}: named twice")
        text = texts["after"].replace(find, replace.removesuffix("\n"))
        if kind == "broken":
            mutants.append(Mutant("broken", name, text))
        elif kind == "harmless":
            mutants.append(Mutant("harmless", name, text))
        else:
            raise Malformed(f"{at}: neither broken nor harmless")
    return Program(file.stem, texts["before"], texts["cases"], tuple(mutants))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    for part in text.split("\n==== ")[1:]:
        title, _, body = part.partition("\n")
        yield title, body
