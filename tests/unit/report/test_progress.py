"""What the bar says of a run, message by message."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from nnx_migrate.report.progress.bar import bar_on
from nnx_migrate.report.progress.drawing import Drawing, slow_file


def drawing() -> tuple[Progress, Drawing]:
    bar = Progress(console=Console(file=io.StringIO(), width=200), auto_refresh=False)
    return bar, Drawing(bar)


def test_the_oldest_file_is_named_when_it_takes_long() -> None:
    at = {"1": ("src/old.py", 10.0), "2": ("src/new.py", 12.5)}
    assert slow_file(at, 11.0, 60) == ""
    assert slow_file(at, 15.0, 60) == "src/old.py (5 s)"
    assert slow_file({"1": ("a" * 99 + "/b.py", 0.0)}, 9.0, 20) == "…" + "a" * 8 + "/b.py (9 s)"
    assert slow_file(at, 15.0, 10) == slow_file({}, 15.0, 60) == ""


def test_files_count_when_they_end_and_no_earlier() -> None:
    bar, drawn = drawing()
    drawn.take(["done", "planning", "1", "64"], 0.0)
    for process in ("7", "8"):
        drawn.take(["at", process, "a.py"], 0.0)
    drawn.take(["at", "7", ""], 1.0)
    drawn.take(["at", "7", ""], 1.0)
    [task] = bar.tasks
    assert (task.completed, task.total) == (2, 64)
    drawn.draw(9.0)
    assert bar.tasks[0].fields["slow"] == "a.py (9 s)"
    drawn.take(["done", "planning", "32", "64"], 9.0)
    drawn.take(["done", "writing", "1", "2"], 9.0)
    [task] = bar.tasks
    assert (task.description, task.completed) == ("writing files", 1)


def test_a_run_goes_on_without_who_draws(tmp_path: Path) -> None:
    with open(tmp_path / "out", "w+") as stream, bar_on(stream, colour=False) as bar:
        for number in range(20_000):
            bar("planning", number, 20_000)


def test_it_ends_quietly_while_others_still_hold_the_pipe() -> None:
    command = [sys.executable, "-P", "-m", "nnx_migrate.report.progress.drawing", "plain"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"done\tplanning files\t1\t2\nend\n")
        process.stdin.flush()
        assert process.wait(20) == 0
        assert b"Fatal" not in process.stderr.read()
