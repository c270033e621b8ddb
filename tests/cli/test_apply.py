"""`nnx-migrate apply`: what is written, what is printed where, and the exit code."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, TRAIN, Command


def migrated(command: Command, folder: Path, data: bytes = TRAIN) -> bytes:
    """Return what `apply` makes of a file."""
    folder.mkdir(exist_ok=True)
    file = folder / "train.py"
    file.write_bytes(data)
    done = command("apply", file)
    assert done.code == 0, done.err
    assert file.read_bytes() != data
    return file.read_bytes()


def test_apply_writes_and_a_second_run_has_nothing_to_do(command: Command, project: Path) -> None:
    (project / "train.py").chmod(0o750)
    first = command("apply", "src")
    assert (first.code, first.out) == (0, b"")
    assert "src/train.py:18:19: module-gradient: rewritten: " in first.err
    assert "1 file changed; 2 files looked at." in first.err
    after = (project / "train.py").read_bytes()
    assert b"nnx.merge" in after
    assert (project / "train.py").stat().st_mode & 0o777 == 0o750
    assert (project / "plain.py").read_bytes() == b"import os\n"
    second = command("apply", "src")
    assert (second.code, second.out) == (0, b"")
    assert "0 files changed" in second.err
    assert (project / "train.py").read_bytes() == after
    assert sorted(file.name for file in project.iterdir()) == ["plain.py", "train.py"]


def test_previews_write_nothing_and_keep_the_streams_apart(
    command: Command, project: Path, tmp_path: Path
) -> None:
    dry = command("apply", "src", "--dry-run")
    assert dry.code == 1
    assert dry.out.startswith(b"--- a/src/train.py\n+++ b/src/train.py\n@@ ")
    assert "1 file would change" in dry.err
    assert "module-gradient: rewritten" in dry.err
    diff = command("apply", "src", "--diff")
    assert (diff.code, diff.out, diff.err) == (1, dry.out, "")
    check = command("apply", "src", "--check")
    assert (check.code, check.out.decode()) == (1, dry.err)
    assert check.err == ""
    patch = command("apply", "src", "--patch", "x.patch")
    assert (patch.code, patch.out) == (1, b"")
    assert (tmp_path / "x.patch").read_bytes() == dry.out
    assert (project / "train.py").read_bytes() == TRAIN


def test_nothing_pending_is_exit_code_0_and_an_empty_patch(
    command: Command, project: Path, tmp_path: Path
) -> None:
    (project / "train.py").unlink()
    for mode in ("--dry-run", "--diff", "--check"):
        done = command("apply", "src", mode)
        assert (done.code, done.out) == (0, b"")
    done = command("apply", "src", "--patch", tmp_path / "x.patch")
    assert done.code == 0
    assert (tmp_path / "x.patch").read_bytes() == b""


FORM_FEED = TRAIN.replace(b"\n\n\nclass", b"\n\x0c\nclass")
LATIN = b"# coding: latin-1\n# caf\xe9\n" + TRAIN
VARIANTS = {
    "lf": TRAIN,
    "crlf": TRAIN.replace(b"\n", b"\r\n"),
    "mixed": TRAIN.replace(b"\n", b"\r\n", 12),
    "cr in comment": TRAIN.replace(b"class Net", b"# a\r# b\rclass Net"),
    "bom": b"\xef\xbb\xbf" + TRAIN,
    "latin-1": LATIN,
    "no final newline": TRAIN.removesuffix(b"\n"),
    "form feed": FORM_FEED,
}


@pytest.mark.parametrize(
    ("variant", "name"),
    [
        *((variant, "train.py") for variant in VARIANTS),
        ("crlf", "a b/naïve 'x' \"y\".py"),
        ("lf", "new\nline\t.py"),
    ],
)
def test_git_apply_gives_what_apply_writes(
    command: Command, tmp_path: Path, variant: str, name: str
) -> None:
    data = VARIANTS[variant]
    repository = tmp_path / "repository"
    file = repository / "src" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(data)
    (file.parent / "empty.py").write_bytes(b"")
    subprocess.run(["git", "init", "-q", repository], check=True)
    patch = command("apply", "src", "--diff", cwd=repository)
    assert patch.code == 1, patch.err
    assert command("apply", "src", cwd=repository).code == 0
    written = file.read_bytes()
    assert written != data
    file.write_bytes(data)
    for arguments in (["--check"], []):
        subprocess.run(
            ["git", "apply", *arguments, "-"], input=patch.out, cwd=repository, check=True
        )
    assert file.read_bytes() == written
    untouched = set(data.split(b"\n")) - set(written.split(b"\n"))
    assert len(untouched) <= 3


def test_only_touched_lines_change(command: Command, tmp_path: Path) -> None:
    plain = migrated(command, tmp_path / "a")
    crlf = migrated(command, tmp_path / "b", VARIANTS["crlf"])
    assert crlf == plain.replace(b"\n", b"\r\n")
    assert migrated(command, tmp_path / "c", VARIANTS["bom"]) == b"\xef\xbb\xbf" + plain
    latin = migrated(command, tmp_path / "d", LATIN)
    assert latin == b"# coding: latin-1\n# caf\xe9\n" + plain
    bare = migrated(command, tmp_path / "e", VARIANTS["no final newline"])
    assert bare == plain.removesuffix(b"\n")


@pytest.mark.parametrize(
    "flags",
    [["--ignore", "module-gradient"], ["--select", "state-axes,diff-state"]],
)
def test_rules_can_be_chosen(command: Command, project: Path, flags: list[str]) -> None:
    done = command("apply", "src", *flags)
    assert "module-gradient" not in done.err
    assert (project / "train.py").read_bytes() == TRAIN
    done = command("apply", "src", "--select", "module-gradient", "--select", "state-axes")
    assert done.code == 0
    assert (project / "train.py").read_bytes() != TRAIN


def test_json_is_one_object_on_stdout(command: Command, project: Path) -> None:
    done = command("apply", "src", "--check", "--format", "json")
    report = json.loads(done.out)
    assert (done.code, done.err) == (1, "")
    assert report["schema_version"] == 2
    assert report["written"] is False
    assert report["summary"]["files"]["changed"] == 1
    [file] = report["files"]
    assert file["path"] == "src/train.py"
    assert file["findings"][0]["rule"] == "module-gradient"
    assert file["findings"][0]["evidence"]
    dry = command("apply", "src", "--dry-run", "--format", "json")
    assert json.loads(dry.out) == report


def test_verbose_shows_the_evidence(command: Command, project: Path) -> None:
    assert "    proved: " in command("apply", "src", "--check", "-v").said
    assert "    proved: " not in command("apply", "src", "--check").said


def test_a_pool_of_workers_gives_the_same(command: Command, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for number in range(80):
        (tmp_path / "src" / f"train{number}.py").write_bytes(TRAIN)
    one = command("apply", "src", "--dry-run", "--jobs", "1")
    two = command("apply", "src", "--dry-run", "--jobs", "2")
    assert "80 files would change" in one.err
    assert one == two


def test_comments_keep_code_out(command: Command, project: Path) -> None:
    file = project / "train.py"
    line = b"loss, grads = nnx.value_and_grad(loss_fn)(model)"
    kept = TRAIN.replace(line, line + b"  # nnx-migrate: ignore[module-gradient]")
    file.write_bytes(kept)
    done = command("apply", "src")
    assert (done.code, file.read_bytes()) == (0, kept)
    skipped = b"# nnx-migrate: skip-file\n" + TRAIN
    file.write_bytes(skipped)
    done = command("apply", "src")
    assert (done.code, file.read_bytes()) == (0, skipped)
    assert "src/train.py: skipped: " in done.said
    file.write_bytes(b"from flax import nnx  # nnx-migrate: ignore[state-axes]\n")
    done = command("apply", "src")
    assert done.code == 1
    assert "src/train.py:1:23: unused-ignore: manual: " in done.said


def test_configuration_counts_and_flags_beat_it(command: Command, project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.nnx-migrate]\nignore = ['module-gradient']\n")
    assert command("apply", "src", "--check").code == 0
    assert command("apply", "src", "--check", "--ignore", "state-axes").code == 1
    (project / "pyproject.toml").write_text("[tool.nnx-migrate]\nexclude = ['train.py']\n")
    assert command("apply", "src", "--check").code == 0
    assert command("apply", "src/train.py", "--check").code == 1


def test_a_closed_pipe_is_no_accident(project: Path) -> None:
    for number in range(300):
        (project / f"train{number}.py").write_bytes(TRAIN)
    process = subprocess.Popen(
        [COMMAND, "apply", project, "--diff"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


LIB = b"""\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = nnx.Linear(2, 2, rngs=rngs)
        self.two = nnx.BatchNorm(2, rngs=rngs)
"""
USE = b"""\
import lib
from flax import nnx


def gradients(model: lib.Net, x):
    return nnx.grad(lambda model: model.one(x).sum())(model)
"""


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder beside a project, with a module of the same name in it and a link to the project."""
    for name in ("project", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "project" / "lib.py").write_bytes(LIB)
    (tmp_path / "project" / "use.py").write_bytes(USE)
    tied = LIB.replace(b"nnx.BatchNorm(2, rngs=rngs)", b"self.one")
    (tmp_path / "elsewhere" / "lib.py").write_bytes(tied)
    (tmp_path / "elsewhere" / "pyproject.toml").write_text(
        "[tool.nnx-migrate]\nignore = ['module-gradient']\n"
    )
    (tmp_path / "elsewhere" / "link").symlink_to("../project")
    return tmp_path / "elsewhere"


@pytest.mark.parametrize("name", ["../project/use.py", "link/use.py", "{}/project/use.py"])
def test_a_file_is_the_same_from_wherever_it_is_named(
    elsewhere: Path, command: Command, name: str
) -> None:
    arguments = ("apply", name.format(elsewhere.parent), "--format", "json")
    done = command(*arguments, cwd=elsewhere)
    (file,) = json.loads(done.out)["files"]
    assert [(f["rule"], f["outcome"]) for f in file["findings"]] == [
        ("module-gradient", "rewritten")
    ]
    assert b"nnx.split(model, nnx.Param, ...)" in (elsewhere / "link" / "use.py").read_bytes()


def test_a_text_is_at_its_place_from_wherever_that_is_named(
    elsewhere: Path, command: Command
) -> None:
    """The file on disk, of the same name, is not known beside it."""
    changed = USE + b"\n\nclass Other(lib.Net):\n    pass\n"
    done = command(
        "apply", "-", "--stdin-filename", "../project/use.py", stdin=changed, cwd=elsewhere
    )
    assert b"nnx.split(model, nnx.Param, ...)" in done.out
    told = command("apply", "--explain", "../project/use.py:6", cwd=elsewhere)
    assert b"module-gradient: rewrite" in told.out
