"""Bad input is a finding with file and reason; all else is done; nothing is half-written."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nnx_migrate.engine.workers import WORTH_A_POOL
from tests.cli.conftest import COMMAND, TRAIN, Command


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(
    ("data", "finding"),
    [
        (
            b"from flax import nnx\nx = '\xe9'\n",
            "unreadable-file: failed: line 2 holds byte 0xe9",
        ),
        (b"# coding: nope\nfrom flax import nnx\n", "unreadable-file: failed: unknown encoding"),
        (b"from flax import nnx\ndef (:\n", "2:5: syntax-error: failed: invalid syntax"),
        (b"nnx\0\x01\x02", "unreadable-file: failed: it holds NUL bytes"),
        (b"nnx = " + b"[" * 300 + b"]" * 300, "syntax-error: failed: too many nested"),
        (b"nnx = " + b"(" * 6000 + b")" * 6000, "syntax-error: failed: too many nested"),
        (b"nnx = " + b"a**" * 5000 + b"a", "failed: its code is nested too deeply"),
        (b"nnx = " + b"a." * 90_000 + b"a", "failed: its code is nested too deeply"),
    ],
)
def test_a_bad_file_is_told_and_the_others_are_done(
    command: Command, project: Path, data: bytes, finding: str, jobs: str
) -> None:
    (project / "bad.py").write_bytes(data)
    for number in range(WORTH_A_POOL):
        (project / f"more{number}.py").write_bytes(b"from flax import nnx\n")
    done = command("apply", "src", "--jobs", jobs)
    assert done.code == 1
    [line] = [line for line in done.said.splitlines() if line.startswith("src/bad.py")]
    assert finding in line
    assert (project / "bad.py").read_bytes() == data
    assert b"nnx.merge" in (project / "train.py").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is rationed there")
@pytest.mark.parametrize("words", [("apply", "src", "--dry-run"), ("batch", "src", "--out", "out")])
def test_processes_that_cannot_be_had_are_told(
    tmp_path: Path, project: Path, words: tuple[str, ...]
) -> None:
    for number in range(WORTH_A_POOL):
        (project / f"more{number}.py").write_bytes(b"from flax import nnx\n")
    line = shlex.join([str(COMMAND), *words, "--jobs", "2"])
    done = subprocess.run(
        ["sh", "-c", f"ulimit -n 14; exec {line}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "Too many open files" in done.stderr
    assert "use fewer processes (--jobs 1)" in done.stderr
    assert (project / "train.py").read_bytes() == TRAIN


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_processes_end_with_the_one_that_started_them(tmp_path: Path, project: Path) -> None:
    for number in range(20 * WORTH_A_POOL):
        (project / f"more{number}.py").write_bytes(TRAIN)
    words = [str(COMMAND), "apply", "src", "--dry-run", "--jobs", "2"]
    process = subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    deadline = time.monotonic() + 60
    workers: list[str] = []
    while len(workers) < 2 and time.monotonic() < deadline:
        workers = listed.read_text().split()
    process.kill()
    process.wait()
    assert len(workers) == 2
    while any(map(_runs, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(_runs, workers))


def _runs(process: str) -> bool:
    """Whether a process is there that is not waiting for somebody to take note of its end."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_large_file_is_done(command: Command, tmp_path: Path) -> None:
    body = b"".join(b"VALUE_%d = [%d, (%d,)]\n" % (n, n, n) for n in range(20_000))
    (tmp_path / "large.py").write_bytes(body + TRAIN)
    done = command("apply", "large.py")
    assert done.code == 0, done.err
    after = (tmp_path / "large.py").read_bytes()
    assert after.startswith(body)
    assert b"nnx.merge" in after


def test_a_long_sum_is_done(command: Command, project: Path) -> None:
    line = b"total = " + b" + ".join([b"1"] * 1500) + b"\n"
    (project / "train.py").write_bytes(line + TRAIN)
    assert command("apply", "src").code == 0
    after = (project / "train.py").read_bytes()
    assert after.startswith(line)
    assert b"nnx.merge" in after


def test_a_path_that_is_not_there(command: Command, project: Path) -> None:
    done = command("apply", "nowhere", "src")
    assert (done.code, done.out) == (2, b"")
    assert "error: nowhere: there is no such file or folder; nothing was changed" in done.err
    assert (project / "train.py").read_bytes() == TRAIN
    near = command("apply", "scr", "--check")
    assert (near.code, "; did you mean src?" in near.err) == (2, True)


def test_a_link_out_of_the_tree_is_never_written_through(
    command: Command, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside.py").write_bytes(TRAIN)
    (project / "link.py").symlink_to(tmp_path / "outside.py")
    done = command("apply", "src")
    assert done.code == 1
    assert "src/link.py: link-out-of-tree: skipped: it links to " in done.err
    assert (tmp_path / "outside.py").read_bytes() == TRAIN
    assert (project / "link.py").is_symlink()


def test_a_link_inside_the_tree_is_done_once_and_stays_a_link(
    command: Command, project: Path
) -> None:
    (project / "alias.py").symlink_to("train.py")
    done = command("apply", "src")
    assert done.code == 0
    assert (project / "alias.py").is_symlink()
    assert done.err.count("module-gradient: rewritten") == 1


def test_a_read_only_file_stays(command: Command, project: Path) -> None:
    (project / "locked.py").write_bytes(TRAIN)
    (project / "locked.py").chmod(0o444)
    foreseen = command("apply", "src", "--dry-run").err
    assert "warning: src/locked.py could not be written: it is read-only" in foreseen
    done = command("apply", "src")
    assert done.code == 1
    assert "src/locked.py: unwritable-file: failed: it is read-only" in done.err
    assert (project / "locked.py").read_bytes() == TRAIN
    assert b"nnx.merge" in (project / "train.py").read_bytes()
    # There is something to undo, and where nothing was written there isn't.
    assert "undo with" in done.err
    assert "undo with" not in command("apply", "src/locked.py").err


def test_a_pipe_is_never_opened(command: Command, project: Path) -> None:
    os.mkfifo(project / "pipe.py")
    done = command("apply", "src")
    assert "src/pipe.py: special-file: skipped: " in done.err


def test_odd_names_are_printed_harmlessly(command: Command, project: Path) -> None:
    (project / "a\x1b[31m\n.py").write_bytes(b"nnx = (\n")
    done = command("apply", "src")
    assert "src/a\\x1b[31m\\n.py:1:7: syntax-error" in done.said


def test_a_kill_in_the_middle_leaves_whole_files(project: Path) -> None:
    files = [project / f"train{number}.py" for number in range(60)]
    for file in files:
        file.write_bytes(TRAIN)
    process = subprocess.Popen([COMMAND, "apply", project], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while files[3].read_bytes() == TRAIN and time.monotonic() < deadline:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = {file.read_bytes() for file in files} - {TRAIN}
    assert len(done) == 1
    assert b"nnx.merge" in done.pop()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["apply"], "name files or folders, as in: nnx-migrate apply src/ --dry-run"),
        (["apply", "src", "--select", "state-axis"], "did you mean 'state-axes'?"),
        (["apply", "src", "--ignore", "nonsense"], "'nnx-migrate rule' lists them"),
        (["apply", "src", "--jobs", "0"], "--jobs"),
        (
            ["apply", "src", "--target", "tree"],
            "--target no longer exists: the rewritten code always works",
        ),
        (
            ["apply", "src", "--select", "diff-state", "--ignore", "diff-state"],
            "select and ignore leave none of the",
        ),
        (["apply", "src", "--select", ""], "to list them: nnx-migrate rule"),
        (
            ["apply", "src", "--patch", "no/such/folder/x.patch"],
            "the folder no/such/folder does not exist",
        ),
        (["aply", "src"], "no such command 'aply'"),
        (["apply", "src", "--nope"], "no such option: --nope"),
        (["check", "."], "missing argument 'NEW'; see nnx-migrate check --help"),
        (["src"], "did you mean: nnx-migrate apply src --dry-run"),
    ],
)
def test_wrong_use_is_exit_code_2_and_says_what_to_do(
    command: Command, project: Path, arguments: list[str], message: str
) -> None:
    done = command(*arguments)
    assert (done.code, done.out) == (2, b"")
    # In one line and one form, whether an argument of typer's or a condition of ours was not met.
    assert done.err.startswith("nnx-migrate: error: ")
    assert done.err.count("\n") == 1
    assert message in done.said
    assert (project / "train.py").read_bytes() == TRAIN


def test_a_wrong_configuration_names_file_and_key(command: Command, project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.nnx-migrate]\nunsave = true\n")
    done = command("apply", "src")
    assert done.code == 2
    assert (
        f"error: {project / 'pyproject.toml'}: [tool.nnx-migrate] has no key 'unsave'" in done.err
    )
    assert (project / "train.py").read_bytes() == TRAIN


def test_nothing_of_the_project_is_imported_or_run(command: Command, project: Path) -> None:
    (project / "train.py").write_bytes(TRAIN + b"open('RAN', 'w')\n")
    (project / "sitecustomize.py").write_bytes(b"open('RAN', 'w')\n")
    assert command("apply", ".", cwd=project).code == 0
    assert not (project / "RAN").exists()


def test_the_engine_imports_no_jax_and_no_flax() -> None:
    program = (
        "import sys, pathlib; from nnx_migrate.sources.configuration import Configuration\n"
        "from nnx_migrate.engine.run import run_text\n"
        "result = run_text(sys.stdin.buffer.read(), pathlib.Path('x/y/z.py'), Configuration())\n"
        "assert result.after != result.before\n"
        "print([name for name in ('jax', 'flax', 'numpy', 'ray') if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=TRAIN, capture_output=True, check=True
    )
    assert done.stdout == b"[]\n"


def test_a_broken_configuration_beside_the_named_file_does_not_matter(
    command: Command, project: Path
) -> None:
    other = project.parent / "other"
    other.mkdir()
    (other / "pyproject.toml").write_text("[tool.nnx-migrate]\nunsave = true\n")
    (other / "model.py").write_text("from flax import nnx\n")
    assert command("apply", "src").code == 0
    assert command("apply", "other").code == 2


def test_what_the_parser_says_about_style_is_not_passed_on(command: Command, project: Path) -> None:
    (project / "escape.py").write_text("from flax import nnx\nx = '\\d'\n")
    assert "Warning" not in command("apply", "src", "--check").said


def test_no_file_takes_the_place_of_a_closed_stream(project: Path) -> None:
    shell = 'exec "$0" apply src <&- >&- 2>&-'
    done = subprocess.run(["sh", "-c", shell, COMMAND], cwd=project.parent, check=False)
    assert done.returncode == 0
    assert b"nnx.merge" in (project / "train.py").read_bytes()
    assert (
        subprocess.run([COMMAND, "undo", "last"], cwd=project.parent, check=False).returncode == 0
    )
    assert (project / "train.py").read_bytes() == TRAIN


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_an_output_that_is_full_is_no_bug(project: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [COMMAND, "apply", "src", "--dry-run"],
            cwd=project.parent,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == b"nnx-migrate: error: the output: No space left on device\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps this limit")
def test_no_memory_for_the_stack_is_told(tmp_path: Path, project: Path) -> None:
    line = shlex.join([str(COMMAND), "apply", "src"])
    done = subprocess.run(
        ["sh", "-c", f"ulimit -v 450000; exec {line}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "error: there is too little memory: no memory for a stack of 512 MB" in done.stderr
    assert (project / "train.py").read_bytes() == TRAIN
