"""Reading in several processes finds what reading in one does."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from nnx_migrate.sources import scanning
from nnx_migrate.sources.ignores import Ignores
from nnx_migrate.sources.scanning import Listing, scan


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
        found.append(Listing(f"{tmp_path}/{folder}", "", [*names, "gone.py"], Ignores()))
    return found


def expected(listings: Sequence[Listing]) -> list[list[str]]:
    return [
        [name for number, name in enumerate(listing.names) if number % 3 == 1 or name == "gone.py"]
        for listing in listings
    ]


@pytest.mark.parametrize("jobs", [1, 2, 3, 50])
def test_marks_what_says_nnx_and_what_cannot_be_read(listings: list[Listing], jobs: int) -> None:
    assert list(scan(listings, jobs)) == expected(listings)
    assert list(scan([], jobs)) == []


@pytest.mark.skipif(sys.platform != "linux", reason="one process reads everything")
def test_the_share_of_a_process_that_dies_is_read_here(
    listings: list[Listing], monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(share: Sequence[Listing], sender: Connection) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(scanning, "_send", die)
    assert list(scan(listings, 3)) == expected(listings)


@pytest.mark.skipif(sys.platform != "linux", reason="one process reads everything")
@pytest.mark.parametrize(("jobs", "number"), [(1, 1), (2, 2), (3, 3), (50, 4)])
def test_shares_are_about_equal(listings: list[Listing], jobs: int, number: int) -> None:
    shares = scanning._shares(listings, jobs)
    assert [listing for share in shares for listing in share] == listings
    sizes = [sum(len(listing.names) for listing in share) for share in shares]
    assert len(sizes) == number
    assert max(sizes) - min(sizes) <= 2 * max(len(listing.names) for listing in listings)
