"""`nnx-migrate apply` on published packages that use NNX."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from ecosystem import CACHE, PACKAGES
from migration_tool import installed_tool
from package_survey import Package, survey
from pinned_sources import NotToBeHad, unpacked

from nnx_migrate.engine.cache.user_cache import CACHE_VARIABLE

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


#: Small ones, of which several differed with the hash seed.
_SEEDED = {"cax", "jaxkan", "nmn", "qwix"}


@pytest.mark.parametrize(
    "package",
    [package for package in PACKAGES if package.pin.name in _SEEDED],
    ids=lambda package: package.pin.name,
)
def test_all_outputs_are_the_same_with_every_hash_seed_and_number_of_jobs(
    package: Package, tmp_path: Path
) -> None:
    try:
        source = unpacked(package.pin, CACHE)
    except NotToBeHad as error:
        pytest.skip(f"no package index here, or not this package: {error}")
    for output in (["--check", "--verbose"], ["--check", "--format", "sarif"], ["--diff"]):
        found = set()
        for seed, jobs in (("1", "1"), ("2", "2"), ("3", "1")):
            # Each seed plans once, and shows its plan in three ways.
            kept = {CACHE_VARIABLE: str(tmp_path / seed)}
            done = subprocess.run(
                [*installed_tool().command, "apply", ".", *output, "--jobs", jobs],
                cwd=source,
                env={**os.environ, "PYTHONHASHSEED": seed, **kept},
                capture_output=True,
                check=False,
            )
            assert done.returncode in {0, 1}, done.stderr.decode()
            found.add(done.stdout + done.stderr)
        assert len(found) == 1, output
