"""Who calls a function, in all calls that a command makes of it."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

pytest.importorskip("cloudpickle")
pytest.importorskip("pebble")
pytest.importorskip("jax")
from nnx_migrate.check.recording import store
from tests.unit.check.recording.projects import write_project

pytestmark = pytest.mark.runs_jax

_LIBRARY = """
import threading


def inner(x):
    return x + 1


def outer(x):
    return inner(x) * 2


def again(x):
    return again(x - 1) if x else inner(x)


def in_thread(x):
    thread = threading.Thread(target=inner, args=(x,))
    thread.start()
    thread.join()


def raising(x):
    inner(x)
    raise ValueError


def alone(x):
    return x
"""
_SCRIPT = """
import library

library.outer(1)
library.again(2)
library.in_thread(3)
try:
    library.raising(4)
except ValueError:
    pass


def run():
    return library.alone(5)


library.alone(6)
run()
"""


def test_calls_are_those_of_the_watched_function_around_them(tmp_path: Path) -> None:
    files = {"library.py": _LIBRARY, "main.py": _SCRIPT}
    project = write_project(tmp_path, files, {"library.py": ("(x):", "(x, *_):")})
    assert project.record("main.py").exit_code == 0
    found = {
        name.removeprefix("library.py:"): each
        for name, each in store.callers(project.recording).items()
    }
    assert found == {
        # Of a thread nobody knows who started it.
        "inner": {"library.py:outer", "library.py:again", "library.py:raising", ""},
        "outer": {"main.py"},
        # That it calls itself says nothing of who calls it.
        "again": {"main.py"},
        "in_thread": {"main.py"},
        "raising": {"main.py"},
        # A function that is not watched is nobody that could be compared.
        "alone": {"main.py", ""},
    }


def test_a_recording_of_an_earlier_version_knows_of_no_callers(tmp_path: Path) -> None:
    recording = tmp_path / "calls.sqlite"
    store.create(recording)
    store.add_caller(recording, "library.py", "inner", "main.py")
    assert store.callers(recording) == {"library.py:inner": {"main.py"}}
    with contextlib.closing(sqlite3.connect(recording)) as database:
        database.execute("DROP TABLE callers")
    assert store.callers(recording) == {}
