"""`nnx-migrate check` through the installed command: verdicts, reports, exit codes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import COMMAND, Command, Done
from tests.schemas import require_valid

pytestmark = pytest.mark.runs_jax

OLD = """\
import os
import time

import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, size: int, rngs: nnx.Rngs):
        self.linear = nnx.Linear(size, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


@nnx.jit
def train_step(model, optimizer, x):
    loss, grads = nnx.value_and_grad(lambda model: jnp.mean(model(x) ** 2))(model)
    optimizer.update(model, grads)
    return loss


def forward(model, x):
    return model(x)


def summed(x):
    return jnp.sum(x * 0.1)


def scaled(x):
    return jnp.mean(x * 1e-3)


def refused(x):
    raise KeyError("no")


def hanging(x):
    time.sleep(600)


def dying(x):
    os._exit(7)
"""
NEW = (
    OLD.replace("jnp.sum(x * 0.1)", "jnp.sum(x) * 0.1")
    .replace("x * 1e-3", "x * 1.000001e-3")
    .replace(
        "    loss, grads = nnx.value_and_grad(lambda model: jnp.mean(model(x) ** 2))(model)\n",
        "    graphdef, params, rest = nnx.split(model, nnx.Param, ...)\n\n"
        "    def loss_fn(params, rest):\n"
        "        return jnp.mean(nnx.merge(graphdef, params, rest)(x) ** 2)\n\n"
        "    loss, grads = nnx.value_and_grad(loss_fn)(params, rest)\n",
    )
)
CASES = """\
import optax
from flax import nnx

import train
from nnx_migrate.check import f32


def case_train_step(x: f32[4, 4], model: train.Net):
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    return train.train_step, (model, optimizer, x)


def case_forward(x: f32[4, 4], model: train.Net):
    return train.forward, (model, x)


def case_summed(x: f32[100]):
    return train.summed, (x,)


def case_scaled(x: f32[100]):
    return train.scaled, (x,)


def case_refused(x: f32[1]):
    return train.refused, (x,)


def case_hanging(x: f32[1]):
    return train.hanging, (x,)


def case_dying(x: f32[1]):
    return train.dying, (x,)


def case_unclear(x):
    return train.summed, (x,)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checked")
    for name, text in (("old/train.py", OLD), ("new/train.py", NEW), ("cases.py", CASES)):
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return folder


def run(project: Path, *arguments: str) -> Done:
    done = subprocess.run(
        [COMMAND, "check", "old", "new", "--cases", "cases.py", "--platform", "cpu", *arguments],
        cwd=project,
        capture_output=True,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr.decode())


@pytest.fixture(scope="module")
def whole(project: Path) -> dict[str, Any]:
    """The JSON report of all cases; one run serves the tests below."""
    done = run(project, "--timeout", "20", "--format", "json")
    assert done.code == 1, done.err
    found: dict[str, Any] = json.loads(done.out)
    require_valid("check", found)
    return found


def test_every_case_gets_its_verdict(whole: dict[str, Any]) -> None:
    found = {case["name"].removeprefix("cases.py:"): case["verdict"] for case in whole["cases"]}
    assert found == {
        "train_step": "proved",
        "forward": "proved",
        "summed": "close",
        "scaled": "different",
        "refused": "equal",
        "hanging": "not checked",
        "dying": "not checked",
        "unclear": "not checked",
    }
    assert (whole["schema"], whole["exit_code"]) == (1, 1)
    assert whole["summary"]["not checked"] == 3


def test_reasons_are_told(whole: dict[str, Any]) -> None:
    reasons = {
        case["name"].removeprefix("cases.py:"): case["columns"]["new@tree"]["reason"]
        for case in whole["cases"]
    }
    assert "stopped after 20 s" in reasons["hanging"]
    assert "it ends with Exited: os._exit(7)" in reasons["dying"]
    assert "annotate the parameter x" in reasons["unclear"]
    assert reasons["summed"] == "rounding: in float64 the difference disappears"
    assert "not rounding: in float64" in reasons["scaled"]


def test_a_difference_comes_with_a_script_that_shows_it(
    project: Path, whole: dict[str, Any]
) -> None:
    case = next(case for case in whole["cases"] if case["name"] == "cases.py:scaled")
    difference = case["columns"]["new@tree"]["difference"]
    assert difference["path"] == "result"
    script = case["columns"]["new@tree"]["repro"]
    shown = {}
    for side, mode in (("old", "graph"), ("new", "tree")):
        shown[side] = subprocess.run(
            [sys.executable, script, side, mode],
            cwd=project,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    assert "old@graph, call:\n  result = " in shown["old"]
    assert shown["old"].split("= ")[1] != shown["new"].split("= ")[1]


def test_unchanged_cases_are_not_run_again_and_changed_ones_are(
    project: Path, whole: dict[str, Any]
) -> None:
    again = run(project, "--timeout", "20", "--only", "forward", "--only", "summed")
    assert again.code == 0
    assert b"2 cases: 1 proved, 1 close (2 unchanged since an earlier check)" in again.out
    fresh = run(project, "--timeout", "20", "--only", "forward", "--no-cache", "--costs")
    assert b"unchanged" not in fresh.out
    assert b"forward new@tree: " in fresh.out
    assert b"temporary bytes" in fresh.out


def test_all_that_a_case_read_decides_whether_it_is_run_again(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "sizes.py").write_text("SIZE = 3\n")
    (tmp_path / "shared" / "rows.txt").write_text("1 2 3")
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "work.py").write_text(
            "def sized(x):\n    import sizes\n    return x * sizes.SIZE\n\n"
            "def rows(path):\n    return open(path).read()\n"
        )
    (tmp_path / "cases.py").write_text(
        "import pathlib\nimport sys\n\n"
        "SHARED = pathlib.Path(__file__).parent / 'shared'\nsys.path.insert(0, str(SHARED))\n"
        "import work\n\ndef case_sized():\n    return work.sized, (2,)\n\n"
        "def case_rows():\n    return work.rows, (str(SHARED / 'rows.txt'),)\n"
    )
    asked = ("check", "old", "new", "--cases", "cases.py", "--platform", "cpu")
    assert command(*asked).code == 0
    assert b"(2 unchanged since" in command(*asked).out
    for name, text in (("sizes.py", "SIZE = 7\n"), ("rows.txt", "4 5 6")):
        (tmp_path / "shared" / name).write_text(text)
        # What the one has read may be kept in a module for the other.
        assert b"(2 unchanged since" not in command(*asked).out
        assert b"(2 unchanged since" in command(*asked).out


def test_programs_are_sides_too(tmp_path: Path, command: Command) -> None:
    (tmp_path / "before.py").write_text("VALUE = 1\n")
    (tmp_path / "after.py").write_text("VALUE = 2\n")
    (tmp_path / "drive.py").write_text("def drive(program):\n    return program.VALUE\n")
    done = command("check", "before.py", "after.py", "--cases", "drive.py")
    assert done.code == 1
    assert b"call: the result itself: expected plain int 1, got plain int 2" in done.out
    (tmp_path / "after.py").write_text("VALUE = 1\n")
    for kept in (b"unchanged since", b"1 case: 1 equal"):
        again = command("check", "before.py", "after.py", "--cases", "drive.py")
        assert (again.code, kept in again.out) == (0, kept == b"1 case: 1 equal"), again.out
    (tmp_path / "after.py").write_text("VALUE = 3\n")
    changed = command("check", "before.py", "after.py", "--cases", "drive.py")
    assert changed.code == 1, changed.out


def test_a_gpu_that_is_not_there_is_said(tmp_path: Path, command: Command) -> None:
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "cpu":
        pytest.skip("there is a GPU here")
    (tmp_path / "before.py").write_text("VALUE = 1\n")
    (tmp_path / "drive.py").write_text("def drive(program):\n    return program.VALUE\n")
    done = command("check", "before.py", "before.py", "--cases", "drive.py", "--platform", "gpu")
    assert done.code == 2
    assert "there is no gpu here" in done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere", "."], "OLD: there is no file or folder nowhere"),
        (["git:no-such-revision", "."], "git:no-such-revision"),
        ([".", "."], "nothing to check"),
        ([".", ".", "--cases", "absent.py"], "absent.py"),
        ([".", ".", "--cases", "empty.py"], "has no function named case_"),
        ([".", ".", "--root", "lib", "--cases", "empty.py"], "there is no import root"),
        ([".", ".", "--tolerance", "float32"], "--tolerance takes DTYPE=NUMBER"),
    ],
)
def test_what_cannot_be_done_is_said(
    tmp_path: Path, command: Command, arguments: list[str], told: str
) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    done = command("check", *arguments)
    assert done.code == 2
    assert told in done.err
    for_programs = command("check", *arguments, "--format", "json")
    document = json.loads(for_programs.out)
    require_valid("check", document)
    assert (for_programs.code, document["exit_code"], document["cases"]) == (2, 2, [])
    assert told in document["error"]


def test_an_earlier_revision_is_a_side(tmp_path: Path, command: Command) -> None:
    (tmp_path / "train.py").write_text("def value():\n    return 1\n")
    (tmp_path / "cases.py").write_text(
        "import train\n\ndef case_value():\n    return train.value\n"
    )
    _committed(tmp_path)
    (tmp_path / "train.py").write_text("def value():\n    return 2\n")
    done = command("check", "git:HEAD", ".", "--cases", "cases.py")
    assert done.code == 1
    assert b"call: result: expected plain int 1, got plain int 2" in done.out


def _committed(folder: Path) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-qm", "first")):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def test_a_folder_of_a_repository_is_compared_with_itself(tmp_path: Path, command: Command) -> None:
    inner = tmp_path / "ranker"
    inner.mkdir()
    (inner / "train.py").write_text("def value(x):\n    return x + 1\n")
    (inner / "run.py").write_text("import train\n\nprint(train.value(1))\n")
    _committed(tmp_path)
    (inner / "train.py").write_text("def value(x):\n    return x + 2\n")
    here = command("check", "git:HEAD", ".", "--", "python", "run.py", cwd=inner)
    assert b"train.py:value#1" in here.out, here.out
    assert here.code == 1
    from_top = command("check", "git:HEAD", "ranker", "--", "python", "run.py")
    assert b"train.py:value#1" in from_top.out, from_top.out


def test_what_a_check_keeps_is_no_news_for_git(tmp_path: Path, command: Command) -> None:
    """Also where the command fails, so that nothing is compared."""
    (tmp_path / "train.py").write_text("def value(x):\n    return x + 1\n")
    _committed(tmp_path)
    (tmp_path / "train.py").write_text("def value(x):\n    return x + 2\n")
    done = command("check", "git:HEAD", ".", "--", "python", "-c", "raise SystemExit(3)")
    assert done.code == 2
    assert (tmp_path / ".nnx-migrate" / "recording.sqlite").exists()
    asked = ["git", "status", "--short"]
    told = subprocess.run(asked, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert told.stdout == " M train.py\n"


def test_all_that_differs_has_to_be_checked(tmp_path: Path, command: Command) -> None:
    """Files that no case imports, that are gone, or that are notebooks; and cases left out."""
    notebook = '{"cells": [{"cell_type": "code", "source": "a = %d"}]}'
    for side, number in (("old", 1), ("new", 2)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "used.py").write_text(
            f"def value():\n    return [{number} - {number}]\n"
        )
        (tmp_path / side / "unused.py").write_text(f"def value():\n    return {number}\n")
        (tmp_path / side / "tour.ipynb").write_text(notebook % number)
    (tmp_path / "old" / "gone.py").write_text("A = 1\n")
    (tmp_path / "cases.py").write_text(
        "import used\n\ndef case_value():\n    return used.value\n\n"
        "def case_saved():\n    return lambda: 1 / 0, (1,)\n"
    )
    asked = (
        "check",
        "old",
        "new",
        "--cases",
        "cases.py",
        "--platform",
        "cpu",
        "--exclude",
        "saved",
    )
    done = command(*asked)
    told = done.out.decode()
    assert done.code == 2, told
    assert "left out by --exclude: cases.py:saved" in told
    for gap in (
        "unused.py differs, and no case imports it",
        "gone.py is not in NEW",
        "tour.ipynb differs, and notebooks are not run",
    ):
        assert f"not checked: {gap}\n" in told
    assert "3 changes without a case. Not all that differs was checked.\n" in told
    allowed = command(*asked, "--allow-unchecked", "--format", "json")
    document = json.loads(allowed.out)
    assert (allowed.code, document["exit_code"], len(document["unchecked"])) == (0, 0, 3)
    # Who asks for some cases asks for nothing else.
    assert command("check", "old", "new", "--cases", "cases.py", "--only", "value").code == 0


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_tells_what_is_known(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(
        "import time\n\ndef quick():\n    return 1\n\n"
        f"def slow():\n    open({str(tmp_path / 'started')!r}, 'w').close()\n"
        "    time.sleep(300)\n    return 1\n"
    )
    quick = "".join(f"def case_quick_{number}():\n    return work.quick\n\n" for number in range(5))
    (tmp_path / "cases.py").write_text(
        f"import work\n\n{quick}\n\ndef case_slow():\n    return work.slow\n"
    )
    flags = ("--cases", "cases.py", "--platform", "cpu", "--no-proof", "--format", "json")
    running = subprocess.Popen(
        [COMMAND, "check", ".", ".", *flags], cwd=tmp_path, stdout=subprocess.PIPE
    )
    for _ in range(600):
        if (tmp_path / "started").exists():
            break
        time.sleep(0.2)
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    # It does not wait for --timeout, which would end the case too.
    out, _ = running.communicate(timeout=60)
    found = json.loads(out)
    verdicts = {case["name"]: case["verdict"] for case in found["cases"]}
    assert verdicts["cases.py:quick_0"] == "equal", found
    slow = found["cases"][-1]["columns"]["new@tree"]
    assert (slow["verdict"], slow["reason"]) == ("not checked", "interrupted")
    assert (running.returncode, found["exit_code"]) == (2, 2)


RUN = """\
import jax.numpy as jnp
import optax
from flax import nnx

import train

if __name__ == "__main__":
    model = train.Net(4, nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    for _ in range(6):
        train.train_step(model, optimizer, jnp.ones((4, 4)))
    print(train.summed(jnp.arange(100.0)))
"""


def test_the_calls_of_a_program_are_recorded_and_made_again(
    tmp_path: Path, command: Command
) -> None:
    for side, text in (("old", OLD), ("new", NEW)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "train.py").write_text(text)
        (tmp_path / side / "run.py").write_text(RUN)
    done = command("check", "old", "new", "--platform", "cpu", "--", "python", "run.py")
    lines = {line.split()[0]: line.split()[1:] for line in done.out.decode().splitlines()}
    assert lines["train.py:train_step#1"] == ["proved", "proved"]
    assert lines["train.py:summed#1"][0] in ("equal", "close")
    # It differs, and nothing tells whether it does the same.
    assert b"not checked: train.py:scaled was never called" in done.out
    assert done.code == 2
    # The recording is kept, and can be used without the program.
    kept = ("--platform", "cpu", "--recording", ".nnx-migrate/recording.sqlite")
    again = command("check", "old", "new", *kept)
    assert (again.code, b"train.py:scaled was never called" in again.out) == (2, True)
    assert b"unchanged since an earlier check" in again.out
    assert command("check", "old", "new", *kept, "--allow-unchecked").code == 0
    failed = command("check", "old", "new", "--", "python", "-c", "raise SystemExit(3)")
    assert failed.code == 2
    assert b"ended with exit code 3" in failed.out
    assert b"lacks" not in failed.out


def test_a_command_that_names_what_only_the_new_tree_has(tmp_path: Path, command: Command) -> None:
    for side, text in (("old", OLD), ("new", NEW)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "train.py").write_text(text)
    (tmp_path / "new" / "run.py").write_text(RUN)
    done = command("check", "old", "new", "--platform", "cpu", "--", "python", "run.py")
    assert done.code == 2
    told = "ended with exit code 2; it runs in OLD, which lacks run.py: add what is missing"
    assert told in done.out.decode()


LARGE = """\
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(500_000, 500_000, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.linear(x))


def loss(model, x):
    return jnp.mean(model(x) ** 2)
"""
LARGE_CASES = """\
import large
from nnx_migrate.check import f32


def case_loss(x: f32[2, 500_000], model: large.Net):
    return large.loss, (model, x)
"""


def test_a_model_that_fits_no_machine_is_proved_on_shapes(tmp_path: Path, command: Command) -> None:
    sides = {
        "old": LARGE,
        "new": LARGE.replace(
            "return jnp.mean(model(x) ** 2)", "y = model(x)\n    return (y**2).mean()"
        ),
        "initialised": LARGE.replace("500_000, rngs", "500_000, use_bias=True, rngs").replace(
            "500_000, use", "500_000, kernel_init=nnx.initializers.zeros, use"
        ),
        "computed": LARGE.replace("** 2", "** 3"),
    }
    for side, text in sides.items():
        (tmp_path / side).mkdir()
        (tmp_path / side / "large.py").write_text(text)
    (tmp_path / "cases.py").write_text(LARGE_CASES)
    found = {}
    for side in ("new", "initialised", "computed"):
        flags = ("--cases", "cases.py", "--platform", "cpu", "--abstract", "--memory", "8")
        done = command("check", "old", side, *flags)
        found[side] = done.code, done.out.decode()
    assert found["new"][0] == 0, found["new"][1]
    assert "1 case: 1 proved" in found["new"][1]
    assert found["initialised"][0] == 2
    assert (
        "arguments before/0/0/linear/kernel is computed in another way" in found["initialised"][1]
    )
    assert found["computed"][0] == 2
    assert "result is computed in another way" in found["computed"][1]


def test_abstract_runs_nothing(command: Command) -> None:
    done = command("check", ".", ".", "--abstract", "--costs")
    assert done.code == 2
    assert "--abstract runs nothing" in done.err


def test_memory_has_a_limit(tmp_path: Path, command: Command) -> None:
    text = (
        "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n"
        "def filled():\n    return float(np.ones(2**30).sum())\n\n"
        "def on_device():\n    return jnp.ones(2**31)\n"
    )
    (tmp_path / "work.py").write_text(text)
    (tmp_path / "cases.py").write_text(
        "import work\n\ndef case_filled():\n    return work.filled\n\n"
        "def case_on_device():\n    return work.on_device\n\n"
        "def case_small():\n    return lambda: 1\n"
    )
    flags = ("--cases", "cases.py", "--platform", "cpu", "--memory", "4", "--no-proof")
    done = command("check", ".", ".", *flags)
    lines = {line.split()[0]: line for line in done.out.decode().splitlines()}
    assert done.code == 2
    assert "not checked" in lines["cases.py:filled"]
    assert "not checked" in lines["cases.py:on_device"]
    assert "more than 4 GB of memory (--memory)" in done.out.decode()
    assert "equal" in lines["cases.py:small"] or "proved" in lines["cases.py:small"]
