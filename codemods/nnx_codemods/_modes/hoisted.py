"""Modes that a traced function sets first of all: its callers set them, right before the call.

    @nnx.jit                              @nnx.jit
    def train_step(model, batch):         def train_step(model, batch):
        model.train()                         ...
        ...
                                          model.train()
    train_step(model, batch)              train_step(model, batch)

Between the two places nothing runs that could tell, and all calls of the function are seen. Where
the function is lowered, too (`train_step.lower(model, batch)`), it goes on setting the mode itself:
that stays in the trace, and changes no object.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from nnx_codemods._callers.lowerings import lowerings
from nnx_codemods._callers.traced_calls import uses_of
from nnx_codemods._modes.mode_reads import may_tell, runs_code
from nnx_codemods._modes.mode_setters import names_set, object_set
from nnx_codemods._modes.refusal import ModeCause, NotHoisted
from nnx_codemods._sown.exceptional_exits import check_not_caught
from nnx_codemods._sown.first_in_statement import check_first
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.hoist.before_calls import stand_before_calls
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.rewrite.model.decisions import Hoist, HoistedCall, NotRewritten
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.planner.regions import covered_by_setters
from nnx_migrate.rewrite.style.layout import docstring_of

#: They run their function on what they are given, and give back what becomes of it.
_HOISTED_FROM = of_nnx(lambda t: t.traces and (t.gives_back or t.differentiates))


@remembered
def hoisted(context: FileContext) -> Mapping[Site, Hoist | Refusal]:
    """The sites whose functions set modes first: what is to be done, or why it is not.

    A function that several transforms are given is done for the first of them.
    """
    found: dict[Site, Hoist | Refusal] = {}
    done: set[ast.FunctionDef] = set()
    for site in context.finder.sites:
        if site.transform not in _HOISTED_FROM or site.decided:
            continue
        definition = definition_of(context, site.function)
        if not isinstance(definition, ast.FunctionDef) or definition in done:
            continue
        if covered_by_setters(context, site.node):
            continue
        statements = _set_first(context, definition)
        if not statements:
            continue
        done.add(definition)
        try:
            found[site] = _plan(context, site, definition, statements)
        except NotRewritten as missing:
            found[site] = missing.refusal
    return found


def not_hoisted(context: FileContext, site: Site) -> tuple[Evidence, ...]:
    """Why the mode that a site sets first is not set before it, for the evidence of its pin."""
    found = hoisted(context).get(site)
    if not isinstance(found, Refusal):
        return ()
    return (Evidence(str(ModeCause.NOT_HOISTED.about(why=found)), Proof.PROVED),)


def _plan(
    context: FileContext,
    site: Site,
    definition: ast.FunctionDef,
    statements: Mapping[ast.stmt, ast.Name],
) -> Hoist:
    arguments = definition.args
    named = [*arguments.posonlyargs, *arguments.args]
    _check_sets_only(context, definition, statements)
    names = names_set(tuple(statements))
    calls = []
    lowered = _lowered(context, site, definition)
    for use in uses_of(context, site, definition, lowered):
        check_first(context, use)
        check_not_caught(context, use)
        given = {
            root.id: _given(context, use, [each.arg for each in named], root.id)
            for root in statements.values()
        }
        _check_unseen(context, use, names)
        calls.append(HoistedCall(use, given))
    return Hoist(statements, tuple(calls), stay=bool(lowered))


def _lowered(context: FileContext, site: Site, definition: ast.FunctionDef) -> frozenset[ast.Name]:
    """Where the function is traced alone: what it sets does not come out there."""
    if site.form != "decorator":
        return frozenset()
    return lowerings(context, context.tree.scope(definition), definition.name)


def set_at_both_places(context: FileContext, site: Site) -> Mapping[ast.stmt, ast.Name]:
    """What the function of a site sets first, and all its calls set as well."""
    plan = hoisted(context).get(site)
    done = isinstance(plan, Hoist) and plan.stay and stand_before_calls(context, plan)
    return plan.statements if isinstance(plan, Hoist) and done else {}


def _check_sets_only(
    context: FileContext, definition: ast.FunctionDef, statements: Mapping[ast.stmt, ast.Name]
) -> None:
    """The function does nothing else to the objects for which it would be kept in graph mode.

    Raises:
        NotHoisted: it does.
    """
    scope = context.tree.scope_of(definition)
    places = {context.where(statement) for statement in statements}
    for name in sorted({root.id for root in statements.values()}):
        for effect in sorted(context.effects_of(scope, name), key=lambda e: e.order):
            if effect.kind == "structure" and effect.where not in places:
                raise NotHoisted(ModeCause.EFFECT.about(effect.where, what=effect.what))


def _set_first(context: FileContext, definition: ast.FunctionDef) -> dict[ast.stmt, ast.Name]:
    """The statements that set modes of parameters before anything can tell, with these."""
    arguments = definition.args
    parameters = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    found: dict[ast.stmt, ast.Name] = {}
    before: list[ast.stmt] = []
    for statement in definition.body:
        target = object_set(context, statement)
        root = _root(target) if target is not None else None
        if root is not None and root.id in parameters:
            names = names_set((*found, statement))
            if _mentioned(before, root.id) or any(may_tell(context, b, names) for b in before):
                break
            found[statement] = root
        elif statement is not docstring_of(definition):
            before.append(statement)
            if not _is_simple(statement):
                break
    return found if len(found) < len(definition.body) else {}


def _root(target: ast.expr) -> ast.Name | None:
    """The name at which a chain of attributes begins."""
    while isinstance(target, ast.Attribute):
        target = target.value
    return target if isinstance(target, ast.Name) else None


def _mentioned(statements: list[ast.stmt], name: str) -> bool:
    """Whether code reads or binds a name, or defines what does so later."""
    return any(
        isinstance(node, ast.Name) and node.id == name and not _is_inside(statement, node)
        for statement in statements
        for node in ast.walk(statement)
    )


def _is_inside(statement: ast.stmt, node: ast.AST) -> bool:
    """Whether a node is in the body of a function, which does not run when that is defined."""
    if not isinstance(statement, ast.FunctionDef):
        return False
    return any(node is each for part in statement.body for each in ast.walk(part))


def _is_simple(statement: ast.stmt) -> bool:
    """Whether the statement behind it always runs when it does."""
    match statement:
        case ast.FunctionDef(decorator_list=[], args=ast.arguments(defaults=[], kw_defaults=[])):
            return True
        case _:
            return isinstance(statement, ast.Assign | ast.AnnAssign | ast.Pass)


def _given(context: FileContext, use: ast.Call, named: list[str], parameter: str) -> ast.expr:
    """What a call passes for a parameter: a name, or attributes of one."""
    found = [keyword.value for keyword in use.keywords if keyword.arg == parameter]
    place = named.index(parameter) if parameter in named else len(use.args)
    if any(isinstance(each, ast.Starred) for each in use.args[: place + 1]):
        raise NotHoisted(ModeCause.GIVEN_NOT_CLEAR.about(line=use.lineno))
    found += use.args[place : place + 1]
    if len(found) != 1 or _root(found[0]) is None:
        raise NotHoisted(ModeCause.NO_NAME_IN_CALL.about(line=use.lineno))
    _check_same_object(context, found[0])
    return found[0]


def _check_same_object(context: FileContext, given: ast.expr) -> None:
    """To read an object twice gives the same one.

    Raises:
        NotHoisted: a property may make another one each time.
    """
    while isinstance(given, ast.Attribute):
        values = context.values(given.value)
        if not values or any(runs_code(context, value, given.attr) for value in values):
            raise NotHoisted(ModeCause.MADE_BY_CODE.about(text=ast.unparse(given)))
        given = given.value


def _check_unseen(context: FileContext, use: ast.Call, names: frozenset[str]) -> None:
    """Nothing that is evaluated for a call can tell whether the mode is set yet.

    Raises:
        NotHoisted: something may.
    """
    for part in (*use.args, *(keyword.value for keyword in use.keywords)):
        if may_tell(context, part, names):
            raise NotHoisted(ModeCause.MAY_DEPEND.about(text=ast.unparse(part), line=use.lineno))
