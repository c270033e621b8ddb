"""Functions under a transform that sow on what they are given: what it is, and who calls them."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
from collections.abc import Iterator

from nnx_codemods._callers.passing_calls import Call
from nnx_codemods._callers.traced_calls import traced_calls
from nnx_codemods._sown.layers import layers_of, sows_on
from nnx_codemods._sown.options import GIVING_BACK, Output, check_options
from nnx_codemods._sown.pops.forward_calls import NotCaptured, passes_of
from nnx_migrate.analysis.domain.values import ARRAY, NOTHING, PLAIN, ClassValue, Scope, Values
from nnx_migrate.analysis.effects.causes import (
    Cause,
    KeywordAsks,
    MethodUnknown,
    PassedTo,
    UpdateAdds,
    changes_by_method,
)
from nnx_migrate.analysis.effects.summary import Effect
from nnx_migrate.analysis.flax.model import asking_keywords
from nnx_migrate.analysis.flax.transforms import GRADIENTS, of_nnx
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.functions import definition_of, given_parameters, is_captured

SOWN_UNDER = GIVING_BACK | GRADIENTS
#: Without options an argument more goes through these as the others do; under vmap with its axis 0,
#: at which the State that they give has it too.
_TAKING_MORE = of_nnx(lambda t: t.gives_back and not t.carries)
RULE_NAME = "sown-intermediates"
INTERMEDIATE = "flax.nnx.Intermediate"
#: How the facts speak of `self.sow`, which is not among the attributes of a class.
_SOWING = "attribute sow of "
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


@dataclasses.dataclass(frozen=True, slots=True)
class Sowing:
    """A transformed function that sows on its first argument and changes nothing else.

    Args:
        parameter: the name of that argument in the function.
        calls: all calls of the transformed function, as far as the file shows them.
        passes: the calls in it that sow, where these alone can be under capture.
        aux: the State is no result of its own, but auxiliary output.
        output: how it becomes one.
        plain: one transform stands around it, without options, so that an argument can be added.
        assumed: what has to be assumed for these calls to be all.
    """

    scope: Scope
    parameter: str
    sown: tuple[Sown, ...]
    calls: tuple[Call, ...]
    passes: tuple[ast.Call, ...] = ()
    aux: bool = False
    output: Output = dataclasses.field(default_factory=Output)
    plain: bool = False
    assumed: tuple[str, ...] = ()


def may_sow(project: Project) -> bool:
    """Whether the project sows, by the words in it."""
    return any(map(project.has_word, {"sow", *asking_keywords()}))


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
    return any(e.sows for p in parameters for e in context.analysis.effects.of(scope, p.name))


def sowing_of(context: FileContext, site: Site) -> Sowing:
    """What the function at a site sows, and who calls it.

    Raises:
        NotCaptured: it does more than to sow on its first argument, or has other uses.
    """
    definition = definition_of(context, site.function)
    if definition is None:
        raise NotCaptured("its function is not defined in this file")
    scope = context.tree.scope_of(definition)
    place, parameter, sown = _sown_parameter(context, site, scope)
    output = check_options(context, site, place)
    calls, assumed = traced_calls(context, site, definition)
    calls = tuple(_at(call, place) for call in calls) if place else calls
    check_runs_module(context, scope)
    aux = site.spec.differentiates or output.in_pair
    passes: tuple[ast.Call, ...] = ()
    if isinstance(definition, ast.Lambda) and aux and not site.spec.differentiates:
        raise NotCaptured("its function is a lambda")
    if aux or output.by_axes or place:
        passes = passes_of(context, definition, parameter, output.in_pair, lambdas=not aux)
    alone = len(getattr(definition, "decorator_list", ())) <= 1
    alone = alone and context.tree.class_around(definition) is None
    plain = site.transform in _TAKING_MORE and not site.options and alone
    return Sowing(scope, parameter, sown, calls, passes, aux, output, plain, assumed)


def _at(call: Call, place: int) -> Call:
    """A call that is given the object at another place than the first."""
    args = call.use.args
    if place >= len(args) or any(isinstance(arg, ast.Starred) for arg in args):
        raise NotCaptured(f"what it is given in line {call.use.lineno} is not clear")
    return dataclasses.replace(call, given=args[place])


def check_runs_module(context: FileContext, scope: Scope) -> None:
    """Nothing in a function that sows depends on the mode, but for transforms over layers.

    Raises:
        NotCaptured: something may.
    """
    transparent: frozenset[str] | None = None
    extents = context.analysis.extents
    for obstacle in extents.obstacles((scope,), OF_ARRAYS, transformed=True):
        if obstacle.startswith(_SOWING):
            continue
        transparent = _over_layers(context) if transparent is None else transparent
        if obstacle not in transparent:
            raise NotCaptured(f"it runs more than its Module: {obstacle}")


def _over_layers(context: FileContext) -> frozenset[str]:
    """The transforms of this file that layers go through with what they sow, as obstacles."""
    found = set()
    for site in context.finder.sites:
        if sows_on(context, site):
            with contextlib.suppress(NotCaptured):
                lines = {site.node.lineno, site.reference.lineno}
                lines |= {use.lineno for use in layers_of(context, site).uses}
                found |= {f"{site.written} ({Place(context.tree.module, line)})" for line in lines}
    return frozenset(found)


def _sown_parameter(
    context: FileContext, site: Site, scope: Scope
) -> tuple[int, str, tuple[Sown, ...]]:
    """The one parameter that it sows on, with all that is; nothing else happens to any of them."""
    found: dict[int, tuple[str, list[Sown]]] = {}
    others: list[tuple[int | None, Effect]] = []
    for index, name, values in given_parameters(context, site, scope):
        if index != 0 and values and values <= ARRAY | PLAIN:
            continue
        for effect in sorted(context.analysis.effects.of(scope, name), key=lambda e: e.order):
            sown = list(sown_by(context, effect))
            if sown and index is not None:
                found.setdefault(index, (name, []))[1].extend(sown)
            else:
                others.append((index, effect))
    if len(found) != 1 or not (site.spec.maps_axes or 0 in found):
        names = " and on ".join(name for name, _ in found.values()) or "others"
        raise NotCaptured(f"it sows on {names}, and not on its first argument alone")
    ((place, (parameter, sown)),) = found.items()
    for index, effect in others:
        kept = effect.kind == "escape" or _is_harmless(effect.cause)
        if index == place or index == 0 or effect.sows or not kept:
            raise NotCaptured(f"{effect.what} ({effect.where})")
    return place, parameter, tuple(sown)


def _is_harmless(cause: Cause) -> bool:
    """Whether it is sown, or an array for all that is known."""
    match cause:
        case PassedTo(called="sow"):
            return True
        case MethodUnknown(name=name):
            return name in OF_ARRAYS
        case _:
            return False


def sown_by(context: FileContext, effect: Effect) -> Iterator[Sown]:
    """What an effect sows; nothing when it is another one."""
    match effect.cause:
        case KeywordAsks(layer=layer, sows=True) if layer in _BY_LIBRARY:
            yield Sown(frozenset({ClassValue(INTERMEDIATE)}), _BY_LIBRARY[layer], effect.where)
        case UpdateAdds(types=added) if effect.sows:
            for each in sorted(added):
                yield Sown(frozenset({ClassValue(each)}), "", effect.where)
    if not changes_by_method(effect.cause, "sow"):
        return
    for scope, call in context.evaluator.callers.mentions.calls_of("sow"):
        if Place(scope.module, call.line) == effect.where:
            types = context.evaluator.values(scope, call.args[0]) if call.args else NOTHING
            wanted = call.args[1] if len(call.args) > 1 else None
            called = wanted.text if isinstance(wanted, ir.Constant) else ""
            yield Sown(types, called, effect.where)
