"""Which objects are one is told after an edit as a look at everything anew tells it."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from nnx_migrate.engine.projects.known import KnownFiles, Look
from tests.server.test_after_edits import told

MAIN = """\
from flax import nnx

import lib


class Net(nnx.Module):
    def __init__(self, rngs):
        self.layer = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.layer(x)


class Box(nnx.Module):
    def __init__(self, one, other):
        self.one = one
        self.other = other

    def put(self, net):
        self.last = None

    def parts(self):
        return self.one, self.other


def new():
    return Net(nnx.Rngs(0))


def paired(net):
    return net, new()


@nnx.jit
def passed(pair, x):
    return pair[0](x)


@nnx.jit
def computed(pair, x):
    return pair[0](x)


@nnx.jit
def boxed(box, x):
    return box.one(x)


@nnx.jit
def told(pair, x):
    return pair[0](x)


@nnx.jit
def made(box, x):
    return box.one(x)


def main(x):
    a, b = new(), new()
    passed(lib.both(a, b), x)
    computed(lib.by(paired, a), x)
    boxed(lib.filled(Box(a, b), a), x)
    told(lib.parts_of(Box(a, b)), x)
    made(lib.made_of(Box, a, b), x)
"""
LIB = """\
def both(one, other):
    return one, other


def by(function, net):
    return function(net)


def filled(box, net):
    box.put(net)
    return box


def parts_of(box):
    return box.parts()


def made_of(kind, one, other):
    return kind(one, other)
"""
#: What each changes is seen through functions of the other file, which are as they were.
EDITS = {
    "one is passed twice": ("lib.both(a, b)", "lib.both(a, a)"),
    "a function gives one twice": ("return net, new()", "return net, net"),
    "a method keeps one more": ("self.last = None", "self.last = net"),
    "a method gives one twice": ("return self.one, self.other", "return self.one, self.one"),
    "a class is passed one twice": ("lib.made_of(Box, a, b)", "lib.made_of(Box, a, a)"),
    "a constructor keeps one twice": ("self.other = other", "self.other = one"),
}
MOVED = ("import lib\n", "import functools\n\nimport lib\n")


@pytest.fixture
def main(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "tour"\n')
    (tmp_path / "lib.py").write_text(LIB)
    (tmp_path / "main.py").write_text(MAIN)
    return tmp_path / "main.py"


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_that_has_one_object_twice_is_seen(edit: str, main: Path) -> None:
    known = KnownFiles(edited=1)
    known.look = Look.FOR_EDITS
    before = told(MAIN, main, known)
    known.look = Look.WHOLE
    after = MAIN.replace(*EDITS[edit])
    assert told(after, main, known) == told(after, main, None) != before
    moved = after.replace(*MOVED)
    assert told(moved, main, known) == told(moved, main, None)
    assert told(MAIN, main, known) == before


def test_a_series_of_edits_is_seen(main: Path) -> None:
    known = KnownFiles(edited=1)
    for edits in itertools.chain(
        itertools.combinations(EDITS, 2), itertools.permutations(EDITS, 1)
    ):
        after = MAIN
        for edit in edits:
            after = after.replace(*EDITS[edit])
        for text in (after, after.replace(*MOVED), MAIN.replace(*MOVED)):
            assert told(text, main, known) == told(text, main, None)
