"""Sites whose functions the files do not show, or that stand for whatever they are applied to."""

from __future__ import annotations

from nnx_codemods._claims import RuleClaim
from nnx_codemods._evidence import is_graph_node
from nnx_codemods._next_steps import NextStep
from nnx_codemods._unresolved.refusal import UnresolvedCause
from nnx_codemods._unresolved.unseen_functions import unseen_function
from nnx_migrate.analysis.flax.transforms import TRACING
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Pin
from nnx_migrate.rewrite.model.functions import function_scopes


def hidden_function(
    context: FileContext, site: Site, rule: str, permission: Permission
) -> Pin | None:
    """A pin of a site whose function the files do not show.

    Args:
        rule: that pins it.
        permission: what allows to take such a function for harmless.
    """
    if site.spec.operands and _runs_unknown(context, site):
        why = UnresolvedCause.FUNCTIONS_HIDDEN.about()
        evidence = (_functions_unknown(context, site, permission),)
        return Pin(rule, why, evidence, outward=True, ways_out=(NextStep.CALL_BY_NAME,))
    if site.form == "reference":
        return _handed_on(context, site, rule, permission)
    unseen = unseen_function(context, site) if site.transform in TRACING else None
    if unseen is None:
        return None
    text, because = unseen
    claim = str(UnresolvedCause.UNSEEN.about(reason=because))
    evidence = (Evidence(claim, Proof.ASSUMED, permission=permission),)
    why = UnresolvedCause.FUNCTION_HIDDEN.about(function=text)
    return Pin(rule, why, evidence, outward=True, ways_out=(NextStep.CALL_BY_NAME,))


def _functions_unknown(context: FileContext, site: Site, permission: Permission) -> Evidence:
    claim = str(RuleClaim.FUNCTIONS_UNKNOWN)
    return Evidence(claim, Proof.ASSUMED, context.where(site.node), permission)


def _handed_on(context: FileContext, site: Site, rule: str, permission: Permission) -> Pin | None:
    """A transform that is a value itself, in a table or a partial that is kept."""
    if site.transform not in TRACING:
        return None
    why = UnresolvedCause.HANDED_ON.about(text=site.written)
    evidence = (_functions_unknown(context, site, permission),)
    return Pin(rule, why, evidence, bare=True, ways_out=(NextStep.APPLY_BY_NAME,))


def _runs_unknown(context: FileContext, site: Site) -> bool:
    """Whether control flow is passed on as a value, or called with functions that are not seen."""
    if site.form == "reference" or not site.branches:
        return True
    return not function_scopes(context, site) and any(
        is_graph_node(context, context.values(operand)) for operand in site.operands
    )
