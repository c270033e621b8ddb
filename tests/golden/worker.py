"""Runs programs in one mode and writes their normal forms down.

    python -m tests.golden.worker RESULT.pickle < jobs.json

The mode comes from the environment (NNX_GRAPH_MODE, NNX_GRAPH_UPDATES), never from the setters,
which miss what is decorated at import. A job is `{"name", "program", "drive"}`; the result file
maps each name to its `Run`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import importlib.util
import itertools
import json
import pickle
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from tests.golden.normal_form import NormalForm, normal_form

_serial = itertools.count()


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """What became of one program in one mode.

    Args:
        form: the normal form of what its driver returned; None when it raised.
        error: type and text of the exception; "" when there was none.
        seconds: how long it took.
    """

    form: NormalForm | None
    error: str
    seconds: float


def run_job(program: Path, drive: Path) -> Run:
    """Imports a program afresh and drives it.

    Args:
        program: a file, or a folder with main.py.
        drive: the file that defines `drive(program)`.
    """
    start = time.perf_counter()
    try:
        with _imported(program) as module, _imported(drive) as driver:
            form = normal_form(driver.drive(module))
    except Exception as error:
        return Run(None, f"{type(error).__name__}: {error}", time.perf_counter() - start)
    return Run(form, "", time.perf_counter() - start)


@contextlib.contextmanager
def _imported(path: Path) -> Iterator[ModuleType]:
    """Imports a program under a name of its own and forgets all its modules afterwards."""
    known = set(sys.modules)
    root = path if path.is_dir() else path.parent
    file = path / "main.py" if path.is_dir() else path
    name = f"golden_{path.stem}_{next(_serial)}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if path.is_dir():
        sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        if path.is_dir():
            sys.path.remove(str(root))
        for other in set(sys.modules) - known:
            origin = getattr(sys.modules[other], "__file__", None) or ""
            if Path(origin).is_relative_to(root):
                del sys.modules[other]


def main() -> None:
    """Reads the jobs from stdin and writes the results to the file named on the command line."""
    sys.dont_write_bytecode = True
    jobs = json.load(sys.stdin)
    runs = {job["name"]: run_job(Path(job["program"]), Path(job["drive"])) for job in jobs}
    with open(sys.argv[1], "wb") as file:
        pickle.dump({name: dataclasses.astuple(run) for name, run in runs.items()}, file)


if __name__ == "__main__":
    main()
