"""What the nodes of a graph lead to, where many lead to the same and some to each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)


@dataclasses.dataclass(slots=True)
class _Visit(Generic[Node]):
    """A node on the way through those that a node leads to.

    Args:
        rest: where it leads, but for what was looked at.
        bits: what of that counts.
        lowest: the number of the first node on the way that it leads back to.
    """

    node: Node
    rest: Iterator[Node]
    bits: int
    lowest: int


def reached_bits(
    start: Node,
    successors: Callable[[Node], Iterable[Node]],
    own: Callable[[Node], int],
    known: dict[Node, int],
) -> int:
    """The bits of a node and of all that it leads to.

    Nodes that lead to each other in a circle have the same: Tarjan's components, found without
    recursion.

    Args:
        start: the node.
        successors: where a node leads.
        own: the bits that a node has by itself.
        known: the answers so far, to which those found on the way are added.
    """
    numbers: dict[Node, int] = {}
    open_: list[Node] = []
    path: list[_Visit[Node]] = []

    def enter(node: Node) -> None:
        number = numbers[node] = len(numbers)
        open_.append(node)
        path.append(_Visit(node, iter(successors(node)), own(node), number))

    if start not in known:
        enter(start)
    while path:
        visit = path[-1]
        for each in visit.rest:
            if each in known:
                visit.bits |= known[each]
            elif each in numbers:
                visit.lowest = min(visit.lowest, numbers[each])
            else:
                enter(each)
                break
        else:
            path.pop()
            if path:
                path[-1].bits |= visit.bits
            if visit.lowest == numbers[visit.node]:
                while visit.node not in known:
                    known[open_.pop()] = visit.bits
            elif path:
                path[-1].lowest = min(path[-1].lowest, visit.lowest)
    return known[start]
