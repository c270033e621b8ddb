"""What a name stands for: a variable, a parameter, something imported, a member of a library."""

from __future__ import annotations

import builtins

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.unknown import Unknown, unknown
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    PLAIN,
    ClassValue,
    LibraryValue,
    ParameterOf,
    Scope,
    Values,
    is_unknown,
)
from nnx_migrate.analysis.flax.names import library_class, nnx_name
from nnx_migrate.analysis.interp.containers.puts import holds_container, put_under_name
from nnx_migrate.analysis.interp.observed import observed_name
from nnx_migrate.analysis.library.return_model import INITIALIZERS
from nnx_migrate.analysis.symbols.program import Binding


def named(evaluator: Evaluation, scope: Scope, name: str) -> Values:
    """What a name is bound to, by all of its assignments."""
    bindings = evaluator.project.bindings(scope, name)
    if not bindings:
        return unbound(name)
    found = _bound(evaluator, bindings)
    if holds_container(found):
        found |= put_under_name(evaluator, bindings, name)
    return (is_unknown(found) and observed_name(evaluator, scope, name)) or found


def unbound(name: str) -> Values:
    """What a name is that no file binds: one of Python's own, if it has that."""
    if hasattr(builtins, name):
        return frozenset({LibraryValue(f"builtins.{name}")})
    return unknown(Unknown.NOT_BOUND, name=name)


def imported(evaluator: Evaluation, target: str) -> Values:
    """What a dotted name stands for, in the project or in a library."""
    followed = evaluator.project.follow(target)
    if followed is None:
        return unknown(Unknown.NAME_WITH_MEANINGS, name=target)
    bindings = evaluator.project.member(followed) or []
    if bindings:
        found = _bound(evaluator, bindings)
        if holds_container(found):
            found |= put_under_name(evaluator, bindings, followed.rpartition(".")[2])
        return found
    return of_library(followed)


def _bound(evaluator: Evaluation, bindings: list[Binding]) -> Values:
    found: Values = NOTHING
    for binding in bindings:
        if isinstance(binding, ParameterOf):
            found |= evaluator.parameter(binding.scope, binding.parameter)
        else:
            found |= evaluator.values(binding.scope, binding.expr)
    # `x = None` before the real assignment says nothing about what x is when it is used.
    return found - PLAIN if len(found) > 1 else found


def of_library(dotted: str) -> Values:
    """What a dotted name that is not of the project stands for."""
    class_name = library_class(dotted)
    if class_name is not None:
        return frozenset({ClassValue(class_name)})
    name = None if dotted.startswith(INITIALIZERS) else nnx_name(dotted)
    return frozenset({LibraryValue(f"flax.nnx.{name}" if name else dotted)})
