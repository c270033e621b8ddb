"""Any bytes at all: no crash, no change to what cannot be read, and nothing lost in what can."""

from __future__ import annotations

from pathlib import Path

import hypothesmith
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from nnx_migrate.core.findings import FileStatus
from tests.fuzzing.promises import wrong_text
from tests.fuzzing.texts import broken_promises, damaged, not_applied
from tests.hazards.running import migrated
from tests.properties.programs import Program, programs

SEEDS = range(100)
_SYNTAX = settings(
    max_examples=15,
    # What fails takes minutes to be made smaller.
    phases=[Phase.generate],
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def test_damaged_files_keep_their_promises(tmp_path: Path) -> None:
    changed = unreadable = 0
    for seed in SEEDS:
        result, broken = broken_promises(damaged(seed), tmp_path)
        assert not broken, f"damaged({seed}): {broken}"
        unreadable += result.status is FileStatus.FAILED
        if result.status is FileStatus.CHANGED:
            changed += 1
            if changed % 6 == 0:
                assert not_applied(result) == "", f"damaged({seed})"
    assert changed > 20
    assert unreadable > 20


@_SYNTAX
@given(hypothesmith.from_node())
def test_generated_syntax_stays(text: str) -> None:
    result = migrated(text.encode())
    assert result.status is FileStatus.UNCHANGED, result.reason
    assert result.after == text.encode()


@_SYNTAX
@given(hypothesmith.from_node(), programs())
def test_a_program_behind_generated_syntax_is_migrated(text: str, program: Program) -> None:
    if program.data.startswith(b"\xef\xbb\xbf") or "__future__" in text or "*" in text:
        return
    data = text.encode() + b"\n\n" + program.data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    result = migrated(data)
    assert wrong_text(result) == ""


@pytest.mark.parametrize("depth", [50, 90, 199])
def test_deep_nesting_keeps_its_promises(depth: int, tmp_path: Path) -> None:
    program = damaged(3)
    nested = b"x = " + b"[" * depth + b"]" * depth + b"\n"
    blocks = b"".join(b" " * n + b"if x:\n" for n in range(depth)) + b" " * depth + b"pass\n"
    for data in (program + nested, program + blocks, nested + blocks + program):
        assert broken_promises(data, tmp_path)[1] == ""
