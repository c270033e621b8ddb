"""A step over tasks that asks what is known first, and keeps what it finds out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")

#: So many answers are put on disk at once; a run that is killed loses no more.
KEPT_AT_ONCE = 32


def remembering(
    tasks: Iterable[Task],
    find: Callable[[Task], Answer | None],
    do: Callable[[Sequence[Task]], Iterator[Answer]],
    keep: Callable[[list[Answer]], Iterable[Answer]],
    at_once: int = KEPT_AT_ONCE,
) -> Iterator[Answer]:
    """Yield an answer for each task, first those that are known.

    Args:
        tasks: all are looked up before the first of the others is done.
        find: gives what is known of a task.
        do: gives the answers to the others, in any order.
        keep: puts answers on disk, and gives them as they are to be used.
        at_once: how many answers are kept together, and wait for each other.
    """
    unknown: list[Task] = []
    for task in tasks:
        known = find(task)
        if known is not None:
            yield known
        else:
            unknown.append(task)
    answers = do(unknown)
    while lot := list(itertools.islice(answers, at_once)):
        yield from keep(lot)
