"""What an expression can evaluate to, as far as the analysis tells values apart."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Literal, NamedTuple

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.records import linked_record, record
from nnx_migrate.core.place import Place


class Scope(NamedTuple):
    """A place where names are looked up: a function of a module (or the module's body)."""

    module: str
    function: str


@record
class Located:
    """An expression together with the scope that its names mean something in."""

    scope: Scope
    expr: ir.Expr


@record
class ParameterOf:
    """A parameter of the function that `scope` names."""

    scope: Scope
    parameter: ir.Parameter


class Steady(ir.Link):
    """A record with the same hash in every run, whatever the seed of the hashes of texts.

    The order of a set follows the hashes of what it holds, and the order in which questions are
    answered follows that of sets. Where answers depend on each other in circles that don't settle,
    the order shows in what is found.
    """

    __slots__ = ()

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = _steady_hash(tuple([getattr(self, name) for name in self.__match_args__]))
            return self._hash


def _steady_hash(part: object) -> int:
    match part:
        case str():
            return zlib.crc32(part.encode("utf-8", "surrogatepass"))
        case tuple():
            return hash(tuple(map(_steady_hash, part)))
        case frozenset():
            return hash(frozenset(map(_steady_hash, part)))
        case _:
            return hash(part)


@linked_record
class Instance(Steady):
    """An object of a known class.

    Args:
        class_name: "pkg.mod:Net:12" for a class of the project, "flax.nnx.Linear" for a library's.
        keywords: keywords that the constructor was called with; they decide what a layer holds.
        exact: made by calling the class; otherwise (an annotation) it may be of a subclass.
        wraps: what a library object holds of its constructor's arguments: the elements of an
            nnx.List, the layers of an nnx.Sequential, the model of a ModelAndOptimizer.
        bound_keywords: keywords that a functools.partial around it passes.
        partial: it is such a functools.partial, which calls the object and is none.
        probable: nothing shows that it is of the class, but most code of this form gives that. It
            stands beside something unknown, counts where a difference is looked for, and proves
            nothing.
        origin: the place that shows it, or in words how it is known, for the evidence.
    """

    class_name: str
    keywords: frozenset[str] = frozenset()
    exact: bool = True
    wraps: Values = frozenset()
    bound_keywords: frozenset[str] = frozenset()
    partial: bool = False
    probable: bool = False
    origin: Place | str = ""


@linked_record
class ClassValue(Steady):
    class_name: str


@linked_record
class FunctionValue(Steady):
    """A function of the project, with the transforms that were put around it and its bound self.

    Args:
        transforms: their names, innermost first.
    """

    scope: Scope
    key: str
    transforms: tuple[str, ...] = ()
    bound: bool = False
    partial_args: int = 0
    bound_keywords: frozenset[str] = frozenset()


@linked_record
class LibraryValue(Steady):
    """Something of a library that is not part of the project, by its dotted name."""

    dotted: str


@linked_record
class TupleValue(Steady):
    elements: tuple[Values, ...]


@linked_record
class ContainerValue(Steady):
    """A list, dict or other container of such elements.

    Args:
        element: of a dict what its keys lead to; the keys themselves count as plain values.
        keyed: whether it is a dict; "maybe" is what `xs[k] = v` puts into a list or a dict.
    """

    element: Values
    keyed: ir.Keyed = "no"


#: What hides a value, as far as that decides what a person can do about it: a parameter that no
#: call shows, an attribute that nothing in sight sets, what a container holds, an annotation that
#: names no class of the project, the result of a call, a text that the program computes.
Hidden = Literal["", "parameter", "attribute", "element", "annotation", "result", "run time"]


@linked_record
class Basic(Steady):
    """A value of which only its sort matters.

    state: an nnx.State (or Variable); graphdef; array; plain (numbers, strings, None, modules);
    gradient: what grad gave for a Module; unknown: anything at all.

    Args:
        reason: why no more is known, in words.
        hidden: what hides it.
    """

    sort: Literal["state", "graphdef", "array", "plain", "unknown"]
    reason: str = ""
    hidden: Hidden = ""


Value = Instance | ClassValue | FunctionValue | LibraryValue | TupleValue | ContainerValue | Basic
Values = frozenset[Value]

STATE: Values = frozenset({Basic("state")})
GRAPHDEF: Values = frozenset({Basic("graphdef")})
ARRAY: Values = frozenset({Basic("array")})
PLAIN: Values = frozenset({Basic("plain")})
NOTHING: Values = frozenset()
#: Why a value is not known that a computed text names.
NAMED_AT_RUN_TIME = "named at run time"


def scope_around(scope: Scope, function: ir.Function) -> Scope:
    """Where the names in the head of a function are looked up, its decorators and annotations."""
    return Scope(scope.module, function.parent or ir.MODULE_SCOPE)


def union(parts: Iterable[Values]) -> Values:
    """What any of some sets of values holds."""
    return NOTHING.union(*parts)


def is_unknown(values: Values) -> bool:
    """Whether nothing is known, or something among it is not."""
    return not values or any(isinstance(v, Basic) and v.sort == "unknown" for v in values)


def short_name(class_name: str) -> str:
    """A class as people call it: "main:Net:24" is Net, "flax.nnx.Linear" is nnx.Linear."""
    module, _, key = class_name.partition(":")
    return key.partition(":")[0] if key else module.removeprefix("flax.")


def describe(values: Values, most: int | None = None) -> str:
    """What something can be, in words.

    Args:
        values: it.
        most: so many are named at each depth, what is not known first, and the rest is counted;
            None for all.
    """
    words = sorted({_described(value, most) for value in values})
    if most is not None and len(words) > most:
        words.sort(key=lambda each: not each.startswith(_SORTS["unknown"]))
        words = [*words[:most], f"{len(words) - most} more"]
    return " or ".join(words) or _SORTS["unknown"]


def _described(value: Value, most: int | None) -> str:
    match value:
        case Instance(class_name=class_name, exact=exact, origin=origin):
            place = f" ({origin})" if origin else ""
            name = f"{short_name(class_name)}{'' if exact else ' or a subclass'}"
            return f"{'probably ' if value.probable else ''}{name}{place}"
        case ClassValue(class_name=class_name):
            return f"the class {short_name(class_name)}"
        case FunctionValue(key=key):
            return f"the function {key}"
        case LibraryValue(dotted=dotted):
            return dotted
        case TupleValue(elements=elements):
            return f"({', '.join(describe(each, most) for each in elements)})"
        case ContainerValue(element=element):
            return f"a container of {describe(element, most)}"
        case Basic(sort=sort, reason=reason):
            return f"{_SORTS[sort]}{f', {reason}' if reason else ''}"


_SORTS = {
    "state": "a State or Variable",
    "graphdef": "a graphdef",
    "array": "an array",
    "plain": "plain Python",
    "unknown": "not known",
}
