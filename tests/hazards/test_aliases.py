"""Objects that come to be in two places are reported however that is written, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult
from tests.chosen import chosen
from tests.golden.columns import run_programs
from tests.hazards.aliases import ALIKE, NEEDLESS, REFUSED
from tests.hazards.running import migrated, settled, verdicts

RULES = {"returned-input", "shared-reference"}


@pytest.fixture(scope="module")
def results() -> dict[str, FileResult]:
    return {name: migrated(source) for name, source in REFUSED.items()}


@pytest.mark.parametrize("name", REFUSED)
def test_is_found(name: str, results: dict[str, FileResult]) -> None:
    assert RULES & {finding.rule for finding in results[name].findings}
    assert settled(results[name])


@pytest.mark.parametrize("name", ALIKE)
def test_nothing_is_found(name: str) -> None:
    assert not migrated(ALIKE[name]).findings


@pytest.mark.parametrize("name", NEEDLESS)
def test_what_may_be_the_same_is_pinned(name: str) -> None:
    result = migrated(NEEDLESS[name])
    assert {finding.rule for finding in result.findings} == {"shared-reference"}
    assert settled(result)


@pytest.fixture(scope="module")
def differences(
    request: pytest.FixtureRequest,
    results: dict[str, FileResult],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, str]:
    run = chosen(request.session, "name", REFUSED)
    numbered = {f"program{i}": results[name] for i, name in enumerate(run)}
    found = verdicts(numbered, tmp_path_factory.mktemp("programs"))
    return dict(zip(run, found.values(), strict=True))


@pytest.mark.runs_jax
@pytest.mark.parametrize("name", REFUSED)
def test_runs_as_before(name: str, differences: dict[str, str]) -> None:
    assert differences[name] == ""


@pytest.mark.runs_jax
def test_the_tables_say_what_tree_mode_does(tmp_path: Path) -> None:
    drive = tmp_path / "drive.py"
    drive.write_text("def drive(program):\n    return program.main()\n")
    programs = []
    for i, source in enumerate([*REFUSED.values(), *ALIKE.values()]):
        folder = tmp_path / str(i)
        folder.mkdir()
        (folder / "main.py").write_text(source)
        programs.append((str(i), folder, drive))
    ran = run_programs(programs, "tree")
    raised = [name for i, name in enumerate([*REFUSED, *ALIKE]) if ran[str(i)].form is None]
    assert raised == list(REFUSED)
