"""The run around a stand-in for planning: what it is given, and what becomes of what it returns."""

from __future__ import annotations

import importlib
import os
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.core.totals import RunResult
from nnx_migrate.engine import workers
from nnx_migrate.engine.run import pending, run, run_text
from nnx_migrate.sources.configuration import Configuration, Options
from nnx_migrate.sources.text import Source
from nnx_migrate.sources.write import replace_file

NNX = b"from flax import nnx\n"


def plan(
    source: Source, module: str, project: Any, options: Options, *_: Any, **__: Any
) -> FileResult:
    """Act on words in the text; list the modules of the project when asked to."""
    if "RAISE" in source.text:
        raise KeyError("boom")
    if "DIE" in source.text:
        os._exit(3)
    if "EDIT_ME" in source.text:
        source.path.write_bytes(source.data + b"# edited\n")
    known = ",".join(f"{name}={project.modules[name].path}" for name in sorted(project.modules))
    message = f"{module} unsafe={options.unsafe} knows {known}"
    findings = (Finding("spy", 1, 1, Outcome.REWRITTEN, message),)
    after = source.encode(source.text.replace("OLD", "NEW"))
    changed = after != source.data
    status = FileStatus.CHANGED if changed else FileStatus.UNCHANGED
    return FileResult(source.path, status, source.data, after, findings)


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    # What imports the real one has to do so before there is another in its place.
    importlib.import_module("nnx_migrate.engine.documents.migrate")
    monkeypatch.setattr(workers, "WORTH_A_POOL", 0)
    module = types.ModuleType("nnx_migrate.engine.migrate")
    module.plan = plan  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nnx_migrate.engine.migrate", module)


def grow(root: Path, /, **files: bytes) -> Path:
    for name, data in files.items():
        file = root / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return root


def migrate(*paths: Path, write: bool = False, jobs: int = 1) -> RunResult:
    return run(list(paths), Configuration(), write=replace_file if write else None, jobs=jobs)


def by_name(result: RunResult) -> dict[str, FileResult]:
    return {each.path.name: each for each in result.results}


def message(result: RunResult, name: str) -> str:
    return by_name(result)[name].findings[0].message


@pytest.mark.parametrize("jobs", [1, 2])
def test_writes_only_when_told(tmp_path: Path, jobs: int) -> None:
    grow(tmp_path, a=NNX + b"OLD\r\n", b=NNX, c=b"import os\n")
    preview = migrate(tmp_path, jobs=jobs)
    assert (tmp_path / "a.py").read_bytes() == NNX + b"OLD\r\n"
    assert pending(preview.results)
    written = migrate(tmp_path, write=True, jobs=jobs)
    assert preview == written
    assert (tmp_path / "a.py").read_bytes() == NNX + b"NEW\r\n"
    assert [(each.path.name, each.status) for each in written.results] == [
        ("a.py", FileStatus.CHANGED),
        ("b.py", FileStatus.UNCHANGED),
    ]
    assert (written.results[1].before, written.results[1].after) == (b"", b"")
    assert written.totals.looked_at == 3
    assert not pending(migrate(tmp_path, write=True, jobs=jobs).results)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bad_file_costs_itself_alone(tmp_path: Path, jobs: int) -> None:
    grow(
        tmp_path,
        good=NNX + b"OLD\n",
        latin=NNX + b"x = '\xe9'\n",
        binary=NNX + b"\0",
        wrong=NNX + b"def (:\n",
        brackets_300=NNX + b"x = " + b"[" * 300 + b"]" * 300,
        brackets_6000=NNX + b"x = " + b"(" * 6000 + b")" * 6000,
        powers=NNX + b"x = " + b"a**" * 5000 + b"a\n",
        chain=NNX + b"x = a" + b".b" * 60_000 + b"\n",
        surprise=NNX + b"RAISE\n",
        edited=NNX + b"EDIT_ME = 'OLD'\n",
    )
    files = by_name(migrate(tmp_path, tmp_path / "nowhere", write=True, jobs=jobs))
    reasons = {
        name: (file.findings[0].rule, file.reason)
        for name, file in files.items()
        if file.status is FileStatus.FAILED
    }
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    newer = "for newer syntax run this with a newer one"
    nested = f"too many nested parentheses (read as Python {version}; {newer})"
    surprise = reasons.pop("surprise.py")
    assert surprise[0] == "internal-error"
    assert "KeyError: 'boom' (at test_engine.py:" in surprise[1]
    assert "(read as Python" in reasons.pop("wrong.py")[1]
    assert reasons == {
        "latin.py": ("unreadable-file", "line 2 holds byte 0xe9, which is not utf-8"),
        "binary.py": (
            "unreadable-file",
            "it holds NUL bytes, so it is binary or UTF-16, not Python source",
        ),
        "brackets_300.py": ("syntax-error", nested),
        "brackets_6000.py": ("syntax-error", nested),
        "powers.py": ("too-deep", "its code is nested too deeply"),
        "chain.py": ("too-deep", "its code is nested too deeply"),
        "edited.py": ("unwritable-file", "the file changed during the run"),
        "nowhere": ("missing-path", "there is no such file or folder"),
    }
    assert (tmp_path / "good.py").read_bytes() == NNX + b"NEW\n"
    assert (tmp_path / "edited.py").read_bytes() == NNX + b"EDIT_ME = 'OLD'\n# edited\n"


def test_a_name_that_is_no_text_is_a_name(tmp_path: Path) -> None:
    grow(tmp_path, **{"bytes\udcff": NNX + b"OLD\n"})
    (result,) = migrate(tmp_path).results
    assert result.status is FileStatus.CHANGED


def test_a_syntax_error_is_told_with_its_place(tmp_path: Path) -> None:
    grow(tmp_path, wrong=NNX + b"\nx = = 1\n")
    finding = by_name(migrate(tmp_path))["wrong.py"].findings[0]
    assert (finding.rule, finding.line, finding.column) == ("syntax-error", 3, 5)


def test_a_worker_that_dies_costs_one_file(tmp_path: Path) -> None:
    grow(tmp_path, **{f"f{n}": NNX + b"OLD\n" for n in range(70)}, killer=NNX + b"DIE\n")
    result = migrate(tmp_path, write=True, jobs=2)
    killed = by_name(result)["killer.py"]
    assert killed.status is FileStatus.FAILED
    assert "died" in killed.reason
    assert result.totals.files[FileStatus.CHANGED] == 70


def test_facts_come_from_the_project_around_a_single_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.nnx-migrate]\nunsafe = true\n")
    grow(
        tmp_path,
        **{
            "src/pkg/__init__": b"from .net import Net\n",
            "src/pkg/net": NNX
            + b"from pkg.mixin import Mixin\nclass Net(nnx.Module, Mixin): ...\n",
            "src/pkg/mixin": b"class Mixin: pass\n",
            "src/pkg/broken": NNX + b"def (:\n",
            "src/pkg/far": b"import os\n",
            "scripts/train": NNX + b"from pkg import Net\nOLD\n",
        },
    )
    result = migrate(tmp_path / "scripts" / "train.py", write=True)
    assert [each.path.name for each in result.results] == ["train.py"]
    text = message(result, "train.py")
    assert text.startswith("train unsafe=True knows ")
    assert [known.split("=")[0] for known in text.split("knows ")[1].split(",")] == [
        "pkg",
        "pkg.mixin",
        "pkg.net",
        "train",
    ]
    assert b"NEW" in (tmp_path / "scripts" / "train.py").read_bytes()
    # The whole tree gives the same for that file.
    assert message(migrate(tmp_path), "train.py") == text


def test_the_fringe_of_a_named_tree_is_planned(tmp_path: Path) -> None:
    grow(
        tmp_path,
        net=NNX + b"class Net(nnx.Module): pass\n",
        big=b"from net import Net\nclass Big(Net): OLD\n",
        other=b"import os\n",
    )
    result = migrate(tmp_path, write=True)
    assert [each.path.name for each in result.results] == ["big.py", "net.py"]
    assert (tmp_path / "big.py").read_bytes() == b"from net import Net\nclass Big(Net): NEW\n"


def test_scripts_of_one_name_see_their_own_neighbours(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        grow(tmp_path / folder, model=NNX, train=NNX + b"import model\n")
    grow(tmp_path / "c", single=NNX)
    for jobs in (1, 2):
        result = migrate(tmp_path, jobs=jobs)
        for folder in ("a", "b"):
            trains = [
                each for each in result.results if each.path == tmp_path / folder / "train.py"
            ]
            assert f"model={tmp_path / folder / 'model.py'}" in trains[0].findings[0].message


def test_files_outside_the_named_paths_are_never_changed(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    grow(tmp_path, **{"a/one": NNX + b"OLD\n", "b/two": NNX + b"OLD\n"})
    migrate(tmp_path / "a", write=True)
    assert (tmp_path / "a" / "one.py").read_bytes() == NNX + b"NEW\n"
    assert (tmp_path / "b" / "two.py").read_bytes() == NNX + b"OLD\n"


def test_a_text_from_stdin_is_planned_in_its_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    files = {"pkg/__init__": b"", "pkg/net": NNX, "pkg/train": NNX + b"on disk\n"}
    grow(tmp_path, **files)
    data = NNX + b"from pkg.net import *\nOLD\r\n"
    result = run_text(data, tmp_path / "pkg" / "train.py", Configuration())
    assert result.after == data.replace(b"OLD", b"NEW")
    assert result.findings[0].message.startswith("pkg.train unsafe=False knows pkg.net=")
    assert "pkg.train=" in result.findings[0].message
    assert (tmp_path / "pkg" / "train.py").read_bytes() == NNX + b"on disk\n"


def test_a_text_that_cannot_be_read_comes_back_as_it_was(tmp_path: Path) -> None:
    for data in (NNX + b"\0", NNX + b"def (:\n", NNX + b"RAISE\n"):
        result = run_text(data, tmp_path / "x.py", Configuration())
        assert result.status is FileStatus.FAILED
        assert (result.before, result.after) == (data, data)
