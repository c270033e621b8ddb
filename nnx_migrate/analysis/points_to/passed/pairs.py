"""Whether what calls pass can be one object twice at all, two parts of parameters at a time.

To see what is passed twice, a value is followed through calls one by one, with all that is in it:
through wrappers that hold each other there are thousands of ways. Two objects in it are the same
only if some call passes the same for both. So each two parts of a function's parameters are a node
of a graph: they lead to the two parts of its caller's parameters that a call passes there, and one
part leads to all that are together in what calls pass for it. Where that leads to no object twice,
no way needs to be followed. There are as many steps as pairs, however many ways there are.

What is told here of fewer names than a way would tell counts as the same, so no pair is missed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.domain.components import reached_bits
from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.points_to.abstract_objects import (
    REST,
    SOME,
    Held,
    Object,
    Variable,
    is_state,
    together,
)
from nnx_migrate.analysis.points_to.containers.elements import all_objects
from nnx_migrate.analysis.points_to.passed.calls import PassedCalls
from nnx_migrate.analysis.points_to.passed.nodes import Part, PassedNodes

_Path = tuple[str, ...]


#: A function, and what is in a value there: a part of a parameter, and beside it another one, or
#: what a function around it has made.
_Node = tuple[Scope, tuple[Part | Object, ...]]
#: Parts of parts count as one beyond that.
_MOST_NAMES = 2
#: In a value of more objects, nothing is told apart.
_MOST_OBJECTS = 40


class PassedPairs:
    """Looks at which parts of parameters calls pass together.

    Args:
        nodes: what objects may be, and what calls pass for the parameters among them.
        calls: what each call of a function passes in the place of a value.
        told: what may be any objects is no answer.
    """

    def __init__(self, nodes: PassedNodes, calls: PassedCalls, *, told: bool) -> None:
        self._nodes = nodes
        self._calls = calls
        self._told = told
        #: Of each part, or two, whether an object is there twice, and where that leads.
        self._given: dict[_Node, tuple[int, tuple[_Node, ...]]] = {}
        self._known: dict[_Node, int] = {}

    def may_repeat(self, scope: Scope, whole: Held) -> bool:
        """Whether an object may be in a value twice for what any calls of a function pass there."""
        repeats, leads_to = self._within([(scope, whole)])
        return bool(repeats) or any(
            reached_bits(each, self._leads_to, self._repeats, self._known) for each in leads_to
        )

    def _repeats(self, node: _Node) -> int:
        return self._passed(node)[0]

    def _leads_to(self, node: _Node) -> tuple[_Node, ...]:
        return self._passed(node)[1]

    def _passed(self, node: _Node) -> tuple[int, tuple[_Node, ...]]:
        if node not in self._given:
            scope, parts = node
            whole = together(("", Held(self._object_of(each))) for each in parts)
            calls = self._calls.of(scope, whole)
            self._given[node] = self._within((each.scope, each.whole) for each in calls)
        return self._given[node]

    def _within(self, passed: Iterable[tuple[Scope, Held]]) -> tuple[int, tuple[_Node, ...]]:
        """Whether one of several values holds an object twice, and which parts of parameters."""
        leads_to: dict[_Node, None] = {}
        for scope, value in passed:
            whole = self._nodes.reaching(value, told=self._told)
            found = list(all_objects(whole))
            if len(found) > _MOST_OBJECTS:
                return 1, ()
            if not self._told and any(map(self._nodes.is_open, found)):
                return 1, ()
            for one in found:
                if (part := self._part(one)) is not None:
                    leads_to[scope, (part,)] = None
            for one, other in _beside_each_other(whole):
                if one.root == other.root and _may_overlap(one.path, other.path):
                    return 1, ()
                if _is_made_in(scope, one) or _is_made_in(scope, other):
                    continue  # by this call of the function, so no call passes it
                pair = self._part(one) or one, self._part(other) or other
                if any(isinstance(each, Part) for each in pair):
                    leads_to[scope, pair] = None
        return 0, tuple(leads_to)

    def _part(self, one: Object) -> Part | None:
        return self._nodes.part(one, one.path[:_MOST_NAMES])

    def _object_of(self, each: Part | Object) -> Object:
        return self._nodes.object_of(each) if isinstance(each, Part) else each


def _is_made_in(scope: Scope, one: Object) -> bool:
    """Whether a function makes an object, or binds a variable to it, that is no parameter."""
    is_parameter = isinstance(one.root, Variable) and not one.root.version
    return one.home == scope and not is_parameter


def _beside_each_other(held: Held) -> Iterator[tuple[Object, Object]]:
    """Two objects that are in a value both, and neither in the other."""
    seen: set[int] = set()
    waiting = [held]
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        waiting += each
        if each.way == "all" and len(each.parts) > 1:
            sides = [tuple(all_objects(part)) for part in each]
            for one, other in itertools.combinations(sides, 2):
                yield from itertools.product(one, other)


def _may_overlap(one: _Path, other: _Path) -> bool:
    """Whether two paths may lead to one object, or one to a part of what the other leads to.

    Of elements of which it is not known which ones they are, none is told to be another.
    """
    for name, beside in zip(one, other, strict=False):
        if REST in {name, beside}:
            return True
        if SOME in {name, beside} or (name != beside and _are_apart(name, beside)):
            return False
    return True


def _are_apart(name: str, beside: str) -> bool:
    """Whether two names are attributes, elements at known places, or States that are told apart."""
    both = name, beside
    return all(map(_is_at_one_place, both)) or all(map(is_state, both))


def _is_at_one_place(name: str) -> bool:
    return name.isidentifier() or name.isdecimal()
