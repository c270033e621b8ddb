"""What a parameter was seen to be, where no proof says what it is."""

from __future__ import annotations

from collections.abc import Sequence

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    GRAPHDEF,
    NOTHING,
    PLAIN,
    STATE,
    ContainerValue,
    FunctionValue,
    Instance,
    Scope,
    Values,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.sources.facts import observed_facts
from nnx_migrate.sources.facts.observed_facts import BOUND, FUNCTION, IN_CONTAINER, IN_FILE

_PLAIN = frozenset(
    {
        observed_facts.PLAIN,
        observed_facts.NONE,
        observed_facts.ON,
        observed_facts.OFF,
        observed_facts.DEFAULT,
    }
)


def observed_values(evaluator: Evaluation, scope: Scope, parameter: ir.Parameter) -> Values:
    """What runs have passed for a parameter; NOTHING where that is not known whole.

    Args:
        scope: the function.
        parameter: it.
    """
    project = evaluator.project
    if project.observed is None or parameter.kind == "double_star":
        return NOTHING
    index = project.modules[scope.module]
    seen = project.observed.of(index, project.function(scope))
    if seen is None:
        return NOTHING
    return _given(evaluator, seen.parameters.get(parameter.name, ()))


def observed_name(evaluator: Evaluation, scope: Scope, name: str) -> Values:
    """What a name of a function around was when calls began; NOTHING where that is not known whole.

    Args:
        scope: the function that reads it.
        name: it.
    """
    project = evaluator.project
    if project.observed is None or scope.function == ir.MODULE_SCOPE:
        return NOTHING
    seen = project.observed.of(project.modules[scope.module], project.function(scope))
    types = () if seen is None else seen.closed_over.get(name, ())
    return _given(evaluator, types)


def _given(evaluator: Evaluation, types: Sequence[str]) -> Values:
    # As of an annotation: None stands for what is not there.
    some = [each for each in types if each != observed_facts.NONE] or types
    return _all_values(evaluator, some)


def _all_values(evaluator: Evaluation, types: Sequence[str]) -> Values:
    """Of all of the types; NOTHING where one of them is not known."""
    held = [each.removeprefix(IN_CONTAINER) for each in types if each.startswith(IN_CONTAINER)]
    found: Values = NOTHING
    if held:
        element = _all_values(evaluator, held)
        if not element:
            return NOTHING
        found = frozenset({ContainerValue(element)})
    for each in types:
        if each.startswith(IN_CONTAINER):
            continue
        values = _values(evaluator, each)
        if not values:
            return NOTHING
        found |= values
    return found


def _function(evaluator: Evaluation, path: str, *, bound: bool) -> Values:
    project = evaluator.project
    assert project.observed is not None
    found = project.observed.function_of(project.modules, path)
    if found is None:
        return NOTHING
    module, key = found
    return frozenset({FunctionValue(Scope(module, key), key, bound=bound)})


def _values(evaluator: Evaluation, seen: str) -> Values:
    for suffix in (FUNCTION, BOUND):
        if seen.endswith(suffix):
            return _function(evaluator, seen.removesuffix(suffix), bound=suffix == BOUND)
    if seen == observed_facts.ARRAY:
        return ARRAY
    if seen in _PLAIN:
        return PLAIN
    project = evaluator.project
    assert project.observed is not None
    name = project.observed.class_of(project.modules, seen) if IN_FILE in seen else seen
    kind = None if name is None else evaluator.hierarchy.kind(name)
    if name is None or kind in {None, "plain"}:
        return NOTHING
    if kind == "state":
        return GRAPHDEF if name.endswith(".GraphDef") else STATE
    return frozenset({Instance(name, exact=False)})
