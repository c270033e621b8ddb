"""Which files a file is planned with."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

from nnx_migrate.analysis.ir.build import index_module
from nnx_migrate.engine.projects.assign import PlacedIndex, Projects
from nnx_migrate.sources.text import decode


def placed(root: str, module: str, text: str = "x = 1\n") -> PlacedIndex:
    path = Path(root, *module.split(".")).with_suffix(".py")
    record = index_module(decode(path, text.encode()), module)
    return PlacedIndex(Path(root), module, path, record.imports, record)


def paths(projects: Projects, path: str) -> dict[str, str]:
    """The files of the project around a file, by module."""
    found = projects.around(Path(path)).modules
    return {name: record.path for name, record in found.items()}


def test_folders_whose_names_do_not_meet_share_a_project() -> None:
    projects = Projects([placed("/a", "one", "import two\n"), placed("/b", "two")])
    first = projects.around(Path("/a/one.py"))
    assert first is projects.around(Path("/b/two.py"))
    assert set(first.modules) == {"one", "two"}


def test_files_that_nothing_connects_are_not_known_to_each_other() -> None:
    projects = Projects([placed("/a", "one"), placed("/b", "two")])
    assert set(paths(projects, "/a/one.py")) == {"one"}
    assert set(paths(projects, "/b/two.py")) == {"two"}


def test_folder_whose_names_meet_those_of_another_sees_its_own_first() -> None:
    uses = "import lib\nimport model\n"
    projects = Projects(
        [
            placed("/a", "model"),
            placed("/a", "train", uses),
            placed("/b", "model", uses),
            placed("/c", "lib"),
        ]
    )
    assert paths(projects, "/a/train.py") == {
        "model": "/a/model.py",
        "train": "/a/train.py",
        "lib": "/c/lib.py",
    }
    assert paths(projects, "/b/model.py")["model"] == "/b/model.py"
    assert paths(projects, "/c/lib.py")["lib"] == "/c/lib.py"


def test_tables_count_only_the_files_of_the_project() -> None:
    call = "import shared\ndef go():\n    target()\n"
    projects = Projects(
        [placed("/a", "one", call), placed("/b", "one", call), placed("/c", "shared")]
    )
    for root in ("/a", "/b"):
        project = projects.around(Path(root, "one.py"))
        records = [record for tables in project.tables for record in tables.records]
        assert {record.path for record in records} == {f"{root}/one.py", "/c/shared.py"}


def test_source_of_flax_is_a_library_to_all_but_itself() -> None:
    projects = Projects(
        [placed("/r", "flax.nnx.graph"), placed("/r", "train", "import flax.nnx.graph\n")]
    )
    assert set(paths(projects, "/r/train.py")) == {"train"}
    assert set(paths(projects, "/r/flax/nnx/graph.py")) == {"flax.nnx.graph"}


def test_packed_indexes_make_the_same_project() -> None:
    indexes = [placed("/a", "one", "def f(x):\n    return g(x).y\n"), placed("/b", "two")]
    plain = Projects(indexes).around(Path("/a/one.py"))
    packed = Projects([index.packed() for index in indexes]).around(Path("/a/one.py"))
    assert packed.modules == plain.modules


def test_group_that_is_done_with_is_let_go() -> None:
    projects = Projects([placed("/a", "one").packed(), placed("/b", "two").packed()])
    first = weakref.ref(projects.around(Path("/a/one.py")))
    projects.around(Path("/b/two.py"))
    gc.collect()
    assert first() is None
