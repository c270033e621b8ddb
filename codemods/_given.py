"""What a transformed function is given: each of its parameters with the values it can have."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.facts.sites import Site
from nnx_migrate.facts.values import Scope, Values
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.functions import argument_values, parameter_at

#: Decorators that trace nothing, but give the function a copy of the object in tree mode.
SPLITTERS = frozenset({"split_rngs", "fork_rngs"})


def given_parameters(
    context: FileContext, site: Site, scope: Scope
) -> Iterator[tuple[int | None, str, Values]]:
    """Each parameter of a transformed function: its place, its name, and what it can be.

    The place is None for a parameter that is passed by keyword only, and for `**kwargs`.
    """
    parameters = context.project.function(scope).parameters
    for index in range(len(parameters)):
        name = parameter_at(context, site, scope, index)
        if name is not None:
            yield index, name, argument_values(context, site, index)
    for parameter in parameters:
        if parameter.kind in {"keyword", "double_star"}:
            yield None, parameter.name, context.evaluator.parameter(scope, parameter)
