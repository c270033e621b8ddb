"""What happens out of sight to the objects of traced functions: fail closed, over code in sight."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_codemods._unresolved.refusal import UnresolvedCause
from nnx_codemods._unresolved.unseen_functions import may_be_graph_node
from nnx_migrate.analysis.domain.containers import any_leaf
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    PLAIN,
    Instance,
    Scope,
    TupleValue,
    Value,
    Values,
    union,
)
from nnx_migrate.analysis.effects.causes import reason_of
from nnx_migrate.analysis.effects.effect import Effect
from nnx_migrate.analysis.effects.in_sight import Possible
from nnx_migrate.analysis.effects.never_ran import NeverRan
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.split.copies import works_on_copy


def unknown_effects(
    context: FileContext, site: Site, scope: Scope, name: str, values: Values, collected: bool
) -> Iterator[Possible]:
    """What a function may do to a parameter that may be an object, in code that is not known.

    Args:
        scope: the function.
        name: of the parameter.
        values: what it can be.
        collected: what is sown on it is collected.
    """
    if NeverRan(context.project).changed(scope, name):
        return
    parts = _unpacked(context, scope, name, values)
    if parts:
        for part in parts:
            yield from unknown_effects(context, site, scope, *part, collected)
        return
    unknown = [e for e in context.effects_of(scope, name) if e.kind == "unknown"]
    if not unknown or not may_be_graph_node(context, values):
        return
    if works_on_copy(context, site, name, frozenset({"clone", "view"})):
        return
    flow = site.spec.operands
    if flow is not None and flow.rebinds and _holds_only_variables(context, values):
        return  # what it does to Variables is the same in both modes, all else raises
    in_sight = context.analysis.in_sight.of(context.tree.module, site.spec.is_loop)
    is_object = any_leaf(values, lambda value: _is_object(context, value))
    for effect in sorted(unknown, key=lambda e: e.order):
        found = in_sight.possible(effect, is_object)
        if found is not None and not (collected and found.by is not None and found.by.collected):
            yield found


def _unpacked(
    context: FileContext, scope: Scope, name: str, values: Values
) -> list[tuple[str, Values]]:
    """The names, with what they can be, that a function unpacks a tuple into that it is given,
    where it does nothing else with it: `x, model = carry`. What happens to one of them says
    nothing of the others."""
    definition = context.tree.functions.get(scope.function)
    if scope.module != context.tree.module or not isinstance(definition, FunctionNode):
        return []
    held = [value for value in values if isinstance(value, TupleValue)]
    uses = [n for n in ast.walk(definition) if isinstance(n, ast.Name) and n.id == name]
    statement = context.tree.parents.get(uses[0]) if len(uses) == 1 else None
    if len(held) != len(values) or not isinstance(statement, ast.Assign):
        return []
    (target, *others) = statement.targets
    if others or statement.value is not uses[0] or not isinstance(target, ast.Tuple | ast.List):
        return []
    names = [each.id for each in target.elts if isinstance(each, ast.Name)]
    if len(names) != len(target.elts) or len({*names}) != len(names):
        return []
    if any(len(value.elements) != len(names) for value in held):
        return []
    return [
        (each, union(value.elements[place] for value in held)) for place, each in enumerate(names)
    ]


def explained(
    possible: Possible, name: str, permission: Permission | None
) -> tuple[Refusal, tuple[Evidence, ...]]:
    """A reason for a pin, and what it rests on.

    Args:
        name: of the parameter.
        permission: what allows to take it for harmless, if anything does.
    """
    effect, by = possible.effect, possible.by
    why = UnresolvedCause.EFFECT.about(effect.where, name=name, what=effect.told)
    evidence = [unseen_code(effect, permission)]
    if by is not None:
        may = UnresolvedCause.MAY_BE.about(function=possible.name, does=by.told)
        evidence.append(Evidence(str(may), Proof.ASSUMED, by.where))
    return why, tuple(evidence)


def unseen_code(effect: Effect, permission: Permission | None) -> Evidence:
    """What is not known of an effect, for the evidence beside a message that tells the effect.

    Args:
        permission: what allows to take it for harmless.
    """
    reason = reason_of(effect.cause)
    claim = str(UnresolvedCause.UNSEEN.about(reason=reason)) if reason else effect.told
    return Evidence(claim, Proof.ASSUMED, effect.where, permission)


def _is_object(context: FileContext, value: Value) -> bool:
    """Whether a value is an object of nnx for sure."""
    if not isinstance(value, Instance):
        return False
    return context.evaluator.hierarchy.kind(value.class_name) not in {"plain", "state", "variable"}


def _holds_only_variables(context: FileContext, values: Values) -> bool:
    """Whether no array lies outside of a Variable in an object, for sure."""
    contents = context.analysis.contents.of(values - ARRAY - PLAIN)
    return not (contents.arrays or contents.unseen)
