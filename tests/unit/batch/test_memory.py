"""What is remembered answers the same question only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.batch.cached_steps import remembering_index
from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.engine.cache import answers as memories
from nnx_migrate.engine.cache.answers import IndexMemory, PlanMemory
from nnx_migrate.engine.cache.store import Shelf
from nnx_migrate.engine.discover import IndexTask, find
from nnx_migrate.engine.plan_file import PlanTask
from nnx_migrate.engine.projects.assign import Projects
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.configuration import Configuration, Options
from nnx_migrate.sources.imports.module_names import Place

NNX = "from flax import nnx\n"


class Here:
    """Does the work in this process, and counts it."""

    local = True

    def __init__(self) -> None:
        self.done: list[Path] = []

    def map(self, work: Any, tasks: Iterable[Any]) -> Iterator[Any]:
        for task in tasks:
            self.done.append(task.path)
            yield work.function(task)

    def check(self, function: Any, *args: Any) -> Any:
        return function(*args)


def planned(folder: Path, flags: dict[str, Any] | None = None) -> tuple[set[str], set[bytes]]:
    """The files that facts were taken of now, and the keys of all results."""
    here = Here()
    (folder / "out").mkdir(exist_ok=True)
    shelf = Shelf(folder / "out" / "index.sqlite")
    indexing = remembering_index(IndexMemory(shelf), here, given_up=False)
    configuration = Configuration(flags or {})
    found = find([folder / "src"], configuration, 1, lambda *_: None, indexing)
    plans = Shelf(folder / "out" / "plans.sqlite")
    memory = PlanMemory(plans, found.projects, found.tasks)
    keys = {memory.keys_of(task)[0] for task in found.tasks}
    shelf.close()
    plans.close()
    return {path.name for path in here.done}, keys


def grow(folder: Path) -> Path:
    for name, text in {
        "one/a.py": NNX + "import b\n",
        "one/b.py": NNX,
        "two/c.py": NNX,
    }.items():
        file = folder / "src" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "pyproject.toml").touch()
        file.write_text(text)
    return folder / "src"


def test_facts_are_kept_by_content_and_results_by_all_they_depend_on(tmp_path: Path) -> None:
    src = grow(tmp_path)
    first, keys = planned(tmp_path)
    assert first == {"a.py", "b.py", "c.py"}
    assert planned(tmp_path) == (set(), keys)
    (src / "one" / "b.py").write_text(NNX + "x = 1\n")
    again, changed = planned(tmp_path)
    # `a` imports `b`, so what is known of it has changed; `c` has to do with neither.
    assert again == {"b.py"}
    assert len(keys & changed) == 1
    (src / "one" / "b.py").write_text(NNX)
    assert planned(tmp_path) == (set(), keys)


@pytest.mark.parametrize(
    "flags", [{"unsafe": True}, {"ignore": frozenset({"state-axes"})}, {"on_unsafe": "leave"}]
)
def test_options_that_decide_give_other_results(tmp_path: Path, flags: dict[str, Any]) -> None:
    grow(tmp_path)
    _, keys = planned(tmp_path)
    taken, others = planned(tmp_path, flags)
    assert (taken, keys & others) == (set(), set())


def test_options_that_do_not_decide_give_the_same(tmp_path: Path) -> None:
    grow(tmp_path)
    _, keys = planned(tmp_path)
    assert planned(tmp_path, {"jobs": 3}) == (set(), keys)


def test_another_program_gives_other_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(tmp_path)
    _, keys = planned(tmp_path)
    monkeypatch.setattr(memories, "program_digest", lambda: b"another")
    taken, others = planned(tmp_path)
    assert (len(taken), keys & others) == (3, set())


def test_a_file_of_the_same_text_at_another_place_is_another(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "index.sqlite")
    memory = IndexMemory(shelf)
    keys = {
        memory.key_of(IndexTask(Path(p), NNX.encode(), True, Place(Path(), p)))
        for p in ("a.py", "b.py")
    }
    assert len(keys) == 2


@pytest.mark.parametrize("rule", ["changed-file", "internal-error", "too-little-memory"])
def test_what_tells_of_the_moment_is_not_kept(tmp_path: Path, rule: str) -> None:
    shelf = Shelf(tmp_path / "plans.sqlite")
    task = PlanTask(tmp_path / "a.py", b"1" * 16, Options())
    memory = PlanMemory(shelf, Projects([]), [task])
    result = FileResult(
        task.path, FileStatus.FAILED, b"", b"", (Finding(rule, 0, 0, Outcome.MANUAL, "no"),), "no"
    )
    memory.keep([(task, result)])
    assert shelf.used == set()


def test_what_was_not_asked_for_is_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "shelf.sqlite"
    shelf = Shelf(file)
    shelf.keep([(b"a", b"", b"1"), (b"b", b"", b"2")])
    shelf.close()
    shelf = Shelf(file)
    assert shelf.find(b"a", "body") == b"1"
    shelf.forget_unused()
    assert (shelf.find(b"a", "body"), shelf.find(b"b", "body")) == (b"1", None)


def test_a_file_that_is_no_shelf_is_told(tmp_path: Path) -> None:
    (tmp_path / "index.sqlite").write_bytes(b"something else" * 100)
    with pytest.raises(ConfigError, match=r"index\.sqlite"):
        Shelf(tmp_path / "index.sqlite")


def test_a_shelf_at_rest_is_one_file_that_nobody_has_to_lock(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "index.sqlite")
    shelf.keep([(b"a", b"", b"1")])
    shelf.close()
    assert [file.name for file in tmp_path.iterdir()] == ["index.sqlite"]
    (tmp_path / "index.sqlite").chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        assert Shelf(tmp_path / "index.sqlite", read_only=True).find(b"a", "body") == b"1"
        assert [file.name for file in tmp_path.iterdir()] == ["index.sqlite"]
    finally:
        tmp_path.chmod(0o755)
