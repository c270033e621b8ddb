"""Clones that attack who migrates them: links, journals and results that git can commit."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import sqlite3
import zlib
from pathlib import Path

import pytest

from tests.cli.conftest import TRAIN, Command


@pytest.fixture
def victim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder outside of the clone; what is in it has to stay."""
    folder = tmp_path_factory.mktemp("victim")
    (folder / "precious").write_bytes(b"precious")
    for number in range(31):
        (folder / f"20000101-000000-{number:06}.sqlite").write_bytes(b"theirs")
    return folder


def kept(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize(
    ("link", "target"),
    [
        (".nnx-migrate/.gitignore", "precious"),
        (".nnx-migrate/runs", "."),
        (".nnx-migrate", "."),
    ],
)
def test_links_where_journals_were_kept_lead_nowhere(
    tmp_path: Path, project: Path, command: Command, victim: Path, link: str, target: str
) -> None:
    before = kept(victim)
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / link).symlink_to(victim / target)
    done = command("apply", "src")
    assert done.code == 0
    assert "undo with" in done.err
    assert kept(victim) == before
    assert command("undo", "last").code == 0
    assert kept(victim) == before


@pytest.mark.parametrize("where", ["../victim.py", "absolute"])
def test_a_journal_that_comes_with_a_repository_is_not_trusted(
    tmp_path: Path, command: Command, where: str
) -> None:
    clone, theirs = tmp_path / "clone", tmp_path / "victim.py"
    theirs.write_bytes(b"known")
    path = os.fsencode(theirs if where == "absolute" else where)
    runs = clone / ".nnx-migrate" / "runs"
    runs.mkdir(parents=True)
    with sqlite3.connect(runs / "29990101-000000-000000.sqlite") as database:
        database.execute("CREATE TABLE run (command TEXT, undone INTEGER DEFAULT 0)")
        database.execute("CREATE TABLE files (path BLOB, before BLOB, old TEXT, new TEXT)")
        database.execute("INSERT INTO run VALUES ('nnx-migrate apply', 0)")
        row = (path, zlib.compress(b"evil"), "x", hashlib.sha256(b"known").hexdigest())
        database.execute("INSERT INTO files VALUES (?, ?, ?, ?)", row)
    assert b"29990101" not in command("undo", cwd=clone).out
    assert command("undo", "last", cwd=clone).code == 2
    assert command("undo", "29990101-000000-000000", cwd=clone).code == 2
    assert theirs.read_bytes() == b"known"


@pytest.mark.parametrize(
    ("link", "arguments"),
    [
        ("out", ("batch", "src", "--out", "out")),
        ("out/.gitignore", ("batch", "src", "--out", "out")),
        ("out/state.sqlite", ("batch", "src", "--out", "out")),
        ("out/index.sqlite", ("batch", "src", "--out", "out")),
        ("out/shards", ("batch", "src", "--out", "out", "--shard", "1/1")),
        ("out/patches", ("batch", "src", "--out", "out")),
        ("out/review", ("batch", "src", "--out", "out")),
        ("out/review/index.html", ("batch", "src", "--out", "out")),
        ("out/summary.json", ("batch", "src", "--out", "out")),
        ("a.patch", ("apply", "src", "--patch", "a.patch")),
        ("a.sarif", ("apply", "src", "--report", "sarif=a.sarif", "--dry-run")),
        ("docs", ("apply", "src", "--report", "json=docs/a.json", "--dry-run")),
        ("page", ("apply", "src", "--html", "page", "--dry-run")),
        ("page/index.html", ("apply", "src", "--html", "page", "--dry-run")),
        ("patches", ("apply", "src", "--patch", "patches", "--patch-by", "file")),
        ("patches/manifest.json", ("apply", "src", "--patch", "patches", "--patch-by", "file")),
    ],
)
def test_results_are_not_written_through_links(
    tmp_path: Path,
    project: Path,
    command: Command,
    victim: Path,
    link: str,
    arguments: tuple[str, ...],
) -> None:
    before = kept(victim)
    file = link.endswith(("json", "sarif", "patch", "html", "sqlite", "ignore"))
    (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
    if link.startswith("out/"):
        (tmp_path / "out" / "run.lock").touch()
    (tmp_path / link).symlink_to(victim / "precious" if file else victim)
    done = command(*arguments)
    assert done.code == 2
    assert "is a symbolic link; remove it" in done.err
    assert kept(victim) == before


class _Evil:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch evil",)


def test_answers_that_come_with_a_repository_run_no_code(
    tmp_path: Path, project: Path, command: Command
) -> None:
    assert command("batch", "src", "--out", "out").code == 1
    evil = zlib.compress(pickle.dumps(_Evil()))
    for name in ("index.sqlite", "plans.sqlite", "state.sqlite"):
        if not (tmp_path / "out" / name).exists():
            continue
        with sqlite3.connect(tmp_path / "out" / name) as database:
            for table, columns in (("answers", ("head", "body")), ("planned", ("result",))):
                found = "SELECT 1 FROM sqlite_master WHERE name = ?"
                if database.execute(found, (table,)).fetchone():
                    for column in columns:
                        database.execute(f"UPDATE {table} SET {column} = ?", (evil,))
    done = command("batch", "src", "--out", "out")
    assert "Traceback" not in done.err
    assert not list(tmp_path.rglob("evil"))


def test_modules_in_the_current_folder_are_not_run(
    tmp_path: Path, project: Path, command: Command
) -> None:
    for name in ("multiprocessing", "signal", "types", "pickle", "nnx_codemods", "random"):
        (tmp_path / f"{name}.py").write_text("open('evil', 'a').close()\nraise SystemExit(3)\n")
    done = command("batch", "src", "--out", "out", "--jobs", "2")
    assert "quarantined" not in done.err
    assert "1 file would change" in done.err
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("kind", ["device", "pipe", "huge"])
@pytest.mark.parametrize(
    "name",
    [".gitignore", "src/.gitignore", ".git/info/exclude", "pyproject.toml", "src/pyproject.toml"],
)
@pytest.mark.parametrize("words", [("apply", "src", "--dry-run"), ("batch", "src", "--out", "out")])
def test_settings_that_are_no_plain_files_neither_hang_nor_fill_the_memory(
    tmp_path: Path, project: Path, command: Command, name: str, kind: str, words: tuple[str, ...]
) -> None:
    (tmp_path / ".git" / "info").mkdir(parents=True)
    file = tmp_path / name
    if kind == "device":
        file.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        with open(file, "wb") as sparse:
            sparse.truncate(2**34)
    done = command(*words)
    if name.endswith("toml"):
        assert done.code == 2
        assert "pyproject.toml: it is " in done.err
    else:
        assert "1 file would change" in done.err


def test_owners_that_are_no_plain_file_are_refused(
    tmp_path: Path, project: Path, command: Command
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "CODEOWNERS").symlink_to(tmp_path / "large")
    with open(tmp_path / "large", "wb") as sparse:
        sparse.truncate(2**34)
    done = command("apply", "src", "--patch", "patches", "--patch-by", "owner")
    assert done.code == 2
    assert "CODEOWNERS: it is too large" in done.err


def test_patterns_that_explode_are_matched_in_time(
    tmp_path: Path, project: Path, command: Command
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*a" * 40 + "*b\n")
    (tmp_path / "CODEOWNERS").write_text("*a" * 40 + "*b @team\n* @all\n")
    (project / ("a" * 200 + ".py")).write_bytes((project / "train.py").read_bytes())
    done = command("apply", "src", "--patch", "patches", "--patch-by", "owner")
    assert done.code == 1
    assert len(list((tmp_path / "patches").glob("*.patch"))) == 1


@pytest.mark.parametrize("name", ["::error::x.py", "##[error]x.py", " ::stop-commands::t.py"])
def test_no_line_is_a_command_of_a_build_log(tmp_path: Path, command: Command, name: str) -> None:
    (tmp_path / name).write_bytes(b"from flax import nnx\ndef (:\n")
    (tmp_path / f"{name}{name}").mkdir()
    (tmp_path / f"{name}{name}" / "train.py").write_bytes(TRAIN)
    texts = [command("apply", ".", *flags) for flags in (("--check", "-v"), ("--diff",), ())]
    texts.append(command("undo", "last"))
    texts.append(command("batch", ".", "--out", "out"))
    for form in ("json", "jsonl", "sarif", "gitlab", "markdown"):
        texts.append(command("apply", ".", "--check", "--format", form))
    for done in texts:
        for line in (done.err + done.out.decode()).splitlines():
            assert not line.lstrip().startswith(("::", "##[")), line


def test_places_are_files_of_the_tree(tmp_path: Path, command: Command) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "outside.py").write_bytes(b"from flax import nnx\ndef (:\n")
    (tmp_path / "tree" / "broken.py").symlink_to("nowhere")
    (tmp_path / "tree" / "zero.py").symlink_to("/dev/zero")
    (tmp_path / "tree" / "away.py").symlink_to("../outside.py")
    for name in ("..py", "...py", "a:b.py"):
        (tmp_path / "tree" / name).write_bytes(b"from flax import nnx\ndef (:\n")
    done = command("apply", ".", "--check", "--format", "sarif", cwd=tmp_path / "tree")
    places = {
        location["physicalLocation"]["artifactLocation"]["uri"]
        for result in json.loads(done.out)["runs"][0]["results"]
        for location in result["locations"]
    }
    names = {"broken.py", "zero.py", "away.py", "..py", "...py", "a%3Ab.py"}
    assert {"..py", "...py", "a%3Ab.py"} <= places <= names
