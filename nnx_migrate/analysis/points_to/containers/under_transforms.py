"""What functions under transforms give: in graph mode, the very objects that they were given."""

from __future__ import annotations

from nnx_migrate.analysis.callgraph.transformed import auxiliary
from nnx_migrate.analysis.domain.containers import any_leaf
from nnx_migrate.analysis.domain.values import STATE, FunctionValue, Instance, Located, Scope, Value
from nnx_migrate.analysis.flax.transforms import spec
from nnx_migrate.analysis.heap.held_objects import holds_objects
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import gives_own_result
from nnx_migrate.analysis.points_to.abstract_objects import NOTHING, Held, together
from nnx_migrate.analysis.points_to.containers.elements import at_index
from nnx_migrate.analysis.points_to.queries import Objects

#: A function that gives objects of more classes than that is one that passes on anything.
_MOST_CLASSES = 4


def may_give_objects(
    objects: Objects, scope: Scope, call: ir.Call, *, anything: bool = True
) -> bool:
    """Whether what a call gives holds objects of nnx, as far as that is known.

    Args:
        anything: so it does where it may be any of many classes. Where it may not, a State counts,
            too.
    """
    evaluator = objects.evaluator
    found: set[str] = set()

    def is_object(value: Value) -> bool:
        if (anything or {value} != STATE) and not holds_objects(evaluator, value):
            return False
        found.add(value.class_name if isinstance(value, Instance) else "")
        return anything  # one is enough

    return any_leaf(evaluator.values(scope, call), is_object) or 0 < len(found) <= _MOST_CLASSES


def is_followed(objects: Objects, function: FunctionValue, scope: Scope, call: ir.Call) -> bool:
    """Whether it is known how the transforms around a function give what it returns.

    What is given in steps or rows is seldom an object, and dear to follow. JAX itself gives copies.
    """
    if _goes_round(objects, scope, call):
        return False
    around = [spec(name) for name in function.transforms]
    if any(each.carries or each.maps_axes or each.of_jax or not each.traces for each in around):
        return False
    given = [spec(name).result for name in function.transforms if not gives_own_result(name)]
    if not given:
        return True
    beside = auxiliary(objects.project.function(function.scope))
    return len(given) == 1 and given[0] in {"gradient", "value and gradient"} and bool(beside)


def _goes_round(objects: Objects, scope: Scope, call: ir.Call) -> bool:
    """Whether what a call gives is passed to it again, under the same names: `m, y = step(m, x)`.

    These names have known objects, and the call gives no others.
    """
    names = (each.id for each in call.args if isinstance(each, ir.Name))
    bindings = (each for name in names for each in objects.project.bindings(scope, name))
    bound = (each.expr for each in bindings if isinstance(each, Located))
    return any(
        each.base == call if isinstance(each, ir.Unpacked) else each == call for each in bound
    )


def given_through(function: FunctionValue, held: Held, here: Located) -> Held:
    """What transforms give of what the function that they are around returns.

    Args:
        function: one that `is_followed`.
        here: the call of it.
    """
    for name in function.transforms:
        match spec(name).result:
            case "gradient":
                held = together([("0", NOTHING), ("1", at_index(held, 1, here))])
            case "value and gradient":
                held = together([("0", held), ("1", NOTHING)])
    return held
