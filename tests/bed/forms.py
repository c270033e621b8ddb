"""What a program of the bed is put together from: one form along each of five axes."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Effect:
    """What a method does to its object.

    Args:
        name: of the form.
        touch: statements; `{m}` is the object.
        init: statements of the constructor.
        result: what the traced function returns; `{m}` is the object, `y` what it computed.
    """

    name: str
    touch: str = "pass"
    init: str = ""
    result: str = "y"


@dataclasses.dataclass(frozen=True, slots=True)
class Inside:
    """How a method of the class comes to do it.

    Args:
        name: of the form.
        body: statements of `__call__`; `{t}` are those of the effect, which `touch(m)`, defined
            before the class, and the method `touches` do too.
        before: statements before the class.
        methods: of the class.
        after: statements after the class.
    """

    name: str
    body: str
    before: str = ""
    methods: str = ""
    after: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Use:
    """How the traced function calls the object.

    Args:
        name: of the form.
        body: statements that bind `y`; `{o}` is the object.
        before: statements before the traced function.
    """

    name: str
    body: str
    before: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Carry:
    """How the object gets into the traced function.

    Args:
        name: of the form.
        parameters: of the traced function.
        arguments: of its calls.
        held: the object, in the traced function.
        before: statements before the traced function, after the class.
        body: first statements of the traced function.
        inner: the traced function is defined in a function that is given the object.
        loose: its calls pass other than two arguments by their places.
    """

    name: str
    parameters: str
    arguments: str
    held: str = "m"
    before: str = ""
    body: str = ""
    inner: bool = False
    loose: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Applied:
    """Where and how the transform is applied.

    Args:
        name: of the form.
        after: statements after the traced function `step`, which bind `run` where one is bound.
        call: the call; `{a}` are its arguments, `{1}` the first, `{2}` the others.
        decorators: of the traced function.
        before: statements before the traced function.
        method: head of the class that the traced function stands in, as `__call__`.
        exact: it is fit for two arguments by their places alone.
    """

    name: str
    after: str = ""
    call: str = "run({a})"
    decorators: str = ""
    before: str = ""
    method: str = ""
    exact: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Made:
    """How the program comes to the object.

    Args:
        name: of the form.
        expression: it is the object.
        before: statements after the class.
    """

    name: str
    expression: str
    before: str = ""
