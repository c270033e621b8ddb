"""The journals of runs: the last one is the one that was started last."""

from __future__ import annotations

from pathlib import Path

from nnx_migrate.sources.journal import Journal, new_name, runs_of
from nnx_migrate.sources.write import Replacement


def test_the_last_run_is_the_last_when_the_clock_was_put_back(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"0")
    early = Journal(tmp_path, "early", "20990101-000000-999999")
    early.write([Replacement(file, b"0", b"1")])
    late = Journal(tmp_path, "late")
    late.write([Replacement(file, b"1", b"2")])
    assert [run.command for run in runs_of(tmp_path)] == ["late", "early"]
    assert late.name == "20990101-000001-000000"
    assert new_name(tmp_path) > late.name


def test_a_file_that_is_called_otherwise_is_no_clock(tmp_path: Path) -> None:
    (tmp_path / ".nnx-migrate" / "runs").mkdir(parents=True)
    (tmp_path / ".nnx-migrate" / "runs" / "zzz.sqlite").touch()
    assert new_name(tmp_path) < "zzz"


def test_files_of_an_earlier_try_are_kept_once(tmp_path: Path) -> None:
    old, new = tmp_path / "a.py", tmp_path / "b.py"
    old.write_bytes(b"0")
    new.write_bytes(b"0")
    journal = Journal(tmp_path, "x", "20990101-000000-999999")
    journal.write([Replacement(old, b"0", b"1")])
    by_hand = Replacement(new, b"0", b"1")
    new.write_bytes(b"1")
    journal.write([Replacement(old, b"0", b"1"), by_hand])
    (run,) = runs_of(tmp_path)
    assert [entry.path for entry in run.entries()] == [old]
    assert (old.read_bytes(), new.read_bytes()) == (b"1", b"1")
