"""One system call of a run fails, or the process ends at it: files are old or new, and it is told.

`scripts/reliability.py` goes through all of them; here is a part, the same in each run.
"""

from __future__ import annotations

import errno
import random
import shutil
import signal
import sys

import pytest

from tests.faults.battery import Bench, Fault, every_fault, every_signal, layer

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)
_SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    home = tmp_path_factory.mktemp("faults")
    return Bench(home / "project", layer(home), files=2)


def _broken(bench: Bench, faults: list[Fault]) -> list[str]:
    return [f"{fault}: {why}" for fault in faults for why in bench.broken(fault)]


def test_calls_that_fail(bench: Bench) -> None:
    faults = list(every_fault(bench.calls()))
    assert len(faults) > 300
    assert _broken(bench, random.Random(7).sample(faults, 4)) == []


def test_signals(bench: Bench) -> None:
    calls = bench.calls()
    # The second half is where files are written.
    late = [f for f in every_signal(calls, _SIGNALS) if f.at > calls.total() // 2]
    assert _broken(bench, random.Random(7).sample(late, 4)) == []


@pytest.mark.parametrize("call", ["rename", "chmod"])
def test_a_file_that_cannot_be_replaced_is_told(bench: Bench, call: str) -> None:
    last = bench.calls()[call]
    bench.restore()
    ended = bench.run(Fault(call, last, errno.EIO))
    # The last such call may be one of the journal: then nothing more was to be written.
    assert ended.code in {0, 1, 2}
    if bench.contents() != bench.new:
        assert ended.code != 0
        assert "Input/output error" in ended.said or "disk I/O error" in ended.said


def test_what_a_killed_run_left_is_cleared_by_the_next(bench: Bench) -> None:
    bench.restore()
    ended = bench.run(Fault("rename", 2, signal=signal.SIGKILL))
    assert ended.code == -signal.SIGKILL
    assert len(bench.contents()) == len(bench.old) + 1
    assert bench.run().code == 0
    assert bench.contents() == bench.new


@pytest.mark.parametrize("at", [8, 9, 10])
def test_a_folder_above_that_tells_nothing_is_no_crash(bench: Bench, at: int) -> None:
    assert list(bench.broken(Fault("stat", at, errno.EACCES))) == []
