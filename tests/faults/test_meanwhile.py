"""Files and folders that change while a run is under way: no edit is lost, nothing else is touched.

`scripts/reliability.py` tries each change at many more moments.
"""

from __future__ import annotations

import random
import shutil
import sys

import pytest

from tests.faults.battery import layer
from tests.faults.meanwhile import ACTIONS, Change, Meanwhile

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Meanwhile:
    home = tmp_path_factory.mktemp("meanwhile")
    return Meanwhile(home / "tree", layer(home), "apply")


@pytest.mark.parametrize("what", ACTIONS)
def test_what_changes_meanwhile(tree: Meanwhile, what: str) -> None:
    at = random.Random(what).randrange(1, len(tree.calls))
    assert list(tree.broken(Change(what, at))) == []


@pytest.mark.parametrize(
    ("what", "kind", "which"),
    [
        # Before the bytes are looked at, the last time; and before that of the new file.
        ("saved as editors do", "chmod", -1),
        ("edited", "sync", -1),
        ("folder a link to a copy", "sync", -1),
        ("a pipe", "open", 4),
        ("a link to a device", "open", 4),
        ("links removed", "stat", 6),
    ],
)
def test_the_moments_at_which_it_was_wrong(
    tree: Meanwhile, what: str, kind: str, which: int
) -> None:
    places = [number for number, call in enumerate(tree.calls, start=1) if call == kind]
    assert list(tree.broken(Change(what, places[which]))) == []
