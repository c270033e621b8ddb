"""Expressions, reduced to what decides names and kinds."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Literal

from nnx_migrate.analysis.ir.records import linked_record, record

#: In the place of a key: what `**other` unpacks into a dict.
UNPACKED = "**"
#: Whether a container is a dict.
Keyed = Literal["no", "yes", "maybe"]


_EMPTY: frozenset[object] = frozenset()


class Record:
    """Pickles by position: what dataclasses do for frozen slots asks for the fields every time."""

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        parts = [getattr(self, name) for name in self.__match_args__]
        # One empty set for all records of a file: Python would make each of 216 bytes.
        return type(self), tuple([_EMPTY if each == _EMPTY else each for each in parts])


@record
class Name(Record):
    id: str

    def __reduce__(self) -> tuple[Callable[[str], Name], tuple[str]]:
        return shared_name, (self.id,)


class Link(Record):
    """A record that stands in long chains, `a.b().c`, or many sets: it knows its hash."""

    __slots__ = ("_hash",)
    _hash: int

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = hash(tuple([getattr(self, name) for name in self.__match_args__]))
            return self._hash


@linked_record
class Attribute(Link):
    base: Expr
    name: str

    def __reduce__(self) -> tuple[Callable[[Expr, str], Attribute], tuple[Expr, str]]:
        return shared_attribute, (self.base, self.name)


@linked_record
class Call(Link):
    """A call; two of them that look the same are told apart by their places."""

    func: Expr
    args: tuple[Expr, ...]
    keywords: tuple[tuple[str | None, Expr], ...]
    line: int
    column: int = 0


@linked_record
class Element(Link):
    """An element of `base`: `base[i]`, or a part of it that cannot be told.

    Args:
        key: of `base["name"]` the text; "" where it is no literal.
        index: of `base[i]` the names that the place is computed from, and what with; empty where it
            is computed in another way.
    """

    base: Expr
    key: str = ""
    index: tuple[Expr, ...] = ()


@linked_record
class Iterated(Element):
    """What iterating over `base` gives: of a dict its keys, of all else its elements."""


@linked_record
class Unpacked(Link):
    """The element at `index` (negative from the end) of a sequence being unpacked."""

    base: Expr
    index: int


@record
class Sequence(Record):
    """A tuple, list, set or dict display; of a dict only the values.

    Args:
        each: it is a comprehension, which gives such elements in each turn.
        filtered: it is one that leaves turns out, or has loops in its loop.
        keyed: whether it is a dict; "maybe" is what `xs[k] = v` puts into a list or a dict.
        keys: of a dict, the literal under which each element is, as a text, and UNPACKED of one
            that is unpacked into it; empty where one is no literal.
    """

    elements: tuple[Expr, ...]
    is_tuple: bool
    each: bool = False
    keyed: Keyed = "no"
    keys: tuple[str, ...] = ()
    filtered: bool = False


@record
class Choice(Record):
    """One of several values: a conditional expression, `or`, a walrus.

    Args:
        test: the name, or "self.name", that decides for the first of two options when it is true,
            if one does.
    """

    options: tuple[Expr, ...]
    test: str = ""


@record
class Starred(Record):
    value: Expr


@record
class Constant(Record):
    """A literal.

    Args:
        text: the value of a string that may be an annotation, or of a number that may be a place
            in a list; "False" of that.
    """

    type: Literal["none", "str", "number", "ellipsis", "other"]
    text: str = ""


@record
class FunctionRef(Record):
    key: str


@record
class ClassRef(Record):
    key: str


@record
class ImportRef(Record):
    """A name bound by an import to the dotted name `target`."""

    target: str


@record
class Computed(Record):
    """The value of an operator, comparison, f-string, slice: an array or a plain value."""

    operands: tuple[Expr, ...] = ()


@record
class Within(Record):
    """An expression whose names mean what they mean in function `key` of the same module."""

    key: str
    expr: Expr


#: Calls that no source can spell stand for what else decides a value.
ANNOTATED = Name("<annotated>")  # (annotation, value): what is annotated, the value if there is one
SLICED = Name("<sliced>")  # (base) or (base, "a:b" of literals): base[a:b]
ENTERED = Name("<entered>")  # (manager): what `with manager as name` binds
OPERATED = Name("<operated>")  # (left, right) or (operand): what an operator gives
UNSEEN = Call(Name("<unseen>"), (), (), 0)  # anything at all


Expr = (
    Name
    | Attribute
    | Call
    | Element
    | Iterated
    | Unpacked
    | Sequence
    | Choice
    | Starred
    | Constant
    | FunctionRef
    | ClassRef
    | ImportRef
    | Computed
    | Within
)


def parts_of(expr: Expr) -> Iterator[Expr]:
    """An expression and those that it is made of, other than what stands in subscripts."""
    yield expr
    inside: tuple[Expr, ...] = ()
    match expr:
        case Call(func=func, args=args, keywords=keywords):
            inside = (func, *args, *(value for _, value in keywords))
        case Sequence(elements=parts) | Choice(options=parts) | Computed(operands=parts):
            inside = parts
        case Attribute(base=base) | Element(base=base) | Unpacked(base=base):
            inside = (base,)
        case Starred(value=value):
            inside = (value,)
    for each in inside:
        yield from parts_of(each)


# Most expressions are few names, and attributes of these: a process holds each of them once. They
# are equal whoever made them, and unpickling has nothing but a function to make them by.
_SHARED = 100_000


# By its text.
@functools.lru_cache(_SHARED)
def shared_name(name: str) -> Name:
    return Name(name)


# By its parts.
@functools.lru_cache(_SHARED)
def shared_attribute(base: Expr, name: str) -> Attribute:
    return Attribute(base, name)
