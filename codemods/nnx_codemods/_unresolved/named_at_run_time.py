"""Functions of nnx that are named at run time: `getattr(nnx, name)(step)`."""

from __future__ import annotations

import ast

from nnx_codemods._claims import RuleClaim
from nnx_codemods._unresolved.refusal import UnresolvedCause
from nnx_migrate.analysis.domain.values import FunctionValue
from nnx_migrate.analysis.effects.causes import Cause as EffectCause
from nnx_migrate.analysis.effects.causes import PassedTo, TextExecuted
from nnx_migrate.analysis.flax.model import mode_dependent_functions
from nnx_migrate.analysis.interp.string_constants import literal_names
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Manual, Pin


def computed_transform(context: FileContext, site: Site, rule: str) -> Pin | Manual | None:
    """What is done where a transform is named by a computed text.

    Args:
        context: the file.
        site: a site of `getattr(nnx, name)`.
        rule: the rule that asks.

    Returns:
        A pin where the names in sight depend on the mode and are all in `nnx.compat`; a finding for
        a person where one of them is not, or the names are not in sight and a function of the
        project is transformed; else None.
    """
    assert isinstance(site.reference, ast.Call)
    name = site.reference.args[1]
    names = literal_names(context.evaluator, context.scope(name), lower_expr(name))
    text = ast.unparse(site.reference)
    if names is None:
        if not _is_given_function(context, site):
            return None
        evidence = Evidence(
            str(RuleClaim.NAME_UNKNOWN.about(text=text)), Proof.ASSUMED, context.where(site.node)
        )
        return Manual(rule, UnresolvedCause.COMPUTED_HIDDEN.about(text=text), (evidence,))
    known = [mode_dependent_functions().get(f"flax.nnx.{each}") for each in sorted(names)]
    dependent = [each for each in known if each is not None]
    if not dependent:
        return None
    shown = ", ".join(f"nnx.{each}" for each in sorted(names))
    told = UnresolvedCause.COMPUTED.about(text=text, names=shown)
    evidence = Evidence(str(told), Proof.PROVED, context.where(site.node))
    if len(dependent) < len(known) or not all(each.in_compat for each in dependent):
        reason = UnresolvedCause.COMPUTED_NOT_IN_COMPAT.about(text=text, names=shown)
        return Manual(rule, reason, (evidence,))
    return Pin(rule, told, (evidence,), outward=True)


def _is_given_function(context: FileContext, site: Site) -> bool:
    if isinstance(site.function, FunctionNode):
        return True
    return isinstance(site.function, ast.expr) and any(
        isinstance(value, FunctionValue) for value in context.values(site.function)
    )


def is_named_at_run_time(cause: EffectCause) -> bool:
    """Whether code that no file shows is given the object, or may reach it by its name."""
    match cause:
        case PassedTo(hidden=hidden):
            return hidden == "run time"
        case _:
            return isinstance(cause, TextExecuted)
