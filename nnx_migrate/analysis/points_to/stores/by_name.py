"""Stores of `setattr` and in `__dict__`, under names that are texts, computed, or passed."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.binding import argument_for
from nnx_migrate.analysis.domain.values import Located, ParameterOf, Scope
from nnx_migrate.analysis.interp.stores.computed_names import items_stored
from nnx_migrate.analysis.interp.string_constants import beginning
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.containers.literals import literal_of
from nnx_migrate.analysis.points_to.queries import Kept, Objects
from nnx_migrate.analysis.points_to.stores.puts import Place, place_in, put, put_by_name, told
from nnx_migrate.analysis.points_to.stores.turns import is_in_a_loop, same_in_turns

#: Begins the place of what is stored under a name that is passed: "<=name>".
_NAMED_BY = "<="


def setter(own: ir.Name, call: ir.Call) -> Place | None:
    """Where in an object a call of `setattr` stores something."""
    found = ir.set_by_name(call)
    return None if found is None else place_in(own, found[0])


def set_by_name(objects: Objects, scope: Scope, call: ir.Call, place: Place) -> Iterator[Kept]:
    _, key, value = call.args
    held = objects.held(scope, value, call.line)
    if isinstance(key, ir.Constant) and key.text:
        yield from told(objects, (*place, key.text), held, call.line)
    elif (mapping := items_stored(objects.project, scope, key, value)) is not None:
        yield from put_by_name(objects, scope, place, mapping, call.line)
    elif isinstance(key, ir.Name) and _is_passed(objects, scope, key):
        yield from told(objects, (*place, f"{_NAMED_BY}{key.id}>"), held, call.line)
    elif names := _gone_over(objects, scope, key):
        same = same_in_turns(objects, held)
        for name in names:
            yield from told(objects, (*place, name), same, call.line)
    else:
        start = beginning(objects.evaluator, scope, key)
        more = "" if is_in_a_loop(objects, scope, call.line) else "+"
        at = f":{start}{more}" if start else ""
        yield from put(objects, scope, place, held, call.line, at)


def _is_passed(objects: Objects, scope: Scope, name: ir.Name) -> bool:
    """Whether a name is a parameter of a function, and nothing else."""
    match objects.project.bindings(scope, name.id):
        case [ParameterOf(scope=own)]:
            return own == scope
        case _:
            return False


def _gone_over(objects: Objects, scope: Scope, key: ir.Expr) -> list[str]:
    """The texts that a loop goes over, `for name in ("a", "b")`, each of which its name is once."""
    match objects.project.bindings(scope, key.id) if isinstance(key, ir.Name) else []:
        case [Located(expr=ir.Iterated(base=ir.Sequence(elements=texts)))]:
            found = [each.text for each in texts if isinstance(each, ir.Constant) and each.text]
            return found if len(found) == len(texts) else []
        case _:
            return []


def passed_name(
    objects: Objects, scope: Scope, call: ir.Call, callee: Scope, bound: bool, place: str
) -> str:
    """What a call passes for the name under which a function stores something; "" where unknown.

    Args:
        callee: the function.
        bound: whether its first parameter is an object that it is called of.
        place: where it stores that.
    """
    if not place.startswith(_NAMED_BY):
        return ""
    parameters = objects.project.function(callee).parameters
    wanted = next((p for p in parameters if p.name == place[len(_NAMED_BY) : -1]), None)
    given = None if wanted is None else argument_for(parameters, wanted, call, int(bound))
    if isinstance(given, ir.Name) and _is_passed(objects, scope, given):
        return f"{_NAMED_BY}{given.id}>"
    return "" if given is None else literal_of(objects, scope, given, call.line)


def is_method_of_attributes(method: ir.Expr) -> bool:
    """Whether it is a method of `vars(x)` or `x.__dict__`."""
    match method:
        case ir.Attribute(base=ir.Attribute(name="__dict__") | ir.Call(func=ir.Name(id="vars"))):
            return True
        case _:
            return False
