"""A few drawn programs, the same in each run; `scripts/fuzz.py` draws as many as one likes."""

from __future__ import annotations

import pytest

from tests.fuzzing.programs import program
from tests.fuzzing.promises import WRONG, Verdict, judge

SEEDS = range(6)


@pytest.mark.runs_jax
def test_drawn_programs_keep_their_promises() -> None:
    judged = judge({str(seed): program(seed) for seed in SEEDS})
    assert {name: each.detail for name, each in judged.items() if each.verdict in WRONG} == {}
    assert sum(each.verdict is Verdict.SAME for each in judged.values()) > len(SEEDS) // 2
    assert any(each.result.before != each.result.after for each in judged.values())
