"""The functions that are watched, and what is written down of them."""

from __future__ import annotations

import dataclasses
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from nnx_migrate.observe.kinds import Kind, described, named
from nnx_migrate.observe.lines import write
from nnx_migrate.observe.looks import Look, around, begun, not_looked_at
from nnx_migrate.sources.facts.observed_facts import IN_FILE, OTHER
from nnx_migrate.sources.facts.seen_objects import SeenObject


@dataclasses.dataclass(slots=True)
class WatchedFunction:
    """A function.

    Args:
        file: its file, from the root.
        path: its name in it.
        parameters: the names of those that it tells.
        own: whether the first one is the object of a method, of which the type is not told.
        sows: which calls of `sow` and `perturb` in it ran.
        changes: of each of its lines that writes attributes, what it did.
        closed_over: the names that it reads from functions around it.
        around: modes and meshes that it ran under.
        objects: what is written down of what it was given.
        more_objects: what is not written down yet, because it is nothing new but one more look.
    """

    file: str
    path: str
    parameters: tuple[str, ...]
    own: bool
    sows: list[bool] = dataclasses.field(default_factory=list)
    changes: list[set[str]] = dataclasses.field(default_factory=list)
    closed_over: tuple[str, ...] | None = None
    around: set[str] = dataclasses.field(default_factory=set)
    objects: dict[str, SeenObject] = dataclasses.field(default_factory=dict)
    more_objects: dict[str, SeenObject] = dataclasses.field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Of what it tells of each call, in order."""
        return (*self.parameters, *(self.closed_over or ()))

    def tell_types(self, types: Sequence[Kind]) -> None:
        """Writes down what a call got, as no call before did."""
        told = [sorted(set(described(each))) for each in types]
        given = dict(zip(self.parameters, told, strict=False))
        if self.own:
            del given[self.parameters[0]]
        inside = dict(zip(self.closed_over or (), told[len(self.parameters) :], strict=True))
        more = {"closed_over": inside} if inside else {}
        self._write(parameters=given, **more, **self._ran())

    def tell_ran(self) -> None:
        """Writes down which of its calls of `sow` and lines that write attributes ran."""
        self._write(**self._ran())

    def look_into(self, values: tuple[Any, ...]) -> Look | None:
        """Begins to look at a call.

        Args:
            values: what it got, by `names`.
        """
        if "flax.nnx" not in sys.modules:
            return None
        now = frozenset(around())
        if not now <= self.around:
            self.around |= now
            self._write(around=sorted(now))
        look = begun(self.names, values, self._tell_objects)
        if look is not None:
            for name in self.parameters[self.own :]:
                _tell_class(*look.given.get(name, (None, None)))
        return look

    def tell_unseen(self, places: Sequence[int]) -> None:
        """Writes down that arguments are not looked at any more, though they may differ."""
        names = [self.names[each] for each in places]
        self._tell_objects({name: not_looked_at() for name in names})

    def tell_nothing_known(self) -> None:
        """Writes down that something of it could not be written down when it happened."""
        told = {name: not_looked_at().as_json() for name in self.names}
        types = {name: [OTHER] for name in self.parameters[self.own :]}
        inside = {name: [OTHER] for name in self.closed_over or ()}
        self._write(parameters=types, closed_over=inside, objects=told, **self._ran())

    def tell_calls(self, number: int, tests: Sequence[str]) -> None:
        """Writes down how often it was called, and in which tests."""
        self._write(calls=number, tests=sorted(tests))

    def tell_rest(self) -> None:
        """Writes down what was not worth a line of its own."""
        if self.more_objects:
            self._write(objects=_as_json(self.more_objects))
            self.more_objects.clear()

    def _tell_objects(self, found: Mapping[str, SeenObject]) -> None:
        new: dict[str, SeenObject] = {}
        for name, seen in found.items():
            known = self.objects.get(name)
            if known is None or known.more_in(seen) is not None:
                new[name] = seen
                self.objects[name] = seen if known is None else known.joined(seen)
            else:
                waiting = self.more_objects.get(name)
                self.more_objects[name] = seen if waiting is None else waiting.joined(seen)
        if new:
            self._write(objects=_as_json(new))

    def _ran(self) -> dict[str, Any]:
        changes = [sorted(each) for each in self.changes]
        found = {"sows": self.sows, "changes": changes}
        return {name: each for name, each in found.items() if each}

    def _write(self, **more: Any) -> None:
        write({"file": self.file, "path": self.path, **more})


def _as_json(objects: Mapping[str, SeenObject]) -> dict[str, Any]:
    return {name: seen.as_json() for name, seen in objects.items()}


#: Of Modules by file, class and whether they hold something in two places: how many there were,
#: and how many of these are written down.
_modules: Counter[tuple[str, str, bool]] = Counter()
_told_modules: Counter[tuple[str, str, bool]] = Counter()


def _tell_class(value: object, held: Any) -> None:
    """Takes note of whether a Module of the project holds something in two places."""
    nnx: Any = sys.modules["flax.nnx"]
    kind: Any = type(value)
    file, _, name = named(kind).rpartition(IN_FILE)
    if not file or not isinstance(value, nnx.Module):
        return
    each = file, name, held is None or held.shared
    _modules[each] += 1
    if _modules[each] == 1:
        _write_modules(each, 1)


def tell_modules() -> None:
    """Writes down how many Modules there were of each class."""
    for each, number in _modules.items():
        if number > _told_modules[each]:
            _write_modules(each, number - _told_modules[each])


def _write_modules(each: tuple[str, str, bool], number: int) -> None:
    _told_modules[each] += number
    file, name, sharing = each
    write({"file": file, "class": name, "objects": number, "sharing": number * sharing})
