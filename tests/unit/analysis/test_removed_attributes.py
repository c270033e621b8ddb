"""What a constructor deletes from the parts of its object is no longer shared by them."""

from __future__ import annotations

import pytest

from nnx_migrate.analysis.ir import nodes as ir
from tests.unit.analysis.asking import analysis_of, scope_named

_MODULES = """\
from flax import nnx


class Part(nnx.Module):
    def __init__(self, rngs):
        self.rngs = rngs
        self.linear = nnx.Linear(2, 2, rngs=rngs)


class Model(nnx.Module):
    def __init__(self, n, rngs):
        BODY


def main():
    return (model := Model(3, nnx.Rngs(0)))
"""
_LIST = "self.parts = nnx.List([Part(rngs) for _ in range(n)])\n"
_TWO = "self.one = Part(rngs)\nself.two = Part(rngs)\n"
_APPENDED = "self.parts = nnx.List()\nfor _ in range(n):\n    self.parts.append(Part(rngs))\n"
_REST = "for part in self.parts[1:]:\n    del part.rngs\n"
_ALL = "for part in self.parts:\n    del part.rngs\n"

_APART = {
    "a part": f"{_TWO}del self.two.rngs",
    "all parts but one": f"{_TWO}self.three = Part(rngs)\ndel self.two.rngs\ndel self.three.rngs",
    "the rest of a list": f"{_LIST}{_REST}",
    "the rest of a display": f"self.parts = nnx.data([Part(rngs), Part(rngs)])\n{_REST}",
    "the rest of what a loop appends": f"{_APPENDED}{_REST}",
    "all of a list beside one": f"self.one = Part(rngs)\n{_LIST}{_ALL}",
    "all that a loop appends beside one": f"self.one = Part(rngs)\n{_APPENDED}{_ALL}",
}
_SHARED = {
    "nothing": _LIST,
    "under a condition": f"{_TWO}if n:\n    del self.two.rngs",
    "under a condition in the loop": f"{_LIST}for part in self.parts[1:]:\n"
    "    if n:\n        del part.rngs",
    "not from the second": f"{_LIST}{_REST.replace('1:', '2:')}",
    "behind a return": f"{_TWO}if n:\n    return\ndel self.two.rngs",
    "before it is there": f"self.parts = nnx.List()\n{_REST}"
    "for _ in range(n):\n    self.parts.append(Part(rngs))",
    "of a part that is another later": f"{_TWO}del self.two.rngs\nself.two = Part(rngs)",
    "one of three": f"{_TWO}self.three = Part(rngs)\ndel self.two.rngs",
    "the rest of one of two lists": f"{_LIST}self.more = nnx.List([Part(rngs)])\n{_REST}",
    "the rest of what two lines append": "self.parts = nnx.List()\n"
    f"self.parts.append(Part(nnx.Rngs(1)))\nself.parts.append(Part(rngs))\n"
    f"self.one = Part(rngs)\n{_REST}",
    "the owner keeps it, too": f"self.rngs = rngs\n{_LIST}{_REST}",
    "another attribute": f"{_LIST}{_REST.replace('.rngs', '.linear')}",
    "what is set again": f"{_TWO}del self.two.rngs\nself.two.rngs = rngs",
    "of another name for it": f"{_TWO}self.three = self.two\ndel self.one.linear",
}


def _shared(body: str) -> str:
    text = _MODULES.replace("BODY", body.rstrip().replace("\n", "\n        "))
    analysis = analysis_of(text)
    return analysis.sharing.of_expression(scope_named(analysis, "main"), ir.Name("model"))


@pytest.mark.parametrize("case", _APART)
def test_what_is_deleted_is_not_shared(case: str) -> None:
    assert _shared(_APART[case]) == ""


@pytest.mark.parametrize("case", _SHARED)
def test_all_else_is(case: str) -> None:
    assert _shared(_SHARED[case])
