"""A few damaged inputs of each kind; `scripts/fuzz.py --inputs` damages as many as one likes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzzing.inputs import broken, inputs


@pytest.mark.parametrize(
    "name", ["journals", "answers", "plans", "settings", "ignores", "owners", "manifests"]
)
def test_a_damaged_input_is_read_or_refused(tmp_path: Path, name: str) -> None:
    assert list(broken(name, inputs(tmp_path)[name], range(150))) == []
