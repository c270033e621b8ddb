"""Circles of objects are searched for when no text is looked at."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
from collections.abc import Iterator

import pytest

from nnx_migrate.engine.workers import uncollected
from nnx_migrate.server.tidying import Tidying


@pytest.fixture
def searched() -> Iterator[list[int]]:
    """The generations that are searched meanwhile."""
    found: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "stop":
            found.append(info["generation"])

    with uncollected():
        gc.callbacks.append(note)
        yield found
        gc.callbacks.remove(note)


@pytest.mark.asyncio
async def test_what_is_put_off_is_not_searched(searched: list[int]) -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        tidying = Tidying(thread, {1: 0.01})
        tidying.later()
        tidying.put_off()
        await asyncio.sleep(0.05)
    assert searched == []


@pytest.mark.asyncio
async def test_what_was_made_last_is_searched_before_all(searched: list[int]) -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        tidying = Tidying(thread, {1: 0.01, 2: 0.05})
        tidying.later()
        tidying.later()
        await asyncio.sleep(0.2)
    assert searched == [1, 2]
