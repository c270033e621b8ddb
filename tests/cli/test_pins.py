"""`nnx-migrate pins`: what is kept in graph mode, by whom, why, and the way out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.schemas import require_valid

HEAD = """\
import jax.numpy as jnp
from flax import nnx


"""
# Each as `apply` pins it: the attribute that it sets is one that graph mode alone gives back.
COVERED = """\
@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def reset(model: nnx.Module, call):
    model.made = call(model)
"""
BARE = """\
@nnx.compat.jit
def mark(model: nnx.Linear):
    model.phase = 1
"""
NEEDLESS = """\
@nnx.compat.jit
def double(x):
    return 2 * x
"""
CHOSEN = """\
@nnx.set_graph_mode(True)
def traced(model: nnx.Linear, x):
    return nnx.jit(lambda model, x: model(x))(model, x)


def block(model: nnx.Linear, x):
    with nnx.set_graph_mode(True), nnx.set_graph_updates(True):
        return nnx.jit(lambda model, x: model(x))(model, x)
"""
NATIVE = """\
@nnx.jit
def plain(x):
    return 3 * x
"""
PENDING = BARE.replace("nnx.compat.jit", "nnx.jit")


def write(folder: Path, name: str, *parts: str) -> Path:
    file = folder / name
    file.write_text(HEAD + "\n\n".join(parts))
    return file


def listed(command: Command, *arguments: str) -> dict[str, Any]:
    done = command("pins", *arguments, "--format", "json")
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    require_valid("pins", found)
    return found


def places(document: dict[str, Any]) -> dict[int, dict[str, Any]]:
    return {p["line"]: p for group in document["groups"] for p in group["places"]}


def test_each_place_has_its_origin_and_its_cause(command: Command, tmp_path: Path) -> None:
    write(tmp_path, "train.py", COVERED, BARE, NEEDLESS, CHOSEN, NATIVE)
    found = places(listed(command))
    told = {line: (p["origin"], p["cause"], p["kept"]) for line, p in found.items()}
    assert told == {
        5: ("ours", "structural-update", "nnx.jit"),
        12: ("ours or chosen", "structural-update", "nnx.jit"),
        17: ("ours or chosen", "not-needed", "nnx.jit"),
        22: ("chosen", "chosen-mode", "nnx.set_graph_mode"),
        28: ("chosen", "chosen-mode", "nnx.set_graph_mode"),
    }
    assert found[12]["reason"].startswith("the function changes model: attribute phase is set")
    assert found[12]["way_out"].startswith("return the value, or keep it in a Variable")
    assert found[17]["way_out"] == "nnx-migrate apply --unpin removes it"


def test_a_partial_of_a_transform_is_one_place(command: Command, tmp_path: Path) -> None:
    write(
        tmp_path,
        "steps.py",
        "import functools",
        """\
@functools.partial(nnx.jit, static_argnames=("k",), graph=True, graph_updates=False)
def scaled(first: nnx.Linear, second: nnx.Linear, x, k=1):
    return k * (first(x) + second(x))


layer = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
scaled(layer, layer, jnp.ones((1, 2)))
""",
    )

    found = listed(command)

    assert (found["places"], found["transforms"]) == (1, 1)
    (place,) = places(found).values()
    assert (place["kept"], place["origin"]) == ("nnx.jit", "ours or chosen")


def test_nothing_is_written(command: Command, tmp_path: Path) -> None:
    file = write(tmp_path, "train.py", COVERED, NEEDLESS)
    before = file.read_bytes()
    command("pins")
    assert file.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["train.py"]


def test_transforms_in_graph_mode_are_counted_against_all(command: Command, tmp_path: Path) -> None:
    write(tmp_path, "train.py", COVERED, BARE, NEEDLESS, CHOSEN, NATIVE)
    found = listed(command)
    assert (found["transforms"], found["native"], found["places"]) == (6, 1, 5)
    assert found["unmigrated"] == 0
    done = command("pins")
    assert "1 of 6 transforms native (16 %)." in done.out.decode()
    assert (
        "5 places in graph mode: 1 by nnx-migrate, 2 by nnx-migrate or by hand, 2 by hand."
        in done.out.decode()
    )


def test_the_biggest_group_is_first(command: Command, tmp_path: Path) -> None:
    write(tmp_path, "a.py", NEEDLESS)
    write(tmp_path, "b.py", BARE, BARE.replace("mark", "other"), COVERED)
    assert [g["key"] for g in listed(command)["groups"]] == ["structural-update", "not-needed"]
    by_file = listed(command, "--by", "file")["groups"]
    assert [(g["key"], g["count"]) for g in by_file] == [("b.py", 3), ("a.py", 1)]


def test_owners_are_those_of_codeowners(command: Command, tmp_path: Path) -> None:
    pytest.importorskip("codeowners")
    (tmp_path / "CODEOWNERS").write_text("b.py @vision\n")
    (tmp_path / ".git").mkdir()
    write(tmp_path, "a.py", NEEDLESS)
    write(tmp_path, "b.py", BARE, COVERED)
    by_owner = listed(command, "--by", "owner")["groups"]
    assert [(g["key"], g["count"]) for g in by_owner] == [("@vision", 2), ("unowned", 1)]


def test_without_codeowners_there_are_no_owners(command: Command, tmp_path: Path) -> None:
    write(tmp_path, "a.py", NEEDLESS)
    done = command("pins", "--by", "owner")
    assert done.code == 2
    assert "--by owner: there is no CODEOWNERS in" in done.err


def test_what_is_not_migrated_yet_is_no_success(command: Command, tmp_path: Path) -> None:
    file = write(tmp_path, "a.py", PENDING)
    assert listed(command)["unmigrated"] == 1
    told = command("pins").out.decode()
    assert told.splitlines() == [
        "0 of 1 transform pinned.",
        "Not migrated yet: 1 place without a pin. To see them: nnx-migrate apply . --dry-run",
    ]
    assert command("apply", "a.py").code == 0
    assert "compat" in file.read_text()
    assert listed(command)["unmigrated"] == 0


def test_a_tree_without_graph_mode_says_so(command: Command, tmp_path: Path) -> None:
    write(tmp_path, "a.py", NATIVE)
    done = command("pins", "a.py")
    assert done.code == 0
    assert done.out.decode() == ("1 of 1 transform native (100 %).\nNothing stays in graph mode.\n")


def test_a_notebook_has_its_places_in_cells(command: Command, tmp_path: Path) -> None:
    head: dict[str, object] = {"execution_count": None, "metadata": {}, "outputs": []}
    cells = [{"cell_type": "code", "source": text, **head} for text in (HEAD, COVERED)]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (tmp_path / "tour.ipynb").write_text(json.dumps(notebook))
    (place,) = places(listed(command)).values()
    assert (place["cell"], place["cell_line"], place["origin"]) == (2, 1, "ours")


def test_a_path_that_does_not_exist_is_an_error(command: Command) -> None:
    done = command("pins", "nowhere")
    assert done.code == 2
    assert "nowhere: there is no such file or folder" in done.err


def test_a_file_that_cannot_be_read_is_said(command: Command, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("from flax import nnx\nnnx.jit(\n")
    done = command("pins")
    assert done.code == 1
    assert "not read: broken.py" in done.err
