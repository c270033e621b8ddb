"""Perturbations become an argument: the first forward pass makes them, the loss is given them."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import names_in
from nnx_migrate.rewrite.model.causes import PoppedCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.sown_plans import PerturbedCall, PerturbPlan
from nnx_migrate.rewrite.sown.unpack import second_result
from nnx_migrate.rewrite.style.layout import line_after, removed_statement
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.text.edits import Edit


def perturb_edits(context: FileContext, site: Site, plan: PerturbPlan, nnx: str) -> list[Edit]:
    """Edits to the function, and around each of its calls.

    Raises:
        CannotEmit: the code has no place for the argument.
    """
    taken = names_in(plan.definition)
    for call in plan.calls:
        taken |= context.taken_names(call.use)
    (state,) = fresh(["perturbations"], taken, "model")
    parameters = [*plan.definition.args.posonlyargs, *plan.definition.args.args]
    if len(parameters) - len(plan.definition.args.defaults) <= plan.place:
        raise CannotEmit(PoppedCause.PARAMETER_DEFAULT)
    edits = [_behind(context, parameters[plan.place], state)]
    edits += _captured(context, plan.forward, f"{nnx}.capture", f"init={state}")
    for call in plan.calls:
        edits += second_result(context, context.tree.statement(call.first), state)
        edits += _captured(context, call.first, f"{nnx}.capture", f"{nnx}.Perturbation")
        edits.append(_behind(context, call.use.args[plan.place], state))
        if call.pop is not None:
            edits.append(removed_statement(context, call.pop))
        if not plan.alone:
            edits += _gradients(context, site, call, nnx)
    return edits


def _behind(context: FileContext, node: ast.expr | ast.arg, name: str) -> Edit:
    end = context.text.span(node)[1]
    return Edit(end, end, f", {name}")


def _captured(context: FileContext, call: ast.Call, capture: str, argument: str) -> list[Edit]:
    start, end = context.text.span(call.func)
    return [Edit(start, start, f"{capture}("), Edit(end, end, f", {argument})")]


def _gradients(context: FileContext, site: Site, call: PerturbedCall, nnx: str) -> list[Edit]:
    """Those of the perturbations come beside the others now."""
    statement = context.tree.statement(call.use)
    target = gradient_target(site, statement)
    assert target is not None  # or the call is none of the plan
    whole = isinstance(statement, ast.Assign) and statement.targets == [target]
    span = context.text.span(target)
    if call.parts is not None:
        pair = ", ".join(names_of_parts(context, call.parts))
        edits = [Edit(*span, pair if whole else f"({pair})")]
        return [*edits, removed_statement(context, call.parts)]
    taken = context.taken_names(call.use)
    (other,) = fresh(["perturbation_grads"], taken)
    pair = f"{target.id}, {other}"
    line = f"{target.id} = {nnx}.merge_state({pair})"
    return [Edit(*span, pair if whole else f"({pair})"), _after(context, statement, line)]


def gradient_target(site: Site, statement: ast.stmt) -> ast.Name | None:
    """The name that the gradients are bound to where they are taken."""
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
        return None
    target = statement.targets[0]
    if site.spec.has_value or "has_aux" in site.options:
        if not (isinstance(target, ast.Tuple) and len(target.elts) == 2):
            return None
        target = target.elts[1 if site.spec.has_value else 0]
    return target if isinstance(target, ast.Name) else None


def names_of_parts(context: FileContext, parts: ast.Assign) -> list[str]:
    """The names for the gradients of the Module and of the perturbations, in this order.

    Args:
        parts: `a, b = nnx.state(gradients, F, G)`, where one filter is that for perturbations.
    """
    (target,) = parts.targets
    assert isinstance(target, ast.Tuple)
    assert isinstance(parts.value, ast.Call)
    names = [context.text.of(name) for name in target.elts]
    first = parts.value.args[1]
    return names[::-1] if context.tree.nnx_name(first) == "Perturbation" else names


def _after(context: FileContext, statement: ast.stmt, line: str) -> Edit:
    """A line of its own behind a statement."""
    assert statement.end_lineno is not None
    place = line_after(context, statement.end_lineno)
    behind = context.text.text[context.text.span(statement)[1] : place].strip()
    if behind and not behind.startswith("#"):
        raise CannotEmit(PoppedCause.CODE_BEHIND_GRADIENTS)
    indent = context.text.indent_of_line(statement.lineno)
    if not context.text.text[:place].endswith(("\r", "\n")):  # the last line of the file
        return Edit(place, place, f"{context.newline}{indent}{line}")
    return Edit(place, place, f"{indent}{line}{context.newline}")
