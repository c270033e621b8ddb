"""Objects with shared parts that are handed to a package whose code is not looked at."""

from __future__ import annotations

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lower_expressions import lower_expr
from nnx_migrate.analysis.sites.other_packages import package_called
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Manual


def handed_out(context: FileContext, site: Site, rule: str) -> Manual | None:
    """A report of the first object with shared parts that a call of another package is given.

    Args:
        rule: the rule that reports it.
    """
    for operand in site.operands:
        reason = context.analysis.sharing.of_expression(
            context.scope(operand), context.reaching.lowered(operand), operand.lineno
        )
        if reason:
            package = package_called(context.tree, site.reference)
            called = ir.last_name(lower_expr(site.reference))
            message = (
                f"{package} is not part of the project, and its code was not looked at: where "
                f"{called} calls functions of nnx on what it is given, tree mode raises, for "
                f"{reason}; put nnx.set_graph_mode(True) around the call, unless {package} is "
                "known to work in tree mode"
            )
            evidence = Evidence(reason, Proof.PROVED, context.where(site.node))
            return Manual(rule, message, (evidence,))
    return None
