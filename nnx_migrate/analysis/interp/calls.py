"""What a call gives, and what syntax gives that is recorded as a call."""

from __future__ import annotations

from functools import partial

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.dunder_dispatch import arithmetic_values
from nnx_migrate.analysis.callgraph.lattice import limited, unsettled
from nnx_migrate.analysis.callgraph.transformed import result, transformed
from nnx_migrate.analysis.domain.containers import is_container
from nnx_migrate.analysis.domain.unknown import Unknown, unknown
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    NOTHING,
    PLAIN,
    Basic,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    LibraryValue,
    ParameterOf,
    Scope,
    TupleValue,
    Value,
    Values,
    is_unknown,
    short_name,
    union,
)
from nnx_migrate.analysis.flax.names import layer_of, nnx_name
from nnx_migrate.analysis.flax.transforms import SETTERS, spec
from nnx_migrate.analysis.interp.annotations import annotated_at
from nnx_migrate.analysis.interp.library_calls import called_library, given_by
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import elements_of
from nnx_migrate.analysis.symbols.higher_order import TAKERS, implied_calls
from nnx_migrate.analysis.symbols.library_names import taker_name
from nnx_migrate.analysis.symbols.reaching_definitions import meant_at
from nnx_migrate.core.place import Place

#: Classes whose objects are called on a function.
_SETTERS = frozenset(f"flax.nnx.{name}" for name in SETTERS)
#: Kinds of classes of which an object may depend on the mode.
_OBJECTS = frozenset({"module", "metric", "variable", "rngs", "optimizer"})
#: Functions that give one which gives an element of what it is called on.
GETTING = frozenset({"itemgetter"})


def call_values(evaluator: Evaluation, scope: Scope, call: ir.Call) -> Values:
    """What `call` can give."""
    if call.func == ir.ANNOTATED:
        held = evaluator.values(scope, call.args[1]) if len(call.args) > 1 else NOTHING
        if held and not is_unknown(held):
            return held
        return annotated_at(evaluator.hierarchy, scope, call.args[0], call.line)
    if call.func == ir.SLICED:
        return union(_slice(evaluator, v) for v in evaluator.values(scope, call.args[0]))
    if call.func == ir.OPERATED:
        if not evaluator.project.arithmetic:
            return ARRAY
        operands = [evaluator.values(scope, arg) for arg in call.args]
        return arithmetic_values(evaluator, operands) or ARRAY
    if call.func == ir.ENTERED:
        return union(_entered(evaluator, v) for v in evaluator.values(scope, call.args[0]))
    if isinstance(call.func, ir.Call) and ir.last_name(call.func.func) in GETTING:
        return _got(evaluator, scope, call)
    func = meant_at(evaluator.project, scope, call.func, call.line)
    found = union(_called(evaluator, scope, call, v) for v in evaluator.values(scope, func))
    return found | _probably(evaluator, scope, call) if found and is_unknown(found) else found


def _probably(evaluator: Evaluation, scope: Scope, call: ir.Call) -> Values:
    """What `Model.from_config(...)` gives in most programs, where what it returns is not known."""
    func = call.func
    if not isinstance(func, ir.Attribute):
        return NOTHING
    return frozenset(
        Instance(
            value.class_name, exact=False, probable=True, origin=Place(scope.module, call.line)
        )
        for value in evaluator.values(scope, func.base)
        if isinstance(value, ClassValue) and _makes_own(evaluator, value.class_name, func.name)
    )


def _makes_own(evaluator: Evaluation, class_name: str, name: str) -> bool:
    """Whether a method called on a class of the project looks like one that makes its objects."""
    hierarchy = evaluator.hierarchy
    if evaluator.project.class_of(class_name) is None or hierarchy.kind(class_name) not in _OBJECTS:
        return False
    method = hierarchy.method(class_name, name)
    if not isinstance(method, Scope):  # of a base class that is not in sight
        return name.startswith("from_") and not hierarchy.ancestry(class_name).closed
    function = evaluator.project.function(method)
    return (
        ir.Name("classmethod") in function.decorators
        and _says_own(function.return_annotation)
        and not function.yields
    )


def _says_own(annotation: ir.Expr | None) -> bool:
    return annotation is None or ir.last_name(annotation) == "Self"


def _slice(evaluator: Evaluation, value: Value) -> Values:
    match value:
        case TupleValue(elements=elements):
            return frozenset({ContainerValue(union(elements))})
        case ContainerValue() | Basic():
            return frozenset({value})
        case Instance(class_name=name) if evaluator.hierarchy.kind(name) == "variable":
            return ARRAY
        case Instance(wraps=wraps) if wraps:
            return frozenset({ContainerValue(wraps)})
        case _:
            return unknown(Unknown.SLICE)


def _entered(evaluator: Evaluation, value: Value) -> Values:
    """What `with value as name` binds."""
    match value:
        case ContainerValue(element=element):  # what a generator function yields
            return element
        case Basic():
            return frozenset({value})
        case Instance(class_name=name):
            method = evaluator.hierarchy.method(name, "__enter__")
            if isinstance(method, Scope):
                return evaluator.returned(method)
    return unknown(Unknown.WITH_STATEMENT)


def _called(evaluator: Evaluation, scope: Scope, call: ir.Call, callee: Value) -> Values:
    match callee:
        case ClassValue(class_name=class_name):
            return _constructed(evaluator, scope, call, class_name)
        case FunctionValue():
            return result(evaluator, callee, lambda: evaluator.returned_to(scope, call, callee))
        case LibraryValue(dotted=dotted):
            known = spec(nnx_name(dotted) or dotted)
            if len(call.args) > 1 and known.operands is not None and not known.is_loop:
                return _chosen(evaluator, scope, call)
            return called_library(evaluator, scope, call, dotted)
        case Instance(class_name=name) if name in _SETTERS:
            return transformed(evaluator, scope, call, name)  # nnx.set_graph_mode(True)(f)
        case Instance():
            return _called_instance(evaluator, callee)
        case Basic(sort="unknown"):
            return _called_unknown(evaluator, scope, call) | {callee}
        case Basic() | ContainerValue():
            return frozenset({callee})
        case _:
            return unknown(Unknown.UNEXPECTED_CALL)


def _called_unknown(evaluator: Evaluation, scope: Scope, call: ir.Call) -> Values:
    """What a method of something unknown gives if it is what its name says: `pool.submit(f)`."""
    taker = TAKERS.get(taker_name(evaluator.project, scope, call.func))
    if taker is None or not taker.gives:
        return NOTHING
    functions = (each.func for each in implied_calls(call, taker))
    held = evaluator.all_of(scope, tuple(functions))
    if not any(isinstance(v, FunctionValue | ClassValue) for v in held):
        return NOTHING
    return given_by(evaluator, scope, call, taker)


def _got(evaluator: Evaluation, scope: Scope, call: ir.Call) -> Values:
    """What `itemgetter(name)(x)` gives."""
    return evaluator.all_of(scope, tuple(ir.Element(each) for each in call.args))


def _constructed(evaluator: Evaluation, scope: Scope, call: ir.Call, class_name: str) -> Values:
    keywords = frozenset(name or "**" for name, _ in call.keywords)
    origin = Place(scope.module, call.line)
    wraps: Values = NOTHING
    short = class_name.rpartition(".")[2]
    layer = layer_of(class_name)
    if short in {"ModelAndOptimizer", "Optimizer"} and layer is not None and call.args:
        wraps = evaluator.values(scope, call.args[0])
        if not wraps:
            return NOTHING  # its model is still being looked for, in a circle: not unknown
    elif layer is not None and "argument" in layer.attributes.values():
        given = [*call.args, *(value for name, value in call.keywords if name != "rngs")]
        parts = [evaluator.values(scope, argument) for argument in given]
        held = union(
            elements_of(v) if is_container(v) else frozenset({v}) for p in parts for v in p
        )
        wraps = held - PLAIN
        # Two on one line (`nnx.List([nnx.List([a])])`) have one origin, and are two.
        if not any(_calls(argument, call.func) for argument in given):
            wraps = _outside_itself(wraps, class_name, origin)
    exact = not _is_own_class(evaluator, scope, call.func)
    return frozenset({Instance(class_name, keywords, exact, wraps, origin=origin)})


def _calls(expr: ir.Expr, func: ir.Expr) -> bool:
    return any(isinstance(part, ir.Call) and part.func == func for part in ir.parts_of(expr))


def _outside_itself(held: Values, class_name: str, origin: Place) -> Values:
    """What is held where `m = nnx.Sequential(m)` seems to hold what it makes itself: the rest."""

    def is_itself(value: Value) -> bool:
        made = isinstance(value, Instance) and value.class_name == class_name
        return made and isinstance(value, Instance) and value.origin == origin

    inner = union(v.wraps for v in held if isinstance(v, Instance) and is_itself(v))
    return frozenset(v for v in held | inner if not is_itself(v))


def _is_own_class(evaluator: Evaluation, scope: Scope, func: ir.Expr) -> bool:
    """Whether it is the class that a classmethod is called on, which may be one below."""
    project = evaluator.project
    bindings = project.bindings(scope, func.id) if isinstance(func, ir.Name) else []
    return any(
        isinstance(each, ParameterOf)
        and (function := project.function(each.scope)).owner is not None
        and each.parameter == function.parameters[0]
        for each in bindings
    )


def _called_instance(evaluator: Evaluation, instance: Instance) -> Values:
    # Of what may be any Module these are all that the project has: they are gone through once.
    return evaluator.fixpoint.get(
        ("called", instance.class_name, instance.exact),
        lambda: limited(_given_by_instance(evaluator, instance)),
        NOTHING,
        unsettled,
    )


def _given_by_instance(evaluator: Evaluation, instance: Instance) -> Values:
    found: Values = NOTHING
    for name in evaluator.hierarchy.classes_of(instance):
        method = evaluator.hierarchy.method(name, "__call__")
        if isinstance(method, Scope):
            found |= evaluator.returned(method)
        elif method is None and not evaluator.hierarchy.ancestry(name).closed:
            found |= unknown(Unknown.RESULT_OF_CALLING, name=short_name(name))
    return found or ARRAY


def _chosen(evaluator: Evaluation, scope: Scope, call: ir.Call) -> Values:
    """What a branch gives, whichever is run."""
    branches = call.args[1:3]
    if isinstance(call.args[1], ir.Sequence):
        branches = call.args[1].elements
    found: Values = NOTHING
    for value in evaluator.all_of(scope, branches):
        match value:
            case FunctionValue():
                found |= result(evaluator, value, partial(evaluator.returned, value.scope))
            case Instance():
                found |= _called_instance(evaluator, value)
            case _:
                found |= unknown(Unknown.BRANCH)
    return found
