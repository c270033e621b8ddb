"""The functions of `import nnx_migrate`: lazy, typed, and those that the command line calls."""

from __future__ import annotations

import dataclasses
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import nnx_migrate
from nnx_migrate.sources.journal import runs_of
from tests.cli.conftest import TRAIN

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python-api.md"


@pytest.fixture
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that changes, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NNX_MIGRATE_STATE", str(tmp_path.parent / f"{tmp_path.name}-state"))
    (tmp_path / "train.py").write_bytes(TRAIN)
    return tmp_path / "train.py"


def test_the_import_is_cheap() -> None:
    asked = (
        "import sys, nnx_migrate; dir(nnx_migrate)\n"
        "print(sorted(n for n in sys.modules if n.split('.')[0] in "
        "{'libcst', 'rich', 'typer', 'nnx_migrate', 'msgspec'}))"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True)
    assert done.stdout == b"['nnx_migrate']\n"


def test_every_name_that_is_offered_is_there() -> None:
    for name in nnx_migrate.__all__:
        assert getattr(nnx_migrate, name) is not None
        assert name in dir(nnx_migrate)
    with pytest.raises(AttributeError, match="no attribute 'migrate_file'"):
        getattr(nnx_migrate, "migrate_file")  # noqa: B009


def test_a_text_is_migrated_and_nothing_is_written(train: Path) -> None:
    found = nnx_migrate.migrate_text(TRAIN.decode(), "other.py")
    assert found.status is nnx_migrate.FileStatus.CHANGED
    assert "nnx.split(model, nnx.Param, ...)" in found.text
    assert [each.rule for each in found.findings] == ["module-gradient"]
    assert found == nnx_migrate.migrate_text(TRAIN, Path("other.py"))
    assert os.listdir() == ["train.py"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.after = b""  # type: ignore[misc]


def test_a_text_in_another_encoding_stays_in_it() -> None:
    text = "# -*- coding: latin-1 -*-\n# é\n" + TRAIN.decode()
    found = nnx_migrate.migrate_text(text)
    assert b"# \xe9\n" in found.after
    assert "# é\n" in found.text


def test_a_text_that_stays_is_given_back(train: Path) -> None:
    found = nnx_migrate.migrate_text(TRAIN, ignore=["module-gradient"])
    assert found.status is nnx_migrate.FileStatus.UNCHANGED
    assert found.text == TRAIN.decode()


def test_files_are_written_only_where_that_is_asked_for(train: Path) -> None:
    seen: list[str] = []
    looked = nnx_migrate.migrate_paths(["."], progress=lambda stage, *_: seen.append(stage))
    [result] = looked.results
    assert (train.read_bytes(), looked.journal) == (TRAIN, "")
    assert set(seen) == {"reading", "planning"}
    written = nnx_migrate.migrate_paths([train], write=True)
    assert train.read_bytes() == result.after
    [run] = runs_of(train.parent)
    assert (run.name, run.command) == (written.journal, "nnx_migrate.migrate_paths")
    again = nnx_migrate.migrate_paths([train], write=True)
    assert again.totals.files[nnx_migrate.FileStatus.CHANGED] == 0


def test_without_a_journal_nothing_is_kept(train: Path) -> None:
    assert nnx_migrate.migrate_paths([train], write=True, journal=False).journal == ""
    assert runs_of(train.parent) == []


def test_a_path_that_is_not_there_ends_it_before_anything_is_written(train: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        nnx_migrate.migrate_paths(["train.py", "nowhere"], write=True)
    assert train.read_bytes() == TRAIN


def test_choices_beat_the_configuration(train: Path) -> None:
    train.with_name("nnx-migrate.toml").write_text('ignore = ["module-gradient"]\n')
    changed = nnx_migrate.FileStatus.CHANGED
    assert nnx_migrate.migrate_paths([train]).totals.files[changed] == 0
    assert nnx_migrate.migrate_paths([train], ignore=[]).totals.files[changed] == 1
    assert nnx_migrate.migrate_paths([train], ignore=[], exclude=["*.py"]).results == ()
    with pytest.raises(nnx_migrate.ConfigError, match="no permission named 'unknown-clas'"):
        nnx_migrate.migrate_text("", allow=["unknown-clas"])


def test_the_command_line_gives_what_the_function_gives(train: Path) -> None:
    expected = nnx_migrate.migrate_text(TRAIN, train).after
    done = subprocess.run(
        [sys.executable, "-m", "nnx_migrate", "apply", "-", "--stdin-filename", "train.py"],
        input=TRAIN,
        capture_output=True,
        check=False,
    )
    assert done.stdout == expected


@pytest.mark.parametrize("number", range(3))
def test_the_examples_of_the_page_run(train: Path, number: int) -> None:
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 3
    done = subprocess.run([sys.executable, "-c", examples[number]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_page_has_the_types_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    script: dict[str, Any] = runpy.run_path(str(ROOT / "scripts" / "api_page.py"))
    page = PAGE.read_text(encoding="utf-8")
    fresh = "run scripts/api_page.py and read the diff"
    assert script["choices"]() in page, fresh
    assert script["results"]() in page, fresh


def test_the_command_and_the_function_take_the_same_choices() -> None:
    from nnx_migrate.api.choices import Choices
    from nnx_migrate.cli.options import given_flags

    codes = given_flags.__code__
    flags = set(codes.co_varnames[: codes.co_kwonlyargcount])
    assert flags - {"jobs", "no_trace_checks"} == Choices.__annotations__.keys() - {"trace_checks"}
