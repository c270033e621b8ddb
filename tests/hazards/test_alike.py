"""Programs in which no object is in two places, next to those in which one is: nothing is found.

A text file of `alike` holds programs in the form of those of `programs`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult
from tests.hazards.running import migrated, sources_of, verdicts_of_chosen

PROGRAMS = sources_of(Path(__file__).parent / "alike")


@pytest.fixture(scope="module")
def results() -> dict[str, FileResult]:
    return {name: migrated(source) for name, source in PROGRAMS.items()}


@pytest.fixture(scope="module")
def differences(
    request: pytest.FixtureRequest,
    results: dict[str, FileResult],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, str]:
    return verdicts_of_chosen(request, results, tmp_path_factory.mktemp("programs"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_found(name: str, results: dict[str, FileResult]) -> None:
    assert not results[name].findings


@pytest.mark.runs_jax
@pytest.mark.parametrize("name", PROGRAMS)
def test_runs_alike(name: str, differences: dict[str, str]) -> None:
    assert differences[name] == ""
