"""Objects behind a graphdef, and the project's own classes that keep a State of an object."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.domain.values import Basic, ClassValue, Scope
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.flax.transforms import KEEPERS
from nnx_migrate.analysis.interp.merge_results import graphdef_sources, merged
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext


def put_together(context: FileContext, site: Site) -> str:
    """What is held twice in the object of a graphdef; a call of it takes that apart again."""
    scope, given = context.scope(site.node), lower_expr(site.operands[0])
    if site.transform == "call":
        held = given.elements if isinstance(given, ir.Sequence) else ()
        given = held[0] if held else ir.Unpacked(given, 0)
    elif Basic("graphdef") not in context.evaluator.values(scope, given):
        return ""
    sharing = context.analysis.sharing
    sources = graphdef_sources(context.evaluator, scope, given)
    reasons = [sharing.of_expression(each.scope, each.expr) for each in sources if each is not None]
    if not reasons:
        reasons.append(sharing.of(merged(context.evaluator, scope, given)))
    return next(filter(None, reasons), "")


def is_other_class(context: FileContext, site: Site) -> bool:
    """Whether a call that looks like one of the project's own Optimizers is none.

    Of one with a constructor of its own the call of `super().__init__` in that is the site.
    """
    reference = site.reference
    if site.transform not in KEEPERS or context.tree.nnx_name(reference) is not None:
        return False
    base = f"flax.nnx.{site.transform}"
    hierarchy = context.evaluator.hierarchy
    if isinstance(reference, ast.Attribute) and reference.attr == "__init__":
        around = (n for n in context.tree.ancestors(site.node) if isinstance(n, ast.ClassDef))
        own = next(around, None)
        name = f"{context.tree.module}:{own.name}:{own.lineno}" if own is not None else ""
        if not name or base not in hierarchy.ancestry(name).classes:
            return True
        return any(isinstance(each, Scope) for each in hierarchy.super_methods(name, "__init__"))
    for value in in_order(context.values(reference)):
        if isinstance(value, ClassValue):
            constructor = hierarchy.method(value.class_name, "__init__")
            above = hierarchy.ancestry(value.class_name).classes
            return isinstance(constructor, Scope) or base not in above
    return True
