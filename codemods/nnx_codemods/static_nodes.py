"""Walks over all that an object holds: `nnx.iter_graph` and `nnx.recursive_map`.

What it finds
-------------
Calls of `nnx.iter_graph(obj)` and `nnx.recursive_map(f, obj)` that may look at something else than
Modules and Variables.

Why it matters
--------------
Graph mode visits static attributes too: names, sizes, flags, functions. Tree mode does not, and
silently ignores what `recursive_map` would put in their place (docs/semantics.md: API-2).
In graph mode `recursive_map` puts what its function returns into the Modules below the one that it
is given, too; tree mode leaves them as they are.

Before
------
    sizes = [value for path, value in nnx.iter_graph(model) if isinstance(value, int)]

After
-----
    sizes = [value for path, value in nnx.compat.iter_graph(model) if isinstance(value, int)]

When it is safe
---------------
Always: the `compat` name does in both modes what graph mode does.

What it does otherwise
----------------------
Where only what is an instance of a Module or Variable class is looked at, and a function of
`recursive_map` gives back what it was given, nothing changes and nothing is done. It may also make
another Module for an instance of a Module class (`nnx.LoRA(..., base_module=node)` for each
`nnx.Linear`). The rule leaves `iter_graph` over what `nnx.state` gave alone, too: that is the same
in both modes.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Sequence

from nnx_codemods._next_steps import NextStep
from nnx_migrate.analysis.domain.values import ClassValue, TupleValue, Values
from nnx_migrate.analysis.ir.lowering.syntax_names import dotted_path
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision, Pin, Same
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.model.rule import Rule


@enum.unique
class VisitCause(Cause):
    """How a walk over all that an object holds ends."""

    VISIT_HIDDEN = (
        "cannot tell what it visits, or what happens to the result",
        NextStep.VISIT_BY_CALL,
    )
    STATE = "a State has no static attributes"
    NODES_ONLY = "only Modules and Variables are used"
    VISITS_STATIC = (
        "graph mode visits static attributes too, and tree mode does not",
        NextStep.CHECK_CLASS,
    )


def decide(context: FileContext, site: Site) -> Decision | None:
    if not isinstance(site.node, ast.Call):
        return Pin(RULE.name, VisitCause.VISIT_HIDDEN, bare=True)
    if site.transform == "recursive_map":
        looks = _maps_nodes(context, definition_of(context, site.node.args[0]))
    else:
        if _is_state(context, site.operands[0]):
            return Same(RULE.name, VisitCause.STATE)
        looks = _iterates_nodes(context, site.node)
    if looks:
        return Same(RULE.name, VisitCause.NODES_ONLY)
    return Pin(RULE.name, VisitCause.VISITS_STATIC, bare=True)


def _is_state(context: FileContext, operand: ast.expr) -> bool:
    """Whether it is what `nnx.state(...)` gives, which holds each Variable once."""
    if isinstance(operand, ast.Name):
        scope = context.tree.scope(operand)
        found = context.tree.assigned_value(scope, operand.id)
        untouched = context.finder.loads(scope, operand.id) == [operand]
        operand = found[0] if found is not None and untouched else operand
    return isinstance(operand, ast.Call) and (
        context.tree.nnx_name(operand.func) in {"state", "compat.state"}
    )


def _iterates_nodes(context: FileContext, call: ast.Call) -> bool:
    parent = context.tree.parents.get(call)
    while isinstance(parent, ast.Call) and dotted_path(parent.func) in {"list", "reversed"}:
        call, parent = parent, context.tree.parents.get(parent)
    if isinstance(parent, ast.For) and parent.iter is call and not parent.orelse:
        value = _second(parent.target)
        return value is not None and _all_guarded(context, parent.body, value)
    if isinstance(parent, ast.comprehension):
        value = _second(parent.target)
        return value is not None and any(_is_guard(context, test, value) for test in parent.ifs)
    return False


def _maps_nodes(context: FileContext, function: AnyFunction | None) -> bool:
    """Whether a function changes nodes in place, if anything, and returns what it is given."""
    if function is None or isinstance(function, ast.Lambda) or len(function.args.args) != 2:
        return False
    value = function.args.args[1].arg
    *before, last = function.body
    before = [each for each in before if not _makes_module(context, each, value)]
    made = [each for each in function.body if _makes_module(context, each, value)]
    ends = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    rebound = any(
        isinstance(node, ast.Name) and node.id == value and not isinstance(node.ctx, ast.Load)
        for node in ast.walk(function)
    )
    return (
        isinstance(last, ast.Return)
        and len(ends) == 1 + len(made)
        and _is_name(last.value, value)
        and not rebound
        and _all_guarded(context, before, value)
    )


def _makes_module(context: FileContext, statement: ast.stmt, value: str) -> bool:
    """`if isinstance(value, nnx.Linear): return nnx.LoRA(...)`: another Module for a Module.

    Graph mode would write into a Variable that it is to replace; of a Module, both modes make a
    copy of what holds it, and ask for the same objects in the same order.
    """
    match statement:
        case ast.If(test=test, body=[ast.Return(value=ast.Call(func=func))], orelse=[]):
            return _is_guard(context, test, value, _MODULES) and _are_modules(
                context, context.values(func)
            )
        case _:
            return False


def _are_modules(context: FileContext, values: Values) -> bool:
    """Whether all are classes of Modules."""
    kind = context.evaluator.hierarchy.kind
    return bool(values) and all(
        isinstance(value, ClassValue) and kind(value.class_name) == "module" for value in values
    )


def _all_guarded(context: FileContext, body: Sequence[ast.stmt], value: str) -> bool:
    """Whether statements do something for instances of node classes only."""
    for statement in body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if not isinstance(statement, ast.If):
            return False
        test = statement.test
        leaves = all(isinstance(each, ast.Continue) for each in statement.body)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and leaves:
            return _is_guard(context, test.operand, value)  # nothing else comes further
        otherwise = not statement.orelse or _all_guarded(context, statement.orelse, value)
        if not (otherwise and _is_guard(context, test, value)):
            return False
    return True


def _is_guard(
    context: FileContext, test: ast.expr, value: str, kinds: frozenset[str] | None = None
) -> bool:
    """`isinstance(value, nnx.Param)`, alone or first in an `and`.

    Args:
        kinds: of the classes; those of all nodes where that does not matter.
    """
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(_is_guard(context, part, value, kinds) for part in test.values)
    return (
        isinstance(test, ast.Call)
        and isinstance(test.func, ast.Name)
        and test.func.id == "isinstance"
        and len(test.args) == 2
        and _is_name(test.args[0], value)
        and _are_node_classes(context, context.values(test.args[1]), kinds or _NODES)
    )


def _are_node_classes(context: FileContext, values: Values, kinds: frozenset[str]) -> bool:
    return bool(values) and all(
        (
            isinstance(value, ClassValue)
            and context.evaluator.hierarchy.kind(value.class_name) in kinds
        )
        or (
            isinstance(value, TupleValue)
            and all(_are_node_classes(context, element, kinds) for element in value.elements)
        )
        for value in values
    )


def _is_name(node: ast.expr | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _second(target: ast.expr) -> str | None:
    if isinstance(target, ast.Tuple) and len(target.elts) == 2:
        second = target.elts[1]
        return second.id if isinstance(second, ast.Name) else None
    return None


_MODULES = frozenset({"module"})
_NODES = frozenset({"module", "variable", "rngs", "optimizer", "metric"})
RULE = Rule(
    "static-nodes",
    frozenset({"iter_graph", "recursive_map"}),
    decide,
    way_out="read static attributes from the objects themselves",
)
