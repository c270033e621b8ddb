"""What a value is, or holds, as objects that can be told apart: where each comes from.

Two expressions give the same object when they lead to the same variable, or to the same call that
makes it. What leads nowhere is left out, so nothing follows from an object that is not here. What
takes too long to follow is `Anything`, of which everything follows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.records import linked_record, record

#: Stands for an element of which it is not known which one it is.
SOME = "[]"

#: So many objects are told apart in what a call gives.
_MOST_MADE = 120
#: And so many that the call does not make, or gives twice.
_MOST_OTHERS = 1_000


@record
class Variable:
    """A variable that more may be bound to than is seen here, as it is after some of its bindings.

    Args:
        version: the line of the last of them; 0 for a parameter as it is passed.
    """

    scope: Scope
    name: str
    version: int


@record
class MadeBy:
    """What a call makes.

    Args:
        within: the calls through which it is reached, the outermost first.
    """

    scope: Scope
    call: ir.Call
    within: tuple[tuple[Scope, ir.Call], ...] = ()

    @property
    def outermost(self) -> tuple[Scope, ir.Call]:
        """The call by which the code at hand comes to it, and where that stands."""
        return self.within[0] if self.within else (self.scope, self.call)


@record
class Anything:
    """Any objects at all: too much code leads here to tell which."""


#: Where an object comes from.
Root = Variable | MadeBy | Anything


@record
class Object:
    """An object, or a part of one.

    Args:
        root: where it comes from.
        path: the attributes that lead to it from there.
        place: an expression that gives it.
        label: what the code calls it.
    """

    root: Root
    path: tuple[str, ...]
    place: Located = dataclasses.field(compare=False)
    label: str = dataclasses.field(default="", compare=False)

    def __str__(self) -> str:
        match self.root, self.place.expr:
            case (MadeBy(call=call), _) | (Anything(), ir.Call() as call):
                name = f"the result of {ir.last_name(call)}()"
            case Variable(name=name), _:
                pass
            case _:
                name = ir.last_name(self.place.expr) or "a value"
        path = [each for each in self.path if each.isidentifier()]
        return self.label or ".".join([name, *path])


@linked_record
class Held(ir.Link):
    """A value.

    Args:
        object: what it is; None where that is only a container, or one of several.
        parts: what is in it, with names where they are known.
        way: "all" of the parts are in it, or "either" of them is what it is, by a condition; or it
            is "some" of them, which nobody knows.
        closed: it is an object that jax does not look into.
    """

    object: Object | None = None
    parts: tuple[tuple[str, Held], ...] = ()
    way: Literal["all", "either", "some"] = "all"
    closed: bool = False

    def __iter__(self) -> Iterator[Held]:
        return (part for _, part in self.parts)

    @property
    def is_container(self) -> bool:
        return self.object is None and self.way == "all"


NOTHING = Held()


def anything(place: Located) -> Held:
    """Any objects at all, for an expression that takes too long to follow."""
    return Held(Object(Anything(), (), place))


def either(options: Iterable[Held]) -> Held:
    """One of several values, by a condition."""
    told = tuple(dict.fromkeys(each for each in options if each != NOTHING))
    return told[0] if len(told) == 1 else Held(None, tuple(("", each) for each in told), "either")


def together(parts: Iterable[tuple[str, Held]]) -> Held:
    """A container of these."""
    return Held(None, tuple(parts))


def summarized(held: Held, via: tuple[Scope, ir.Call]) -> Held:
    """What a call gives, with one of the objects that it makes for all, where these are many.

    Each call of a function makes objects of its own, so calls of calls multiply them. What is made
    elsewhere stays, and so does what is in the value twice.
    """
    found = [each.object for each in objects(held, guessed=True)]
    if len(found) <= _MOST_MADE:
        return held
    made: Object | None = None
    others: dict[Object, None] = {}
    for each in found:
        if not isinstance(each.root, MadeBy) or each.root.outermost != via:
            others[each] = None
        elif made is None:
            made = each
    repeated = {inner.object: (inner.object, outer.object) for inner, outer in twice(held)}
    kept = [*others, *(each for pair in repeated.values() for each in pair)]
    if len(kept) > _MOST_OTHERS:
        return anything(found[0].place)
    return Held(made, tuple((f"<{place}>", Held(each)) for place, each in enumerate(kept)))


def again(held: Held) -> Held:
    """A container that has the same more than once."""
    return together([("", held), ("", held)])


@record
class Found:
    """An object in a value, and the outermost object that keeps it, if one does."""

    object: Object
    holder: Object | None = None


#: A part of a value and what keeps it, by identity: of one value only, while that is there.
_Visited = set[tuple[int, int]]


def objects(held: Held, guessed: bool = False, holder: Object | None = None) -> Iterator[Found]:
    """The objects in a value, those that others keep included.

    A part that is reached in several ways is looked into once: there may be thousands of ways.

    Args:
        guessed: include all those of which it is some one.
        holder: what keeps the value.
    """
    return _objects(held, guessed, holder, set())


def _objects(
    held: Held, guessed: bool, holder: Object | None, visited: _Visited
) -> Iterator[Found]:
    if _is_visited(held, holder, visited):
        return
    if held.object is not None:
        yield Found(held.object, holder)
        if held.way == "all":
            holder = holder or held.object
    parts = () if held.closed else tuple(held)
    if held.way == "some" and not guessed:
        parts = parts[:1] if len(set(parts)) == 1 else ()
    for part in parts:
        yield from _objects(part, guessed, holder, visited)


def _is_visited(held: Held, holder: Object | None, visited: _Visited) -> bool:
    key = id(held), id(holder)
    known = key in visited
    visited.add(key)
    return known


def choices(held: Held, holder: Object | None = None) -> Iterator[tuple[Found, ...]]:
    """Each part of a value of which it is known which objects it may be, and not which it is."""
    return _choices(held, holder, set())


def _choices(held: Held, holder: Object | None, visited: _Visited) -> Iterator[tuple[Found, ...]]:
    if held.closed or _is_visited(held, holder, visited):
        return
    holder = holder or held.object
    if held.way == "some":
        options = tuple(Found(each.object, holder) for each in held if each.object is not None)
        if options and len(options) == sum(1 for each in held if each != NOTHING):
            yield options
        return
    for part in held:
        yield from _choices(part, holder, visited)


def surely_on_several(sides: Sequence[Held]) -> Iterator[tuple[Found, Found]]:
    """What is on a side and on another one too, whichever of several objects it is."""
    inside: list[dict[Object, Found]] = []
    for i, side in enumerate(sides):
        for options in choices(side):
            first, *_ = options
            if len(options) > 1:
                inside = inside or [dict(_by_object(objects(each))) for each in sides]
                for other in (*inside[:i], *inside[i + 1 :]):
                    if all(option.object in other for option in options):
                        yield first, other[first.object]


def _by_object(found: Iterable[Found]) -> Iterator[tuple[Object, Found]]:
    return ((each.object, each) for each in found)


def twice(held: Held) -> Iterator[tuple[Found, Found]]:
    """Pairs of objects in a value of which the first is the second, or a part of it."""
    return _twice(held, None, set()) if _may_repeat(held) else iter(())


def _may_repeat(held: Held) -> bool:
    """Whether an object can be in a value twice, or beside a part of it.

    Most values are done with by this: it looks at each part once, and `_twice` at all that is in a
    part anew for each container around it.
    """
    paths: dict[Root, set[tuple[str, ...]]] = {}
    seen: set[int] = set()
    waiting = [held]
    while waiting:
        each = waiting.pop()
        if each.object is None and not each.parts:
            continue
        if id(each) in seen:
            return True
        seen.add(id(each))
        if each.object is not None:
            of_root = paths.setdefault(each.object.root, set())
            if each.object.path in of_root:
                return True
            of_root.add(each.object.path)
        if not each.closed:
            waiting += each
    return any(
        path[:length] in of_root
        for of_root in paths.values()
        if len(of_root) > 1
        for path in of_root
        for length in range(len(path))
    )


def _twice(held: Held, holder: Object | None, visited: _Visited) -> Iterator[tuple[Found, Found]]:
    if held.closed or _is_visited(held, holder, visited):
        return
    holder = held.object or holder
    for part in held:
        yield from _twice(part, holder, visited)
    if held.way == "all":
        yield from on_several([tuple(objects(part, holder=holder)) for part in held])
        yield from surely_on_several(tuple(held))


def on_several(sides: Sequence[Sequence[Found]]) -> Iterator[tuple[Found, Found]]:
    """What is on more than one side, each pair with the part of the other in front.

    Looked up by where an object comes from, and each pair given once: a value may hold thousands,
    many of them the same, and to compare each with each would take minutes.
    """
    index: dict[Root, dict[tuple[str, ...], _Occurrences]] = {}
    for side, on_side in enumerate(sides):
        for place, found in enumerate(on_side):
            by_path = index.setdefault(found.object.root, {})
            by_path.setdefault(found.object.path, _Occurrences()).add(side, place, found)
    pairs = [
        pair
        for by_path in index.values()
        for path, inside in by_path.items()
        for length in range(len(path) + 1)
        if SOME not in path[:length] and path[:length] in by_path
        for pair in inside.within(by_path[path[:length]])
    ]
    for inner, outer in sorted(pairs, key=_order_of_pair):
        yield inner.found, outer.found


@record
class _Placed:
    """An object with the side that it is on, and its place there."""

    side: int
    place: int
    found: Found


def _order_of_pair(pair: tuple[_Placed, _Placed]) -> list[tuple[int, int]]:
    return sorted((each.side, each.place) for each in pair)


class _Occurrences:
    """Where an object is: for each expression that gives it the first, second and last side."""

    def __init__(self) -> None:
        self._placed: dict[tuple[Found, Located], list[_Placed]] = {}

    def add(self, side: int, place: int, found: Found) -> None:
        """Count one more; sides come in their order."""
        known = self._placed.setdefault((found, found.object.place), [])
        if not known or known[-1].side < side:
            known[2:] = [_Placed(side, place, found)]

    def within(self, others: _Occurrences) -> Iterator[tuple[_Placed, _Placed]]:
        """The first pair, on two sides, of each of these with each of those that it is within."""
        for inside in self._placed.values():
            for around in others._placed.values():
                pairs = [
                    (inner, outer)
                    for inner in inside
                    for outer in around
                    if inner.side < outer.side or (inner.side > outer.side and self is not others)
                ]
                if pairs:
                    yield min(pairs, key=_order_of_pair)


def attribute(held: Held, name: str, place: Located) -> Held:
    """What an attribute of a value is, or its element at a known place."""
    if held.object is None and held.way != "all":
        return dataclasses.replace(
            held, parts=tuple((at, attribute(part, name, place)) for at, part in held.parts)
        )
    label = _label(held.object, name)
    if held.way == "all":
        for at, part in held.parts:
            if at == name:
                return called(part, label)
    if held.object is None:
        return NOTHING
    return Held(Object(held.object.root, (*held.object.path, name), place, label))


def _label(whole: Object | None, name: str) -> str:
    """What the code calls an attribute, or the State of something that it calls by a name."""
    if whole is None or not whole.label:
        return ""
    if name.startswith("<"):
        return f"a State of {whole.label}"
    return f"{whole.label}.{name}" if name.isidentifier() else whole.label


def called(held: Held, name: str) -> Held:
    """The same, by what the code calls it, where it does not yet."""
    if held.object is None or held.object.label or not name:
        return held
    return dataclasses.replace(held, object=dataclasses.replace(held.object, label=name))


def element(held: Held, place: Located) -> Held:
    """Some element of a value."""
    if held.object is not None:
        return attribute(Held(held.object), SOME, place)
    if held.way == "either":
        return either(element(each, place) for each in held)
    if held.way == "some":
        return Held(None, tuple(("", element(part, place)) for part in held), "some")
    return Held(None, tuple(("", part) for part in held), "some")


def spread(held: Held, place: Located) -> tuple[tuple[str, Held], ...]:
    """What `*value` puts into a container."""
    if held.is_container:
        return tuple(("", part) for part in held)
    return (("", element(held, place) if held.object is not None else held),)


def every(held: Held) -> Held:
    """What a comprehension gives that gives this in each turn: all for some."""
    parts = tuple((name, every(part)) for name, part in held.parts)
    return dataclasses.replace(held, parts=parts, way="all" if held.way == "some" else held.way)


def same_each_turn(held: Held) -> Held:
    """What of it is there in each turn of a loop: nothing that is some one of several."""
    if held.way == "some":
        return NOTHING
    parts = tuple((name, same_each_turn(part)) for name, part in held.parts)
    return dataclasses.replace(held, parts=parts)


def without(held: Held, gone: Callable[[Object], bool]) -> Held:
    """The value with no word of certain objects, other than of what these hold."""
    own = held.object if held.object is not None and not gone(held.object) else None
    parts = tuple((name, without(part, gone)) for name, part in held.parts)
    return dataclasses.replace(held, object=own, parts=parts)


def mapped(held: Held, change: Callable[[Held], Held]) -> Held:
    """The value with each object changed, from the inside out.

    A part that is reached in several ways is changed once, and is one part again.
    """
    return _mapped(held, change, {})


def _mapped(held: Held, change: Callable[[Held], Held], done: dict[int, Held]) -> Held:
    if (known := done.get(id(held))) is not None:
        return known
    parts = tuple((name, _mapped(part, change, done)) for name, part in held.parts)
    # Written out: `dataclasses.replace` takes four times as long, and this is done 250,000 times
    # for a large project.
    new = Held(held.object, parts, held.way, held.closed)
    done[id(held)] = found = change(new) if new.object is not None else new
    return found


def step(held: Held, name: str, place: Located) -> Held:
    """An attribute of a value, or some element."""
    return element(held, place) if name == SOME else attribute(held, name, place)


#: What objects do that reach a function, in words.
IS_PASSED = "is passed"


def in_words(one: Found, other: Found, does: str = IS_PASSED) -> str:
    """What two finds of one object are, for a person.

    Args:
        does: what happens to the objects.
    """
    if one.holder is not None and other.holder is not None:
        if str(one.holder) == str(other.holder):
            return f"{one.holder} holds {one.object} twice"
        return f"{one.object} {does} together with {one.holder} and {other.holder}, which hold it"
    if one.object.path != other.object.path:
        return f"{one.object} {does} together with {other.object}, which holds it"
    holder = one.holder or other.holder
    if holder is not None:
        return f"{one.object} {does} together with {holder}, which holds it"
    return f"{one.object} {does} twice"
