"""Which of several bindings of a name can reach a place in the function, or module, that binds it.

    x = a        # 1
    for y in ys:
        use(x)   # 1 or 3
        x = b    # 2
        use(x)   # 2
        if y:
            x = c  # 3; `x = b` is gone where this runs, and not behind the branch

Lowering takes down where each binding stands, with the blocks around it (`ir.Definition`), and this
is the one module that asks which of them counts. A binding that is sure to run before the place,
because each block around it holds the place too, ends all above it. Of the others, those reach the
place that stand above it, but for the other branches of an `if`, and those that a loop around both
brings back to it, unless each turn of that binds the name first. What leaves a block early
(`return`, `break`, an exception) is not followed: more reach a place then, never less.

A function that is defined in another one runs later, so it sees what reaches its definition, and
all that may be bound after that (`seen_from`). What it binds in the function around it
(`nonlocal`, `global`) reaches every place there.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir

if TYPE_CHECKING:
    from nnx_migrate.analysis.symbols.program import Project

_LINE_END = 1 << 30


class At(NamedTuple):
    """A place in a function.

    Args:
        place: what ends above it has run.
        begun: what begins above it may have run.
        early: so may this, of what binds a name before its statement, or line, is done.
    """

    place: ir.Position
    begun: ir.Position
    early: ir.Position


class Reached(NamedTuple):
    """The bindings that reach a place.

    Args:
        places: which of all bindings of the name.
        from_above: whether what the name was before all of them may too.
    """

    places: tuple[int, ...]
    from_above: bool

    @property
    def only(self) -> int | None:
        """The one that does, where nothing else can."""
        return self.places[0] if len(self.places) == 1 and not self.from_above else None


def at_position(line: int, column: int) -> At:
    """The beginning of a statement."""
    return At((line, column), (line, column), (line, column))


def at_line(line: float) -> At:
    """Somewhere on a line, or, of half a line before one, where that has bound nothing yet."""
    first = math.ceil(line)
    end = first, _LINE_END
    return At((first, 0), end if first == line else (first, 0), end)


def reaching(
    definitions: Sequence[ir.Definition], at: At, growing: Collection[int] = ()
) -> Reached:
    """The bindings of a name that reach a place.

    Args:
        growing: lines that bind it to what it was, with more in it.
    """
    ending = [
        each
        for each in definitions
        if each.sure and each.first[0] not in growing and _has_run(each, at)
    ]
    last = max(ending, key=lambda each: each.last, default=None)
    found = tuple(
        i
        for i, each in enumerate(definitions)
        if each.moved or _goes_on(each, at, last) or _comes_back(each, at, ending)
    )
    return Reached(found, last is None)


def seen_from(definitions: Sequence[ir.Definition], at: At) -> tuple[int, ...]:
    """The bindings of a name that a function can see which is defined at a place beside them."""
    now = reaching(definitions, at).places
    return tuple(
        i
        for i, each in enumerate(definitions)
        if i in now or each.last > at.place or any(_loops(each, at))
    )


def seen_within(function: ir.Function, name: str, line: int) -> Sequence[int]:
    """The bindings of a name in a function, or module, that code can see which is defined in it.

    Of a function these are all: rules ask how often it binds a name, to know one variable by that.

    Args:
        line: where that is defined; 0 for the code of the function itself.
    """
    count = len(function.bindings.get(name, ()))
    if not line or count < 2 or function.key != ir.MODULE_SCOPE:
        return range(count)
    return seen_from(function.definitions[name], at_line(line - 0.5))


def seen_by(project: Project, scope: Scope, where: Scope, name: str) -> Sequence[int]:
    """The bindings of a name in a function that code in a scope can see, which may be in it."""
    functions = project.modules[scope.module].functions
    key: str | None = scope.function if scope.module == where.module else None
    while key is not None and functions[key].parent != where.function:
        key = functions[key].parent
    return seen_within(project.function(where), name, functions[key].line if key else 0)


def _has_run(definition: ir.Definition, at: At) -> bool:
    """Whether every run that comes to a place has bound the name before."""
    return definition.last <= at.place and all(
        block.first <= at.place and at.begun < block.last for block in definition.blocks
    )


def _goes_on(definition: ir.Definition, at: At, last: ir.Definition | None) -> bool:
    """Whether a run goes on from a binding to a place further down."""
    if last is not None and definition.first < last.first:
        return False
    on_its_own = definition.sure and at.early == at.place  # on a line with others
    if definition.early and not on_its_own:
        begun = definition.first <= at.early
    elif at.begun != at.place:
        begun = definition.first < at.begun
    else:
        begun = definition.last <= at.place  # what stands in the statement runs before it is done
    return begun and not any(block.last <= at.place < block.until for block in definition.blocks)


def _comes_back(definition: ir.Definition, at: At, ending: Sequence[ir.Definition]) -> bool:
    """Whether a loop around a binding brings what it binds to a place in the loop."""
    return any(not any(block in each.blocks for each in ending) for block in _loops(definition, at))


def _loops(definition: ir.Definition, at: At) -> Iterator[ir.Block]:
    """The loops that hold both a binding and a place."""
    for block in definition.blocks:
        if block.again and block.first <= at.begun and at.place < block.last:
            yield block


def meant_at(project: Project, scope: Scope, expr: ir.Expr, line: int) -> ir.Expr:
    """An expression at a line of a module's body, with what its names mean there.

    Args:
        scope: what its names are looked up in.
        expr: what is called or passed, or an annotation.
    """
    if scope.function != ir.MODULE_SCOPE:
        return expr
    match expr:
        case ir.Name():
            return _bound_at(project, scope, expr, line)
        case ir.Choice(options=options):
            reached = (meant_at(project, scope, option, line) for option in options)
            return dataclasses.replace(expr, options=tuple(reached))
        case ir.Call(
            func=ir.Name(id="<tuple annotation>" | "<container annotation>" | "<dict annotation>"),
            args=args,
        ):
            given = (meant_at(project, scope, argument, line) for argument in args)
            return dataclasses.replace(expr, args=tuple(given))
        case _:
            return expr


def _bound_at(project: Project, scope: Scope, name: ir.Name, line: int) -> ir.Expr:
    definitions = project.function(scope).definitions.get(name.id, ())
    bindings = project.bindings(scope, name.id) if definitions else []
    if len(bindings) != len(definitions):
        return name
    only = reaching(definitions, at_line(line - 0.5)).only
    found = None if only is None else bindings[only]
    return found.expr if isinstance(found, Located) else name
