"""A constant that differs is looked at through who reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.check.cases.inputs import record_command
from nnx_migrate.check.cases.readers import with_readers
from nnx_migrate.check.cases.touched import Touched, touched_functions
from nnx_migrate.check.compare.verdicts import Verdict
from tests.unit.check.recording.projects import Project, write_project

_SETTINGS = """
import other

LR = 0.1
TWICE = LR * 2
SIZES = {"a": LR}


def here(x, lr=LR):
    return x - lr


class Net:
    rate = TWICE

    def __call__(self, x):
        return x * self.rate


def elsewhere(x):
    return x


if __name__ == "__main__":
    here(1.0)
    Net()(2.0)
    elsewhere(3.0)
    other.directly(1.0)
    other.by_module(1.0)
"""
_OTHER = """
import settings
from settings import LR as rate
import settings as all_of_it


def directly(x):
    return x * rate


def by_module(x):
    return x * all_of_it.LR


def neither(x):
    return x
"""


def _project(folder: Path) -> Project:
    files = {"settings.py": _SETTINGS, "other.py": _OTHER}
    return write_project(folder, files, {"settings.py": ("LR = 0.1", "LR = 0.2")})


def _with_readers(project: Project) -> dict[str, Touched]:
    touched = touched_functions(project.old, project.new)
    return {each.path: each for each in with_readers(project.old, touched)}


def test_the_functions_that_read_a_value_are_watched(tmp_path: Path) -> None:
    found = _with_readers(_project(tmp_path))
    assert found["settings.py"].values == ("LR",)
    assert found["settings.py"].readers == ("here", "Net.__call__")
    assert found["other.py"].readers == ("directly", "by_module")
    assert not found["other.py"].functions
    assert set(found["settings.py"].read_by["LR"]) == {
        "settings.py:here",
        "settings.py:Net.__call__",
        "other.py:directly",
        "other.py:by_module",
    }


def test_nothing_is_read_where_no_value_differs(tmp_path: Path) -> None:
    project = write_project(tmp_path, {"a.py": _SETTINGS}, {"a.py": ("x - lr", "x + lr")})
    touched = touched_functions(project.old, project.new)
    assert with_readers(project.old, touched) == touched


@pytest.mark.runs_jax
def test_another_constant_is_seen_where_it_is_read(tmp_path: Path) -> None:
    pytest.importorskip("cloudpickle")
    files = {"settings.py": _SETTINGS.replace("import other\n", ""), "other.py": _OTHER}
    files["settings.py"] = files["settings.py"].replace("    other.", "    import other; other.")
    project = write_project(tmp_path, files, {"settings.py": ("LR = 0.1", "LR = 0.2")})
    touched = touched_functions(project.old, project.new)
    command = ["python", "settings.py"]
    environment = {"JAX_PLATFORMS": "cpu"}
    inputs = record_command(
        command,
        project.old,
        project.new,
        touched,
        project.recording,
        calls=3,
        environment=environment,
    )
    assert inputs.gaps == ()
    assert inputs.remarks == ("settings.py:LR is checked in the functions that read it",)
    results = project.check(inputs.jobs)
    verdicts = {name: each.verdict for name, each in results.items()}
    assert verdicts["settings.py:here#1"] is Verdict.DIFFERENT, results
    assert verdicts["other.py:directly#1"] is Verdict.DIFFERENT
    assert verdicts["other.py:by_module#1"] is Verdict.DIFFERENT


def test_what_the_flip_may_change_is_watched_in_files_that_changed(tmp_path: Path) -> None:
    text = """
from flax import nnx
from flax.nnx import vmap as each_of


@nnx.jit
def same(model, x):
    return model(x)


def inside(model, x):
    return each_of(lambda x: model(x))(x)


def plain(x):
    return x


def changed(x):
    return x + 1
"""
    files = {"a.py": text, "b.py": text}
    project = write_project(tmp_path, files, {"a.py": ("x + 1", "1 + x")})
    found = _with_readers(project)
    assert found.keys() == {"a.py"}
    assert found["a.py"].called == ("changed", "same", "inside")
