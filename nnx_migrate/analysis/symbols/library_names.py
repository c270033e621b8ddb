"""What functions of libraries are called where the analysis speaks of them."""

from __future__ import annotations

import builtins

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.flax.names import nnx_name
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.higher_order import METHOD
from nnx_migrate.analysis.symbols.program import Project


def taker_name(project: Project, scope: Scope, func: ir.Expr) -> str:
    """The name of what is called in the table of what takes functions; "" for none.

    A method of an object that is not known to be something else may be any of that name.
    """
    dotted = project.dotted(scope, func)
    if dotted is not None:
        return canonical(dotted)
    match func:
        case ir.Name(id=name) if hasattr(builtins, name) and not project.bindings(scope, name):
            return f"builtins.{name}"
        case ir.Attribute(name=name):
            return f"{METHOD}{name}"
        case _:
            return ""


def canonical(dotted: str) -> str:
    """A dotted name, of nnx the public one outside of `compat`."""
    name = nnx_name(dotted)
    return dotted if name is None else f"flax.nnx.{name.removeprefix('compat.')}"
