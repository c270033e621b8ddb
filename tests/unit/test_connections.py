"""Which files have to be known together."""

from __future__ import annotations

from pathlib import Path

from nnx_migrate.engine.projects.connections import Imports, connected


def groups(*files: Imports) -> set[frozenset[str]]:
    """The groups, as the files "root/module" in each."""
    found: dict[int, set[str]] = {}
    for file, number in zip(files, connected(files), strict=True):
        found.setdefault(number, set()).add(f"{file.root}/{file.module}")
    return set(map(frozenset, found.values()))


def file(root: str, module: str, *targets: str, is_package: bool = False) -> Imports:
    return Imports(Path(root), module, is_package, targets)


def test_scripts_of_a_folder_and_modules_of_a_package_are_known_together() -> None:
    assert groups(file("/a", "one"), file("/a", "two"), file("/b", "three")) == {
        frozenset({"/a/one", "/a/two"}),
        frozenset({"/b/three"}),
    }
    assert groups(
        file("/a", "pkg", is_package=True), file("/a", "pkg.sub.x"), file("/a", "other.y")
    ) == {frozenset({"/a/pkg", "/a/pkg.sub.x"}), frozenset({"/a/other.y"})}


def test_importing_connects_in_both_directions_and_over_steps() -> None:
    assert groups(
        file("/a", "main", "lib.core", "tool.Thing"),
        file("/b", "lib.core"),
        file("/c", "tool.base"),
        file("/d", "alone"),
    ) == {frozenset({"/a/main", "/b/lib.core", "/c/tool.base"}), frozenset({"/d/alone"})}


def test_import_means_the_folder_itself_then_the_nearest() -> None:
    copies = [
        each
        for copy in ("/one", "/two")
        for each in (
            file(f"{copy}/src", "lib.core"),
            file(f"{copy}/tests", "test_core", "lib.core", "shared"),
            file(f"{copy}/tests", "shared"),
        )
    ]
    assert groups(*copies) == {
        frozenset({f"{copy}/src/lib.core", f"{copy}/tests/test_core", f"{copy}/tests/shared"})
        for copy in ("/one", "/two")
    }


def test_names_of_folders_without_init_are_found_by_the_path() -> None:
    assert groups(
        file("/repo/team/models", "vit"),
        file("/repo/team/train", "main", "team.models.vit.ViT"),
        file("/elsewhere/models", "vit"),
    ) == {
        frozenset({"/repo/team/models/vit", "/repo/team/train/main"}),
        frozenset({"/elsewhere/models/vit"}),
    }


def test_flax_connects_nothing() -> None:
    assert groups(
        file("/site", "flax.nnx.graph", "train"),
        file("/a", "train", "flax.nnx.graph"),
        file("/b", "test", "flax.nnx"),
    ) == {frozenset({"/site/flax.nnx.graph"}), frozenset({"/a/train"}), frozenset({"/b/test"})}
