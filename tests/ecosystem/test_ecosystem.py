"""`nnx-migrate apply` on published packages that use NNX."""

from __future__ import annotations

from pathlib import Path

import pytest
from ecosystem import CACHE, PACKAGES
from migration_tool import installed_tool
from package_survey import Package, survey
from pinned_sources import NotToBeHad, unpacked

pytestmark = pytest.mark.network


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.pin.name)
def test_migration_of_a_published_package(package: Package, tmp_path: Path) -> None:
    try:
        source = unpacked(package.pin, CACHE)
    except NotToBeHad as error:
        pytest.skip(f"no package index here, or not this package: {error}")
    found = survey(package, source, installed_tool(), tmp_path)
    assert not found.problems, "\n".join(found.problems)
    assert found.nnx_files > 0
