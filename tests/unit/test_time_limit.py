"""Work that takes too long ends by an exception, and what is done in time is left in peace."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from nnx_migrate.core.deep_stack import run_deep
from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.engine import plan_file as planning
from nnx_migrate.engine.plan_file import PlanTask
from nnx_migrate.engine.run import run
from nnx_migrate.engine.time_limit import TookTooLong, time_limit
from nnx_migrate.sources.configuration import Configuration, Options


def spin() -> None:
    while True:
        try:
            sum(range(1000))
        except Exception:
            continue


@pytest.mark.parametrize("on", [lambda work: work(), run_deep])
def test_what_never_ends_is_ended(on: object) -> None:
    def work() -> None:
        with time_limit(0.05):
            spin()

    assert callable(on)
    with pytest.raises(TookTooLong):
        on(work)


def test_what_ends_in_time_is_never_met_by_the_exception() -> None:
    ended = 0
    for number in range(300):
        try:
            with time_limit(0.002):
                time.sleep(0.0005 * (number % 8))
        except TookTooLong:
            ended += 1
        threading.Event().wait(0)
    assert 0 < ended < 300


def test_a_file_that_takes_too_long_is_a_finding_and_the_others_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.py", "slow.py", "z.py"):
        (tmp_path / name).write_text(f"from flax import nnx  # {name}\n")
    plan = planning.plan_file

    def planned(task: PlanTask) -> FileResult:
        if task.path.name == "slow.py":
            spin()
        return plan(task)

    monkeypatch.setattr(planning, "plan_file", planned)
    result = run([tmp_path], Configuration({"timeout": 1}), write=None)
    states = {each.path.name: each.status for each in result.results}
    assert states["slow.py"] is FileStatus.FAILED
    assert states["a.py"] is states["z.py"] is FileStatus.UNCHANGED
    (slow,) = (each for each in result.results if each.path.name == "slow.py")
    assert slow.findings[0].rule == "too-slow"
    assert "--timeout" in slow.reason
    assert Options().timeout == 300


@pytest.mark.parametrize("link", [".b", "[0]", "[k]"])
def test_long_chains_take_time_that_grows_with_their_length(link: str, tmp_path: Path) -> None:
    times = []
    for length in (1_000, 4_000):
        file = tmp_path / f"chain{length}.py"
        file.write_text(f"from flax import nnx\nx = a{link * length}\n")
        start = time.process_time()
        run([file], Configuration({}), write=None)
        times.append(time.process_time() - start)
    # Quadratic would be sixteen times, cubic sixty-four.
    assert times[1] < 10 * times[0] + 1
