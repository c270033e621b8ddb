"""Places that come to functions of nnx under no name that is followed.

What has `nnx` itself, or the dictionary of it, can call any function in it. A module whose name is
computed may be nnx, and code in a text is not looked at.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from nnx_migrate.analysis.flax.names import nnx_name
from nnx_migrate.analysis.flax.transforms import AS_VALUE, CONTROL_FLOW, TRANSFORMS
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.ir.lowering.literal_lookups import IMPORTING, lookup
from nnx_migrate.analysis.ir.lowering.syntax_names import callee
from nnx_migrate.analysis.sites.tree import Tree

_NNX = "flax.nnx"
#: Functions that call nothing of a module that they are given, or are followed by themselves.
_HARMLESS = frozenset(
    {"delattr", "dir", "getattr", "hasattr", "help", "id", "isinstance", "print", "reload"}
) | {"repr", "setattr", "str", "type"}
#: Those that replace something in it, by their last names.
_REPLACING = frozenset({"object", "patch", "setattr", "delattr"})
_SHOWN = 40
_RUNNING_TEXT = frozenset({"eval", "exec"})
_CALLED = TRANSFORMS | CONTROL_FLOW


@dataclasses.dataclass(frozen=True, slots=True)
class HiddenName:
    """Such a place.

    Args:
        node: the expression.
        why: what of it is not seen.
    """

    node: ast.expr
    why: str


def hidden_names(tree: Tree) -> Iterator[HiddenName]:
    """The places of a file."""
    paths = tree.project.modules[tree.module].paths
    if any(path.endswith(f".{AS_VALUE}") for path in paths):
        nodes: list[ast.Name | ast.Attribute] = [*tree.of_kind(ast.Name)]
        nodes += tree.of_kind(ast.Attribute)
        for node in nodes:
            if isinstance(node.ctx, ast.Load) and _goes_on(tree, node):
                text = ast.unparse(tree.parents[node])
                text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
                why = f"nnx is used as a value in {text}"
                yield HiddenName(
                    node, f"{why}, so nnx-migrate cannot tell which of its functions are called"
                )
    for call in tree.of_kind(ast.Call):
        name = callee(call)
        if name in _RUNNING_TEXT:
            yield from _in_text(tree, call)
        elif name in _CALLED and isinstance(call.func, ast.Attribute):
            yield from _of_computed_module(tree, call.func)


def _goes_on(tree: Tree, node: ast.Name | ast.Attribute) -> bool:
    """Whether nnx itself is a value there, and goes somewhere that is not followed."""
    parent = tree.parents.get(node)
    match parent:
        case ast.Attribute(attr="__dict__"):
            around = tree.parents.get(parent)
            get = tree.parents.get(around) if isinstance(around, ast.Attribute) else around
            goes = not (isinstance(get, ast.expr) and lookup(get) is not None)
        case ast.Attribute(attr=name):
            goes = name == "__getattribute__"
        case ast.Call(args=[first, *_]) if first is node:
            goes = _is_passed_on(tree, parent)
        case ast.Assign(targets=[ast.Name(id=name)]):
            of_class = isinstance(tree.parents.get(parent), ast.ClassDef)
            goes = of_class or len(tree.project.bindings(tree.scope(parent), name)) > 1
        case ast.Expr() | ast.Compare() | ast.Delete():
            goes = False
        case ast.Return() | ast.Tuple() if _leaves_cell(tree, node):
            goes = False  # to the cells that have it as a parameter
        case _:
            goes = True
    return goes and tree.dotted(node) == _NNX


def _leaves_cell(tree: Tree, node: ast.expr) -> bool:
    """Whether a name is among what a cell of a notebook returns."""
    parent = tree.parents.get(node)
    around = tree.parents.get(parent) if isinstance(parent, ast.Tuple) else parent
    scope = tree.scope(node)
    return isinstance(around, ast.Return) and scope.function in tree.project.cells(scope.module)


def _is_passed_on(tree: Tree, call: ast.Call) -> bool:
    """Whether a call whose first argument is nnx may call a function of it."""
    name = callee(call)
    if name == "vars":
        around = tree.parents.get(call)
        get = tree.parents.get(around) if isinstance(around, ast.Attribute) else around
        return not (isinstance(get, ast.expr) and lookup(get) is not None)
    if lookup(call) is not None or name in _HARMLESS:
        return False
    return not (isinstance(call.func, ast.Attribute) and name in _REPLACING)


def _in_text(tree: Tree, call: ast.Call) -> Iterator[HiddenName]:
    """What `exec("nnx.jit(f)")` names, where the text is in sight."""
    match call.args:
        case [ast.Constant(value=str(text)), *_]:
            pass
        case _:
            return
    try:
        code = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(code):
        if isinstance(node, ast.Name | ast.Attribute):
            name = nnx_name(tree.project.dotted(tree.scope(call), lower_expr(node)))
            if name in _CALLED:
                yield HiddenName(
                    call,
                    f"a string names nnx.{name}, and nnx-migrate does not read code in strings",
                )
                return


def _of_computed_module(tree: Tree, func: ast.Attribute) -> Iterator[HiddenName]:
    """`import_module(name).jit`, of a module that is not in sight."""
    base: ast.expr = func.value
    if isinstance(base, ast.Name):
        assigned = tree.assigned_value(tree.scope(base), base.id)
        base = assigned[0] if assigned is not None else base
    if isinstance(base, ast.Call) and callee(base) in IMPORTING and lookup(base) is None:
        why = f"cannot tell which module {ast.unparse(base)} is; it may be nnx"
        yield HiddenName(func, why)
