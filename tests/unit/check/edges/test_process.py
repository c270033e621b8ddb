"""What ends a program, changes its process, or leaves nothing to look at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nnx_migrate.check.cases.inputs import cases_of
from nnx_migrate.check.compare.case_verdicts import Strictness
from nnx_migrate.check.compare.comparison import DEFAULT
from nnx_migrate.check.compare.verdicts import CaseResult, Verdict
from nnx_migrate.check.jobs import Limits, Side
from nnx_migrate.check.matrix import check_jobs, matrix
from nnx_migrate.check.worker.processes import running_workers

pytestmark = pytest.mark.runs_jax

OLD = """\
import os
import sys

import jax
import jax.numpy as jnp


def ends(x):
    print(x * 2)
    sys.exit(0)


def interrupted(x):
    raise KeyboardInterrupt


def refused(x):
    raise ValueError("no")


def dies(x):
    os._exit(3)


def after_a_change(rows, x):
    rows.append(1)
    raise ValueError("no")


def in_a_file(x):
    raise ValueError(f"no {x} in {__file__}:1 at {hex(id(x))}")


def moves(x):
    os.chdir("/")
    os.environ["LEFT_BEHIND"] = "1"
    jax.config.update("jax_default_matmul_precision", "float32")
    return x


def place(x):
    left = os.environ.get("LEFT_BEHIND", ""), str(jax.config.jax_default_matmul_precision)
    return os.path.isfile("program.py"), left


def silent():
    total = 0
    for number in range(3):
        total += number


def filled(rows):
    rows.append(1)
"""
CASES = """\
import program
from nnx_migrate.check import f32


def case_ends(x: f32[2]):
    return program.ends, (x,)


def case_interrupted(x: f32[2]):
    return program.interrupted, (x,)


def case_refused(x: f32[2]):
    return program.refused, (x,)


def case_said(x: f32[2]):
    return program.refused, (x,)


def case_not_called_so():
    return program.refused, (1, 2)


def case_dies(x: f32[2]):
    return program.dies, (x,)


def case_after_a_change(x: f32[2]):
    return program.after_a_change, ([], x)


def case_in_a_file():
    return program.in_a_file, (3,)


def case_moves(x: f32[2]):
    return program.moves, (x,)


def case_place(x: f32[2]):
    return program.place, (x,)


def case_silent():
    return program.silent


def case_filled():
    return program.filled, ([],)
"""


def checked(folder: Path, new: str, root: str = ".") -> dict[str, CaseResult]:
    for side, text in (("old", OLD), ("new", new)):
        (folder / side / root).mkdir(parents=True)
        (folder / side / root / "program.py").write_text(text)
    (folder / "cases.py").write_text(CASES)
    sides = [Side(name, folder / name, (folder / name,)) for name in ("old", "new")]
    jobs = cases_of([folder / "cases.py"]).jobs
    environment = {"JAX_PLATFORMS": "cpu"}
    with running_workers(matrix(*sides), Limits(60), environment, folder) as workers:
        found = check_jobs(jobs, workers, Strictness(DEFAULT))
        return {each.name.removeprefix("cases.py:"): each for each in found}


def reason(result: CaseResult) -> str:
    return next(iter(result.columns.values())).reason


def test_nothing_of_a_case_reaches_the_check_or_the_next_case(tmp_path: Path) -> None:
    new = OLD.replace("x * 2", "x * 3").replace("os.path.isfile", "os.path.exists")
    found = checked(tmp_path, new.replace("total += number", "total -= number"))
    verdicts = {name: result.verdict.value for name, result in found.items()}
    assert verdicts == {
        "ends": "not checked",
        "interrupted": "not checked",
        "refused": "equal",
        "said": "equal",
        "not_called_so": "not checked",
        "dies": "not checked",
        "after_a_change": "equal",
        "in_a_file": "equal",
        "moves": "proved",
        "place": "proved",
        "silent": "not checked",
        "filled": "proved",
    }, json.dumps({name: reason(result) for name, result in found.items()})
    assert "SystemExit: 0" in reason(found["ends"])
    assert "nothing to compare" in reason(found["silent"])
    assert "Exited: os._exit(3)" in reason(found["dies"])
    assert "too many positional arguments" in reason(found["not_called_so"])


def test_what_is_changed_only_is_seen(tmp_path: Path) -> None:
    new = OLD.replace("rows.append(1)", "rows.append(2)").replace(
        'os.path.isfile("program.py")', 'not os.path.isfile("program.py")'
    )
    found = checked(tmp_path, new)
    assert found["filled"].verdict is Verdict.DIFFERENT
    assert found["place"].verdict is Verdict.DIFFERENT


def test_what_is_raised_and_what_was_changed_before_is_compared(tmp_path: Path) -> None:
    new = OLD.replace("rows.append(1)\n    raise", "rows.append(2)\n    raise")
    new = new.replace(
        """def refused(x):
    raise ValueError("no")""",
        """def refused(x):
    raise ValueError("never")""",
    )
    found = checked(tmp_path, new)
    assert found["after_a_change"].verdict is Verdict.DIFFERENT
    # Which of the two texts anybody looks at is not known from here.
    assert found["said"].verdict is Verdict.NOT_CHECKED
    assert "ValueError: no, new raises ValueError: never" in reason(found["said"])


def test_a_side_of_which_no_file_is_imported_is_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The workers get the path of this process, as they get that of the command.
    monkeypatch.syspath_prepend(tmp_path / "new" / "python")
    found = checked(tmp_path, OLD.replace("rows.append(1)", "rows.append(2)"), root="python")
    assert {each.verdict for each in found.values()} == {Verdict.NOT_CHECKED}
    assert "no file of OLD was imported" in reason(found["filled"])
