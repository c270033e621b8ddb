"""Numbers and strings beside Modules: `nnx.split((model, 1))`, `nnx.state({"model": m, "n": 2})`.

What it finds
-------------
Calls of `nnx.split`, `nnx.state`, `nnx.flatten` and `nnx.graphdef` on a tuple, list or dict that
may hold plain Python values, and `nnx.merge(..., recreate_variables=False)`. Modules that keep
numbers, strings, dtypes or functions in a list or dictionary in `nnx.data(...)`, in these calls and
in transforms (`jit`, `vmap`, `scan`, `cond` and their like).

Why it matters
--------------
A number or a string in a container is a part of the graphdef in graph mode, and a leaf of the
State in tree mode: the State has more leaves, jit traces them (and raises for strings and dtypes),
and equal graphdefs are no longer told apart by them (docs/semantics.md: API-1). `merge` without
re-creating Variables gives arrays for a graphdef of graph mode, and Variables for one of tree mode
(API-3).

Before
------
    graphdef, state = nnx.split((model, depth))

After
-----
    graphdef, state = nnx.compat.split((model, depth))

When it is safe
---------------
Always: the `compat` name does in both modes what graph mode does.

What it does otherwise
----------------------
What a test has found to be an object of nnx (`if isinstance(target, nnx.Module):`) is no container
with numbers in it.

`nnx.merge` has no mode of its own; make the graphdef that it is given with `nnx.compat.split`.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast
import enum

from nnx_codemods._next_steps import NextStep
from nnx_codemods._trees.tested_objects import is_tested_object
from nnx_migrate.analysis.domain.containers import any_leaf, parts_of
from nnx_migrate.analysis.domain.values import PLAIN, Instance, Value, Values, is_unknown
from nnx_migrate.analysis.effects.never_ran import NeverRan
from nnx_migrate.analysis.flax.transforms import CONTROL_FLOW, TRACING
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision, Manual, Pin
from nnx_migrate.rewrite.model.functions import function_scopes, given_parameters
from nnx_migrate.rewrite.model.rule import Rule


@enum.unique
class LeafCause(Cause):
    """What becomes of plain values that are taken apart with an object."""

    MADE_BY_MODE = (
        "the mode that made the graphdef decides whether the attributes are arrays or Variables",
        NextStep.MAKE_IN_GRAPH_MODE,
    )
    IN_DATA = (
        (
            "a list or dictionary in nnx.data(...) holds values that are not arrays, which become "
            "leaves of the State ({place})"
        ),
        NextStep.KEEP_PLAIN_APART,
    )
    IN_IT = (
        "{text} holds plain Python values, which tree mode makes leaves of the State",
        NextStep.PASS_PLAIN_APART,
    )
    MAY_BE_IN_IT = (
        "{text} may hold plain Python values, which tree mode makes leaves of the State",
        NextStep.PASS_PLAIN_APART,
    )
    OR_ALONE = (
        (
            "{text} may be an object, or a tuple, list, or dict that holds it beside plain Python "
            "values, which tree mode makes leaves of the State"
        ),
        NextStep.OBJECT_ON_ALL_WAYS,
    )
    GIVEN = (
        (
            "in {name}, a list or dictionary in nnx.data(...) holds values that are not arrays; "
            "tree mode traces them, or raises ({place})"
        ),
        NextStep.KEEP_PLAIN_APART,
    )


def decide(context: FileContext, site: Site) -> Decision | None:
    if site.transform == "merge":
        option = site.options.get("recreate_variables")
        if option is None or (isinstance(option, ast.Constant) and option.value is True):
            return None
        return Manual(RULE.name, LeafCause.MADE_BY_MODE)
    if site.form == "reference":
        return None
    if site.spec.traces:
        return _given_plain(context, site)
    plain = _plain_in_data(context, context.values(site.operands[0]))
    if plain is not None:
        evidence = Evidence(_IN_DATA, Proof.PROVED, plain)
        return Pin(RULE.name, LeafCause.IN_DATA.about(plain), (evidence,), bare=True)
    operand = site.operands[0]
    if is_tested_object(context, operand) or not _is_plain_inside(context, operand):
        return None
    text = ast.unparse(site.operands[0])
    text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return Pin(RULE.name, _cause(context, site.operands[0]).about(text=text), bare=True)


def _cause(context: FileContext, operand: ast.expr) -> LeafCause:
    if _held(operand) is not None:
        return LeafCause.IN_IT
    alone = any(isinstance(value, Instance) for value in context.values(operand))
    return LeafCause.OR_ALONE if alone else LeafCause.MAY_BE_IN_IT


def _given_plain(context: FileContext, site: Site) -> Pin | None:
    """A transform that takes numbers and strings apart which are none of its arguments today."""
    never = NeverRan(context.project)
    for scope in function_scopes(context, site):
        for _, name, values in given_parameters(context, site, scope):
            plain = _plain_in_data(context, values)
            if plain is not None and not never.held_plain(scope, name):
                evidence = Evidence(_IN_DATA, Proof.PROVED, plain)
                return Pin(RULE.name, LeafCause.GIVEN.about(plain, name=name), (evidence,))
    return None


def _plain_in_data(context: FileContext, values: Values) -> Place | None:
    """Where `nnx.data(...)` makes leaves of plain values that may come to code of this file."""
    may_meet = context.analysis.imports.may_meet
    found = context.analysis.contents.of(values).plain
    return min((p for p in found if may_meet(context.tree.module, p.module)), default=None)


def _is_plain_inside(context: FileContext, node: ast.expr) -> bool:
    """Whether a container has plain values in it, at any depth; None is a leaf of neither mode."""
    held = _held(node)
    if held is None:
        values = context.values(node)
        found = any(map(_holds_plain, values))
        return found or (is_unknown(values) and _is_put_beside_plain(context, node))
    return any(
        _is_plain_inside(context, each) or (not _is_none(each) and context.values(each) & PLAIN)
        for each in held
    )


def _is_put_beside_plain(context: FileContext, node: ast.expr) -> bool:
    """Whether a name is bound to a container of itself and plain values: `m = [m, 1]`.

    What nests in itself without end is not known.
    """
    around = context.tree.function_around(node)
    if not isinstance(node, ast.Name) or around is None:
        return False
    for statement in ast.walk(around):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == node.id:
                again = any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value))
                beside = _held(value) or []
                if again and any(
                    context.values(each) & PLAIN for each in beside if not _is_none(each)
                ):
                    return True
    return False


def _held(operand: ast.expr) -> list[ast.expr] | None:
    if isinstance(operand, ast.Tuple | ast.List):
        return operand.elts
    if isinstance(operand, ast.Dict):
        return operand.values
    return None


def _holds_plain(value: Value) -> bool:
    return any(any_leaf(part, PLAIN.__contains__) for part in parts_of(value))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


_SHOWN = 60
_IN_DATA = "a list or dictionary in nnx.data(...) holds values that are not arrays"
_TAKING_APART = frozenset({"split", "state", "flatten", "graphdef", "merge"})
RULE = Rule(
    "plain-leaves",
    _TAKING_APART | TRACING | CONTROL_FLOW,
    decide,
    way_out="pass numbers and strings separately, or keep them in static attributes",
)
