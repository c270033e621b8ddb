"""What is recorded of programs without jax: which calls, how many, and that nobody notices."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

pytest.importorskip("cloudpickle")
pytest.importorskip("jax")
from nnx_migrate.check.compare.forms import Observation
from nnx_migrate.check.recording.replaying import recorded_call
from nnx_migrate.check.recording.store import call_digest, read_call, recorded_observation
from tests.unit.check.recording.projects import Project, write_project

pytestmark = pytest.mark.runs_jax

_PROGRAM = '''"""A program."""

from __future__ import annotations

import contextlib
import functools
import sys
import threading

from other import Other


class Point:
    def __init__(self, x):
        self.x = x

    @property
    def double(self):
        return self.x * 2 + K

    @staticmethod
    def add(a, b):
        return a + b + K

    @classmethod
    def make(cls, x):
        return cls(x + K)

    def scaled(self, by):
        return Point(self.x * by + K)


def outer(x):
    def inner(y):
        return y + K
    return inner(x)


def fails(x):
    raise ValueError(x + K)


def takes_lock(lock):
    with lock:
        return 1 + K


def numbers():
    yield K


def never():
    return K


@functools.lru_cache
def cached(x):
    return x + K


def takes_function(function, other):
    return function(other.value) + K


K = 0
plus = functools.partial(outer)

if __name__ == "__main__":
    point = Point(1)
    print([outer(i) for i in range(20)], plus(3), point.double, Point.add(1, 2))
    print(type(Point.make(1)) is Point, point.scaled(2).x, list(numbers()), cached(3))
    with contextlib.suppress(ValueError):
        fails(4)
    takes_lock(threading.Lock())
    print(takes_function(outer, Other(5)), takes_function(abs, Other(-6)))
    print(cached.cache_info().misses, outer.__name__)
    print(sys.argv, __name__, sys.path[0] == __file__.rpartition("/")[0], __file__)
    fails(7)
'''
_OTHER = """class Other:
    def __init__(self, value):
        self.value = value
"""


def _project(tmp_path: Path, program: str = _PROGRAM) -> Project:
    files = {"program.py": program, "other.py": _OTHER}
    changed = program.replace(" + K", " + K + 0").replace("yield K", "yield K + 0")
    changed = changed.replace("return K", "return K + 0")
    changed = changed.replace("partial(outer)", "partial(outer, )").replace("(outer, )", "(never)")
    return write_project(tmp_path, files, {"program.py": (program, changed)})


def test_calls_are_recorded_and_the_program_does_not_notice(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    project = _project(tmp_path)
    script = str(project.old.root / "program.py")
    plain = subprocess.run(
        [sys.executable, script, "--flag", "v"], capture_output=True, text=True, check=False
    )
    capfd.readouterr()
    outcome = project.record(script, "--flag", "v")
    printed = capfd.readouterr().err
    assert printed.splitlines()[:5] == plain.stdout.splitlines()[:5]
    assert printed.splitlines()[-1] == plain.stderr.splitlines()[-1] == "ValueError: 7"
    assert outcome.exit_code == plain.returncode == 1
    frames = [
        [line for line in text.splitlines() if script in line] for text in (printed, plain.stderr)
    ]
    assert [line for line in frames[0] if line in frames[1]] == frames[1]

    names = [job.name.removeprefix("program.py:") for job in project.jobs()]
    assert sorted(names) == [
        "Point.add#1",
        "Point.double.fget#1",
        "Point.make#1",
        "Point.scaled#1",
        "cached#1",
        "fails#1",
        "fails#2",
        "outer#1",
        "outer#2",
        "outer#3",
        # With other numbers it may do something else.
        *(f"outer#{number}" for number in range(4, 9)),
        "plus#1",
        "takes_function#1",
        "takes_function#2",
    ]
    assert outcome.recorded == len(names)
    assert outcome.never_called == ("program.py:never",)
    missed = {each.name: each.reason for each in outcome.missed}
    assert missed.keys() == {"takes_lock", "numbers", "outer"}
    assert "lock" in missed["takes_lock"]
    assert "generator" in missed["numbers"]
    assert not Path(f"{project.recording}-wal").exists()

    by_name = {job.name.removeprefix("program.py:"): int(job.entry) for job in project.jobs()}
    assert [read_call(project.recording, by_name[f"outer#{n}"]).argv for n in (1, 2)] == [
        (script, "--flag", "v")
    ] * 2
    assert call_digest(project.recording, 1) != call_digest(project.recording, 2)
    raised = recorded_observation(project.recording, by_name["fails#1"])
    assert raised == Observation(None, "ValueError", "4")
    program = """
import sys
from pathlib import Path
from nnx_migrate.check.jobs import Side
from nnx_migrate.check.recording.replaying import recorded_call
from nnx_migrate.check.recording.store import recorded_jobs
side = Side(sys.argv[1], Path(sys.argv[2]), (Path(sys.argv[2]),))
recording = Path(sys.argv[3])
for job in recorded_jobs(recording):
    call = recorded_call(recording, int(job.entry), side)
    home = sys.modules[call.function.__module__] if "plus" not in job.name else None
    assert home is None or Path(home.__file__).is_relative_to(side.root), home
    if "fails" not in job.name:
        result = call.function(*call.arguments, **call.keywords)
        print(job.name, getattr(result, "x", result))
"""
    replayed = [
        subprocess.run(
            [sys.executable, "-c", program, side.name, str(side.root), str(project.recording)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for side in (project.old,)
    ]
    assert "program.py:outer#3 2\n" in replayed[0]
    assert "program.py:Point.make#1 1\n" in replayed[0]
    assert "program.py:takes_function#1 5\n" in replayed[0]
    assert "program.py:takes_function#2 6\n" in replayed[0]


def test_the_bound_holds_for_all_processes_together(tmp_path: Path) -> None:
    program = """import subprocess, sys


def touched(x):
    return x + K


K = 0
if len(sys.argv) == 1:
    both = [subprocess.Popen([sys.executable, __file__, n]) for n in "12"]
    assert [each.wait() for each in both] == [0, 0]
else:
    for i in range(100):
        touched(int(sys.argv[1]) * i)
"""
    project = _project(tmp_path, program)
    outcome = project.record("program.py", calls=4)
    assert outcome.exit_code == 0
    # Calls with other numbers are counted apart: ten of them.
    assert outcome.recorded == 10
    project.record("program.py", "3", calls=2)
    assert len(project.jobs()) == 6


def test_a_module_and_a_package_are_recorded_when_they_are_run(tmp_path: Path) -> None:
    old = {
        "pkg/__init__.py": "",
        "pkg/__main__.py": "from pkg.work import f\nprint(f(2))\n",
        "pkg/work.py": "def f(x):\n    return x + 1\n\n\nif __name__ == '__main__':\n    f(3)\n",
    }
    project = write_project(tmp_path, old, {"pkg/work.py": ("x + 1", "1 + x")})
    for module in ("pkg", "pkg.work"):
        assert project.record("-m", module).exit_code == 0
        (job,) = project.jobs()
        assert job.name == "pkg/work.py:f#1"
        assert read_call(project.recording, int(job.entry)).module == "pkg.work"


def test_pytest_is_recorded_touched_tests_among_it(tmp_path: Path) -> None:
    old = {
        "pkg/__init__.py": "",
        "pkg/work.py": "def f(x):\n    return x + 1\n",
        "tests/test_work.py": """import pytest
from pkg.work import f

@pytest.fixture
def two():
    return 2

def test_f(two):
    assert f(two) == 3

class TestMore:
    @pytest.mark.parametrize("x", [1, 2])
    def test_wrong(self, x):
        assert f(x) == 2
""",
    }
    changes = {
        "pkg/work.py": ("x + 1", "1 + x"),
        "tests/test_work.py": ("assert f(", "assert 0 + f("),
    }
    project = write_project(tmp_path, old, changes)
    outcome = project.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert outcome.exit_code == 1
    assert [job.name for job in project.jobs()] == [
        "pkg/work.py:f#1",
        "tests/test_work.py:test_f#1",
        "pkg/work.py:f#2",
        "tests/test_work.py:TestMore.test_wrong#1",
        "tests/test_work.py:TestMore.test_wrong#2",
    ]
    failed = recorded_observation(project.recording, 5)
    # The text comes from pytest's rewriting of asserts.
    assert failed is not None
    assert failed.raised == "AssertionError"
    assert failed.message.startswith("assert 3 == 2")


def test_a_command_that_hangs_is_stopped_and_what_it_did_stays(tmp_path: Path) -> None:
    program = "import time\n\ndef f(x):\n    return x + K\n\nK = 0\nf(1)\ntime.sleep(60)\n"
    project = _project(tmp_path, program)
    started = time.monotonic()
    outcome = project.record("program.py", timeout=8)
    assert time.monotonic() - started < 30
    assert (outcome.exit_code, outcome.problem) == (None, "stopped after 8 s")
    assert outcome.recorded == 1


def test_the_sitecustomize_of_the_user_runs_as_well(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "sitecustomize.py").write_text("import sys\nprint('theirs', sys.argv[0])\n")
    project = _project(tmp_path, "def f(x):\n    return x + K\n\nK = 0\nf(1)\n")
    outcome = project.record("program.py", environment={"PYTHONPATH": str(theirs)})
    assert "theirs program.py" in capfd.readouterr().err
    assert outcome.recorded == 1


def test_a_command_that_does_not_exist_is_a_finding(tmp_path: Path) -> None:
    project = _project(tmp_path, "def f(x):\n    return x + K\n\nK = 0\n")
    outcome = project.record("no_such_program.py")
    assert outcome.exit_code == 2
    assert outcome.never_called == ("program.py:f",)


def test_a_call_that_is_not_in_a_recording_is_refused(tmp_path: Path) -> None:
    project = _project(tmp_path, "def f(x):\n    return x + K\n\nK = 0\n")
    project.record("program.py")
    with pytest.raises(LookupError):
        recorded_call(project.recording, 1, project.old)


def test_of_each_kind_the_first_call_is_kept_and_others_in_measure(tmp_path: Path) -> None:
    text = """
        from nnx_migrate.check.recording import call_recorder

        def f(x, way):
            return x * 2

        # As after much work: what is kept from now on is the first of each kind, and eight calls.
        call_recorder._keeping.seconds = 1e9
        for way in "abcdefghij":
            for number in range(3):
                f(number, way)
        """
    text = textwrap.dedent(text)
    project = write_project(tmp_path, {"work.py": text}, {"work.py": ("x * 2", "2 * x")})
    outcome = project.record("work.py")
    with sqlite3.connect(project.recording) as database:
        rows = database.execute("SELECT kind, numbers FROM calls ORDER BY id").fetchall()
    kinds = [kind for kind, _ in rows]
    assert len(set(kinds)) == 10
    assert [kinds.count(kind) for kind in dict.fromkeys(kinds)] == [3, 3, 2] + 7 * [1]
    (missed,) = outcome.missed
    assert missed.reason == "it differs from the kept calls in its numbers alone"
    assert missed.spoken_for
