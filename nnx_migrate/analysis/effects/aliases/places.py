"""Places of a tuple that a function is given, of which the others are not the object.

`step((model, count))` gives `def step(carry)` the model at place 0, so what the function does to
place 1 (`_, cache = carry`) is no effect on the model. A loop passes what its body returns on to
the next step, so there a place counts as well that gets the object that way.
"""

from __future__ import annotations

from collections.abc import Iterable

from nnx_migrate.analysis.domain.values import FunctionValue, Located, Scope
from nnx_migrate.analysis.effects.aliases.may_alias import Aliases, with_places
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.flax.transforms import spec
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project


def displayed(project: Project, scope: Scope, expr: ir.Expr | None) -> tuple[ir.Expr, ...] | None:
    """The elements of a tuple that is written out, here or where its only name is bound."""
    match expr:
        case ir.Sequence(elements=elements, is_tuple=True, each=False):
            starred = any(isinstance(element, ir.Starred) for element in elements)
            return None if starred else elements
        case ir.Name(id=name):
            bindings = project.bindings(scope, name)
            (bound, *others) = bindings if bindings else (None,)
            if others or not isinstance(bound, Located) or bound.scope != scope:
                return None
            return None if bound.expr == expr else displayed(project, scope, bound.expr)
        case _:
            return None


def part_given(
    finder: EffectFinder, value: FunctionValue, name: str, given: Iterable[bool], again: bool
) -> str:
    """The parameter of a function, with the places of the tuple that it is given at which the
    object is; without any, where they cannot be told apart.

    Args:
        name: of the parameter.
        given: of each place, whether the object is there.
        again: what the function returns, it is given in the next step.
    """
    there = [*given]
    places = {place for place, is_there in enumerate(there) if is_there}
    transforms = [spec(each) for each in value.transforms]
    collects = any(each.iterates for each in transforms)
    again = again or any(each.carries for each in transforms)
    while places and len(places) < len(there):
        part = with_places(name, places, len(there))
        fed = _fed(Aliases(finder, value.scope, part), collects, len(there)) if again else set()
        if fed is None:
            break
        if fed <= places:
            return part
        places |= fed
    return name


def _fed(aliases: Aliases, collects: bool, length: int) -> set[int] | None:
    """The places at which a function returns the object for the next step; None if unknown.

    Args:
        collects: it returns what is collected beside what is carried, in any order.
        length: of the tuple that is carried.
    """
    scope = aliases.scope
    function = aliases.project.function(scope)
    found: set[int] = set()
    if function.yields:
        return None
    for returned in function.returns:
        parts = displayed(aliases.project, scope, returned) if collects else (returned,)
        for part in (returned,) if parts is None else parts:
            elements = displayed(aliases.project, scope, part)
            if elements is not None and len(elements) == length:
                found.update(
                    place for place, each in enumerate(elements) if aliases.escapes(scope, each)
                )
            elif aliases.escapes(scope, part) and not aliases.is_whole(scope, part):
                return None
    return found
