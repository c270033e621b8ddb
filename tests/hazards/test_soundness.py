"""Rewrites that are made without being asked for must not change results: programs that try them.

A text file of `programs` holds a head that its programs share, then one program for each line
`#--- name`. Each defines `main`, which returns all that could come out different.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult, FileStatus
from tests.hazards.running import migrated, settled, sources_of, verdicts_of_chosen

PROGRAMS = sources_of(Path(__file__).parent / "programs")


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
def test_has_an_outcome_and_settles(name: str, results: dict[str, FileResult]) -> None:
    result = results[name]
    assert result.status in {FileStatus.CHANGED, FileStatus.UNCHANGED}, result.reason
    assert result.findings
    assert settled(result)


@pytest.mark.runs_jax
@pytest.mark.parametrize("name", PROGRAMS)
def test_runs_as_before(name: str, differences: dict[str, str]) -> None:
    assert differences[name] == ""
