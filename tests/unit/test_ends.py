"""Each way out of a function is told, and each stop of it, and nothing else becomes of it."""

from __future__ import annotations

import ast
import asyncio
import textwrap
from collections.abc import AsyncIterator
from typing import Any

import pytest

from nnx_migrate.observe import ends
from nnx_migrate.observe.functions import watched


class Told:
    """Stands for the probes, and keeps what they are told."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def names(self) -> dict[str, Any]:
        return {
            ends.LOOK: None,
            ends.LEFT: self._of("left"),
            ends.GIVES: self._of("gives"),
            ends.GOES_ON: self._of("goes on"),
            ends.HANDS_OVER: self._of("hands over"),
            ends.WAITS: self._of("waits"),
        }

    def _of(self, word: str) -> Any:
        def told(_look: object, value: object = None) -> object:
            self.said.append(word)
            return value

        return told


async def rounds(number: int) -> AsyncIterator[int]:
    for each in range(number):
        await asyncio.sleep(0)
        yield each


class Block:
    """Both sorts of a block, which says when it is left."""

    def __init__(self, told: Told) -> None:
        self.told = told

    def __enter__(self) -> str:
        return "inside"

    def __exit__(self, *_: object) -> None:
        self.told.said.append("exit")

    async def __aenter__(self) -> str:
        return "inside"

    async def __aexit__(self, *_: object) -> None:
        self.told.said.append("exit")


def made(code: str, told: Told) -> Any:
    tree = ast.parse(textwrap.dedent(code))
    for each in watched(tree):
        assert each.end_can_be_seen
        assert not isinstance(each.node, ast.Lambda)
        ends.tell_ends(each.node)
    given: dict[str, Any] = {"rounds": rounds, "Block": Block, "told": told, **told.names()}
    exec(compile(tree, "made.py", "exec"), given)
    return given["f"]


@pytest.mark.parametrize(
    ("code", "result", "said"),
    [
        ("def f():\n    'text'\n    return 1", 1, ["left"]),
        ("def f():\n    pass", None, ["left"]),
        # What is done behind a return is still done by the call.
        (
            "def f():\n    'text'\n    with Block(told) as x:\n        return x",
            "inside",
            ["left", "exit", "left"],
        ),
        (
            "def f():\n    try:\n        return 1\n    finally:\n        told.said.append('last')",
            1,
            ["left", "last", "left"],
        ),
        ("def f():\n    with Block(told):\n        pass\n    return 1", 1, ["exit", "left"]),
        (
            "def f():\n    try:\n        return 1\n    except OSError:\n        return 2",
            1,
            ["left"],
        ),
    ],
)
def test_ends_of_functions(code: str, result: object, said: list[str]) -> None:
    told = Told()
    function = made(code, told)
    assert function() == result
    assert told.said == said
    assert function.__doc__ == ("text" if "'text'" in code else None)


@pytest.mark.parametrize(
    ("code", "result", "said"),
    [
        (
            "async def f():\n    return [x async for x in rounds(2)]",
            [0, 1],
            ["waits", "goes on", "left"],
        ),
        (
            "async def f():\n    return {y async for x in rounds(2) for y in (x,)}",
            {0, 1},
            ["waits", "goes on", "left"],
        ),
        ("async def f():\n    return [x for x in (1,)]", [1], ["left"]),
        (
            "async def f():\n    async with Block(told) as x:\n        y = x\n    return y",
            "inside",
            ["waits", "goes on", "waits", "exit", "goes on", "left"],
        ),
        (
            "async def f():\n    async with Block(told) as x:\n        return x",
            "inside",
            ["waits", "goes on", "left", "exit", "left"],
        ),
        (
            """
            async def f():
                total = 0
                async for x in rounds(3):
                    if x == 1:
                        continue
                    for y in (1, 2):
                        if y == 1:
                            continue
                        total += x + y
                return total
            """,
            6,
            [
                "waits",
                "goes on",
                "waits",
                "goes on",
                "waits",
                "goes on",
                "waits",
                "goes on",
                "left",
            ],
        ),
        (
            """
            async def f():
                async for x in rounds(3):
                    break
                else:
                    x = "none"
                return x
            """,
            0,
            ["waits", "goes on", "left"],
        ),
        (
            """
            async def f():
                async for x in rounds(0):
                    pass
                else:
                    x = "none"
                return x
            """,
            "none",
            ["waits", "goes on", "left"],
        ),
    ],
)
def test_stops_of_coroutines(code: str, result: object, said: list[str]) -> None:
    told = Told()
    assert asyncio.run(made(code, told)()) == result
    assert told.said == said


def test_stops_of_async_generators() -> None:
    told = Told()
    function = made(
        """
        async def f(number):
            async for x in rounds(number):
                got = yield x
                if got == "enough":
                    return
            yield "all"
        """,
        told,
    )

    async def taken(number: int) -> list[object]:
        return [each async for each in function(number)]

    async def stopped() -> object:
        given = function(3)
        first = await given.asend(None)
        with pytest.raises(StopAsyncIteration):
            await given.asend("enough")
        return first

    assert asyncio.run(taken(1)) == [0, "all"]
    one_round = ["waits", "goes on", "gives", "goes on", "waits"]
    assert told.said == [*one_round, "goes on", "gives", "goes on", "left"]
    told.said.clear()
    assert asyncio.run(stopped()) == 0
    assert told.said == ["waits", "goes on", "gives", "goes on", "left"]
