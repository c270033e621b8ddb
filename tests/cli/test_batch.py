"""`nnx-migrate batch`: the same bytes as `apply`, whatever files, machines and people do to it."""

from __future__ import annotations

import contextlib
import fcntl
import importlib.resources
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from nnx_migrate.sources.journal import STATE_VARIABLE
from tests.cli.batches import VMAP, contents, disturbed, disturbing, grow
from tests.cli.conftest import COMMAND, TRAIN, Command


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What `apply` makes of the tree."""
    folder = tmp_path_factory.mktemp("expected")
    tree = grow(folder / "src")
    assert disturbed(folder / "site", "apply", "src", cwd=folder).code in (0, 1)
    return contents(tree)


def planned_anew(err: str) -> int:
    found = re.search(r"files? with nnx, ([\d,]+) of them planned again", err)
    assert found is not None, err
    return int(found[1].replace(",", ""))


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_patches_give_what_apply_writes(
    tmp_path: Path, command: Command, expected: dict[str, bytes]
) -> None:
    tree = grow(tmp_path / "src")
    before = contents(tree)
    done = command("batch", "src", "--out", "out")
    assert (done.code, contents(tree)) == (1, before)
    manifest = json.loads((tmp_path / "out" / "patches" / "manifest.json").read_text())
    for entry in manifest["patches"]:
        patch = tmp_path / "out" / "patches" / entry["patch"]
        subprocess.run(["git", "apply", patch], cwd=tmp_path, check=True)
    assert contents(tree) == expected
    assert (tmp_path / "out" / "review" / "index.html").stat().st_size > 10_000
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    changed = [name for name in before if before[name] != expected[name]]
    assert summary["files"]["changed"] == len(changed) > 40
    found = [line for line in lines(tmp_path / "out" / "findings.jsonl") if "path" in line]
    assert {f"{tree.name}/{name}" for name in changed} <= {line["path"] for line in found}


def test_a_run_that_looked_ends_with_the_command_that_writes(
    tmp_path: Path, command: Command
) -> None:
    source = tmp_path / "src" / "make.py"
    source.parent.mkdir()
    source.write_bytes(TRAIN)
    done = command("batch", "src", "--out", "out")
    (step,) = re.findall(r"^Next: nnx-migrate (.*?)  \(to undo: ", done.err, re.MULTILINE)
    assert source.read_bytes() == TRAIN
    done = command(*step.split())
    assert done.code == 0
    assert source.read_bytes() != TRAIN
    assert "Next: " not in done.err
    assert command("undo", "last").code == 0
    assert source.read_bytes() == TRAIN
    assert "Next: " not in command("batch", "src", "--out", "quiet", "-q").err


def test_it_writes_what_apply_writes_and_undo_puts_it_back(
    tmp_path: Path, command: Command, expected: dict[str, bytes]
) -> None:
    tree = grow(tmp_path / "src")
    before = contents(tree)
    done = command("batch", "src", "--out", "out", "--write")
    assert contents(tree) == expected
    again = command("batch", "src", "--out", "out", "--write")
    assert contents(tree) == expected
    assert "0 files changed" in again.err
    name = re.search(r"undo with: nnx-migrate undo (\S+)", done.err)
    assert name is not None
    assert command("undo", name[1]).code == 0
    assert contents(tree) == before
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    schema = (importlib.resources.files("nnx_migrate.batch") / "summary.schema.json").read_text()
    jsonschema.validate(summary, json.loads(schema))
    assert [run["files"]["changed"] > 0 for run in summary["history"]] == [True, False]
    assert (tmp_path / "out" / "summary.md").read_text().count("| written |") == 2


def test_what_is_known_is_not_done_again(tmp_path: Path, command: Command) -> None:
    tree = grow(tmp_path / "src")
    count = len(contents(tree))

    def anew(*flags: str) -> int:
        return planned_anew(command("batch", "src", "--out", "out", *flags).err)

    assert anew() == count
    assert anew() == 0
    assert anew("--write") == 0  # a look and a real run are the same plan
    alone = tmp_path / "src" / "alone"
    alone.mkdir()
    (alone / "pyproject.toml").touch()
    (alone / "new.py").write_text(VMAP)
    assert 0 < anew() <= count + 1
    assert anew() == 0
    (alone / "new.py").write_text(VMAP + "\n# edited\n")
    assert anew() == 1  # nothing imports it
    assert anew("--unsafe") == count + 1


def test_files_that_hang_die_or_grow_are_given_up(
    tmp_path: Path, command: Command, expected: dict[str, bytes]
) -> None:
    tree = grow(tmp_path / "src")
    for word in ("HANGS", "DIES", "GROWS"):
        (tree / f"{word.lower()}.py").write_text(f"{VMAP}# {word}\n")
    flags = ("batch", "src", "--out", "out", "--timeout", "10", "--memory", "1", "--write")
    done = disturbed(tmp_path / "site", *flags, cwd=tmp_path)
    assert done.code == 1
    bad = {"hangs.py", "dies.py", "grows.py"}
    assert {n: d for n, d in contents(tree).items() if n not in bad} == expected
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    told = "twice; the run continued without it"
    assert summary["quarantined"] == [
        {
            "path": "src/dies.py",
            "reason": f"the process that worked on it died (SIGABRT), {told}",
        },
        {"path": "src/grows.py", "reason": f"it took more than 1 GB of memory (--memory), {told}"},
        {"path": "src/hangs.py", "reason": f"it took more than 10 s (--timeout), {told}"},
    ]
    # What was given up is left alone by --resume, and tried again without it.
    again = disturbed(tmp_path / "site", *flags, "--resume", cwd=tmp_path)
    assert "quarantined-file" in again.err
    mended = command(*flags)
    assert "quarantined-file" not in mended.err
    assert b"nnx.compat.vmap" in (tree / "hangs.py").read_bytes()


# 92 is one of the last ones.
@pytest.mark.parametrize("step", [1, 2, 3, 4, 5, 9, 30, 60, 90, 92])
def test_killed_at_any_step_and_resumed_ends_with_the_same_bytes(
    tmp_path: Path, command: Command, expected: dict[str, bytes], step: int
) -> None:
    tree = grow(tmp_path / "src")
    before = contents(tree)
    flags = ("batch", "src", "--out", "out", "--write", "--jobs", "1")
    killed = disturbed(tmp_path / "site", *flags, cwd=tmp_path, kill_at=step)
    assert killed.code == -signal.SIGKILL
    for name, data in contents(tree).items():
        assert data in (before[name], expected[name])
    done = command(*flags, "--resume")
    assert contents(tree) == expected, done.err
    assert not list(tree.rglob("*.nnx-migrate"))
    assert command("undo", "last").code == 0
    assert contents(tree) == before


def test_an_interrupted_run_is_not_passed_over(tmp_path: Path, command: Command) -> None:
    tree = grow(tmp_path / "src")
    flags = ("batch", "src", "--out", "out", "--write")
    disturbed(tmp_path / "site", *flags, cwd=tmp_path, kill_at=20)
    without = command(*flags)
    assert (without.code, "--resume" in without.err) == (2, True)
    other = command(*flags, "--resume", "--unsafe")
    assert (other.code, "other flags" in other.err) == (2, True)
    left = next(name for name, data in contents(tree).items() if data.startswith(VMAP.encode()))
    (tree / left).write_text(VMAP + "# mine\n")
    resumed = command(*flags, "--resume")
    assert resumed.code == 1
    assert f"src/{left}: unwritable-file: failed: the file changed during the run" in resumed.err
    assert (tree / left).read_text() == VMAP + "# mine\n"


def test_shards_and_their_merge_are_one_run(
    tmp_path: Path, command: Command, expected: dict[str, bytes]
) -> None:
    tree = grow(tmp_path / "src")
    count = len(contents(tree))
    batch = ("batch", "src", "--out", "out")
    assert command(*batch, "--plan").code == 0
    early = command(*batch, "--merge")
    assert (early.code, "is finished: first run --shard" in early.err) == (2, True)
    told = [command(*batch, "--shard", f"{number}/3") for number in (3, 1)]
    missing = command(*batch, "--merge")
    assert (missing.code, "these shards are not finished: 2/3" in missing.err) == (2, True)
    told.append(command(*batch, "--shard", "2/3"))
    sizes = [int(done.err.split(": ")[1].split()[0]) for done in told]
    assert sum(sizes) == count
    assert max(sizes) - min(sizes) <= 1
    merged = command(*batch, "--merge", "--write")
    assert planned_anew(merged.err) == 0
    assert contents(tree) == expected


# The scripts of a folder may import each other; a comment makes no difference to the others.
@pytest.mark.parametrize(("edit", "anew"), [("edited = True\n", 14), ("# edited\n", 1)])
def test_a_merge_plans_what_has_changed_since(
    tmp_path: Path, command: Command, expected: dict[str, bytes], edit: str, anew: int
) -> None:
    tree = grow(tmp_path / "src")
    batch = ("batch", "src", "--out", "out")
    for number in (1, 2):
        assert command(*batch, "--shard", f"{number}/2").code == 0
    (tree / "part0" / "file0.py").write_text(VMAP + edit)
    merged = command(*batch, "--merge", "--write")
    assert planned_anew(merged.err) == anew
    found = contents(tree)
    assert b"nnx.compat.vmap" in found["part0/file0.py"]
    assert {**found, "part0/file0.py": b""} == {**expected, "part0/file0.py": b""}


def test_what_somebody_has_put_beside_the_results_is_kept(tmp_path: Path, command: Command) -> None:
    tree = grow(tmp_path / "src", small=2)
    before = contents(tree)
    assert command("batch", "src", "--out", "out").code == 1
    for name in ("patches/notes.txt", "review/mine.html"):
        (tmp_path / "out" / name).write_text("mine")
        done = command("batch", "src", "--out", "out", "--write")
        assert (done.code, f"{name!r}, which nnx-migrate did not write" in done.err) == (2, True)
        (tmp_path / "out" / name).unlink()
    assert contents(tree) == before
    assert command("batch", "src", "--out", "out", "--write").code == 0


def test_what_is_damaged_or_only_begun_is_told_or_made_anew(
    tmp_path: Path, command: Command
) -> None:
    grow(tmp_path / "src", small=2)
    out = tmp_path / "out"
    out.mkdir()
    # What a kill leaves between the making of the file and of its table.
    (out / "index.sqlite").touch()
    assert command("batch", "src", "--out", "out", "--shard", "1/1").code == 0
    (out / "state.sqlite").write_text("no database " * 100)
    done = command("batch", "src", "--out", "out", "--merge")
    assert (done.code, "state.sqlite is damaged; if the run had written files" in done.err) == (
        2,
        True,
    )
    (out / "state.sqlite").unlink()
    done = command("batch", "src", "--out", "out", "--merge", "--unsafe")
    assert (
        "planned again: no shard with these flags and this version has their current content"
        in done.err
    )
    done = command("batch", "src", "--out", "out", "--merge")
    assert "0 of them planned again\n" in done.err


def test_a_journal_that_cannot_be_written_is_told(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = grow(tmp_path / "src", small=2)
    before = contents(tree)
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    (tmp_path / "state").write_text("in the way")
    done = command("batch", "src", "--out", "out", "--write")
    assert done.code == 2
    assert (
        "without it, no file is changed; to continue, repeat the command with --resume" in done.err
    )
    assert contents(tree) == before
    (tmp_path / "state").unlink()
    assert command("batch", "src", "--out", "out", "--write", "--resume").code == 0
    assert contents(tree) != before


def test_owners_have_their_patches_and_their_numbers(tmp_path: Path, command: Command) -> None:
    grow(tmp_path / "src")
    (tmp_path / ".git").mkdir()
    (tmp_path / "CODEOWNERS").write_text("/src/part0/ @zero\n/src/part1/ @one\n")
    (tmp_path / "src" / "part1" / "broken.py").write_text("from flax import nnx\nx = = 1\n")
    command("batch", "src", "--out", "out", "--patch-by", "owner")
    manifest = json.loads((tmp_path / "out" / "patches" / "manifest.json").read_text())
    assert {tuple(entry["key"]) for entry in manifest["patches"]} >= {("@zero",), ("@one",)}
    owners = json.loads((tmp_path / "out" / "summary.json").read_text())["owners"]
    assert owners["@one"] == {"files_to_change": 13, "left_for_people": 1, "pinned": 13}
    assert "| `@one` | 13 | 1 | 13 |" in (tmp_path / "out" / "summary.md").read_text()


def test_owners_of_all_sections_of_gitlab_have_their_patches_and_their_numbers(
    tmp_path: Path, command: Command
) -> None:
    grow(tmp_path / "src")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitlab").mkdir()
    (tmp_path / ".gitlab" / "CODEOWNERS").write_text(
        "/src/part0/ @zero @all\n/src/part1/ @all @zero\n[Later][2] @late\n*1.py\n"
    )
    command("batch", "src", "--out", "out", "--patch-by", "owner")
    manifest = json.loads((tmp_path / "out" / "patches" / "manifest.json").read_text())
    files = {tuple(entry["key"]): entry["files"] for entry in manifest["patches"]}
    everybody, late = ("@zero", "@all"), ("@zero", "@all", "@late")
    assert {name.split("/")[1] for name in files[everybody]} == {"part0", "part1"}
    assert all(name.endswith("1.py") for name in files[late])
    owners = json.loads((tmp_path / "out" / "summary.json").read_text())["owners"]
    late_files = sum(len(names) for key, names in files.items() if "@late" in key)
    assert owners["@late"]["files_to_change"] == late_files > 1
    assert owners["@all"] == owners["@zero"]
    assert owners["@all"]["files_to_change"] == len(files[everybody]) + len(files[late])


def test_owners_that_are_not_known_are_told_before_a_file_is_changed(
    tmp_path: Path, command: Command
) -> None:
    tree = grow(tmp_path / "src", small=2)
    before = contents(tree)
    batch = ("batch", "src", "--out", "out", "--write")
    done = command(*batch, "--patch-by", "owner")
    assert (done.code, "there is no CODEOWNERS" in done.err) == (2, True)
    assert contents(tree) == before
    assert command(*batch).code == 0


def test_a_shard_that_is_stopped_as_it_is_done_again_is_not_merged(
    tmp_path: Path, command: Command
) -> None:
    tree = grow(tmp_path / "src")
    batch = ("batch", "src", "--out", "out")
    for number in (1, 2):
        assert command(*batch, "--shard", f"{number}/2").code == 0
    (tree / "part1" / "file1.py").write_text(VMAP + "# edited\n")
    again = (*batch, "--shard", "2/2")
    assert disturbed(tmp_path / "site", *again, cwd=tmp_path, kill_at=1).code < 0
    early = command(*batch, "--merge")
    assert (early.code, "these shards are not finished: 2/2" in early.err) == (2, True)
    assert command(*again).code == 0
    assert command(*batch, "--merge").code == 1


def test_two_runs_do_not_share_a_folder(tmp_path: Path, command: Command) -> None:
    grow(tmp_path / "src", small=1)
    out = tmp_path / "out"
    out.mkdir()
    with (out / "run.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = command("batch", "src", "--out", "out")
    assert (done.code, "another run uses out" in done.err) == (2, True)
    assert command("batch", "src", "--out", "out").code == 1


def test_a_lock_that_cannot_be_taken_is_told(tmp_path: Path, command: Command) -> None:
    grow(tmp_path / "src", small=1)
    (tmp_path / "out" / "run.lock").mkdir(parents=True)
    done = command("batch", "src", "--out", "out")
    assert (done.code, done.err) == (2, "nnx-migrate: error: out/run.lock: Is a directory\n")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--shard", "4/3"), "3/8"),
        (("--shard", "1/2", "--merge"), "use one at a time"),
        (("--plan", "--write"), "change no files"),
        (("--verify",), "add --write"),
        (("--address", "auto"), "--engine ray"),
        (("--select", "no-such-rule"), "no rule named"),
    ],
)
def test_flags_that_cannot_be_obeyed(
    tmp_path: Path, command: Command, flags: tuple[str, ...], words: str
) -> None:
    grow(tmp_path / "src", small=1)
    done = command("batch", "src", "--out", "out", *flags)
    assert (done.code, words in done.err) == (2, True), done.err


def test_what_is_kept_of_a_broken_folder_is_told(tmp_path: Path, command: Command) -> None:
    grow(tmp_path / "src", small=1)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "index.sqlite").write_bytes(b"no database" * 100)
    done = command("batch", "src", "--out", "out")
    assert (done.code, "out/index.sqlite" in done.err) == (2, True)
    assert "remove it" in done.err
    shutil.rmtree(tmp_path / "out")
    (tmp_path / "out").write_text("a file")
    assert command("batch", "src", "--out", "out").code == 2


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("seconds", [0.5, 0.8, 1.1])
def test_ctrl_c_is_a_line_and_no_process_is_left(tmp_path: Path, seconds: float) -> None:
    grow(tmp_path / "src")
    environment = disturbing(tmp_path / "site")
    (tmp_path / "src" / "slow.py").write_text(VMAP + "# HANGS\n")
    running = subprocess.Popen(
        [sys.executable, COMMAND, "batch", "src", "--out", "out", "--jobs", "2"],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    time.sleep(seconds)
    os.killpg(running.pid, signal.SIGINT)
    # This ends when every process that has its stderr has ended.
    _, said = running.communicate(timeout=30)
    assert (running.returncode, said.count(b"\n"), b"interrupted" in said) == (2, 1, True), said


@pytest.mark.parametrize("name", ["index", "plans"])
def test_what_a_disk_has_changed_is_not_taken_for_known(
    tmp_path: Path, command: Command, name: str
) -> None:
    grow(tmp_path / "src", small=12)
    batch = ("batch", "src", "--out", "out")
    command(*batch)
    file = tmp_path / "out" / f"{name}.sqlite"
    data = bytearray(file.read_bytes())
    drawn = random.Random(3)
    for _ in range(40):
        data[drawn.randrange(4096, len(data))] ^= 1 << drawn.randrange(8)
    file.write_bytes(data)
    if name == "index":
        (tmp_path / "out" / "plans.sqlite").unlink()
    done = command(*batch)
    assert "damaged" in done.err, done.err
    assert done.code in (1, 2)
    assert "bug" not in done.err
    file.unlink()
    assert "damaged" not in command(*batch).err


def test_a_run_of_another_version_is_not_gone_on_with(tmp_path: Path, command: Command) -> None:
    grow(tmp_path / "src", small=3)
    flags = ("batch", "src", "--out", "out", "--write")
    disturbed(tmp_path / "site", *flags, cwd=tmp_path, kill_at=20)
    with contextlib.closing(sqlite3.connect(tmp_path / "out" / "state.sqlite")) as database:
        (request,) = database.execute("SELECT request FROM run").fetchone()
        other = json.dumps({**json.loads(request), "program": "0" * 32})
        database.execute("UPDATE run SET request = ?", (other,))
        database.commit()
    done = command(*flags, "--resume")
    assert (done.code, "another version" in done.err) == (2, True)
    found = re.search(r"nnx-migrate (undo \S+), then remove (\S+)", done.err)
    assert found is not None
    assert command(*found[1].split()).code == 0
    (tmp_path / found[2]).unlink()
    assert command(*flags).code == 0


@pytest.mark.parametrize("out", [".", "src"])
def test_a_folder_with_other_things_in_it_is_not_taken_for_results(
    tmp_path: Path, command: Command, out: str
) -> None:
    grow(tmp_path / "src", small=1)
    for folder in (tmp_path, tmp_path / "src"):
        (folder / "review").mkdir()
        (folder / "review" / "mine.txt").write_text("mine")
    done = command("batch", "src", "--out", out)
    assert (done.code, "it holds other files" in done.err) == (2, True)
    assert (tmp_path / "review" / "mine.txt").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["review", "src"]


def test_results_inside_the_tree_are_no_part_of_it(tmp_path: Path, command: Command) -> None:
    tree = grow(tmp_path / "src", small=3)
    batch = ("batch", ".", "--docs", "--out", "src/out", "--patch-by", "rule")
    first = command(*batch)
    assert planned_anew(first.err) == len(contents(tree))
    assert (tree / "out" / "patches" / "manifest.json").is_file()
    again = command(*batch)
    assert (again.code, planned_anew(again.err)) == (1, 0)
    assert [line for line in first.err.splitlines() if line.startswith("src")] == [
        line for line in again.err.splitlines() if line.startswith("src")
    ]


def test_names_that_are_no_text(tmp_path: Path, command: Command) -> None:
    grow(tmp_path / "src", small=1)
    name = os.fsdecode(b"by\xffte")
    (tmp_path / "src" / "part0").rename(tmp_path / name)
    done = command("batch", name, "--out", os.fsdecode(b"out\xff"), "--write")
    assert b"nnx.compat.vmap" in (tmp_path / name / "file0.py").read_bytes(), done.err
    assert (done.code, "Traceback" in done.err) == (0, False)
    assert b"by\\udcffte" in command("undo").out
    assert command("undo", "last").code == 0
    assert (tmp_path / name / "file0.py").read_text() == f"{VMAP}# 0\n"


def test_code_that_is_too_deep_is_not_taken_for_too_large(tmp_path: Path, command: Command) -> None:
    grow(tmp_path / "src", small=1)
    (tmp_path / "src" / "deep.py").write_bytes(b"from flax import nnx\nx = " + b"a**" * 5000 + b"a")
    done = command("batch", "src", "--out", "out")
    assert "src/deep.py: too-deep: failed: its code is nested too deeply" in done.err


def test_the_terminal_gets_as_much_as_is_asked_for(tmp_path: Path, command: Command) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "map.py").write_text(VMAP)
    batch = ("batch", "src", "--out", "out")
    usual = command(*batch).err
    assert "results: out/summary.md" in usual
    assert "assumed:" not in usual
    assert "assumed:" in command(*batch, "--verbose").err
    quiet = command(*batch, "--quiet")
    assert [line.split(":")[0] for line in quiet.err.splitlines()] == ["src/map.py"]
    written = command(*batch, "--quiet", "--report", "sarif=out.sarif", "--report", "json=out.json")
    assert written.code == 1
    (run,) = json.loads((tmp_path / "out.sarif").read_text())["runs"]
    assert [each["ruleId"] for each in run["results"]] == ["state-axes"]
    assert json.loads((tmp_path / "out.json").read_text())["summary"]["outcomes"]["pinned"] == 1
    assert command(*batch, "--plan", "--report", "json=out.json").code == 2
