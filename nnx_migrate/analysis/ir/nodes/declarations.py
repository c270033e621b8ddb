"""Functions, classes and whole files, and what is recorded of the statements in them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal

from nnx_migrate.analysis.ir.nodes.expressions import Attribute, Call, Constant, Expr, Name, Record
from nnx_migrate.analysis.ir.records import record

MODULE_SCOPE = "<module>"
#: What stands among the names of an `__all__` that is computed.
ALL_NAMES = "*"
_SETTERS = (Name("setattr"), Attribute(Name("object"), "__setattr__"))


@record
class Parameter(Record):
    name: str
    kind: Literal["positional", "keyword", "star", "double_star"]
    annotation: Expr | None
    default: Expr | None


@record
class Write(Record):
    """A store or delete through an attribute or subscript, in order to classify it later.

    Args:
        target: what is stored to, e.g. `Attribute(Name("self"), "count")`.
        value: what is stored; None for `del` and for targets of loops.
        how: "set" (=), "augment" (+= and friends), "delete", "item" (`x[...] = v`, `x[a:b] = v`),
            "key" (a store to any other subscript or its deletion, where `target` is what is
            subscripted), "outer" (to a global or nonlocal name, which is the target),
            "grow" (`x.append(v)`, where the value is a list of v; the call itself is recorded too).
        key: of a store to a subscript the literal, as a text; "" where it is none.
        renews: the value is made of what is under the subscript: `xs[i] = f(xs[i])`, or the same
            in a loop over `enumerate(xs)`.
    """

    target: Expr
    value: Expr | None
    how: Literal["set", "augment", "delete", "item", "key", "grow", "outer"]
    line: int
    key: str = ""
    renews: bool = False


#: What a name has to be for a branch to run: "given" is anything but None.
Needed = Literal["true", "false", "none", "given", "is false", "is not false"]


@record
class Branch(Record):
    """The body of an `if`, or its `else`.

    Args:
        needs: names that have to be something where it runs.
        of: the line of the `if`: of two branches of one, one runs.
    """

    needs: tuple[tuple[str, Needed], ...]
    first: int
    last: int
    of: int


#: A line, and a column in it.
Position = tuple[int, int]


@record
class Block(Record):
    """Statements that a run may leave out, or run again: a branch, a loop, a part of a `try`.

    Args:
        last: the first position behind it.
        until: of one of several of which one run takes one, where the last of these ends.
        again: it is a loop, with its head.
    """

    first: Position
    last: Position
    until: Position
    again: bool = False


@record
class Definition(Record):
    """Where one of several bindings of a name stands.

    Args:
        first: where the statement begins that binds it.
        last: from where on it holds: behind the statement, or behind the head of a block.
        blocks: what stands around it in its function.
        sure: no run through these passes by without it, and nothing is left of what was before.
        early: code of the same statement, or line, may read it.
        moved: another function binds it, whenever that runs.
    """

    first: Position
    last: Position
    blocks: tuple[Block, ...]
    sure: bool
    early: bool
    moved: bool


@record
class Removal(Record):
    """`del self.part.name`, or the same of the elements of `self.parts`, in every run of a method.

    Args:
        path: the attributes that lead to the part, or to the container, from the method's object.
        attribute: what is deleted.
        first: of a container, the first element that it is deleted from; None of a part itself.
    """

    path: tuple[str, ...]
    attribute: str
    first: int | None
    line: int


@record
class Function(Record):
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
        guards: the name, or "self.name" or "config.name", that has to be true for a call, by the
            place of the call among `calls`.
        implied: by the first method that syntax looks for (`facts.implied`), on what it does and
            what that is given, in turn.
        repeated: stores of the same object in each turn of a loop, under names or keys that are
            computed; how they store is "key".
        loose: names that only comprehensions bind, so that outside of these they mean what they
            mean around the function.
        pops: `nnx.pop(model, T)` on every way through the body, each behind how many of the calls.
        branches: of a method, the bodies of `if` where there is an `else`, and that; of a
            constructor, those that tests of names decide about too.
        definitions: where each of the bindings of a name stands; of one that is bound once, and is
            no parameter, nothing.
        of_new: the places among `calls` of methods of a list or the like that the body has made on
            every way there, whatever else the same name stands for.
        write_guards: what has to be true for a store, by its place among `writes`.
        conditional: of a function with loops, the first and the last line of each `if`.
        removals: of a method, the attributes of parts of its object that every run of it deletes.
        puts: what is put into an attribute, a parameter, or a name that may hold a container, each
            as a container of it: `x.update(k=v)`, `x.setdefault(k, v)`, `x[k][i] = v`; how is "key"
            of what is added to an element, as in `x[k].append(v)`, and else "grow".
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
    branches: tuple[Branch, ...] = ()
    definitions: Mapping[str, tuple[Definition, ...]] = dataclasses.field(default_factory=dict)
    of_new: frozenset[int] = frozenset()
    write_guards: tuple[tuple[int, str], ...] = ()
    conditional: tuple[tuple[int, int], ...] = ()
    removals: tuple[Removal, ...] = ()
    puts: tuple[Write, ...] = ()

    @property
    def set_by_name(self) -> tuple[Write, ...]:
        """Its calls of `setattr` that name what they set, as the stores that they are."""
        return tuple(stored for call in self.calls if (stored := stored_by_name(call)))


@record
class Class(Record):
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
class ModuleIndex(Record):
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
        is_started: it runs something only where it is started, and not imported.
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
    is_started: bool = False

    def says(self, names: frozenset[str]) -> bool:
        """Whether any of these identifiers is in it."""
        return not names.isdisjoint(self.words)


def set_by_name(call: Call) -> tuple[Expr, Expr, Expr] | None:
    """The object, the name and the value of `setattr(x, name, value)`; None of all else."""
    if len(call.args) == 3 and call.func in _SETTERS:
        owner, name, value = call.args
        return owner, name, value
    return None


def stored_by_name(call: Call) -> Write | None:
    """The store that `setattr(x, "name", value)` is, or `object.__setattr__`; None of all else."""
    match call:
        case Call(func=func, args=(owner, Constant(text=name), value)) if name and func in _SETTERS:
            return Write(Attribute(owner, name), value, "set", call.line)
        case _:
            return None
