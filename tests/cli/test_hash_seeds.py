"""What is found, said and written does not depend on the order of Python's sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.hazards.test_soundness import PROGRAMS


def test_every_hash_seed_gives_the_same(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, source in PROGRAMS.items():
        folder = tmp_path / "src" / name
        folder.mkdir(parents=True)
        (folder / "main.py").write_text(source)
    found = set()
    for seed in ("1", "2", "3", "4"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        done = command("apply", "src", "--check", "--format", "json", "--jobs", "1")
        assert done.code == 1, done.err
        found.add(done.out)
    assert len(found) == 1
