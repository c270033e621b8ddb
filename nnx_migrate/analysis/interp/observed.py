"""What a parameter was seen to be, where no proof says what it is."""

from __future__ import annotations

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    GRAPHDEF,
    NOTHING,
    PLAIN,
    STATE,
    Instance,
    Scope,
    Values,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.sources import observed_facts
from nnx_migrate.sources.observed_facts import IN_FILE


def observed_values(evaluator: Evaluation, scope: Scope, parameter: ir.Parameter) -> Values:
    """What runs have passed for a parameter; NOTHING where that is not known whole.

    Args:
        scope: the function.
        parameter: it.
    """
    project = evaluator.project
    if project.observed is None:
        return NOTHING
    index = project.modules[scope.module]
    seen = project.observed.of(index, project.function(scope))
    if seen is None:
        return NOTHING
    found: Values = NOTHING
    types = seen.parameters.get(parameter.name, ())
    # As of an annotation: None stands for what is not there.
    some = [each for each in types if each != observed_facts.NONE] or types
    for each in some:
        values = _values(evaluator, each)
        if not values:
            return NOTHING
        found |= values
    return found


def _values(evaluator: Evaluation, seen: str) -> Values:
    if seen == observed_facts.ARRAY:
        return ARRAY
    if seen in {observed_facts.PLAIN, observed_facts.NONE}:
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
