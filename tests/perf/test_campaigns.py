"""What a batch run costs, in figures that hold on any machine: calls made, and bytes sent."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.batch.campaign import Campaign, Planned
from nnx_migrate.batch.processes.choice import LocalProcesses
from nnx_migrate.batch.processes.limits import Limits
from nnx_migrate.batch.processes.supervised import Supervised, Work
from nnx_migrate.sources.configuration import Configuration
from tests.perf.counting import calls_during
from tests.perf.test_ratios import tree


class Here:
    """Does all work in this process, where its calls are counted."""

    local = True

    def map(self, work: Work[Any, Any], tasks: Iterable[Any]) -> Iterator[Any]:
        if work.start is not None:
            work.start(*work.start_args)
        for task in tasks:
            answer = work.function(task)
            yield work.pack(answer) if work.pack is not None else answer

    def check(self, function: Any, *args: Any) -> Any:
        return function(*args)


def campaign(root: Path, out: Path, processes: Any) -> Campaign:
    out.mkdir(exist_ok=True)

    def silent(*_: object) -> None:
        pass

    return Campaign([root], Configuration(), out, processes, 1, given_up=False, progress=silent)


def test_a_second_run_takes_a_fraction(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", 600)
    planned: list[Planned] = []

    def run() -> None:
        planned.append(campaign(root, tmp_path / "out", Here()).plan())

    first, second = calls_during(run), calls_during(run)
    assert [each.anew for each in planned] == [60, 0]
    assert planned[0].result == planned[1].result
    assert first > 500_000
    assert second / first <= 0.1


def test_what_is_known_is_sent_once_a_process_and_never_with_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: dict[int, list[int]] = {}

    def counted(self: Supervised[Any, Any], pool: Any, batch: Any) -> Any:
        load = pickle.dumps((*self._work.sent(), batch.tasks))
        sent[files].append(len(load) // len(batch.tasks))
        return original(self, pool, batch)

    original = Supervised._sent
    monkeypatch.setattr(Supervised, "_sent", counted)
    for files in (320, 1280):
        sent[files] = []
        root = tree(tmp_path / f"tree{files}", files)
        found = campaign(root, tmp_path / f"out{files}", LocalProcesses(2, Limits()))
        assert found.plan().anew == files // 10
    assert max(sent[1280]) <= 1.2 * max(sent[320])
    assert max(sent[1280]) < 1_000
