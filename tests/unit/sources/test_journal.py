"""The journals of runs: the last one is the one that was started last."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from nnx_migrate.sources.journal import KEPT_RUNS, Journal, NoJournal, new_name, runs_of
from nnx_migrate.sources.write import Replacement


def test_the_last_run_is_the_last_when_the_clock_was_put_back(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"0")
    early = Journal(tmp_path, "early", "20990101-000000-999999")
    early.write(Replacement(file, b"0", b"1"))
    late = Journal(tmp_path, "late")
    late.write(Replacement(file, b"1", b"2"))
    assert [run.command for run in runs_of(tmp_path)] == ["late", "early"]
    assert late.name == "20990101-000001-000000"
    assert new_name(tmp_path) > late.name


@pytest.mark.parametrize("name", ["zzz", "99991231-235959-999999"])
def test_a_file_that_is_called_otherwise_is_no_clock(
    tmp_path: Path, state_of_the_tests: Path, name: str
) -> None:
    journal = Journal(tmp_path, "x")
    (tmp_path / "a.py").write_bytes(b"0")
    journal.write(Replacement(tmp_path / "a.py", b"0", b"1"))
    (folder,) = {run.file.parent for run in runs_of(tmp_path)}
    (folder / f"{name}.sqlite").touch()
    assert new_name(tmp_path) < "9999"


def test_only_the_user_can_read_a_journal(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"0")
    Journal(tmp_path, "x").write(Replacement(tmp_path / "a.py", b"0", b"1"))
    (run,) = runs_of(tmp_path)
    assert run.file.stat().st_mode & 0o777 == 0o600
    assert run.file.parent.stat().st_mode & 0o777 == 0o700


def test_a_journal_is_confined_to_what_its_run_was_for(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    file, other = project / "src" / "a.py", tmp_path / "other.py"
    file.write_bytes(b"0")
    other.write_bytes(b"1")
    Journal(project, "x", trees=[str(project / "src")]).write(Replacement(file, b"0", b"1"))
    (run,) = runs_of(project)
    for path in (b"../other.py", bytes(other), b"b.py", b"src/../../other.py"):
        with contextlib.closing(sqlite3.connect(run.file, isolation_level=None)) as database:
            database.execute("UPDATE files SET path = ?", (path,))
        with pytest.raises(NoJournal, match="outside of the paths of the run"):
            run.entries()


def test_old_runs_are_forgotten_by_number_and_age(tmp_path: Path, state_of_the_tests: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"0")
    for name in ("20010101-000000-000000", *(f"20990101-000000-{n:06}" for n in range(KEPT_RUNS))):
        before = file.read_bytes()
        Journal(tmp_path, name, name).write(Replacement(file, before, before + b"1"))
    Journal(tmp_path, "last").write(Replacement(file, file.read_bytes(), b""))
    names = [run.command for run in runs_of(tmp_path)]
    assert len(names) == KEPT_RUNS
    assert names[0] == "last"
    assert not any(name.startswith("2001") for name in names)


def test_a_damaged_journal_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"0")
    for name in ("20990101-000000-000000", "20990101-000000-000001"):
        Journal(tmp_path, name, name).write(Replacement(file, file.read_bytes(), name.encode()))
    late, early = runs_of(tmp_path)
    late.file.write_bytes(late.file.read_bytes()[:100])
    damaged, whole = runs_of(tmp_path)
    assert (whole, damaged.name) == (early, late.name)
    assert str(late.file) in damaged.damage


def test_files_of_an_earlier_try_are_kept_once(tmp_path: Path) -> None:
    old, new = tmp_path / "a.py", tmp_path / "b.py"
    old.write_bytes(b"0")
    new.write_bytes(b"0")
    journal = Journal(tmp_path, "x", "20990101-000000-999999")
    journal.write(Replacement(old, b"0", b"1"))
    by_hand = Replacement(new, b"0", b"1")
    new.write_bytes(b"1")
    journal.write(Replacement(old, b"0", b"1"))
    journal.write(by_hand)
    (run,) = runs_of(tmp_path)
    assert [entry.path for entry in run.entries()] == [old]
    assert (old.read_bytes(), new.read_bytes()) == (b"1", b"1")
