"""Reading in several processes finds what reading in one does."""

from __future__ import annotations

import os
import signal
import sys
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest

from nnx_migrate.sources.walk import scanning
from nnx_migrate.sources.walk.discovery import Walk
from nnx_migrate.sources.walk.ignores import Ignores
from nnx_migrate.sources.walk.scanning import Listing, scan, shared


@pytest.fixture
def listings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Listing]:
    monkeypatch.setattr(scanning, "_WORTH_A_PROCESS", 10)
    found = []
    for folder in range(12):
        (tmp_path / f"{folder}").mkdir()
        names = [f"m{number}.py" for number in range(folder)]
        for number, name in enumerate(names):
            text = "from flax import nnx\n" if number % 3 == 1 else "import flax\n"
            (tmp_path / f"{folder}" / name).write_text(text)
        found.append(Listing.of(f"{tmp_path}/{folder}", "", [*names, "gone.py"], Ignores()))
    return found


def expected(listings: Sequence[Listing]) -> list[tuple[Listing, list[str]]]:
    def is_marked(number: int, name: str) -> bool:
        return number % 3 == 1 or name == "gone.py"

    return [(each, [x for n, x in enumerate(each.names) if is_marked(n, x)]) for each in listings]


@pytest.mark.parametrize("jobs", [1, 2, 3, 50])
def test_marks_what_says_nnx_and_what_cannot_be_read(listings: list[Listing], jobs: int) -> None:
    assert list(scan(listings, jobs)) == expected(listings)
    assert list(scan([], jobs)) == []


@pytest.mark.skipif(sys.platform != "linux", reason="one process reads everything")
@pytest.mark.parametrize("alive", [0, 1])
def test_the_share_of_a_process_that_dies_is_read_here(listings: list[Listing], alive: int) -> None:
    def dies(shown: str, names: Sequence[str]) -> list[str]:
        if os.getpid() != own and not alive:
            os.kill(os.getpid(), signal.SIGKILL)
        if os.getpid() != own and shown.endswith("/9"):  # in its second share
            os.kill(os.getpid(), signal.SIGKILL)
        return scanning._marked(shown, names)

    own = os.getpid()
    assert list(shared(dies, listings, 3)) == expected(listings)


@pytest.mark.parametrize("helpers", [0, 1, 2, 20])
def test_shares_are_all_there_is(listings: list[Listing], helpers: int) -> None:
    total = sum(len(listing.names) for listing in listings)
    shares = scanning._shares(listings, total, helpers)
    assert [listing for share in shares for listing in share] == listings
    assert len(shares) == helpers + 1
    sizes = [sum(len(listing.names) for listing in share) for share in shares]
    assert max(sizes) - min(sizes) <= 2 * max(len(listing.names) for listing in listings)
    assert scanning._shares([], 0, helpers) == [[]] * (helpers + 1)


def test_a_file_that_says_nothing_is_little_more_than_its_name(tmp_path: Path) -> None:
    names = [f"file{number}.py" for number in range(3000)]
    for name in names:
        (tmp_path / name).touch()
    tracemalloc.start()
    try:
        walk = Walk([tmp_path])
        assert list(walk) == []
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sorted(name for listing in walk.others for name in listing.names) == sorted(names)
    assert kept / len(names) < 30
