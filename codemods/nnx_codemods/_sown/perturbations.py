"""Whether what a loss perturbs can become an argument: its perturbations are made and popped."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping

from nnx_codemods._callers.traced_calls import uses_of
from nnx_codemods._gradient.argnums import argnums_of
from nnx_codemods._sown.forward_call import one_call
from nnx_codemods._sown.perturbation_calls import perturbed_call
from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_codemods._sown.sowing import OF_ARRAYS, RULE_NAME
from nnx_codemods._sown.types import check_not_read
from nnx_migrate.analysis.domain.values import ARRAY, PLAIN, ClassValue, ParameterOf, Scope
from nnx_migrate.analysis.effects.causes import changes_by_method
from nnx_migrate.analysis.effects.effect import Effect
from nnx_migrate.analysis.effects.reachability import is_attribute
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.analysis.residual_sow import ResidualSowFinder
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.rewrite.model.decisions import NotRewritten
from nnx_migrate.rewrite.model.functions import definition_of, given_parameters
from nnx_migrate.rewrite.model.sown_plans import PerturbPlan
from nnx_migrate.rewrite.planner.regions import covered_by_setters
from nnx_migrate.rewrite.sown.perturb import gradient_target

PERTURBATION = "flax.nnx.Perturbation"
#: Types besides that of perturbations, by which gradients are taken; none of them holds the other.
_BESIDE = frozenset({"Param", "LoRAParam"})


@dataclasses.dataclass(frozen=True, slots=True)
class Perturbed:
    """A gradient with respect to what its Module perturbs.

    Args:
        argnums: the new option.
        names: those that held the old one.
        holders: the functions that make the perturbations and take them off again.
    """

    plan: PerturbPlan
    argnums: str
    names: tuple[str, ...]
    holders: frozenset[Scope]


@dataclasses.dataclass(frozen=True, slots=True)
class _Wanted:
    place: int
    beside: str
    argnums: str
    names: tuple[str, ...]


def may_perturb(project: Project) -> bool:
    """Whether the project takes gradients of perturbations, by the words in it."""
    return all(map(project.has_word, ("perturb", "Perturbation", "DiffState")))


@remembered
def perturbed(context: FileContext) -> Mapping[Site, Perturbed | Refusal]:
    """The gradients of a file by perturbations: what is to be done, or why it is not."""
    found: dict[Site, Perturbed | Refusal] = {}
    if not may_perturb(context.project):
        return found
    for site in context.finder.sites:
        wanted = _wanted(context, site) if site.spec.differentiates else None
        if wanted is None:
            continue
        try:
            found[site] = _perturbed(context, site, wanted)
        except NotRewritten as missing:
            found[site] = missing.refusal
    done = [each for each in found.values() if isinstance(each, Perturbed)]
    # They take off again what they perturb, whether they are rewritten in the end or not.
    collected = {context.tree.scope(m): m.id for each in done for m in _models(each)}
    for site, each in found.items():
        try:
            for model in _models(each) if isinstance(each, Perturbed) else ():
                _check_no_residual_sow(context, model, collected)
        except NotRewritten as missing:
            found[site] = missing.refusal
    return found


def _models(each: Perturbed) -> list[ast.Name]:
    """The objects that the gradients are called with."""
    given = [call.use.args[each.plan.place] for call in each.plan.calls]
    return [model for model in given if isinstance(model, ast.Name)]


def _wanted(context: FileContext, site: Site) -> _Wanted | None:
    """The Module whose perturbations are differentiated; None when there is none."""
    argnums = argnums_of(context, site, "")
    if argnums.unknown or len(argnums.targets) != 1 or argnums.targets[0].filter is None:
        return None
    (target,) = argnums.targets
    assert target.filter is not None
    try:
        (statement,) = parse(target.filter.strip()).body
    except (SyntaxError, ValueError):
        return None
    parts = _parts(context, site, statement.value) if isinstance(statement, ast.Expr) else []
    scope = context.tree.scope(site.node)
    types = [context.project.nnx_name(scope, lower_expr(part)) or "" for part in parts]
    rest = [name for name in types if name != "Perturbation"]
    if len(rest) != len(types) - 1 or len(rest) > 1 or not _BESIDE.issuperset(rest):
        return None
    place, behind = target.index, target.index + 1
    if not rest:
        return _Wanted(place, "", str(behind), argnums.names)
    first = str(place)
    if rest != ["Param"]:
        (text,) = [ast.unparse(p) for p, name in zip(parts, types, strict=True) if name in rest]
        option = site.options["argnums"]
        made = option if isinstance(option, ast.Call) else None
        if made is None:  # how DiffState is spelled here is not to be seen
            return None
        first = f"{context.text.of(made.func)}({place}, {text})"
    return _Wanted(place, rest[0], f"({first}, {behind})", argnums.names)


def _parts(context: FileContext, site: Site, chosen: ast.expr) -> list[ast.expr]:
    """The filters of which one has to hold."""
    match chosen:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return parts
        case ast.Call(func=func, args=parts, keywords=[]):
            scope = context.tree.scope(site.node)
            return parts if context.project.nnx_name(scope, lower_expr(func)) == "Any" else []
        case _:
            return [chosen]


def _perturbed(context: FileContext, site: Site, wanted: _Wanted) -> Perturbed:
    if site.decided or covered_by_setters(context, site.node):
        raise NotCaptured(SownCause.MODE_CHOSEN)
    if not context.options.runs(RULE_NAME):
        raise NotCaptured(SownCause.NOT_TO_RUN.about(rule=RULE_NAME))
    definition = definition_of(context, site.function)
    if not isinstance(definition, ast.FunctionDef | ast.Lambda):
        raise NotCaptured(SownCause.NOT_IN_FILE)
    _check_options(site, definition)
    scope = context.tree.scope_of(definition)
    uses = uses_of(context, site, definition)
    parameter, names = _perturbed_parameter(context, site, scope, wanted.place)
    for obstacle in context.analysis.extents.obstacles((scope,), OF_ARRAYS):
        if not is_attribute(obstacle, "perturb"):
            raise NotCaptured(SownCause.RUNS_MORE.about(obstacle=obstacle))
    forward = one_call(context, definition, parameter)
    place, beside, own = wanted.place, wanted.beside, frozenset(names)
    found = [
        perturbed_call(context, site, definition, place, forward, use, beside, own) for use in uses
    ]
    around = {context.tree.scope(use) for use in uses}
    reached = context.analysis.extents.reached((scope,))
    check_not_read(context, set(names), {*reached, *around}, _gradients(context, site, uses))
    plan = PerturbPlan(definition, wanted.place, forward, tuple(found), not wanted.beside)
    return Perturbed(plan, wanted.argnums, wanted.names, frozenset(around))


def _gradients(
    context: FileContext, site: Site, uses: tuple[ast.Call, ...]
) -> frozenset[tuple[Scope, str]]:
    """The names that are bound to gradients, and to nothing else: States, not Modules."""
    targets = [gradient_target(site, context.tree.statement(use)) for use in uses]
    return frozenset(
        (context.tree.scope(target), target.id)
        for target in targets
        if target is not None
        and len(context.project.bindings(context.tree.scope(target), target.id)) == 1
    )


def _check_no_residual_sow(
    context: FileContext, model: ast.Name, collected: Mapping[Scope, str]
) -> None:
    """Nothing perturbed lies on an object before the forward pass."""
    scope = context.tree.scope(model)
    finder = ResidualSowFinder(context.analysis, collected)
    (binding,) = context.project.bindings(scope, model.id)
    if isinstance(binding, ParameterOf):
        reason = finder.on(scope, model.id)
    else:
        reason = finder.on_made(binding.scope, binding.expr, model.id)
    if reason:
        raise NotCaptured(reason)


def _check_options(site: Site, definition: ast.FunctionDef | ast.Lambda) -> None:
    aux = site.options.get("has_aux")
    if not site.complete or site.options.keys() - {"argnums", "has_aux"}:
        raise NotCaptured(SownCause.GRADIENT_OPTIONS)
    if aux is not None and not (isinstance(aux, ast.Constant) and aux.value is True):
        raise NotCaptured(SownCause.AUX_NOT_WRITTEN)
    if site.form == "decorator" and len(getattr(definition, "decorator_list", ())) != 1:
        raise NotCaptured(SownCause.OTHER_DECORATORS)


def _perturbed_parameter(
    context: FileContext, site: Site, scope: Scope, place: int
) -> tuple[str, list[str]]:
    """The parameter for the Module, and the names that are perturbed; nothing else is done to it.

    No other argument is changed in any way.
    """
    parameter, names = "", list[str]()
    for index, name, values in given_parameters(context, site, scope):
        if index == place:
            parameter = name
        elif values and values <= ARRAY | PLAIN:
            continue
        for effect in sorted(context.effects_of(scope, name), key=lambda e: e.order):
            if index != place or not changes_by_method(effect.cause, "perturb"):
                if index != place and effect.kind == "escape":
                    continue
                sown = effect.sows and index == place
                cause = SownCause.SOWN_BESIDE if sown else SownCause.EFFECT
                raise NotCaptured(cause.about(effect.where, what=effect.what))
            names.append(_name_of(context, effect))
    if not names:
        raise NotCaptured(SownCause.PERTURBS_NOTHING)
    return parameter, names


def _name_of(context: FileContext, effect: Effect) -> str:
    """The name under which a value is perturbed, as a Perturbation and as nothing else."""
    mentions = context.evaluator.callers.mentions
    if mentions.is_called("Perturbation") or context.evaluator.hierarchy.descendants(PERTURBATION):
        raise NotCaptured(SownCause.OTHER_PERTURBATIONS)
    for scope, call in mentions.calls_of("perturb"):
        if Place(scope.module, call.line) != effect.where:
            continue
        types = [*call.args[2:3], *(v for k, v in call.keywords if k in {"variable_type", "**"})]
        given = {v for each in types for v in context.evaluator.values(scope, each)}
        named = call.args[0] if call.args else dict(call.keywords).get("name")
        if types and given != {ClassValue(PERTURBATION)}:
            raise NotCaptured(SownCause.NO_PERTURBATION.about(effect.where))
        if not isinstance(named, ir.Constant) or not named.text:
            raise NotCaptured(SownCause.PERTURBED_NAME.about(effect.where))
        return named.text
    raise NotCaptured(SownCause.PERTURBS_NOWHERE.about(effect.where))
