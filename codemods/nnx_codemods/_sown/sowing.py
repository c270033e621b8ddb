"""Functions under a transform that sow on what they are given, and what that is."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from nnx_codemods._sown.options import GIVING_BACK
from nnx_migrate.analysis.domain.values import NOTHING, ClassValue, Values
from nnx_migrate.analysis.effects.causes import (
    KeywordAsks,
    UpdateAdds,
    VariableAdded,
    changes_by_method,
)
from nnx_migrate.analysis.effects.effect import Effect
from nnx_migrate.analysis.flax.model import asking_keywords
from nnx_migrate.analysis.flax.transforms import GRADIENTS
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.functions import definition_of, is_captured

SOWN_UNDER = GIVING_BACK | GRADIENTS
RULE_NAME = "sown-intermediates"
INTERMEDIATE = "flax.nnx.Intermediate"
#: Methods that are those of arrays where the object is not known.
OF_ARRAYS = frozenset(
    [
        "all",
        "any",
        "argmax",
        "argmin",
        "astype",
        "flatten",
        "max",
        "mean",
        "min",
        "prod",
        "ravel",
        "repeat",
        "reshape",
        "round",
        "squeeze",
        "std",
        "sum",
        "swapaxes",
        "transpose",
        "var",
    ]
)
#: What layers of the library sow when a keyword asks them to: all as Intermediate.
_BY_LIBRARY = {"MultiHeadAttention": "attention_weights"}


@dataclasses.dataclass(frozen=True, slots=True)
class Sown:
    """What is sown at a place.

    Args:
        types: what its type can be.
        name: the attribute that it becomes; empty when that is not known.
    """

    types: Values
    name: str
    where: Place


def may_sow(project: Project) -> bool:
    """Whether the project sows, or pops Variables that it adds, by the words in it."""
    return any(map(project.has_word, {"sow", "pop", *asking_keywords()}))


def sows(context: FileContext, site: Site) -> bool:
    """Whether what the function at a site sows is left on an argument."""
    if site.form not in {"decorator", "call"} or not may_sow(context.project):
        return False
    if is_captured(context, site):
        return False
    definition = definition_of(context, site.function)
    if definition is None:
        return False
    scope = context.tree.scope_of(definition)
    parameters = context.project.function(scope).parameters
    return any(e.sows for p in parameters for e in context.effects_of(scope, p.name))


def sown_by(context: FileContext, effect: Effect) -> Iterator[Sown]:
    """What an effect sows; nothing when it is another one."""
    match effect.cause:
        case KeywordAsks(layer=layer, sows=True) if layer in _BY_LIBRARY:
            yield Sown(frozenset({ClassValue(INTERMEDIATE)}), _BY_LIBRARY[layer], effect.where)
        case UpdateAdds(types=added) if effect.sows:
            for each in sorted(added):
                yield Sown(frozenset({ClassValue(each)}), "", effect.where)
        case VariableAdded(type=added):
            yield Sown(frozenset({ClassValue(added)}), "", effect.where)
    if not changes_by_method(effect.cause, "sow"):
        return
    for scope, call in context.evaluator.callers.mentions.calls_of("sow"):
        if Place(scope.module, call.line) == effect.where:
            types = context.evaluator.values(scope, call.args[0]) if call.args else NOTHING
            wanted = call.args[1] if len(call.args) > 1 else None
            called = wanted.text if isinstance(wanted, ir.Constant) else ""
            yield Sown(types, called, effect.where)
