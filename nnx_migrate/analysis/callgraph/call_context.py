"""What a call passes for the parameters that decide what its function returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.binding import arguments, hides_arguments, unbound
from nnx_migrate.analysis.domain.containers import any_leaf
from nnx_migrate.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Scope,
    Value,
    Values,
    is_unknown,
    scope_around,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.mentioned_names import names_in
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.analysis.symbols.reaching_definitions import meant_at

#: Kinds of classes of which it matters which object it is.
_OBJECTS = frozenset({"module", "metric", "optimizer"})
#: So many functions may run within one that is taken to end.
_MOST_RUN = 200
#: What a call passes, by the name of the parameter.
Passed = tuple[tuple[str, Values], ...]


def names_of_parameters(function: ir.Function) -> Mapping[str, frozenset[str]]:
    """The names of a function that hold what is made of its parameters, with these."""
    kept = {each.name: {each.name} for each in function.parameters if _takes_one(each)}
    mentioned = {name: names_in(made) for name, made in function.bindings.items()}
    changed = True
    while changed:
        changed = False
        for name, others in mentioned.items():
            found = kept.get(name, set()).union(*(kept.get(other, ()) for other in others))
            if len(found) > len(kept.get(name, ())):
                kept[name] = found
                changed = True
    return {name: frozenset(parameters) for name, parameters in kept.items()}


def sources_of(expr: ir.Expr) -> frozenset[str]:
    """The names whose values, or what calls of them give, an expression gives as a whole."""
    match expr:
        case ir.Name(id=name):
            return frozenset({name})
        case ir.Call(func=func, args=args, keywords=keywords):
            given = [*args, *(value for _, value in keywords)]
            if isinstance(func, ir.Name):
                return frozenset({func.id}).union(*map(sources_of, given))
            return frozenset[str]().union(
                *(sources_of(each) for each in given if not isinstance(each, ir.Name))
            )
        case ir.Sequence(elements=parts) | ir.Choice(options=parts):
            return frozenset[str]().union(*map(sources_of, parts))
        case ir.Attribute(base=base) | ir.Element(base=base) | ir.Unpacked(base=base):
            return sources_of(base)
        case _:
            return frozenset()


def decisive_parameters(function: ir.Function) -> frozenset[str]:
    """The parameters that a function gives back, or makes what it gives back of by a call."""
    if function.yields:
        return frozenset()
    found: set[str] = set()
    waiting = list(function.returns)
    while waiting:
        new = sources_of(waiting.pop()) - found
        found |= new
        waiting += [each for name in new for each in function.bindings.get(name, ())]
    return frozenset(each.name for each in function.parameters if _takes_one(each)) & found


def may_recur(evaluator: Evaluation, scope: Scope) -> bool:
    """Whether a function may run itself, as far as names go; so may one that runs too many others.

    What such a function makes can grow without end, and where that is cut short would depend on
    which of its calls is asked for first.
    """
    seen: set[Scope] = set()
    waiting = [scope]
    while waiting:
        for callee in _run_by(evaluator, waiting.pop()):
            if callee == scope or len(seen) > _MOST_RUN:
                return True
            if callee not in seen:
                seen.add(callee)
                waiting.append(callee)
    return False


def _run_by(evaluator: Evaluation, scope: Scope) -> Iterator[Scope]:
    """The functions that a function may run, by the names that it calls."""
    function, called = evaluator.project.function(scope), evaluator.callers.handles.called
    yield from (Scope(scope.module, key) for key in function.nested)
    for call in function.calls:
        yield from (each for each, _ in called.of(scope, call.func).functions)


def passed_by(
    evaluator: Evaluation,
    scope: Scope,
    call: ir.Call,
    callee: FunctionValue,
    decisive: frozenset[str],
) -> Passed:
    """What a call passes for those parameters, as far as it is known, defaults included.

    Nothing where it passes none of what makes a difference.
    """
    function = evaluator.project.function(callee.scope)
    told = partial(_tells_more, evaluator.hierarchy)
    passed: list[tuple[str, Values]] = []
    for parameter, argument in arguments(function, callee, call):
        if argument is not None and parameter.name in decisive:
            meant = meant_at(evaluator.project, scope, argument, call.line)
            values = evaluator.values(scope, meant)
            # Nothing is found while a circle is open: to take what others pass would stay.
            if not values or (not is_unknown(values) and any_leaf(values, told)):
                passed.append((parameter.name, values))
    if not passed or hides_arguments(call):
        return tuple(passed)
    around = scope_around(callee.scope, function)
    for parameter, argument in arguments(function, callee, call):
        left = parameter.name in decisive and parameter in unbound(function, callee)
        if argument is None and parameter.default is not None and left:
            passed.append((parameter.name, evaluator.values(around, parameter.default)))
    return tuple(passed)


def _tells_more(hierarchy: Hierarchy, value: Value) -> bool:
    """Whether it matters to what is returned which one is passed: a class, a function, a Module."""
    if isinstance(value, Instance):
        return hierarchy.kind(value.class_name) in _OBJECTS
    return isinstance(value, ClassValue | FunctionValue | LibraryValue)


def _takes_one(parameter: ir.Parameter) -> bool:
    return parameter.kind not in {"star", "double_star"}
