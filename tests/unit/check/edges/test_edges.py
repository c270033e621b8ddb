"""The edges of a call: what is broken there never passes, and what is harmless does."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.check.compare.verdicts import Verdict
from tests.unit.check.mutation.mutants import Program, all_programs
from tests.unit.check.mutation.running import Finding, check_mutants
from tests.unit.check.mutation.table import described

PROGRAMS = all_programs(Path(__file__).parent / "programs")


def _is_right(finding: Finding) -> bool:
    """What cannot be told apart from here may be left open, but never pass."""
    if finding.mutant.kind == "broken":
        return finding.verdict in (Verdict.DIFFERENT, Verdict.NOT_CHECKED)
    return all(column.verdict.passes for column in finding.columns)


@pytest.mark.runs_jax
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_broken_ones_do_not_pass_and_harmless_ones_do(program: Program, tmp_path: Path) -> None:
    found = list(check_mutants([program], tmp_path))
    assert len(found) == len(program.mutants)
    assert [described(finding) for finding in found if not _is_right(finding)] == []
