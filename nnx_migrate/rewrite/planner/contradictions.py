"""Where a run has shown something else than the code says."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Instance, Scope, Values, describe, short_name
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.core.findings import Evidence, Finding, Outcome, Proof
from nnx_migrate.rewrite.model.context import FileContext

#: What stands for a rule in the findings.
CODE = "observed-facts"


def contradictions(context: FileContext) -> Iterator[Finding]:
    """Parameters that were given an object of a class that no proof allows.

    Args:
        context: a file, with what was observed, if anything was.
    """
    plain, observed = context.unobserved, context.project.observed
    if plain is None or observed is None:
        return
    index = context.project.modules[context.tree.module]
    for function in index.functions.values():
        seen = observed.of(index, function)
        if seen is None:
            continue
        scope = Scope(index.module, function.key)
        for parameter in function.parameters:
            types = seen.parameters.get(parameter.name, ())
            classes = filter(None, (observed.class_of(context.project.modules, t) for t in types))
            proved = plain.evaluator.parameter(scope, parameter)
            for name in sorted(set(classes)):
                if not _allowed(plain.evaluator.hierarchy, proved, name):
                    yield _finding(function, parameter, name, proved)


def _allowed(hierarchy: Hierarchy, proved: Values, name: str) -> bool:
    """Whether a parameter of these values may be an object of a class, as far as is known."""
    for value in proved:
        if not isinstance(value, Instance) or value.probable:
            return True
        ancestry = hierarchy.ancestry(name)
        if value.class_name == name or not ancestry.closed:
            return True
        if not value.exact and value.class_name in ancestry.classes:
            return True
    return not proved


def _finding(function: ir.Function, parameter: ir.Parameter, name: str, proved: Values) -> Finding:
    was = f"{parameter.name} of {function.name} was {short_name(name)} in a recorded run"
    message = (
        f"{was}, and the code says that it is {describe(proved)}; what rests on that may be wrong:"
        " correct the annotation, or report it where there is none"
    )
    evidence = (Evidence(was, Proof.OBSERVED),)
    return Finding(CODE, function.line, 1, Outcome.MANUAL, message, evidence)
