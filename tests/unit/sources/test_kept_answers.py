"""Answers read back from disk: our own classes, whole, and nothing that runs code."""

from __future__ import annotations

import functools
import os
import pickle
import random
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.sources.kept_answers import read_answer
from nnx_migrate.sources.write import holds
from tests.unit.analysis.asking import index_of


class _Calls:
    def __init__(self, function: Any, *arguments: Any) -> None:
        self._call = (function, arguments)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self._call


def test_records_and_results_are_read_back() -> None:
    index = index_of(
        "a.py", "from flax import nnx\n\n@nnx.jit\ndef f(m, *a, k=1j): return m.x[..., 1:2]\n"
    )
    assert read_answer(pickle.dumps(index)) == index


@pytest.mark.parametrize(
    "evil",
    [
        _Calls(os.system, "true"),
        _Calls(eval, "1"),
        _Calls(functools.partial, print),
        _Calls(holds, Path("x"), b""),
        _Calls(getattr, 1, "real"),
        _Calls(pickle.loads, b"N."),
        _Calls(__import__, "os"),
    ],
)
def test_what_no_answer_is_made_of_is_refused(evil: object) -> None:
    with pytest.raises(ValueError, match="is not a part of an answer"):
        read_answer(pickle.dumps(evil))


def test_a_name_through_one_of_our_modules_is_refused() -> None:
    for module, name in [
        ("nnx_migrate.sources.write", "os.system"),
        ("nnx_migrate.sources.write", "os"),
        ("nnx_migrate.sources.write", "Path"),
    ]:
        data = b"\x80\x04" + pickle.SHORT_BINUNICODE + bytes([len(module)]) + module.encode()
        data += pickle.SHORT_BINUNICODE + bytes([len(name)]) + name.encode() + pickle.STACK_GLOBAL
        with pytest.raises(ValueError, match="is not a part of an answer"):
            read_answer(data + b".")


def test_damaged_bytes_are_an_error_of_value() -> None:
    data = pickle.dumps(FileResult(Path("a.py"), FileStatus.CHANGED, b"x" * 50, b"y"))
    draw = random.Random(0)
    for _ in range(20_000):
        damaged = bytearray(data)
        for _ in range(draw.randint(1, 4)):
            damaged[draw.randrange(len(data))] = draw.randrange(256)
        try:
            read_answer(bytes(damaged[: draw.randint(1, len(data))]))
        except ValueError:
            continue
