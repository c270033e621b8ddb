"""Where a run has shown something else than the code says."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Instance, Scope, Values, describe, short_name
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.core.findings import Evidence, Finding, Outcome, Proof
from nnx_migrate.rewrite.claims import PlanClaim
from nnx_migrate.rewrite.model.causes import PlanCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.sources.facts.observed_facts import SeenFunction

#: What stands for a rule in the findings.
CODE = "observed-facts"


def contradictions(context: FileContext) -> Iterator[Finding]:
    """Parameters that were given an object of a class that no proof allows, or whose object was
    changed where a proof says that nothing does.

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
            if change := _unexplained(plain, scope, parameter, seen):
                yield _of_change(function, parameter, change)
            types = seen.parameters.get(parameter.name, ())
            classes = filter(None, (observed.class_of(context.project.modules, t) for t in types))
            proved = plain.evaluator.parameter(scope, parameter)
            for name in sorted(set(classes)):
                if not _allowed(plain.evaluator.hierarchy, proved, name):
                    yield _finding(function, parameter, name, proved)


def _unexplained(
    plain: FileContext, scope: Scope, parameter: ir.Parameter, seen: SeenFunction
) -> str:
    """An attribute that calls changed though no code that they run is known to; "" for none."""
    given = seen.objects.get(parameter.name)
    changes = () if given is None else given.changes
    change = next((each for each in changes if each.startswith(".")), "")
    if not change or plain.analysis.effects.of(scope, parameter.name):
        return ""
    values = plain.evaluator.parameter(scope, parameter)
    return change if values and all(isinstance(each, Instance) for each in values) else ""


def _of_change(function: ir.Function, parameter: ir.Parameter, change: str) -> Finding:
    attribute, _, what = change.rpartition(" ")
    was = str(
        PlanClaim.WAS_SEEN.about(
            name=f"{parameter.name}{attribute}", what=what, function=function.name
        )
    )
    message = (
        f"{was}, and the code says that nothing there changes it; what rests on that may be wrong:"
        " look for code that changes it from outside, or report it where there is none"
    )
    return Finding(
        CODE, function.line, 1, Outcome.MANUAL, message, (Evidence(was, Proof.OBSERVED),)
    )


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
    was = str(
        PlanClaim.WAS_OF_CLASS.about(
            name=parameter.name, function=function.name, kind=short_name(name)
        )
    )
    message = str(PlanCause.CONTRADICTED.about(seen=was, proved=describe(proved)))
    evidence = (Evidence(was, Proof.OBSERVED),)
    return Finding(CODE, function.line, 1, Outcome.MANUAL, message, evidence)
