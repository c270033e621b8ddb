"""Looks at the objects that a call is given, when it begins and when it ends, and tells of them."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from nnx_migrate.observe.objects import Held, changes, comes_out, held, is_of, may_hold
from nnx_migrate.sources.facts.observed_facts import (
    GRAPH,
    MESH,
    NO_MESH,
    NO_UPDATES,
    TREE,
    UPDATES,
)
from nnx_migrate.sources.facts.seen_objects import UNKNOWN, SeenObject

#: Takes what was seen of the objects of a function, by its parameters.
Told = Callable[[Mapping[str, SeenObject]], None]
#: After so many stops of a generator the rest of it is not looked at, and told to be unknown.
_MOST_STOPS = 64
_CHANGEABLE = frozenset({list, dict})


class Look:
    """A call that is being looked at.

    A generator, or a coroutine, stops while others run. What happens meanwhile is none of its
    doing: it is looked at when it stops, and anew when it goes on.

    Args:
        given: the objects by the parameters that they came by, with what they held.
        told: takes what is found.
    """

    def __init__(self, given: Mapping[str, tuple[object, Held | None]], told: Told) -> None:
        self.given = given
        self._told = told
        self._found: dict[str, SeenObject] = {}
        self._stops = 0
        self._for_others = False

    def end(self, result: object) -> None:
        """Looks again.

        Args:
            result: what the call returns.
        """
        if self._stops <= _MOST_STOPS:
            self._compare(result)

    def stop(self, given_away: object) -> None:
        """Looks again, because the call stops for a while.

        Args:
            given_away: what it gives to its caller meanwhile.
        """
        self._stops += 1
        if self._stops <= _MOST_STOPS:
            self._compare(given_away)
        elif self._stops == _MOST_STOPS + 1:
            self.give_up()

    def stop_for(self, others: object) -> None:
        """Looks again, because the call stops while others work for it.

        Args:
            others: what gives things to the caller meanwhile, if anything does.
        """
        self.stop(others)
        if self._stops <= _MOST_STOPS:
            self._look_anew()  # what it did itself by now is none of their doing
            self._for_others = True

    def stop_to_wait(self, _: object) -> None:
        """Looks again, because the call stops while others work, and gives nothing away."""
        self.stop_for(None)

    def give_up(self) -> None:
        """Tells that not all of the call was looked at."""
        self._stops = _MOST_STOPS + 1
        self._told(dict.fromkeys(self.given, not_looked_at()))

    def go_on(self, _: object = None) -> None:
        """Looks anew, because the call goes on, whatever it was sent."""
        if self._stops > _MOST_STOPS:
            return
        if self._for_others:
            self._compare(None)
            self._for_others = False
        self._look_anew()

    def _look_anew(self) -> None:
        self.given = {name: (value, _held(value)) for name, (value, _) in self.given.items()}

    def _compare(self, result: object) -> None:
        nodes = {name: frozenset(each.nodes) for name, (_, each) in self.given.items() if each}
        new: dict[str, SeenObject] = {}
        for name, (value, before) in self.given.items():
            own = nodes.get(name, frozenset())
            beside = (other for other in nodes if other != name and own & nodes[other])
            seen = _compared(value, before, result, tuple(sorted(beside)))
            if self._for_others and seen.changes:
                # Who of the two it was, nobody knows.
                seen = _unknown(seen.beside)
            known = self._found.get(name)
            more = seen if known is None else known.more_in(seen)
            if more is not None:
                new[name] = more
                self._found[name] = seen if known is None else known.joined(more)
        if new:
            self._told(new)


def _held(value: object) -> Held | None:
    with contextlib.suppress(Exception):  # another thread changes it, for example
        return held(value)
    return None


def _compared(
    value: object, before: Held | None, result: object, beside: tuple[str, ...]
) -> SeenObject:
    after = None if before is None else _held(value)
    if before is None or after is None:
        return _unknown(beside)
    happened = tuple(sorted(changes(before, after)))
    returned = bool(before.nodes) and comes_out(before, result)
    return SeenObject(
        1,
        happened,
        int(returned),
        int(before.shared),
        int(before.plain),
        int(before.split),
        beside,
    )


def _unknown(beside: tuple[str, ...] = ()) -> SeenObject:
    """What is said of an object that could not be looked at whole: anything may have happened."""
    return SeenObject(1, (UNKNOWN,), 1, 1, 1, 1, beside)


def not_looked_at() -> SeenObject:
    """What is said of an object that was not looked at, though something may have happened."""
    return dataclasses.replace(_unknown(), looks=0)


def begun(names: Iterable[str], values: Iterable[object], told: Told) -> Look | None:
    """A look at a call; None where it is given no object.

    Args:
        names: the parameters.
        values: what they got.
        told: takes what is found.
    """
    given: dict[str, tuple[object, Held | None]] = {}
    for name, value in zip(names, values, strict=False):
        if not may_hold(value):
            continue
        kept = _held(value)
        if kept is None or kept.nodes or is_of(value, _CHANGEABLE):
            given[name] = (value, kept)
    return Look(given, told) if given else None


def around() -> tuple[str, ...]:
    """The modes and the mesh that a call runs under, in words."""
    nnx: Any = sys.modules.get("flax.nnx")
    jax: Any = sys.modules.get("jax")
    found: list[str] = []
    if nnx is not None and hasattr(nnx, "set_graph_mode"):
        found.append(GRAPH if nnx.set_graph_mode.current_value() else TREE)
        found.append(UPDATES if nnx.set_graph_updates.current_value() else NO_UPDATES)
    if jax is not None and hasattr(jax.sharding, "get_abstract_mesh"):
        found.append(NO_MESH if jax.sharding.get_abstract_mesh().empty else MESH)
    return tuple(found)
