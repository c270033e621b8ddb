"""After an edit that changes one function, what others become is not followed anew."""

from __future__ import annotations

import pytest

from nnx_migrate.analysis.callgraph.call_targets import Handles
from nnx_migrate.analysis.callgraph.called_functions import Handle
from nnx_migrate.analysis.facts import Analysis
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
