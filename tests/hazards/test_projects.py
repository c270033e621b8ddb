"""Programs of several files: what is sown in one is popped in another, or nearly so.

A text file of `projects` holds a head that its programs share, then one program for each line
`#--- name`; its files follow lines `#@ path`, `main.py` comes first. A file that is called after
nothing but its name in the head (`#@ nets.py` there) belongs to all of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult, FileStatus
from tests.hazards.running import all_settled, migrated_files, programs_of, verdicts

_FOLDER = Path(__file__).parent / "projects"


def _files(text: str) -> dict[str, str]:
    found = {}
    for part in text.split("#@ ")[1:]:
        name, _, body = part.partition("\n")
        found[name.strip()] = body
    return found


PROJECTS = {
    name: _files(head) | _files("#@ main.py\n" + body)
    for name, (head, body) in programs_of(_FOLDER).items()
}


@pytest.fixture(scope="module")
def results() -> dict[str, dict[str, FileResult]]:
    return {name: migrated_files(files) for name, files in PROJECTS.items()}


@pytest.fixture(scope="module")
def differences(
    results: dict[str, dict[str, FileResult]], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    return verdicts(results, tmp_path_factory.mktemp("projects"))


@pytest.mark.parametrize("name", PROJECTS)
def test_has_an_outcome_and_settles(name: str, results: dict[str, dict[str, FileResult]]) -> None:
    known = {FileStatus.CHANGED, FileStatus.UNCHANGED, FileStatus.SKIPPED}
    assert {each.status for each in results[name].values()} <= known
    assert any(each.findings for each in results[name].values())
    assert all_settled(results[name])


@pytest.mark.runs_jax
@pytest.mark.parametrize("name", PROJECTS)
def test_runs_as_before(name: str, differences: dict[str, str]) -> None:
    assert differences[name] == ""
