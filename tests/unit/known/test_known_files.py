"""What a language server asks again costs no analysis: counted, since seconds are the machine's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nnx_migrate
from nnx_migrate.analysis import facts
from nnx_migrate.engine import run
from nnx_migrate.engine.projects import known
from tests.cli.conftest import TRAIN

EVAL = b"from flax import nnx\nfrom train import train_step\n\nstep = nnx.jit(train_step)\n"


class Counted:
    """Answers for an editor, and the work that each took."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._done: Counter[str] = Counter()
        self._known = nnx_migrate.KnownFiles()
        for module, name in (
            (known, "index_file"),
            (known, "Projects"),
            (run, "plan_file_in_time"),
        ):
            monkeypatch.setattr(module, name, self._counting(name, getattr(module, name)))

    def _counting(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: object) -> object:
            self._done[name] += 1
            return work(*arguments)

        return counted

    def asked(self, path: Path, text: bytes) -> tuple[int, int, int]:
        """How many files were indexed, projects put together, and files planned for an answer."""
        self._done.clear()
        found = nnx_migrate.migrate_text(text, path, known=self._known)
        done = self._done["index_file"], self._done["Projects"], self._done["plan_file_in_time"]
        assert found == nnx_migrate.migrate_text(text, path)
        return done


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    train, evaluate = tmp_path / "train.py", tmp_path / "evaluate.py"
    train.write_bytes(TRAIN)
    evaluate.write_bytes(EVAL)
    return train, evaluate


def test_only_what_is_new_is_looked_at(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    train, evaluate = files
    server = Counted(monkeypatch)
    assert server.asked(train, TRAIN) == (2, 1, 1)
    assert server.asked(train, TRAIN) == (0, 0, 0)  # as at a save
    assert server.asked(evaluate, EVAL) == (0, 0, 1)  # in a project that is known
    assert server.asked(train, TRAIN) == (0, 0, 0)
    typed = TRAIN + b"more = 1\n"
    assert server.asked(train, typed) == (1, 1, 1)
    # The disk has another version than the editor: neither is looked at twice.
    assert server.asked(evaluate, EVAL) == (0, 1, 0)
    assert server.asked(train, typed) == (0, 1, 0)
    train.write_bytes(typed)
    assert server.asked(train, typed) == (0, 0, 0)
    assert server.asked(evaluate, EVAL) == (0, 0, 1)  # what it calls has changed


def test_a_comment_costs_no_analysis_of_the_others(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    train, evaluate = files
    server = Counted(monkeypatch)
    server.asked(train, TRAIN)
    server.asked(evaluate, EVAL)
    noted = TRAIN + b"# more\n"
    assert server.asked(train, noted) == (1, 0, 1)
    train.write_bytes(noted)
    assert server.asked(evaluate, EVAL) == (0, 0, 1)  # it may read the text of what it calls
    left_out = TRAIN + b"# nnx-migrate: skip-file\n"
    assert server.asked(train, left_out) == (1, 0, 1)
    moved = b"# more\n" + TRAIN
    assert server.asked(train, moved) == (1, 1, 1)  # lines are places that messages name


def test_a_comment_costs_no_analysis_in_any_round(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    train, _ = files
    made: list[facts.Analysis] = []
    begin = facts.Analysis.__init__

    def counted(self: facts.Analysis, *arguments: Any) -> None:
        made.append(self)
        begin(self, *arguments)

    monkeypatch.setattr(facts.Analysis, "__init__", counted)
    kept = nnx_migrate.KnownFiles()
    nnx_migrate.migrate_text(TRAIN, train, known=kept)
    assert len(made) > 1  # of the file as it is, and as it is rewritten
    made.clear()
    found = nnx_migrate.migrate_text(TRAIN + b"# more\n", train, known=kept)
    assert (len(made), found.text.endswith("# more\n")) == (0, True)


def test_another_choice_is_another_answer(files: tuple[Path, Path]) -> None:
    train, _ = files
    kept = nnx_migrate.KnownFiles()
    found = nnx_migrate.migrate_text(TRAIN, train, known=kept)
    none = nnx_migrate.migrate_text(TRAIN, train, known=kept, select=["state-axes"])
    assert found.text != none.text
    (train.parent / "pyproject.toml").write_text("[tool.nnx-migrate]\nselect = ['state-axes']\n")
    assert nnx_migrate.migrate_text(TRAIN, train, known=kept).text == none.text
