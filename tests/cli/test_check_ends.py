"""`nnx-migrate check` of programs that end themselves, and when it is ended itself."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, Command

pytestmark = pytest.mark.runs_jax

SCRIPT = """\
import sys

import jax.numpy as jnp


def scale(x):
    return x * 2


def main():
    print(scale(jnp.ones(3)).sum())
    sys.exit(0)


if __name__ == "__main__":
    main()
"""
SILENT = """\
import jax.numpy as jnp


def main():
    def step(x):
        return x * 2

    step(jnp.ones(3))


if __name__ == "__main__":
    main()
"""
IMPORTED = "import sys\n\nimport jax.numpy as jnp\n\nTOTAL = jnp.ones(3).sum()\nsys.exit(0)\n"
TESTS = """\
import pytest

import main


def test_main():
    with pytest.raises(SystemExit):
        main.main()
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "told"),
    [
        (SCRIPT, "x * 2", "x * 3", "different"),
        (SCRIPT, "print(scale", 'print("sum", scale', "it ends with SystemExit: 0"),
        (SILENT, "x * 2", "x * 3", "nothing to compare"),
        (IMPORTED, "sys.exit(0)", "sys.exit(int(0))", "it ends with SystemExit: 0"),
    ],
    ids=["another result", "another print", "silent", "at import"],
)
def test_a_script_that_exits_ends_no_check(
    tmp_path: Path, command: Command, text: str, old: str, new: str, told: str
) -> None:
    for side, changed in (("old", text), ("new", text.replace(old, new))):
        (tmp_path / side).mkdir()
        (tmp_path / side / "main.py").write_text(changed)
    asked = ("check", "old", "new", "--platform", "cpu", "--format", "json")
    done = command(*asked, "--", "python", "main.py")
    document = json.loads(done.out)
    assert told in json.dumps(document), document
    # The command's own 0 is not the check's.
    assert done.code == document["exit_code"] == (1 if told == "different" else 2)


def test_tests_of_a_command_line_are_a_command_as_another(tmp_path: Path, command: Command) -> None:
    for side, changed in (("old", SCRIPT), ("new", SCRIPT.replace("x * 2", "x * 3"))):
        (tmp_path / side).mkdir()
        (tmp_path / side / "main.py").write_text(changed)
        (tmp_path / side / "test_main.py").write_text(TESTS)
    done = command("check", "old", "new", "--platform", "cpu", "--", "pytest", "-q")
    assert (done.code, b"main.py:scale#1  different" in done.out) == (1, True), done.out


def test_a_platform_that_is_not_there_is_json_too(tmp_path: Path, command: Command) -> None:
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "cpu":
        pytest.skip("there is a GPU here")
    (tmp_path / "before.py").write_text("VALUE = 1\n")
    (tmp_path / "drive.py").write_text("def drive(program):\n    return program.VALUE\n")
    asked = ("check", "before.py", "before.py", "--cases", "drive.py", "--platform", "gpu")
    done = command(*asked, "--format", "json")
    document = json.loads(done.out)
    assert (done.code, document["exit_code"], document["cases"]) == (2, 2, [])
    assert "there is no gpu here: " in document["error"]


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_of_several_at_once_tells_what_is_known(tmp_path: Path) -> None:
    started = tmp_path / "started"
    (tmp_path / "work.py").write_text(
        "import time\n\ndef quick():\n    return 1\n\n"
        f"def slow():\n    open({str(started)!r}, 'w').close()\n    time.sleep(300)\n    return 1\n"
    )
    (tmp_path / "cases.py").write_text(
        "import work\n\ndef case_quick():\n    return work.quick\n\n"
        "def case_slow():\n    return work.slow\n\ndef case_slow_too():\n    return work.slow\n"
    )
    flags = ("--cases", "cases.py", "--platform", "cpu", "--no-proof", "--jobs", "2")
    running = subprocess.Popen(
        [COMMAND, "check", ".", ".", *flags], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert "case" in running.stdout.readline()
    assert running.stdout.readline().split() == ["cases.py:quick", "equal", "equal"]
    for _ in range(600):
        if started.exists():
            break
        time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    # It does not wait for --timeout, which would end them too.
    out, _ = running.communicate(timeout=60)
    lines = [line.split() for line in out.splitlines()]
    assert ["cases.py:slow", "not", "checked", "not", "checked"] in lines, out
    assert ["cases.py:slow_too", "not", "checked", "not", "checked"] in lines
    assert "note: interrupted; the remaining cases are not checked" in out
    assert "3 cases: 1 equal, 2 not checked" in out
    assert running.returncode == 2
