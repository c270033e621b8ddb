"""Whatever way a traced call reaches a model, a change of its structure is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult, FileStatus, Outcome
from tests.chosen import chosen
from tests.golden.columns import Result, difference, run_matrix
from tests.hazards.reached_programs import HANDED, programs
from tests.hazards.running import migrated, settled

PROGRAMS = programs()
#: Of so many programs one is run: what they have in common is how they are read.
_RUN = 5
_DRIVE = "def drive(program):\n    return program.main()\n"
_COLUMNS = (("loud", "graph"), ("loud", "tree"), ("quiet", "graph"), ("quiet", "tree"))
_AFTER = (("after", "graph"), ("after", "tree"))


@pytest.fixture(scope="module")
def results() -> dict[str, FileResult]:
    return {name: migrated(program.text) for name, program in PROGRAMS.items()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_is_found(name: str, results: dict[str, FileResult]) -> None:
    result = results[name]
    assert result.status in {FileStatus.CHANGED, FileStatus.UNCHANGED}, result.reason
    assert result.findings
    assert settled(result)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if not name.startswith(HANDED)])
def test_is_not_found_where_variables_alone_change(name: str) -> None:
    assert not migrated(PROGRAMS[name].quiet).findings


@pytest.fixture(scope="module")
def ran(
    request: pytest.FixtureRequest,
    results: dict[str, FileResult],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[tuple[str, str], dict[str, Result]]:
    folder = tmp_path_factory.mktemp("reached")
    drive = folder / "drive.py"
    drive.write_text(_DRIVE)
    jobs: dict[str, list[tuple[str, Path, Path]]] = {"loud": [], "quiet": [], "after": []}
    for name in chosen(request.session, "name", PROGRAMS):
        program = PROGRAMS[name]
        texts = {"loud": program.text.encode(), "quiet": program.quiet.encode()}
        for side, data in {**texts, "after": results[name].after}.items():
            place = folder / name / side
            place.mkdir(parents=True)
            (place / "main.py").write_bytes(data)
            jobs[side].append((name, place, drive))
    columns = (*_COLUMNS, *_AFTER)
    found = run_matrix([(jobs[side], mode) for side, mode in columns])  # type: ignore[misc]
    return dict(zip(columns, found, strict=True))


@pytest.mark.runs_jax
@pytest.mark.parametrize("name", list(PROGRAMS)[::_RUN])
def test_depends_on_the_mode_as_it_says(
    name: str,
    results: dict[str, FileResult],
    ran: dict[tuple[str, str], dict[str, Result]],
) -> None:
    loud, loud_tree, quiet, quiet_tree, graph, tree = (each[name] for each in ran.values())
    assert loud.form is not None, loud.error
    assert difference(loud, loud_tree) is not None
    assert difference(quiet, quiet_tree) is None
    assert difference(loud, graph) is None
    announced = any(f.outcome is Outcome.MANUAL for f in results[name].findings)
    assert announced or difference(loud, tree) is None
