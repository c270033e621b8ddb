"""Choices by a seed, and names that are used once."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from typing import TypeVar

Option = TypeVar("Option")


@dataclasses.dataclass(frozen=True, slots=True)
class Piece:
    """A part of a program that can be left out.

    Args:
        name: of its kind.
        definitions: lines before `main`.
        lines: lines of `main`, or of a method.
        needs: names of other pieces that it does not work without.
    """

    name: str
    definitions: tuple[str, ...]
    lines: tuple[str, ...]
    needs: frozenset[str] = frozenset()


class Draw:
    """A source of choices; the same seed gives the same ones.

    Args:
        seed: any number.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._taken: dict[str, int] = {}

    def pick(self, *options: Option) -> Option:
        """One of them."""
        return self._random.choice(options)

    def chance(self, probability: float) -> bool:
        """True so often."""
        return self._random.random() < probability

    def number(self, least: int, most: int) -> int:
        """A number, both ends among them."""
        return self._random.randint(least, most)

    def some(self, options: Sequence[Option], weights: Sequence[float], count: int) -> list[Option]:
        """Options, some of them several times, the heavy ones more often."""
        return self._random.choices(options, weights, k=count)

    def name(self, stem: str) -> str:
        """A name that no other piece has."""
        self._taken[stem] = self._taken.get(stem, -1) + 1
        return f"{stem}{self._taken[stem]}"


def block(text: str, **names: str) -> tuple[str, ...]:
    """The lines of a text without its common indentation, `$name` put in.

    Args:
        text: a line that is only a `$name` takes several lines, indented as it is.
        names: what is put in.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    found: list[str] = []
    for line in lines:
        line = line[margin:]
        alone = line.strip().removeprefix("$")
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip().startswith("$") and alone in names:
            found += [indent + each for each in names[alone].split("\n") if each.strip()]
            continue
        for name in sorted(names, key=len, reverse=True):
            line = line.replace(f"${name}", names[name])
        found.append(line)
    return tuple(found)
