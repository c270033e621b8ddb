"""The object that a loop returns, used beside the one that it got: `m2 = nnx.scan(f)(m)`.

What it finds
-------------
Results of `nnx.scan`, `nnx.while_loop`, and `nnx.fori_loop` bound to another name than what went
in. One of the two gets attributes, or is set to `train()` or `eval()`, while the other is still in
use; or the code compares them with `is`. Callers still use what they passed, whatever the result is
called: `model, losses = nnx.scan(step)(model, batches)`, then `model.eval()`.

Why it matters
--------------
Graph mode gives back the very object that went in. Tree mode gives back another one that holds the
same Variables: what is set on one of them later is not seen through the other (docs/semantics.md:
SCN-4).

Before
------
    trained, losses = nnx.scan(step)(model, batches)
    trained.eval()
    accuracy = evaluate(model)

After
-----
    trained, losses = nnx.compat.scan(step)(model, batches)

When it is safe
---------------
This rule rewrites nothing; it pins. To get rid of the pin, go on with one name: the object that
went in holds every update of the loop.

What it does otherwise
----------------------
Objects that are made in the function and leave it, one by return and one as an attribute say, are
not followed.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast
import collections
import enum
from collections.abc import Iterator

from nnx_codemods._evidence import is_graph_node
from nnx_migrate.analysis.domain.values import ARRAY, PLAIN
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.ir.lowering.syntax_names import dotted_path
from nnx_migrate.analysis.library.effect_model import VARIABLE_READS
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Cause, Reason
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision, Pin
from nnx_migrate.rewrite.model.rule import Rule


@enum.unique
class CarryCause(Cause):
    """Why it matters that what a loop returns is another object."""

    ANOTHER = "tree mode returns another object: {reason}"
    COMPARED = "{text} compares them"
    OTHER_USED = "{changed} is changed and {other} used"
    ONE_CHANGED = "{changed} is changed, and {outside}, which was passed, is not"


def decide(context: FileContext, site: Site) -> Decision | None:
    for use in _uses(context, site):
        given = site.operands if site.form == "operands" else use.args
        reason = _both_used(context, use, {p for each in given for p in _objects(context, each)})
        if reason:
            evidence = Evidence(str(reason), Proof.PROVED, context.where(use))
            return Pin(RULE.name, CarryCause.ANOTHER.about(reason=reason), (evidence,))
    return None


def _uses(context: FileContext, site: Site) -> Iterator[ast.Call]:
    """The calls of the result, or of what the transform decorates, in this file."""
    yield from site.uses
    if site.form == "decorator" and isinstance(site.function, FunctionNode):
        scope = context.scope(site.function)
        for name in context.finder.loads(scope, site.function.name):
            call = context.tree.parents.get(name)
            if isinstance(call, ast.Call) and call.func is name:
                yield call


def _both_used(context: FileContext, call: ast.Call, given: set[str]) -> Reason:
    statement = context.tree.statement(call)
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is not call:
        return ""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    carried = {p for target in targets for p in _carry(context, target)}
    returned = carried - given
    holder = context.tree.function_around(call) or context.tree.root
    end = statement.end_lineno or statement.lineno
    for node in _below(holder, end):
        sides = {dotted_path(side) for side in _compared(node)}
        if sides & returned and sides & given:
            return CarryCause.COMPARED.about(text=ast.unparse(node))
        changed = _changed(node)
        for these, others in ((returned, given), (given, returned)):
            if any(f"{changed}.".startswith(f"{path}.") for path in these):
                other = next((p for p in _read_after(holder, end) if p in others), "")
                if other:
                    return CarryCause.OTHER_USED.about(changed=changed, other=other)
        if any(f"{changed}.".startswith(f"{path}.") for path in carried):
            ours = sorted(given, key=changed.__ne__)
            outside = next((p for p in ours if _comes_from_outside(holder, p)), "")
            if outside:
                return CarryCause.ONE_CHANGED.about(changed=changed, outside=outside)
    return ""


def _below(holder: ast.AST, line: int) -> Iterator[ast.AST]:
    """The code that begins below a line, as `ast.walk` has it."""
    waiting = collections.deque([holder])
    while waiting:
        node = waiting.popleft()
        if getattr(node, "lineno", 0) > line:
            yield node
        children = ast.iter_child_nodes(node)
        waiting.extend(each for each in children if getattr(each, "end_lineno", line + 1) > line)


def _comes_from_outside(holder: ast.AST, path: str) -> bool:
    """Whether an object, or what it is a part of, is a function's argument or captured by it."""
    if not isinstance(holder, FunctionNode):
        return False
    name = path.partition(".")[0]
    if any(isinstance(each, ast.arg) and each.arg == name for each in ast.walk(holder.args)):
        return True
    bound: set[str] = set()
    for node in ast.walk(holder):
        match node:
            case ast.Global(names=names) | ast.Nonlocal(names=names) if name in names:
                return True
            case ast.Name(id=stored, ctx=ast.Store()):
                bound.add(stored)
    return name not in bound


def _objects(context: FileContext, node: ast.expr) -> Iterator[str]:
    """The dotted paths of the Modules and the like in an expression."""
    if isinstance(node, ast.Tuple | ast.List):
        for element in node.elts:
            yield from _objects(context, element)
    elif (path := dotted_path(node)) and is_graph_node(context, context.values(node)):
        yield path


def _carry(context: FileContext, target: ast.expr) -> Iterator[str]:
    """The dotted paths that the result is bound to, but for what was seen to be no object."""
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _carry(context, element)
    elif (path := dotted_path(target)) and not context.values(target) <= ARRAY | PLAIN:
        yield path


def _compared(node: ast.AST) -> list[ast.expr]:
    """The two sides of `a is b`, `assertIs(a, b)` and their opposites."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
        return [node.left, node.comparators[0]]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.args[:2] if node.func.attr in {"assertIs", "assertIsNot"} else []
    return []


def _changed(node: ast.AST) -> str:
    """The path of the object that gets an attribute, or another setting."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        return dotted_path(node.value) if node.attr not in VARIABLE_READS else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return dotted_path(node.func.value) if node.func.attr in _SETTERS else ""
    return ""


def _read_after(holder: ast.AST, line: int) -> Iterator[str]:
    for node in ast.walk(holder):
        if isinstance(node, ast.Name | ast.Attribute) and node.lineno > line:
            yield dotted_path(node)


_SETTERS = frozenset({"train", "eval", "set_attributes", "sow", "perturb"})
RULE = Rule(
    "returned-carry",
    of_nnx(lambda t: t.carries),
    decide,
    way_out="after the loop, use only the object that it returns",
)
