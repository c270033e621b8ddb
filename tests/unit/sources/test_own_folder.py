"""Nothing that this tool writes goes through a link that a repository brings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nnx_migrate.sources.own_folder import LinkInTheWay, OwnFolder, put_file


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder beside the current one, with a file that must stay as it is."""
    here, there = tmp_path / "project", tmp_path / "outside"
    here.mkdir()
    there.mkdir()
    (there / "precious").write_bytes(b"precious")
    monkeypatch.chdir(here)
    return there


def test_a_folder_is_made_and_written(outside: Path) -> None:
    with OwnFolder(Path("a/b")) as folder:
        folder.put("x", b"1")
        folder.put("x", b"2")
        assert folder.names() == ["x"]
    assert Path("a/b/x").read_bytes() == b"2"


@pytest.mark.parametrize("path", ["link", "link/b", "a/link", "a/link/c"])
def test_a_link_on_the_way_is_refused_by_name(outside: Path, path: str) -> None:
    Path("a").mkdir()
    Path(path.partition("link")[0] + "link").symlink_to(outside)
    with pytest.raises(LinkInTheWay, match="link is a symbolic link; remove it"):
        OwnFolder(Path(path))
    assert os.listdir(outside) == ["precious"]


def test_a_link_in_place_of_a_file_is_refused(outside: Path) -> None:
    with OwnFolder(Path("a")) as folder:
        Path("a/x").symlink_to(outside / "precious")
        with pytest.raises(LinkInTheWay):
            folder.put("x", b"")
        with pytest.raises(LinkInTheWay):
            put_file(Path("a/x"), b"")
        with pytest.raises(LinkInTheWay):
            folder.require_no_links()
        folder.remove("x")
        assert folder.names() == []
    assert (outside / "precious").read_bytes() == b"precious"


def test_a_folder_that_is_a_link_is_not_emptied(outside: Path) -> None:
    with OwnFolder(Path("a")) as folder:
        Path("a/x").symlink_to(outside)
        with pytest.raises(LinkInTheWay):
            folder.remove_tree("x")
    assert os.listdir(outside) == ["precious"]


def test_above_the_current_folder_links_are_the_users_own(outside: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").symlink_to(outside)
    with OwnFolder(tmp_path / "mine" / "a") as folder:
        folder.put("x", b"1")
    put_file(tmp_path / "mine" / "y", b"2")
    assert sorted(os.listdir(outside)) == ["a", "precious", "y"]
    # Where it is what the run is over, it is the repository's.
    with pytest.raises(LinkInTheWay):
        OwnFolder(tmp_path / "mine" / "b", [tmp_path])


def test_a_private_folder_is_the_users_alone(outside: Path, tmp_path: Path) -> None:
    Path("a").mkdir(mode=0o777)
    with OwnFolder(Path("a"), private=True) as folder:
        file = folder.put("x", b"")
    assert Path("a").stat().st_mode & 0o777 == 0o700
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["", ".", "..", "a/b"])
def test_a_name_is_no_path(outside: Path, name: str) -> None:
    with OwnFolder(Path("a")) as folder, pytest.raises(ValueError, match=name or "^$"):
        folder.put(name, b"")


def test_what_is_no_file_is_not_replaced(outside: Path) -> None:
    os.mkfifo("pipe")
    with pytest.raises(OSError, match="not a regular file"):
        put_file(Path("pipe"), b"")
