"""The checker can fail: it finds every mutant that is broken, and lets pass what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.check.mutation.mutants import all_programs
from tests.unit.check.mutation.running import check_mutants
from tests.unit.check.mutation.table import PAGE, described

PROGRAMS = all_programs()
MUTANTS = [mutant for program in PROGRAMS for mutant in program.mutants]


def test_there_are_enough() -> None:
    kinds = [mutant.kind for mutant in MUTANTS]
    assert kinds.count("broken") >= 40
    assert kinds.count("harmless") - len(PROGRAMS) >= 40


def test_page_names_every_mutant() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [mutant.name for mutant in MUTANTS if f"| {mutant.name} |" not in page] == []


@pytest.mark.runs_jax
def test_broken_ones_are_found_and_harmless_ones_pass(tmp_path: Path) -> None:
    found = list(check_mutants(PROGRAMS, tmp_path))
    assert len(found) == len(MUTANTS)
    assert [described(finding) for finding in found if not finding.as_it_should_be] == []
