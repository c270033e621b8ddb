"""Objects with shared parts that are handed to a package that is not part of the project."""

from __future__ import annotations

import ast

from nnx_codemods._unresolved.refusal import UnresolvedCause
from nnx_migrate.analysis.domain.containers import is_container
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.sites.installed_calls import ForeignCall, InstalledPackages, Reached
from nnx_migrate.analysis.sites.other_packages import package_called
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Manual


def handed_out(context: FileContext, site: Site, rule: str) -> Manual | None:
    """A report of the first object with shared parts that a call of another package is given.

    Args:
        rule: the rule that reports it.
    """
    for operand in site.operands:
        # Nor is it known what the package does: both together are no reason to ask a person.
        reason = context.analysis.sharing.of_expression(
            context.scope(operand),
            context.reaching.lowered(operand),
            operand.lineno,
            read=lower_expr(operand),
            shown=True,
        )
        if reason:
            package = package_called(context.tree, site.reference)
            called = ir.last_name(lower_expr(site.reference))
            if context.options.follow_installed:
                call = _as_called(context, site, operand)
                packages, python = (
                    InstalledPackages.around(context.analysis),
                    context.options.python,
                )
                found = packages.reached(python, call) if call else _HIDDEN
                if found is None:
                    continue
                why = _followed(package, called, found, reason)
            else:
                why = UnresolvedCause.NOT_LOOKED_AT.about(
                    package=package, called=called, reason=reason
                )
            evidence = Evidence(reason, Proof.PROVED, context.where(site.node))
            return Manual(rule, why, (evidence,))
    return None


def _followed(package: str, called: str, found: Reached, reason: str) -> Refusal:
    """What was found in an installed package, in words."""
    where = f" ({found.where})" if found.where else ""
    cause = UnresolvedCause.REACHES if found.dependent else UnresolvedCause.NOT_ALL_SEEN
    what = f"{found.what}{where}"
    return cause.about(package=package, called=called, what=what, reason=reason)


def _as_called(context: FileContext, site: Site, operand: ast.expr) -> ForeignCall | None:
    """The call without the names of the file; None where what is called has no name."""
    spelled = _spelled(context, site.reference)
    call = site.node
    if spelled is None or not isinstance(call, ast.Call):
        return None
    args = call.args[1:] if call.func is not site.reference else call.args
    in_list = any(map(is_container, context.values(operand)))

    def given(argument: ast.expr) -> str:
        if argument is operand:
            return "[model]" if in_list else "model"
        if isinstance(argument, ast.Starred):
            return "*other"
        return repr(argument.value) if isinstance(argument, ast.Constant) else "other"

    keywords = (f"{k.arg}={given(k.value)}" if k.arg else "**other" for k in call.keywords)
    return ForeignCall(*spelled, ", ".join([*map(given, args), *keywords]))


def _spelled(
    context: FileContext, func: ast.expr, seen: frozenset[ast.expr] = frozenset()
) -> tuple[str, str] | None:
    """The dotted name that is called, and of what it makes the method that is called."""
    dotted = context.tree.dotted(func)
    if dotted is not None:
        return dotted, ""
    if func in seen or not isinstance(func, ast.Attribute):
        return None
    made = func.value
    if isinstance(made, ast.Name):
        assigned = context.tree.assigned_value(context.scope(made), made.id)
        made = assigned[0] if assigned is not None else made
    inner = _spelled(context, made.func, seen | {func}) if isinstance(made, ast.Call) else None
    return None if inner is None else (inner[0], f"{inner[1]}().{func.attr}")


_HIDDEN = Reached("what is called has no name", "", False)
