"""Whether what a loop gives back is the object that went in."""

from types import ModuleType
from typing import Any


def add(model: Any) -> None:
    model.w[...] += 1


def drive(program: ModuleType) -> bool:
    model = program.Counter()
    return program.repeat(add, model) is model
