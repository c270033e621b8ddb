"""What a constructor stores in each turn of a loop is in as many places as there are turns."""

from __future__ import annotations

import pytest

from tests.rules.checking import check_noop, check_pinned

RULE = "shared-reference"

#: Loops that put what `BLOCK` makes into an object, in the body of its constructor.
_LOOPS = {
    "append": "self.h = nnx.List([])\n        for _ in range(n):\n            self.h.append(BLOCK)",
    "insert": "self.h = nnx.List([])\n        while n:\n            self.h.insert(0, BLOCK)",
    "+=": "self.h = nnx.List([])\n        for _ in range(n):\n            self.h += [BLOCK]",
    "extend": (
        "self.h = nnx.List([])\n        for _ in range(n):\n            self.h.extend([BLOCK])"
    ),
    "extend by all": ("self.h = nnx.List([])\n        self.h.extend([BLOCK for _ in range(n)])"),
    "a key": "self.h = nnx.Dict()\n        for i in range(n):\n            self.h[str(i)] = BLOCK",
    "setattr": "for i in range(n):\n            setattr(self, f'h{i}', BLOCK)",
    "nnx.data": (
        "self.h = nnx.data([])\n        for _ in range(n):\n            self.h.append(BLOCK)"
    ),
    "a name": (
        "self.h = nnx.List([])\n        for _ in range(n):\n            block = BLOCK\n"
        "            self.h.append(block)"
    ),
}


def _program(loop: str, block: str, kept: str) -> str:
    return f"""\
__all__ = ["Block"]


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.kept = {kept}


class Deep(nnx.Module):
    def __init__(self, n: int, rngs: nnx.Rngs):
        {_LOOPS[loop].replace("BLOCK", block)}


def run():
    return nnx.split(Deep(2, nnx.Rngs(0)))
"""


@pytest.mark.parametrize("loop", _LOOPS)
def test_blocks_that_are_made_anew_stay(loop: str) -> None:
    check_noop(RULE, _program(loop, "Block(rngs)", "rngs.fork()"))


@pytest.mark.parametrize("loop", ["append", "a key", "setattr"])
def test_the_elements_of_another_list_stay(loop: str) -> None:
    program = _program(loop, "each", "None").replace("range(n)", "n")
    check_noop(
        RULE, program.replace("for i in", "for i, each in").replace("for _ in", "for each in")
    )


@pytest.mark.parametrize("kept", ["rngs", "rngs.noise"])
@pytest.mark.parametrize("loop", _LOOPS)
def test_what_each_block_is_handed_is_in_all_of_them(loop: str, kept: str) -> None:
    check_pinned(RULE, _program(loop, "Block(rngs)", kept), kept.replace("rngs", "Rngs()"))


@pytest.mark.parametrize("loop", ["append", "insert", "+=", "extend", "a key", "setattr"])
def test_one_block_in_each_turn_is_in_all_of_them(loop: str) -> None:
    program = _program(loop, "shared", "None")
    program = program.replace(
        "rngs: nnx.Rngs):\n        self.h", "rngs, shared: Block):\n        self.h"
    )
    program = program.replace("rngs: nnx.Rngs):\n        for", "rngs, shared: Block):\n        for")
    made = "Deep(2, nnx.Rngs(0), Block(nnx.Rngs(0)))"
    check_pinned(RULE, program.replace("Deep(2, nnx.Rngs(0))", made), "Block")
