"""What a value is, or holds, as objects that can be told apart: where each comes from.

Two expressions give the same object when they lead to the same variable, or to the same call that
makes it. What leads nowhere is left out, so nothing follows from an object that is not here. What
takes too long to follow is `Anything`, of which everything follows.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.records import linked_record, record

#: Stands for an element of which it is not known which one it is.
SOME = "[]"
#: Stands for an element that is each one in turn, as a loop gives them.
EACH = "[*]"
#: Stands for all the objects that the turns of a loop put into a list, one each.
ALL_TURNS = "(all)"
#: Where an object has what a mapping holds, each under the name that this has there.
NAMED = "**"
#: Ends a path that goes on, nobody knows where to: by one attribute or more. Code that calls itself
#: with `node.below` would make paths without end.
REST = "..."
#: `nets[1:]` on a path: its first element is `nets[1]`.
_STARTS_AT = re.compile(r"\d*:-?\d*")
#: Where something is stored under each of the names that begin so.
_BEGINS = re.compile(r"<[^:]*:([^:+]+)[+]>")
#: So often a path goes by one name before it ends so.
_MOST_ALIKE = 2


@record
class Variable:
    """A variable that more may be bound to than is seen here, as it is after some of its bindings.

    Args:
        version: the line of the last of them; 0 for a parameter as it is passed.
        within: the calls through which it is reached, the outermost first.
    """

    scope: Scope
    name: str
    version: int
    within: tuple[tuple[Scope, ir.Call], ...] = ()

    def is_local_of(self, scope: Scope) -> bool:
        """Whether code of a function comes to it, and it is none of its parameters."""
        return bool(self.version) and (self.within[0][0] if self.within else self.scope) == scope


@linked_record
class MadeBy(ir.Link):
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

    @property
    def given_by(self) -> tuple[Scope, ir.Call] | None:
        """The call that gives another one each time, and where that stands."""
        own = self.root
        made = own.outermost if isinstance(own, MadeBy) else None
        return own.within[0] if isinstance(own, Variable) and own.within else made

    @property
    def home(self) -> Scope | None:
        """The function that makes it, or is passed it, as far as the code at hand sees."""
        given, own = self.given_by, self.root
        return given[0] if given else own.scope if isinstance(own, Variable) else None

    def __str__(self) -> str:
        name = ir.last_name(self.place.expr) or "a value"
        match self.root, self.place.expr:
            case (MadeBy(call=call), _) | (Anything(), ir.Call() as call):
                name = f"the result of {ir.last_name(call)}()"
            case Variable(name=name), _:
                pass
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


def is_untold(held: Held) -> bool:
    """Whether nothing is known of what is in a value: `[Net(i) for i in range(3)]`."""
    return held.object is None and all(is_untold(part) for part in held)


def either(options: Iterable[Held]) -> Held:
    """One of several values, by a condition: of what is one of several itself, any of these."""
    told = tuple(dict.fromkeys(one for each in options for one in _options_of(each)))
    if len(told) < 2:
        return told[0] if told else NOTHING
    return Held(None, tuple(("", each) for each in told), "either")


def _options_of(held: Held) -> Iterable[Held]:
    is_one = held.object is None and held.way == "either" and not held.closed
    return held if is_one else () if held == NOTHING else (held,)


def together(parts: Iterable[tuple[str, Held]]) -> Held:
    """A container of these."""
    return Held(None, tuple(parts))


def under_keys(containers: Iterable[Held]) -> Held:
    """One container that has under each literal what one of several has."""
    options: dict[str, list[Held]] = {}
    for each in containers:
        for key, part in each.parts:
            options.setdefault(key, []).append(part)
    return together((key, either(parts)) for key, parts in options.items())


def attribute(held: Held, name: str, place: Located) -> Held:
    """What an attribute of a value is, or its element at a known place."""
    if held.way != "all":
        own = attribute(Held(held.object), name, place).object if held.object else None
        parts = tuple((at, attribute(part, name, place)) for at, part in held.parts)
        if held.way == "some":  # what is known of an option, but not whose it is, says nothing new
            parts = tuple(
                (at, found)
                for (at, found), part in zip(parts, held, strict=True)
                if found != NOTHING or part == NOTHING or not is_untold(part)
            )
        return Held(own, parts, held.way)
    found = _attribute(held, name, place)
    stored = [(at, part) for at, part in held.parts if at.startswith(f"{name}.")]
    return _with_elements(found, [part for at, part in stored if is_element(at[len(name) + 1 :])])


def _with_elements(held: Held, put: list[Held]) -> Held:
    """A value, with elements that are put into it where it is a container."""
    if not put:
        return held
    if held.is_container:
        return together([*(("", part) for part in held), *(("", part) for part in put)])
    return either([held, together(("", part) for part in put)])


def _attribute(held: Held, name: str, place: Located) -> Held:
    label = _label(held.object, name)
    for at, part in _with_stores(held, name):
        if at == name:
            if held.object is not None and is_untold(part):
                own = Object(held.object.root, _longer(held.object.path, name), place, label)
                return dataclasses.replace(part, object=own)
            return called(_of_itself(held, name, part, place), label)
        if held.object is not None and (by_name := _by_computed_name(at, part, name)) is not None:
            return called(by_name, label)
    if held.object is None:
        return held if name == REST else NOTHING
    inside = held.parts if name == REST else ()
    return Held(Object(held.object.root, _longer(held.object.path, name), place, label), inside)


def _by_computed_name(at: str, part: Held, name: str) -> Held | None:
    """What is stored under a name that code computes, where that may be the name asked for.

    Args:
        at: all names of a mapping, or "<12:net+>" for what begins so, stored on that line.
    """
    if at == NAMED:
        found = dict(part.parts).get(name) if part.is_container else None
    else:
        start = _BEGINS.fullmatch(at)
        found = part if start is not None and name.startswith(start[1]) else None
    return None if found is None or is_untold(found) else found


def _of_itself(held: Held, name: str, part: Held, place: Located) -> Held:
    """What is stored under a name, where that is what the object has under another one.

    After `self.a = Net(); self.b = self.a` both are what the first call makes.
    """
    own, whole = part.object, held.object
    if own is None and part.parts:
        parts = tuple((at, _of_itself(held, name, each, place)) for at, each in part.parts)
        return dataclasses.replace(part, parts=parts)
    if own is None or whole is None or own.root != whole.root or part.parts:
        return part
    above, rest = own.path[: len(whole.path)], own.path[len(whole.path) :]
    if above != whole.path or not rest or rest == (name,):
        return part
    found = dataclasses.replace(held, parts=tuple(p for p in held.parts if p[0] != name))
    if rest[0] == name:  # `self.nets["target"] = self.nets["online"]`
        found, rest = dict(held.parts).get(name, NOTHING), rest[1:]
    for each in rest:
        found = step(found, each, place)
    if found.object == dataclasses.replace(whole, path=(*whole.path, name)):
        return either((part, found))  # of `m.a, m.b = m.b, m.a` nothing says which one it is
    return found


def _with_stores(held: Held, name: str) -> Iterator[tuple[str, Held]]:
    """The parts of a value; of a dict by that name with what is stored there: "name.key"."""
    below = ((at[len(name) + 1 :], each) for at, each in held.parts if at.startswith(f"{name}."))
    stored = [(at, each) for at, each in below if not is_element(at)]
    for at, part in held.parts:
        if at == name and part.is_container and stored and all(key for key, _ in part.parts):
            part = under_keys((part, together(stored)))
        yield at, part


def _longer(path: tuple[str, ...], name: str) -> tuple[str, ...]:
    """A path with one more name, for as many objects as code can lead to, but not for more.

    What one `nnx.split` gives is apart from what else it gives, whichever object that is of. Some
    element of some element is some element, however deep.
    """
    if REST in path:
        return (*path, name) if path[-1] == REST and is_state(name) else path
    if path[-1:] == (SOME,) == (name,):
        return path
    if name.isdecimal() and path and _STARTS_AT.fullmatch(path[-1]):
        first = int(path[-1].partition(":")[0] or 0)
        return _longer(path[:-1], str(first + int(name)))
    return (*path, REST if path.count(name) == _MOST_ALIKE else name)


def _label(whole: Object | None, name: str) -> str:
    """What the code calls an attribute, or the State of something that it calls by a name."""
    if whole is None or not whole.label:
        return ""
    if is_state(name):
        return f"a State of {whole.label}"
    return f"{whole.label}.{name}" if name.isidentifier() else whole.label


def is_state(name: str) -> bool:
    """Whether a name on a path is no attribute, but some of the Variables of an object."""
    return name.startswith("<")


def called(held: Held, name: str) -> Held:
    """The same, by what the code calls it, where it does not yet."""
    if held.object is None or held.object.label or not name:
        return held
    return dataclasses.replace(held, object=dataclasses.replace(held.object, label=name))


def is_place(name: str) -> bool:
    """Whether it is a literal by which an element is found."""
    return name[:1].isalnum() or name[:1] == "_"


def is_some(name: str) -> bool:
    """Whether a name on a path is an element of which it is not known which one it is.

    "[i:12]" is the one under `i` as that is bound on line 12: the same one where both are the same.
    """
    return name.startswith("[")


def is_element(name: str) -> bool:
    """Whether something is stored so that is an element, and not known to be at a place."""
    return name.startswith("<")


def known_as(held: Held, name: str) -> Held:
    """Some element of a value, as the one that such a name stands for."""
    own = held.object
    if own is not None and own.path[-1:] in {(SOME,), (EACH,)}:
        own = dataclasses.replace(own, path=(*own.path[:-1], name))
        return dataclasses.replace(held, object=own)
    if own is None and held.way == "either":
        return either(known_as(each, name) for each in held)
    if own is None and held.way == "some" and len(held.parts) == 1:
        # Of all elements of one other list, or of what the turns of one loop put in.
        return Held(None, (("", known_as(held.parts[0][1], name)),), "some")
    return held


def element(held: Held, place: Located) -> Held:
    """Some element of a value."""
    if held.object is not None:
        own = attribute(Held(held.object), SOME, place)
        if held.way == "all":
            return own
        options = tuple(("", element(each, place)) for each in held)
        return dataclasses.replace(own, parts=options, way=held.way)
    if held.way == "either":
        return either(element(each, place) for each in held)
    if held.way == "some":
        return Held(None, tuple(("", element(part, place)) for part in held), "some")
    return Held(None, tuple(("", each) for part in held for each in _some_of(part, place)), "some")


def _some_of(part: Held, place: Located) -> tuple[Held, ...]:
    """What a value may be that is some one of several: `yield from walk(n - 1)`."""
    last = part.object.path[-1:] if part.object is not None else ()
    if last == (ALL_TURNS,):
        return (attribute(part, SOME, place),)
    if last == (EACH,):
        return (known_as(part, SOME),)
    return tuple(part) if part.object is None and part.way == "some" else (part,)


def mapped(held: Held, change: Callable[[Held], Held]) -> Held:
    """The value with each object changed, from the inside out.

    A part that is reached in several ways is changed once, and is one part again.
    """
    return _mapped(held, change, {})


def _mapped(held: Held, change: Callable[[Held], Held], done: dict[int, Held]) -> Held:
    if (known := done.get(id(held))) is not None:
        return known
    parts = tuple((name, _mapped(part, change, done)) for name, part in held.parts)
    # Written out, 250,000 times for a large project: `replace` takes four times as long.
    new = Held(held.object, parts, held.way, held.closed)
    done[id(held)] = found = change(new) if new.object is not None else new
    return found


def step(held: Held, name: str, place: Located) -> Held:
    """An attribute of a value, or some element."""
    if is_some(name):
        return known_as(element(held, place), name)
    if held.object is None and held.way == "either":
        return either(step(each, name, place) for each in held)
    names = [at for at, _ in held.parts]
    if held.is_container and "" in names and name not in names:
        return element(held, place)  # under a key, of which it is not known what is there
    return attribute(held, name, place)
