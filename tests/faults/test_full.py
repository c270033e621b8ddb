"""A disk that is full: no half file, it is told, and with room the run comes to the same end.

`scripts/reliability.py` fills it at many more places.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.full import fillings, namespace

pytestmark = pytest.mark.skipif(namespace() is None, reason="no disk may be mounted here")


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        # Of 4 kB pages and of inodes: in the journal, in a temporary file, beside the files.
        ("apply", [(1, None), (4, None), (8, None), (9999, 3)]),
        # In what is known, in the plan, in the patches or the page; before the last result.
        ("batch", [(20, None), (65, None), (110, None), (9999, 27)]),
    ],
)
def test_a_disk_that_becomes_full(
    tmp_path: Path, name: str, sizes: list[tuple[int, int | None]]
) -> None:
    _, ended = fillings(tmp_path / name, name, sizes)
    assert [each for each in ended if each.broken] == []
    assert len(ended) == len(sizes)
    assert any(each.full for each in ended)
