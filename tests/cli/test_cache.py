"""What `apply` keeps between runs, as users see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.engine.cache.user_cache import CACHE_VARIABLE
from tests.cli.conftest import TRAIN, Command


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv(CACHE_VARIABLE, str(folder))
    return folder


def test_a_second_run_says_the_same_and_writes_the_same(
    tmp_path: Path, command: Command, cache: Path
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_bytes(TRAIN)
    first = command("apply", "src", "--check", "--output-format", "json")
    assert {file.name for file in cache.iterdir()} == {"index.sqlite", "plans.sqlite"}
    assert command("apply", "src", "--check", "--output-format", "json") == first
    assert command("apply", "src", "--check", "--output-format", "json", "--no-cache") == first
    command("apply", "src")
    written = (tmp_path / "src" / "train.py").read_bytes()
    assert written != TRAIN
    (tmp_path / "src" / "train.py").write_bytes(TRAIN)
    command("apply", "src", "--no-cache")
    assert (tmp_path / "src" / "train.py").read_bytes() == written


def test_what_is_kept_can_be_removed(tmp_path: Path, command: Command, cache: Path) -> None:
    (tmp_path / "train.py").write_bytes(TRAIN)
    command("apply", "train.py", "--check")
    done = command("clean")
    assert (done.code, list(cache.iterdir())) == (0, [])
    assert "MB removed" in done.err
    assert command("clean").code == 0


def test_without_a_cache_none_is_made(tmp_path: Path, command: Command, cache: Path) -> None:
    (tmp_path / "train.py").write_bytes(TRAIN)
    command("apply", "train.py", "--check", "--no-cache")
    assert not cache.exists()
