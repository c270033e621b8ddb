"""An Rngs that the parts of a Module keep becomes one that the Module, or one part, keeps alone."""

from __future__ import annotations

import ast
import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Handed:
    """A call that is to pass the Rngs.

    Args:
        given: source text of what it passes.
    """

    call: ast.Call
    given: str


@dataclasses.dataclass(frozen=True, slots=True)
class Owner:
    """A constructor that makes such parts.

    Args:
        name: of the class.
        init: the constructor.
        parameter: by which it is given the Rngs.
        attribute: by which it keeps that.
        stored: the statement that does so; None where there is none yet.
    """

    name: str
    init: ast.FunctionDef
    parameter: str
    attribute: str
    stored: ast.Assign | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class LiftedRngs:
    """A class whose objects keep an Rngs: those that make them do, and hand it to each call.

    Args:
        keyword: the name by which it is handed on.
        annotation: source text of what is said of it; empty when nothing is.
        stored: the statement that keeps it.
        reads: where methods of the class read it, each with what stands there instead.
        methods: of the class, that are handed it.
        calls: of these methods, in the class and in its owners.
        owners: the constructors that make objects of the class.
    """

    keyword: str
    annotation: str
    stored: ast.Assign
    reads: tuple[tuple[ast.Attribute, str], ...]
    methods: tuple[ast.FunctionDef, ...]
    calls: tuple[Handed, ...]
    owners: tuple[Owner, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class FirstKeeps:
    """A class whose objects keep one Rngs: the first of them does, and their owner hands it to all.

    Args:
        keyword: the name by which it is handed on.
        annotation: source text of what is said of it; empty when nothing is.
        attribute: the name by which an object keeps it.
        reads: where methods of the class read it, each with its method.
        methods: of the class, that are handed it.
        calls: of these methods, in the class and in its owner.
        made: the statement of the owner that makes the last of the objects.
        removals: the lines below it, which take the Rngs from the others.
    """

    keyword: str
    annotation: str
    attribute: str
    reads: tuple[tuple[ast.Attribute, ast.FunctionDef], ...]
    methods: tuple[ast.FunctionDef, ...]
    calls: tuple[Handed, ...]
    made: ast.stmt
    removals: tuple[str, ...]
