"""Looks at the objects that a call is given, when it begins and when it ends, and tells of them."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from nnx_migrate.observe.objects import Held, TooMuch, changes, comes_out, held, may_hold
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


@dataclasses.dataclass(frozen=True, slots=True)
class Look:
    """A call that is being looked at.

    Args:
        given: the objects by the parameters that they came by, with what they held.
        told: takes what is found.
    """

    given: Mapping[str, tuple[object, Held | None]]
    told: Told

    def end(self, result: object) -> None:
        """Looks again.

        Args:
            result: what the call returns.
        """
        nodes = {name: frozenset(each.nodes) for name, (_, each) in self.given.items() if each}
        found: dict[str, SeenObject] = {}
        for name, (value, before) in self.given.items():
            own = nodes.get(name, frozenset())
            beside = (other for other in nodes if other != name and own & nodes[other])
            found[name] = _compared(value, before, result, tuple(sorted(beside)))
        self.told(found)


def _compared(
    value: object, before: Held | None, result: object, beside: tuple[str, ...]
) -> SeenObject:
    try:
        if before is None:
            raise TooMuch
        happened = tuple(sorted(changes(before, held(value))))
    except Exception:  # another thread changes it, for example
        return SeenObject(1, (UNKNOWN,), 1, 1, 1, 1, beside)
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
        kept: Held | None = None
        with contextlib.suppress(Exception):
            kept = held(value)
        if kept is None or kept.nodes or type(value) in (list, dict):
            given[name] = (value, kept)
    return Look(given, told) if given else None


def around() -> list[str]:
    """The modes and the mesh that a call runs under, in words."""
    nnx: Any = sys.modules.get("flax.nnx")
    jax: Any = sys.modules.get("jax")
    found: list[str] = []
    if nnx is not None and hasattr(nnx, "set_graph_mode"):
        found.append(GRAPH if nnx.set_graph_mode.current_value() else TREE)
        found.append(UPDATES if nnx.set_graph_updates.current_value() else NO_UPDATES)
    if jax is not None and hasattr(jax.sharding, "get_abstract_mesh"):
        found.append(NO_MESH if jax.sharding.get_abstract_mesh().empty else MESH)
    return found
