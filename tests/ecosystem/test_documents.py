"""The documentation of Flax is migrated, and nothing in it moves but code."""

from __future__ import annotations

from pathlib import Path

import pytest
from documents import CACHE, survey
from pinned_sources import FLAX_BEFORE_TREE_MODE, NotToBeHad, unpacked

pytestmark = pytest.mark.network


def test_migration_of_the_guides(tmp_path: Path) -> None:
    try:
        source = unpacked(FLAX_BEFORE_TREE_MODE, CACHE)
    except NotToBeHad as error:
        pytest.skip(f"no package index here, or not flax: {error}")
    found = survey(FLAX_BEFORE_TREE_MODE, source, tmp_path)
    assert not found.problems, "\n".join(found.problems)
    assert found.kinds[".ipynb"].outcomes["rewritten"] >= 9
    assert found.kinds[".ipynb"].unread == 0
    assert len(found.twins) >= 15
    assert not any(found.twins.values())
