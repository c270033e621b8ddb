"""Places that choose the mode themselves: they are decided, left alone, and reported.

Setters, calls that say `graph=` or `graph_updates=`, and the names of Flax's settings in strings
(docs/semantics.md: ENV-1 to ENV-5).
"""

from __future__ import annotations

import ast
import re

from nnx_migrate.analysis.flax.transforms import SETTERS
from nnx_migrate.core.findings import Finding, Outcome
from nnx_migrate.rewrite.model.causes import PlanCause
from nnx_migrate.rewrite.model.context import FileContext

CODE = "chosen-mode"
_SETTINGS = frozenset({"nnx_graph_mode", "nnx_graph_updates"})
_OPTIONS = frozenset({"graph", "graph_updates"})
_SAID = re.compile(r"graph(_updates)?\s*=")


def may_choose(text: str) -> bool:
    """Whether a file may choose a mode in some way; a cheap check before it is parsed."""
    lowered = text.lower()
    return "set_graph_" in lowered or "nnx_graph_" in lowered or _SAID.search(lowered) is not None


def chosen_modes(context: FileContext) -> list[Finding]:
    """One finding for each statement, or head of one, that chooses a mode in some way."""
    found: dict[tuple[ast.stmt, str], Finding] = {}
    if not may_choose(context.text.text):
        return []
    nodes: tuple[ast.Constant | ast.Call, ...] = (
        *context.tree.of_kind(ast.Constant),
        *context.tree.of_kind(ast.Call),
    )
    for node in nodes:
        way, reason = _choice(context, node)
        if way:
            start = context.text.span(node)[0]
            line = context.text.line_of(start)
            column = start - context.text.line_start(line) + 1
            finding = Finding(
                CODE, line, column, Outcome.SAME, str(PlanCause.LEFT_ALONE.about(reason=reason))
            )
            found.setdefault((context.tree.statement(node), way), finding)
    return list(found.values())


def _choice(context: FileContext, node: ast.Constant | ast.Call) -> tuple[str, str]:
    """The way in which a node chooses a mode, and what to say of it; empty when it does not."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and node.value.lower() in _SETTINGS:
            return "setting", str(PlanCause.DEFAULT_SET.about(name=node.value))
        return "", ""
    said = sorted(k.arg for k in node.keywords if k.arg in _OPTIONS)
    name = context.tree.nnx_name(node.func) if said or len(node.args) == 1 else None
    if name in SETTERS:
        return "setter", str(PlanCause.MODE_SET.about(name=name))
    if said and name is not None:
        return "option", str(PlanCause.MODE_SAID.about(name=name, said=" and ".join(said)))
    return "", ""
