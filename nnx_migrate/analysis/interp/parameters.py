"""What a parameter can be: its annotation tells, or else every call that reaches the function."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Collection, Mapping, Set

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.dunder_dispatch import operands_passed
from nnx_migrate.analysis.domain.containers import holds_unknown
from nnx_migrate.analysis.domain.unknown import Unknown, unknown
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    PLAIN,
    Basic,
    ClassValue,
    FunctionValue,
    Instance,
    Located,
    Scope,
    Values,
    is_unknown,
    scope_around,
)
from nnx_migrate.analysis.interp.annotations import annotated_at, calls_tell_more
from nnx_migrate.analysis.interp.observed import observed_values
from nnx_migrate.analysis.interp.record_fields import seen_among
from nnx_migrate.analysis.interp.stores.fields import gets_object
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.parametrized_tests import passed_by_decorators
from nnx_migrate.analysis.library.return_model import ANY_OBJECT
from nnx_migrate.core.place import Place

#: Methods that are given a class without being told so.
_OF_CLASSES = frozenset({"__init_subclass__", "__class_getitem__", "__new__"})
#: Library classes that hold a Module of the user's and are seldom made more than once.
_MADE_ONCE = frozenset({"flax.nnx.ModelAndOptimizer"})
_OPTIMIZER = "flax.nnx.Optimizer"
#: What asks whether an object has something.
_ASKING = (ir.Name("getattr"), ir.Name("hasattr"), ir.Name("isinstance"))
_NOTHING_PUT: Mapping[Scope, Values] = {}


def parameter_values(evaluator: Evaluation, scope: Scope, parameter: ir.Parameter) -> Values:
    """What a parameter of the function `scope` can be."""
    function = evaluator.project.function(scope)
    own = _own_object(evaluator, scope, function, parameter)
    if own is not None:
        return own
    declared: Values = NOTHING
    if parameter.annotation is not None:
        around = scope_around(scope, function)
        declared = annotated_at(evaluator.hierarchy, around, parameter.annotation, function.line)
        declared = _with_its_model(function, parameter, declared)
        if not is_unknown(declared) and not calls_tell_more(declared):
            return declared
    unguessed = evaluator.fixpoint.unguessed
    passed = _passed(evaluator, scope, function, parameter)
    if passed and not is_unknown(passed) and (not declared or _agrees(declared, passed)):
        return passed
    observed = observed_values(evaluator, scope, parameter)
    if observed:  # not every call has run
        observed |= {v for v in passed if not (isinstance(v, Basic) and v.sort == "unknown")}
    if declared and not is_unknown(declared):
        if evaluator.fixpoint.unguessed != unguessed:
            return frozenset(
                v for v in passed if not isinstance(v, Basic)
            )  # what the calls pass is not computed yet
        if observed and not observed <= PLAIN:
            return observed
        return _all_made(evaluator, declared) or declared | _seen(evaluator, declared, passed)
    if not passed and evaluator.fixpoint.unguessed != unguessed:
        return NOTHING  # what is unknown only because it is not computed yet would stay so
    if observed:
        return observed
    found = passed or unknown(
        Unknown.NO_CALL_SHOWS, function=function.name, parameter=parameter.name
    )
    return found | _by_its_name(evaluator, scope, function, parameter)


def _with_its_model(function: ir.Function, parameter: ir.Parameter, declared: Values) -> Values:
    """What is declared, where the function tells more: only a ModelAndOptimizer has a model."""
    if not any(isinstance(v, Instance) and v.class_name == _OPTIMIZER for v in declared):
        return declared
    own = ir.Name(parameter.name)
    if ir.Attribute(own, "model") not in function.reads or parameter.name in function.bindings:
        return declared
    if any(call.func in _ASKING and call.args[:1] == (own,) for call in function.calls):
        return declared
    return frozenset(
        dataclasses.replace(value, class_name="flax.nnx.ModelAndOptimizer")
        if isinstance(value, Instance) and value.class_name == _OPTIMIZER
        else value
        for value in declared
    )


def _by_its_name(
    evaluator: Evaluation, scope: Scope, function: ir.Function, parameter: ir.Parameter
) -> Values:
    """What the constructors of most Modules are given for a parameter `rngs`: an Rngs."""
    if parameter.name != "rngs" or function.name != "__init__" or function.owner is None:
        return NOTHING
    if evaluator.hierarchy.kind(f"{scope.module}:{function.owner}") != "module":
        return NOTHING
    origin = Place(scope.module, function.line)
    return frozenset({Instance("flax.nnx.Rngs", exact=False, probable=True, origin=origin)})


def _own_object(
    evaluator: Evaluation, scope: Scope, function: ir.Function, parameter: ir.Parameter
) -> Values | None:
    if function.owner is None or not function.parameters:
        return None
    decorators = {d.id for d in function.decorators if isinstance(d, ir.Name)}
    if parameter != function.parameters[0] or "staticmethod" in decorators:
        return None
    if parameter.kind != "positional":  # `def run(*args)`: more than the object is among it
        return None
    owner = f"{scope.module}:{function.owner}"
    if function.name in _OF_CLASSES:
        below = evaluator.hierarchy.descendants(owner)
        return frozenset(map(ClassValue, (owner, *below)))
    if "classmethod" in decorators:
        return frozenset({ClassValue(owner)})
    origin = Place(scope.module, function.line)
    own = Instance(owner, exact=False, origin=origin)
    return frozenset({own}) | _passed_by_class(evaluator, function.name, owner)


def _passed_by_class(evaluator: Evaluation, name: str, owner: str) -> Values:
    """What calls of a function in a class body, and `Trainer.step(model)`, pass as its object."""
    hierarchy = evaluator.hierarchy
    if hierarchy.kind(owner) != "plain":
        return NOTHING  # whatever it is passed is taken for a Module
    classes = {owner, *hierarchy.descendants(owner)}
    names = {each.split(":")[1] for each in classes}
    found: Values = NOTHING
    for where, call in evaluator.callers.mentions.calls_of(name):
        match call:
            case ir.Call(func=ir.Attribute(base=base), args=(first, *_)):
                if not classes.isdisjoint(_classes_named(evaluator, where, base, names)):
                    found |= evaluator.values(where, first)
    return frozenset(
        value
        for value in found
        if not isinstance(value, Instance) or value.class_name not in classes
    )


def _classes_named(
    evaluator: Evaluation, where: Scope, base: ir.Expr, names: Set[str]
) -> Collection[str]:
    """The classes that an expression stands for, by a name or as that of a method's own object.

    Args:
        names: of classes that matter within a class or a module (`Outer.Inner`).
    """
    hierarchy = evaluator.hierarchy
    function = evaluator.project.function(where)
    match base:
        case ir.Name() if _is_own(function, base) and ir.Name("classmethod") in function.decorators:
            pass
        case ir.Name() | ir.ClassRef():
            named = hierarchy.class_name(where, base)
            return () if named is None else (named,)
        case ir.Call(func=ir.Name(id="type"), args=(own,)) if _is_own(function, own):
            pass
        case ir.Attribute(base=own, name="__class__") if _is_own(function, own):
            pass
        case ir.Attribute(name=name) if name in names:
            values = evaluator.values(where, base)
            return {value.class_name for value in values if isinstance(value, ClassValue)}
        case _:
            return ()
    owner = f"{where.module}:{function.owner}"
    return {owner, *hierarchy.descendants(owner)}


def _is_own(function: ir.Function, expr: ir.Expr) -> bool:
    """Whether it is the first parameter of a method."""
    first = next(iter(function.parameters), None)
    return function.owner is not None and first is not None and expr == ir.Name(first.name)


def _agrees(declared: Values, passed: Values) -> bool:
    """Whether what is passed is what the annotation says, as far as its sort goes."""
    if holds_unknown(declared):
        return not holds_unknown(passed)
    return is_unknown(declared) or all(isinstance(v, Instance) for v in passed)


def _passed(
    evaluator: Evaluation, scope: Scope, function: ir.Function, parameter: ir.Parameter
) -> Values:
    shown = tuple(passed_by_decorators(function, parameter))
    found = evaluator.all_of(scope_around(scope, function), shown) if shown else NOTHING
    found |= evaluator.callers.values_passed(scope, function, parameter)
    found |= _as_method(evaluator, scope, function, parameter)
    if parameter == function.parameters[-1]:
        for argument in operands_passed(evaluator, scope, function):
            found |= evaluator.values(argument.scope, argument.expr)
    if parameter.default is not None:
        around = scope_around(scope, function)
        if not _is_none(evaluator, around, parameter.default):
            default = evaluator.values(around, parameter.default)
            found |= default - PLAIN if found else default
    return found or _fixture(evaluator, function, parameter)


def _as_method(
    evaluator: Evaluation, scope: Scope, function: ir.Function, parameter: ir.Parameter
) -> Values:
    """The objects of classes that syntax runs a function on: `Net.__call__ = forward`."""
    if function.owner is not None or parameter != function.parameters[0]:
        return NOTHING
    put: Mapping[Scope, Values] = evaluator.fixpoint.get(
        ("put on classes",), lambda: _put_on_classes(evaluator), _NOTHING_PUT, lambda found: found
    )
    return put.get(scope, NOTHING) if parameter.kind == "positional" else NOTHING


def _put_on_classes(evaluator: Evaluation) -> Mapping[Scope, Values]:
    """Functions that become methods of syntax, each with the objects of their classes.

    A method of another name is called by it: those calls tell what they pass.
    """
    mentions = evaluator.callers.mentions
    found: dict[Scope, Values] = collections.defaultdict(frozenset)
    for name in sorted(mentions.names_written_outside()):
        if not name.startswith("__"):
            continue
        for where, write in mentions.outside_writes(name):
            if not isinstance(write.target, ir.Attribute) or write.value is None:
                continue
            origin = Place(where.module, write.line)
            objects = frozenset(
                Instance(held.class_name, exact=False, origin=origin)
                for held in evaluator.values(where, write.target.base)
                if isinstance(held, ClassValue)
            )
            if objects and gets_object(evaluator, where, write.value):
                for put in evaluator.values(where, write.value):
                    if isinstance(put, FunctionValue):
                        found[put.scope] |= objects
    return found


def _is_none(evaluator: Evaluation, scope: Scope, default: ir.Expr) -> bool:
    """Whether a default is None, or a name that is bound to nothing else."""
    if isinstance(default, ir.Name):
        bound = evaluator.project.bindings(scope, default.id)
        return bool(bound) and all(
            isinstance(each, Located) and each.expr == ir.Constant("none") for each in bound
        )
    return default == ir.Constant("none")


def _fixture(evaluator: Evaluation, function: ir.Function, parameter: ir.Parameter) -> Values:
    """What pytest passes for a parameter of a test: what the fixture of that name returns."""
    if not function.name.startswith("test") and not _is_fixture(function):
        return NOTHING
    found: Values = NOTHING
    for where in evaluator.callers.mentions.functions_named(parameter.name):
        fixture = evaluator.project.function(where)
        if _is_fixture(fixture):
            found |= evaluator.returned(where) | evaluator.all_of(where, fixture.yields)
    return found


def _is_fixture(function: ir.Function) -> bool:
    return any(ir.last_name(decorator) == "fixture" for decorator in function.decorators)


def _all_made(evaluator: Evaluation, declared: Values) -> Values:
    """For something declared as a ModelAndOptimizer: all that the project makes of them."""
    if not all(isinstance(v, Instance) and v.class_name in _MADE_ONCE for v in declared):
        return NOTHING
    found: Values = NOTHING
    for name in _MADE_ONCE:
        for where, call in evaluator.callers.mentions.calls_of(name.rpartition(".")[2]):
            if evaluator.hierarchy.class_name(where, call.func) == name:
                found |= evaluator.values(where, call)
    return found


def _seen(evaluator: Evaluation, declared: Values, passed: Values) -> Values:
    """What calls pass for what is declared as any Module: one of them may be so, and change."""
    if not ANY_OBJECT.issuperset(v.class_name for v in declared if isinstance(v, Instance)):
        return NOTHING
    return seen_among(evaluator, passed)
