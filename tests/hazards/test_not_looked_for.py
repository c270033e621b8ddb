"""What docs/outcomes.md says that no rule looks for: nothing is said, and the modes differ.

Each program is named by the code that the page shows for it. Who teaches the tool to see one takes
its row from the page, and its program to where those that are seen are.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nnx_migrate.core.findings import Outcome
from tests.golden.columns import difference, run_programs
from tests.hazards.running import migrated, programs_of

ROOT = Path(__file__).parents[2]
PROGRAMS = {
    name.partition("-")[2]: program
    for name, program in programs_of(Path(__file__).parent / "unseen").items()
}


def test_the_page_shows_these_programs() -> None:
    page = (ROOT / "docs" / "outcomes.md").read_text(encoding="utf-8")
    _, _, section = page.partition("\n## Not looked for\n")
    shown = re.findall(r"^\| .* \| `(.*)` \|$", section, re.MULTILINE)
    assert sorted(shown) == sorted(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_said(name: str) -> None:
    found = migrated("".join(PROGRAMS[name])).findings
    assert {each.outcome for each in found} <= {Outcome.SAME}


@pytest.mark.runs_jax
def test_the_modes_differ(tmp_path: Path) -> None:
    drive = tmp_path / "drive.py"
    drive.write_text("def drive(program):\n    return program.main()\n")
    programs = []
    for i, program in enumerate(PROGRAMS.values()):
        folder = tmp_path / str(i)
        folder.mkdir()
        (folder / "main.py").write_text("".join(program))
        programs.append((str(i), folder, drive))
    tree, graph = run_programs(programs, "tree"), run_programs(programs, "graph")
    alike = [name for i, name in enumerate(PROGRAMS) if not difference(graph[str(i)], tree[str(i)])]
    assert alike == []
    assert [name for i, name in enumerate(PROGRAMS) if graph[str(i)].form is None] == []
