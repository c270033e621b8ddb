"""Which files a file is planned with."""

from __future__ import annotations

from pathlib import Path

from nnx_migrate.facts.index import index_module
from nnx_migrate.projects import PlacedIndex, Projects
from nnx_migrate.sources.text import decode


def placed(root: str, module: str, text: str = "x = 1\n") -> PlacedIndex:
    path = Path(root, *module.split(".")).with_suffix(".py")
    record = index_module(decode(path, text.encode()), module)
    return PlacedIndex(Path(root), module, path, record)


def paths(projects: Projects, root: str, module: str) -> dict[str, str]:
    """The files of the project around a file, by module."""
    found = projects.around(Path(root), module).modules
    return {name: record.path for name, record in found.items()}


def test_folders_whose_names_do_not_meet_share_a_project() -> None:
    projects = Projects([placed("/a", "one"), placed("/b", "two")])
    first = projects.around(Path("/a"), "one")
    assert first is projects.around(Path("/b"), "two")
    assert set(first.modules) == {"one", "two"}


def test_folder_whose_names_meet_those_of_another_sees_its_own_first() -> None:
    projects = Projects(
        [placed("/a", "model"), placed("/a", "train"), placed("/b", "model"), placed("/c", "lib")]
    )
    assert paths(projects, "/a", "train") == {
        "model": "/a/model.py",
        "train": "/a/train.py",
        "lib": "/c/lib.py",
    }
    assert paths(projects, "/b", "model")["model"] == "/b/model.py"
    assert paths(projects, "/c", "lib")["lib"] == "/c/lib.py"


def test_tables_count_only_the_files_of_the_project() -> None:
    call = "def go():\n    target()\n"
    projects = Projects([placed("/a", "one", call), placed("/b", "one", call)])
    for root in ("/a", "/b"):
        project = projects.around(Path(root), "one")
        records = [record for tables in project.tables for record in tables.records]
        assert [record.path for record in records] == [f"{root}/one.py"]


def test_source_of_flax_is_a_library_to_all_but_itself() -> None:
    projects = Projects([placed("/r", "flax.nnx.graph"), placed("/r", "train")])
    assert set(paths(projects, "/r", "train")) == {"train"}
    assert set(paths(projects, "/r", "flax.nnx.graph")) == {"flax.nnx.graph", "train"}


def test_packed_indexes_make_the_same_project() -> None:
    indexes = [placed("/a", "one", "def f(x):\n    return g(x).y\n"), placed("/b", "two")]
    plain = Projects(indexes).around(Path("/a"), "one")
    packed = Projects([index.packed() for index in indexes]).around(Path("/a"), "one")
    assert packed.modules == plain.modules
