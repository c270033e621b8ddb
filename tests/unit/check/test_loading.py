"""Which imported files are of a tree."""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path

import pytest

from nnx_migrate.check.jobs import Side
from nnx_migrate.check.worker.loading import forget, load_file, project_files


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules that say of themselves where they lie."""
    for name, origin in (
        ("of_the_tree", "/trees/net/a.py"),
        ("deeper", "/trees//net/./models/b.py"),
        ("beside", "/trees/network/c.py"),
        ("above", "/trees/d.py"),
        ("nowhere", None),
    ):
        module = types.ModuleType(name)
        module.__file__ = origin
        monkeypatch.setitem(sys.modules, name, module)


@pytest.mark.usefixtures("imported")
def test_files_of_a_tree_are_told_from_those_beside_it() -> None:
    found = project_files(Path("/trees/net"))
    assert found == {"of_the_tree": "a.py", "deeper": "models/b.py"}
    assert set(found) < set(project_files(Path("/")))
    assert project_files(Path("/trees/d.py")) == {"above": "."}


@pytest.mark.usefixtures("imported")
def test_a_tree_is_forgotten_and_nothing_beside_it() -> None:
    forget(Side("old", Path("/trees/net"), ()))
    assert "of_the_tree" not in sys.modules
    assert "deeper" not in sys.modules
    assert {"beside", "above", "nowhere"} <= sys.modules.keys()


def test_a_program_is_run_afresh_after_it_was_forgotten(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("import part\nVALUE = part.VALUE\n")
    for value in (1, 2):
        (tmp_path / "part.py").write_text(f"VALUE = {value}\n" + "#" * value)
        program = load_file(tmp_path)
        assert value == program.VALUE
        assert "part.py" in project_files(tmp_path).values()
        forget(Side("old", tmp_path, ()))
        assert str(tmp_path) not in sys.path
    assert project_files(tmp_path) == {}


@pytest.mark.runs_jax
def test_a_process_has_imported_what_takes_long_before_its_first_case(tmp_path: Path) -> None:
    """The time limit is that of the case."""
    text = f"""
import os
import sys
from pathlib import Path

from nnx_migrate.check.jobs import Column, Side, WorkerSettings
from nnx_migrate.check.worker.column import start

told = os.dup(1)
side = Side("new", Path({str(tmp_path)!r}), (Path({str(tmp_path)!r}),))
start(WorkerSettings(Column(side, "tree"), {{"JAX_PLATFORMS": "cpu"}}, 0, Path("log")))
found = [name in sys.modules for name in ("flax.nnx", "nnx_migrate.check.worker.tracing")]
os.write(told, repr((found, os.environ["NNX_GRAPH_MODE"])).encode())
"""
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "([True, True], 'false')"
