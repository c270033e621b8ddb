"""Where code names a function: what may call it, in code that ran and in code that did not."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator

from nnx_migrate.analysis.ir.main_guard import is_main_guard
from nnx_migrate.check.branches.lines import probes
from nnx_migrate.check.callers.ways import is_caught, is_certain

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.Lambda)
# What makes a function of a function that calls it, or calls it at once.
_LIBRARIES = ("flax", "jax")
_AT_ONCE = frozenset(
    {"cond", "eval_shape", "fori_loop", "make_jaxpr", "scan", "switch", "while_loop"}
)
_BY_TEXT = frozenset({"attrgetter", "delattr", "getattr", "methodcaller", "setattr"})
_NAMESPACES = frozenset({"globals", "locals", "vars"})


@dataclasses.dataclass(frozen=True, slots=True)
class Mention:
    """A place that names a function.

    Args:
        owner: the outermost function or method around it; "" at module level; None where nothing
            is ever compared, under `if __name__ == "__main__":`.
        line: of the place.
        block: the line by which a case tells that it ran the block around it; 0 at module level.
        stays: it is called there, and nothing else could call it from there on.
        drops: what it returns is not looked at.
        certain: it is called whenever the block runs; not in a loop, or behind a `return`.
        caught: what it raises may be caught there.
    """

    owner: str | None
    line: int
    block: int
    stays: bool
    drops: bool
    certain: bool = True
    caught: bool = False


def mentions_in(tree: ast.Module, name: str, own: str) -> Iterator[Mention]:
    """The places of a file that name a function.

    Args:
        tree: the file.
        name: the last part of the function's name, or of its class where it makes an instance.
        own: qualified name of the function where it is one of this file: it may name itself.
    """
    found = [
        (owner, each)
        for owner, node in _owned(tree.body, "")
        if not own or owner != own
        for each in _named(node, name)
    ]
    if not found:
        return
    file = _File(tree)
    for owner, each in found:
        line = getattr(each, "lineno", 0)
        certain, caught = file.runs(each)
        stays, drops = file.stays(each), file.drops(each)
        yield Mention(owner, line, file.block(line), stays, drops, certain, caught)


def _owned(body: list[ast.stmt], scope: str) -> Iterator[tuple[str | None, ast.AST]]:
    """The parts of a file with the functions that they run in; annotations run nowhere."""
    for node in body:
        if isinstance(node, _FUNCTIONS):
            given = [*node.args.defaults, *node.args.kw_defaults]
            for each in [*node.decorator_list, *filter(None, given)]:
                yield "", each
            for statement in node.body:
                yield scope + node.name, statement
        elif isinstance(node, ast.ClassDef):
            for part in [*node.decorator_list, *node.bases, *node.keywords]:
                yield "", part
            yield from _owned(node.body, f"{scope}{node.name}.")
        elif not scope and is_main_guard(node):
            yield None, node
        else:
            yield "", node


def _named(node: ast.AST, name: str) -> Iterator[ast.AST]:
    """What names it below a node, in code and in texts that code looks names up by."""
    match node:
        case ast.Name() | ast.Attribute() if name in (
            getattr(node, "id", ""),
            getattr(node, "attr", ""),
        ):
            yield node
        case ast.alias() if node.asname and node.name.rpartition(".")[2] == name:
            yield node
        case ast.Call() if _last(node.func) in _BY_TEXT and _has_text(node, name):
            yield node
        case ast.Subscript() if _is_namespace(node.value) and _has_text(node.slice, name):
            yield node
        case ast.Constant(value=str(text)) if re.fullmatch(rf"[\w.]+[.:]{re.escape(name)}", text):
            yield node
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _named(child, name)


def _has_text(node: ast.AST, name: str) -> bool:
    return any(isinstance(each, ast.Constant) and each.value == name for each in ast.walk(node))


def _is_namespace(node: ast.expr) -> bool:
    called = isinstance(node, ast.Call) and _last(node.func) in _NAMESPACES
    return called or _last(node) == "__dict__"


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


class _File:
    """A file, with what is around each node.

    Args:
        tree: of the file.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._around = {
            child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
        }
        self._blocks = [
            (block[0].lineno, block[-1].end_lineno or 0, line) for block, _, line in probes(tree)
        ]
        self._libraries = {
            each.asname or each.name.partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for each in node.names
            if (getattr(node, "module", None) or each.name).partition(".")[0] in _LIBRARIES
        }

    def block(self, line: int) -> int:
        """The line of the innermost block around a line that cases take down; 0 for none."""
        around = [each for each in self._blocks if each[0] <= line <= each[1]]
        return min(around, key=lambda each: each[1] - each[0], default=(0, 0, 0))[2]

    def stays(self, node: ast.AST, seen: frozenset[ast.AST] = frozenset()) -> bool:
        """Whether a function, or what is made of it, is called where it is named, and only there.

        Args:
            node: the expression.
            seen: those that were asked about on the way here.
        """
        around = self._around.get(node)
        if node in seen or around is None:
            return False
        seen |= {node}
        if isinstance(around, ast.keyword):
            around = self._around[around]
        if isinstance(around, ast.Call):
            if around.func is node:
                return self._runs_here(around, seen)
            if self._is_of_a_library(around.func):
                at_once = _last(around.func) in _AT_ONCE
                return self._runs_here(around, seen) if at_once else self.stays(around, seen)
        if isinstance(around, ast.Assign) and len(around.targets) == 1 and around.value is node:
            target, scope = around.targets[0], self._scope(around)
            if isinstance(target, ast.Name) and isinstance(scope, _FUNCTIONS):
                return all(self.stays(each, seen) for each in _loads(scope, target.id))
        return False

    def runs(self, node: ast.AST) -> tuple[bool, bool]:
        """Whether a place is come to for certain, and whether what it raises may be caught.

        Args:
            node: the expression that names the function.
        """
        around = self._around.get(node)
        # What is made of a function is called elsewhere, if it is.
        certain, caught = isinstance(around, ast.Call) and around.func is node, False
        while around is not None and not isinstance(around, (*_FUNCTIONS, ast.ClassDef)):
            certain = certain and is_certain(around, node)
            caught = caught or is_caught(around, node)
            node, around = around, self._around.get(around)
        if around is not None:
            certain = certain and is_certain(around, node)
        return certain, caught

    def drops(self, node: ast.AST) -> bool:
        """Whether a function is called as a statement.

        Args:
            node: the expression that names it.
        """
        call = self._around.get(node)
        return isinstance(call, ast.Call) and isinstance(self._around.get(call), ast.Expr)

    def _runs_here(self, call: ast.AST, seen: frozenset[ast.AST]) -> bool:
        """Whether a call is made where it is written: not by a lambda that goes elsewhere."""
        scope = self._scope(call)
        return not isinstance(scope, ast.Lambda) or self.stays(scope, seen)

    def _scope(self, node: ast.AST) -> ast.AST | None:
        found = self._around.get(node)
        while found is not None and not isinstance(found, _SCOPES):
            found = self._around.get(found)
        return found

    def _is_of_a_library(self, function: ast.expr) -> bool:
        root: ast.AST = function
        while isinstance(root, (ast.Attribute, ast.Call)):
            root = root.value if isinstance(root, ast.Attribute) else root.func
        return isinstance(root, ast.Name) and root.id in self._libraries


def _loads(scope: ast.AST, name: str) -> list[ast.Name]:
    return [
        node
        for node in ast.walk(scope)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]
