"""`nnx-migrate apply --patch DIR --patch-by ...`, with git itself to apply what it writes."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.engine.run import run
from nnx_migrate.report.levels import Report
from nnx_migrate.report.patches.folder import write_patches
from nnx_migrate.sources.configuration import Configuration
from tests.cli.conftest import TRAIN, Command
from tests.golden.cases import all_cases
from tests.schemas import require_valid
from tests.unit.report.test_markdown import OURS, page

CODEOWNERS = """\
# who looks at what
*            @everyone
/part1/      @org/team.a @bob  # ask @nobody first
part2/*.py   mail@example.org
/part3/
"""
SPLITS = ("rule", "file", "owner", "dir")


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "core.autocrlf=false", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"git {arguments}: {done.stderr}"
    return done.stdout


# Nothing but its line tells git which of the two is meant.
TWICE = b"""\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layer = nnx.Linear(2, 2, rngs=rngs)
        self.tied = getattr(self, "layer")


@nnx.jit
def first(model: Net, x):
    return model.layer(x)


@nnx.jit
def first(model: Net, x):
    return model.layer(x)


def step(model: Net, x):
    return nnx.grad(lambda model: model.layer(x).sum())(model)
"""


def sources() -> dict[str, bytes]:
    """Files in which several rules find something, some of them near each other."""
    files = {"twice.py": TWICE}
    for case in all_cases():
        if sum(map(bool, case.expectation().outcomes.values())) > 1:
            files[f"part{len(files) % 4}/f {len(files)}.py"] = b"\n".join(
                case.files("before").values()
            )
    files["part0/<img src=x> `@octocat` [a](b) ; $(touch x).py"] = TRAIN
    files["part0/crlf.py"] = files["part1/f 1.py"].replace(b"\n", b"\r\n")
    chooser = random.Random(7)
    several = [data for data in files.values() if b"__future__" not in data]
    for number in range(12):
        files[f"part3/three {number}.py"] = b"\n".join(chooser.sample(several, 3))
    return files


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """A repository, the folders of patches beside it, and what `apply` writes."""
    root = tmp_path_factory.mktemp("patches")
    repository = root / "repository"
    for name, data in {**sources(), ".github/CODEOWNERS": CODEOWNERS.encode()}.items():
        file = repository / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    git(root, "init", "-q", str(repository))
    git(repository, "add", "-A")
    git(repository, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "first")
    result = run([repository], Configuration(), write=None)
    report = Report(result.results, result.totals, False, repository)
    for by in SPLITS:
        write_patches(report, root / by, by)  # type: ignore[arg-type]
    after = {
        str(r.path.relative_to(repository)): r.after for r in result.results if r.before != r.after
    }
    assert len(after) > 15
    return root, after


def manifest(root: Path, by: str) -> list[dict[str, Any]]:
    document = json.loads((root / by / "manifest.json").read_text())
    require_valid("manifest", document)
    found: list[dict[str, Any]] = document["patches"]
    return found


def content(repository: Path, names: Sequence[str]) -> dict[str, bytes]:
    return {name: (repository / name).read_bytes() for name in names}


def applied(root: Path, by: str, patches: Sequence[str], after: Mapping[str, bytes]) -> None:
    """Apply all patches in the order given, and compare with what `apply` writes."""
    git(root / "repository", "checkout", "-q", ".")
    for patch in patches:
        git(root / "repository", "apply", str(root / by / patch))
    assert content(root / "repository", list(after)) == after


@pytest.mark.parametrize("by", SPLITS)
def test_all_patches_in_order_give_what_apply_writes(
    made: tuple[Path, dict[str, bytes]], by: str
) -> None:
    root, after = made
    applied(root, by, [entry["patch"] for entry in manifest(root, by)], after)


@pytest.mark.parametrize("by", SPLITS)
def test_any_order_that_respects_the_manifest_gives_the_same(
    made: tuple[Path, dict[str, bytes]], by: str
) -> None:
    root, after = made
    for seed in range(6):
        chooser = random.Random(seed)
        left = {entry["patch"]: set(entry["depends_on"]) for entry in manifest(root, by)}
        order: list[str] = []
        while left:
            ready = sorted(name for name, needs in left.items() if needs <= set(order))
            order.append(chooser.choice(ready))
            del left[order[-1]]
        applied(root, by, order, after)


@pytest.mark.parametrize("by", SPLITS)
def test_each_patch_goes_alone_on_what_it_depends_on(
    made: tuple[Path, dict[str, bytes]], by: str
) -> None:
    root = made[0]
    entries = manifest(root, by)
    assert by != "rule" or any(entry["depends_on"] for entry in entries)
    assert sum(not entry["depends_on"] for entry in entries) > len(entries) / 4
    repository = root / "repository"
    for entry in entries:
        git(repository, "checkout", "-q", ".")
        for patch in [*entry["depends_on"], entry["patch"]]:
            git(repository, "apply", str(root / by / patch))
        for name, data in content(repository, entry["files"]).items():
            compile(data, name, "exec")


def test_by_rule_each_rule_has_a_patch_of_its_own(made: tuple[Path, dict[str, bytes]]) -> None:
    keys = [entry["key"] for entry in manifest(made[0], "rule")]
    assert len({tuple(key) for key in keys}) == len(keys)
    assert ["module-gradient"] in keys
    assert ["shared-reference"] in keys
    shared = [name for entry in manifest(made[0], "rule") for name in entry["files"]]
    assert len(set(shared)) < len(shared)


def test_owners_are_those_of_the_last_line_that_matches(
    made: tuple[Path, dict[str, bytes]],
) -> None:
    owned = {tuple(entry["key"]): entry["files"] for entry in manifest(made[0], "owner")}
    assert set(owned) <= {
        ("@everyone",),
        ("@org/team.a", "@bob"),
        ("mail@example.org",),
        ("unowned",),
    }
    assert all(name.startswith("part1/") for name in owned[("@org/team.a", "@bob")])
    assert all(name.startswith("part2/") for name in owned[("mail@example.org",)])
    assert all(name.startswith("part3/") for name in owned[("unowned",)])


@pytest.mark.parametrize("by", SPLITS)
def test_names_of_files_are_plain_and_each_has_its_text(
    made: tuple[Path, dict[str, bytes]], by: str
) -> None:
    folder = made[0] / by
    for entry in manifest(made[0], by):
        assert (
            entry["patch"]
            .removesuffix(".patch")
            .replace("-", "")
            .replace(".", "")
            .replace("_", "")
            .isalnum()
        )
        text = (folder / entry["text"]).read_text()
        assert text.startswith("# Move to NNX tree mode: `")
        assert f"git apply {entry['patch']}" in text
        assert all(f"`{need}`" in text for need in entry["depends_on"])
        assert len(text) < 65_536
        found = page(text)
        assert found.elements <= {*OURS, "h1", "pre"}
        assert not {name for name, _ in found.attributes} - {"class"}
        assert not set("@<[`") & set(found.outside), found.outside
    listed = {n for e in manifest(made[0], by) for n in (e["patch"], e["text"])}
    assert {path.name for path in folder.iterdir()} == listed | {"manifest.json"}


def test_the_command_writes_the_folder_again_but_nothing_of_others(
    command: Command, project: Path, tmp_path: Path
) -> None:
    arguments = ("apply", "src", "--patch", "out", "--patch-by", "rule")
    for _ in range(2):
        done = command(*arguments)
        assert (done.code, done.out) == (1, b"")
        assert "patches in out, each with the text of a pull request; to apply one" in done.err
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
            "1-module-gradient.md",
            "1-module-gradient.patch",
            "manifest.json",
        ]
    assert (project / "train.py").read_bytes() == TRAIN
    (tmp_path / "out" / "notes.txt").write_text("mine")
    done = command(*arguments)
    assert done.code == 2
    assert "'notes.txt'" in done.err
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"


def test_owners_need_a_codeowners_file(command: Command, project: Path) -> None:
    done = command("apply", "src", "--patch", "out", "--patch-by", "owner")
    assert done.code == 2
    assert "there is no CODEOWNERS in" in done.err
    # That is said before anything is read, as the lack of the library is.
    assert (done.out, done.err.count("\n")) == (b"", 1)
    shown = command("apply", "src", "--dry-run", "--patch", "out", "--patch-by", "owner")
    assert (shown.code, shown.out) == (2, b"")
    assert command("apply", "src", "--patch-by", "rule").code == 2
