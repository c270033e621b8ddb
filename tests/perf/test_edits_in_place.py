"""After an edit that changes one function, what others become is not followed anew."""

from __future__ import annotations

from pathlib import Path

import pytest

import nnx_migrate
from nnx_migrate.analysis.callgraph.call_targets import Handles
from nnx_migrate.analysis.callgraph.called_functions import Handle
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.engine.projects.known import KnownFiles
from tests.unit.analysis.asking import analysis_of, index_of, scope_named

_MAIN = """
import lib0


def call(f):
    return f(1)


def given(x):
    return [x]


def passing():
    lib0.call(given)


call(given)
"""
_LIB = """
def call(f):
    return f(1)


def given(x):
    return x


call(given)
"""


def _followed_anew(patch: pytest.MonkeyPatch, others: int, edited: str) -> int:
    """How many names are followed after an edit of one of several files."""
    files = {f"lib{i}.py": _LIB for i in range(others)}
    # From then on the file has tables of its own, as one that is edited has.
    analysis = analysis_of({**files, "main.py": _MAIN}).replacing(index_of("main.py", _MAIN))
    _follow(analysis)
    looks: list[Handle] = []
    original = Handles._parts

    def noting(self: Handles, handle: Handle) -> object:
        if self.project is later.project:
            looks.append(handle)
        return original(self, handle)

    later = analysis.replacing(index_of("main.py", edited))
    with patch.context() as patched:
        patched.setattr(Handles, "_parts", noting)
        _follow(later)
    return len(looks)


def _follow(analysis: Analysis) -> None:
    handles = analysis.evaluator.callers.handles
    for module in analysis.project.modules:
        assert handles.of(scope_named(analysis, "given", module))


@pytest.mark.parametrize(
    ("old", "new", "looked"),
    [("return [x]", "return 1", False), ("\n\ncall(given)", "\n\ncall(passing)", True)],
)
def test_names_that_the_edited_function_does_not_mention_are_not_followed_again(
    old: str, new: str, looked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert old in _MAIN
    few, many = (_followed_anew(monkeypatch, others, _MAIN.replace(old, new)) for others in (3, 12))
    assert (many > few) is looked
    assert few < 10 or looked


_STEP = """
from flax import nnx

import lib0


def given(x):
    return x


class Net(nnx.Module):
    def __call__(self, x):
        return lib0.call(given)


@nnx.jit
def step(model, x):
    return model(x)


step(Net(), 1)
"""


def _followed_by_a_server(
    patch: pytest.MonkeyPatch, folder: Path, others: int, old: str, new: str
) -> int:
    """How many names are followed after an edit in an editor."""
    folder.mkdir()
    for i in range(others):
        (folder / f"lib{i}.py").write_text(_LIB)
    imported = "".join(f"import lib{i}\n" for i in range(others))
    passed = "".join(f"lib{i}.call(given)\nlib{i}.call(step)\n" for i in range(others))
    path, text = folder / "main.py", f"{imported}{_STEP}{passed}"
    path.write_text(text)
    known = KnownFiles(edited=1)
    nnx_migrate.migrate_text(text, path, known=known)
    looks: list[Handle] = []
    original = Handles._parts

    def noting(self: Handles, handle: Handle) -> object:
        looks.append(handle)
        return original(self, handle)

    with patch.context() as patched:
        patched.setattr(Handles, "_parts", noting)
        assert old in text
        nnx_migrate.migrate_text(text.replace(old, new), path, known=known)
    assert known.edited is not None
    assert known.edited.anew == 1
    return len(looks)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return model(x)\n", "    fresh = 1\n    return model(x)\n"),
        ("class Net(nnx.Module):\n", "class Net(nnx.Module):\n    fresh = None\n\n"),
    ],
    ids=["local", "constant"],
)
def test_they_are_not_in_an_editor_either_where_lines_move(
    old: str, new: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    few, many = (
        _followed_by_a_server(monkeypatch, tmp_path / str(others), others, old, new)
        for others in (3, 12)
    )
    assert few == many < 10
