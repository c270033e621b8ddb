"""The compact record of a file: what the analysis keeps of it once its syntax tree is gone.

Expressions are reduced to what decides names and kinds. A record is some kilobytes, so the facts of
a whole project fit in every worker, and one evaluator serves the file at hand and all others.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Literal

from nnx_migrate.analysis.ir.records import linked_record, record

#: Whether a container is a dict.
Keyed = Literal["no", "yes", "maybe"]
MODULE_SCOPE = "<module>"
#: What stands among the names of an `__all__` that is computed.
ALL_NAMES = "*"


class _Record:
    """Pickles by position: what dataclasses do for frozen slots asks for the fields every time."""

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return type(self), tuple([getattr(self, name) for name in self.__match_args__])


@record
class Name(_Record):
    id: str

    def __reduce__(self) -> tuple[Callable[[str], Name], tuple[str]]:
        return shared_name, (self.id,)


class Link(_Record):
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
    """An element of `base`: `base[i]`, or a part of it that cannot be told."""

    base: Expr


@linked_record
class Iterated(Element):
    """What iterating over `base` gives: of a dict its keys, of all else its elements."""


@linked_record
class Unpacked(Link):
    """The element at `index` (negative from the end) of a sequence being unpacked."""

    base: Expr
    index: int


@record
class Sequence(_Record):
    """A tuple, list, set or dict display; of a dict only the values.

    Args:
        each: it is a comprehension, which gives such elements in each turn.
        keyed: whether it is a dict; "maybe" is what `xs[k] = v` puts into a list or a dict.
    """

    elements: tuple[Expr, ...]
    is_tuple: bool
    each: bool = False
    keyed: Keyed = "no"


@record
class Choice(_Record):
    """One of several values: a conditional expression, `or`, a walrus.

    Args:
        test: the name, or "self.name", that decides for the first of two options when it is true,
            if one does.
    """

    options: tuple[Expr, ...]
    test: str = ""


@record
class Starred(_Record):
    value: Expr


@record
class Constant(_Record):
    """A literal; `text` is the value of a string that may be an annotation, and "False"."""

    type: Literal["none", "str", "number", "ellipsis", "other"]
    text: str = ""


@record
class FunctionRef(_Record):
    key: str


@record
class ClassRef(_Record):
    key: str


@record
class ImportRef(_Record):
    """A name bound by an import to the dotted name `target`."""

    target: str


@record
class Computed(_Record):
    """The value of an operator, comparison, f-string, slice: an array or a plain value."""

    operands: tuple[Expr, ...] = ()


@record
class Within(_Record):
    """An expression whose names mean what they mean in function `key` of the same module."""

    key: str
    expr: Expr


#: Calls that no source can spell stand for what else decides a value.
ANNOTATED = Name("<annotated>")  # (annotation, value): what is annotated, the value if there is one
SLICED = Name("<sliced>")  # (base): base[a:b]
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


@record
class Parameter(_Record):
    name: str
    kind: Literal["positional", "keyword", "star", "double_star"]
    annotation: Expr | None
    default: Expr | None


@record
class Write(_Record):
    """A store or delete through an attribute or subscript, in order to classify it later.

    Args:
        target: what is stored to, e.g. `Attribute(Name("self"), "count")`.
        value: what is stored; None for `del` and for targets of loops.
        how: "set" (=), "augment" (+= and friends), "delete", "item" (`x[...] = v`, `x[a:b] = v`),
            "key" (a store to any other subscript or its deletion, where `target` is what is
            subscripted), "outer" (to a global or nonlocal name, which is the target),
            "grow" (`x.append(v)`, where the value is a list of v; the call itself is recorded too).
    """

    target: Expr
    value: Expr | None
    how: Literal["set", "augment", "delete", "item", "key", "grow", "outer"]
    line: int


#: What a name has to be for a branch to run: "given" is anything but None.
Needed = Literal["true", "false", "none", "given", "is false", "is not false"]


@record
class Branch(_Record):
    """The body of an `if`, or its `else`.

    Args:
        needs: names that have to be something where it runs.
        of: the line of the `if`: of two branches of one, one runs.
    """

    needs: tuple[tuple[str, Needed], ...]
    first: int
    last: int
    of: int


@record
class Function(_Record):
    """A function, a lambda, or (with key MODULE_SCOPE) the body of a module.

    Args:
        key: unique in its module: dotted path and line, e.g. "step.loss_fn:12".
        parent: key of the enclosing function (or MODULE_SCOPE); classes are not scopes for names.
        owner: key of the class that it is a method of.
        bindings: every value that a local name is bound to, anywhere in the body.
        lines: where each of these is bound.
        loops: the first and the last line of each loop.
        calls: calls in the body, those of nested functions left out.
        nested: keys of the functions and lambdas defined directly in the body.
        reads: attributes that are read other than in order to be called at once; those of imported
            names are left out.
        guards: the name, or "self.name", that has to be true for a call, by the place of the call
            among `calls`.
        implied: by the first method that syntax looks for (`facts.implied`), on what it does and
            what that is given, in turn.
        repeated: stores of the same object in each turn of a loop, under names or keys that are
            computed; how they store is "key".
        loose: names that only comprehensions bind, so that outside of these they mean what they
            mean around the function.
        pops: `nnx.pop(model, T)` on every way through the body, each behind how many of the calls.
        in_order: of the body of a module, the names that it binds several times, one statement
            after the other, with the line below which each of the bindings holds.
        branches: of a method, the bodies of `if` where there is an `else`, and that; of a
            constructor, those that tests of names decide about too.
    """

    key: str
    name: str
    line: int
    parent: str | None
    owner: str | None
    parameters: tuple[Parameter, ...]
    decorators: tuple[Expr, ...]
    return_annotation: Expr | None
    bindings: Mapping[str, tuple[Expr, ...]]
    globals: frozenset[str]
    returns: tuple[Expr, ...]
    yields: tuple[Expr, ...]
    writes: tuple[Write, ...]
    calls: tuple[Call, ...]
    nested: tuple[str, ...]
    reads: tuple[Attribute, ...] = ()
    loose: frozenset[str] = frozenset()
    guards: tuple[tuple[int, str], ...] = ()
    implied: tuple[tuple[str, tuple[Expr, ...]], ...] = ()
    repeated: tuple[Write, ...] = ()
    lines: Mapping[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    loops: tuple[tuple[int, int], ...] = ()
    pops: tuple[tuple[int, Call], ...] = ()
    in_order: Mapping[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    branches: tuple[Branch, ...] = ()


@record
class Class(_Record):
    """A class."""

    key: str
    name: str
    line: int
    scope: str
    bases: tuple[Expr, ...]
    keywords: tuple[tuple[str | None, Expr], ...]
    decorators: tuple[Expr, ...]
    methods: Mapping[str, str]
    attributes: Mapping[str, tuple[Expr, ...]]
    annotations: Mapping[str, Expr]


@record
class ModuleIndex(_Record):
    """All that the project's facts need of one file.

    Args:
        star_imports: the modules of which it imports everything.
        imports: every dotted name that it imports, wherever it does; of a star import the module.
        exports: the names in its `__all__`; "*" where that is computed.
        words: every identifier in it, keyword arguments and imported names included; "**" when
            keyword arguments are unpacked somewhere.
        paths: every "a.b.c" in it of which the last name is that of a transform.
        stands: of the virtual module of a document, where each line stands: the line of the file,
            and the cell and the line in it, or 0.
        meant: first names of absolute imports, with the dotted names that they stand for in it.
        lines: of a text that is not the whole file, the line of the file for each of its lines.
    """

    module: str
    path: str
    is_package: bool
    functions: Mapping[str, Function]
    classes: Mapping[str, Class]
    star_imports: tuple[str, ...]
    imports: tuple[str, ...]
    exports: frozenset[str]
    words: tuple[str, ...]
    paths: tuple[str, ...]
    stands: tuple[tuple[int, int, int], ...] = ()
    meant: tuple[tuple[str, str], ...] = ()
    lines: tuple[int, ...] = ()


# Most expressions are few names, and attributes of these: a process holds each of them once.
_SHARED = 100_000


@functools.lru_cache(_SHARED)
def shared_name(name: str) -> Name:
    return Name(name)


@functools.lru_cache(_SHARED)
def shared_attribute(base: Expr, name: str) -> Attribute:
    return Attribute(base, name)


def is_super(expr: Expr) -> bool:
    """Whether it is a call of `super`."""
    return isinstance(expr, Call) and expr.func == Name("super")


def last_name(expr: Expr) -> str:
    """`f` of `f` and of `module.f`, "" of anything else; of a call, that of what is called."""
    match expr:
        case Name(id=name) | Attribute(name=name):
            return name
        case Call(func=func):
            return last_name(func)
        case _:
            return ""


def referred_name(expr: Expr) -> str:
    """The last name of what is only referred to: of a name, an attribute, an import; else ""."""
    match expr:
        case Name(id=name) | Attribute(name=name):
            return name
        case ImportRef(target=target):
            return target.rpartition(".")[2]
        case Call(func=Name(id="getattr"), args=(_, Constant(text=name), *_)):
            return name
        case _:
            return ""


def path_of(expr: Expr) -> str:
    """ "a.b.c" of attributes of a name or of a module, `getattr(a, "b")` included; else ""."""
    match expr:
        case Name(id=name) | ImportRef(target=name):
            return name
        case Attribute(base=base, name=name):
            pass
        case Call(func=Name(id="getattr"), args=(base, Constant(text=name), *_)) if name:
            pass
        case _:
            return ""
    head = path_of(base)
    return f"{head}.{name}" if head else ""


def root_name(expr: Expr) -> Name | None:
    """The name whose attribute, at any depth, an expression is."""
    while isinstance(expr, Attribute):
        expr = expr.base
    return expr if isinstance(expr, Name) else None


def is_property(decorator: Expr) -> bool:
    return last_name(decorator) in {"property", "cached_property"}
