"""Files around a text that is being typed are read again when the disk says that they changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.engine import run as engine
from nnx_migrate.engine.projects.known import KnownFiles, Look
from nnx_migrate.sources.walk import disk_state
from nnx_migrate.sources.walk.discovery import Walk
from tests.server.test_after_edits import FELT, LIB, MAIN, NOT_FELT, told

USER = "import main\n\nmain.main(1)\n"
BESIDE = "import functools\n"


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A project whose files say nnx, import one that does, and neither."""
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "tour"\n')
    for name, text in {"lib": LIB, "main": MAIN, "user": USER, "beside": BESIDE}.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "more.py").write_text("import main\n")
    return tmp_path / "main.py"


def counted(patch: pytest.MonkeyPatch) -> list[Walk]:
    """The walks from here on."""
    made: list[Walk] = []

    class Counted(Walk):
        def __init__(self, *args: Any, **choices: Any) -> None:
            made.append(self)
            super().__init__(*args, **choices)

    patch.setattr(engine, "Walk", Counted)
    return made


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[Walk]:
    """What was walked, as it is found later that nothing was written in the last seconds."""
    monkeypatch.setattr(disk_state, "_RECENT", -(10**15))
    return counted(monkeypatch)


#: Of a module of the project that is imported by its name, this takes out another one.
OTHERS = {"an import", "another function is passed"}


@pytest.mark.parametrize("edit", sorted({*NOT_FELT, *FELT} - OTHERS))
def test_nothing_is_read_while_a_text_is_typed(edit: str, main: Path, walks: list[Walk]) -> None:
    known = KnownFiles(edited=1)
    told(MAIN, main, known)
    known.look = Look.AT_ONCE
    walks.clear()
    after = MAIN.replace(*{**NOT_FELT, **FELT}[edit])
    found = told(after, main, known)
    assert not walks
    if not known.is_preliminary:
        assert found == told(after, main, None)
    walks.clear()
    known.look = Look.WHOLE
    assert told(after, main, known) == told(after, main, None)
    assert len(walks) == 2


def grown(main: Path) -> None:
    main.with_name("lib.py").write_text(LIB.replace("model.grow()", "model.more = nnx.Param(1)"))


def beside(main: Path) -> None:
    main.with_name("beside.py").write_text("import lib\n\nlib.touch = None\n")


def deeper(main: Path) -> None:
    (main.parent / "deep" / "another.py").write_text("import main\nmain.Net.grow = None\n")


def gone(main: Path) -> None:
    main.with_name("user.py").unlink()


def configured(main: Path) -> None:
    main.with_name("pyproject.toml").write_text('[tool.nnx-migrate]\nexclude = ["lib.py"]\n')


def ignored(main: Path) -> None:
    main.with_name(".gitignore").write_text("lib.py\n")


@pytest.mark.parametrize("change", [grown, beside, deeper, gone, configured, ignored])
def test_files_that_changed_on_disk_are_read(
    change: Callable[[Path], None], main: Path, walks: list[Walk]
) -> None:
    known = KnownFiles(edited=1)
    told(MAIN, main, known)
    change(main)
    known.look = Look.AT_ONCE
    walks.clear()
    after = MAIN + "# a remark\n"
    told(after, main, known)
    assert walks
    known.look = Look.WHOLE
    assert told(after, main, known) == told(after, main, None)


def test_what_is_taken_out_of_a_library_says_nothing_of_files(
    main: Path, walks: list[Walk]
) -> None:
    text = MAIN.replace("import lib\n", "import math\n\nimport lib\n\nnumber = math.cos(1)\n")
    known = KnownFiles(edited=1)
    told(text, main, known)
    known.look = Look.AT_ONCE
    walks.clear()
    after = text.replace("math.cos", "math.sin")
    assert told(after, main, known) == told(after, main, None)
    assert len(walks) == 1  # of the look that knows nothing


@pytest.mark.parametrize(
    "after",
    [
        MAIN.replace(*NOT_FELT["an import"]),
        MAIN.replace("import lib\n", "from lib import *\nimport lib\n"),
        MAIN.replace("import lib\n", ""),
    ],
)
def test_what_a_text_imports_anew_is_looked_for(after: str, main: Path, walks: list[Walk]) -> None:
    known = KnownFiles(edited=1)
    told(MAIN, main, known)
    known.look = Look.AT_ONCE
    walks.clear()
    told(after, main, known)
    assert walks


def test_what_a_text_takes_out_of_a_module_may_tell_which_one_that_is(
    main: Path, walks: list[Walk]
) -> None:
    main.with_name("types.py").write_text(LIB)
    text = MAIN.replace("lib", "types")
    known = KnownFiles(edited=1)
    told(text.replace("types.", "(lambda: types)()."), main, known)
    known.look = Look.AT_ONCE
    walks.clear()
    assert told(text, main, known) == told(text, main, None)
    assert walks


def test_another_text_has_other_files_around_it(main: Path, walks: list[Walk]) -> None:
    known = KnownFiles(edited=2)
    told(MAIN, main, known)
    known.look = Look.AT_ONCE
    walks.clear()
    told(LIB, main.with_name("lib.py"), known)
    assert walks


def test_what_was_written_just_now_is_read_again(
    main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walks = counted(monkeypatch)
    known = KnownFiles(edited=1)
    told(MAIN, main, known)
    known.look = Look.AT_ONCE
    told(MAIN + "# a remark\n", main, known)
    assert len(walks) == 2
