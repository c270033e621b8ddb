"""Makes each way out of a function, and each stop of it, tell what it gives away."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from nnx_migrate.observe.functions import Definition, own_nodes

# No two underscores in front: they would be mangled in a class.
LOOK = "_nnx_migrate_look"
LEFT, GIVES, GOES_ON = "_nnx_migrate_left", "_nnx_migrate_gives", "_nnx_migrate_goes_on"
HANDS_OVER, WAITS = "_nnx_migrate_hands_over", "_nnx_migrate_waits"
_LOAD = ast.Load()
_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_Place = dict[str, int]
_Block = ast.With | ast.AsyncWith | ast.Try | ast.TryStar


def tell_ends(node: Definition) -> None:
    """Makes a function tell whenever it ends or stops.

    Args:
        node: it is changed; what begins the look is put in front of all this later.
    """
    own = list(own_nodes(node.body))
    runs_on = any(map(_returns_from_within, own))
    is_generator = any(isinstance(each, ast.Yield) for each in own)
    ends = _Ends(gives_nothing=isinstance(node, ast.AsyncFunctionDef) and is_generator)
    node.body[:] = ends.all_of(node.body)
    at = place_of(node.body[-1])
    at["lineno"] = at["end_lineno"]
    if not isinstance(node.body[-1], ast.Return | ast.Raise):
        node.body.append(_told(LEFT, at))
    if runs_on:
        first = 1 if ast.get_docstring(node, clean=False) is not None else 0
        finally_told = ast.Try(node.body[first:], [], [], [_told(LEFT, at)], **at)
        node.body[first:] = [finally_told]


def _returns_from_within(node: ast.AST) -> bool:
    """Whether code of a block runs between a return in it and the end of the call."""
    if not isinstance(node, _Block) or (
        isinstance(node, ast.Try | ast.TryStar) and not node.finalbody
    ):
        return False
    return any(isinstance(each, ast.Return) for each in own_nodes([node]))


class _Ends(ast.NodeTransformer):
    """Changes the returns of one function, and where it stops for a while.

    Args:
        gives_nothing: whether its returns must have no value, as those of async generators.
    """

    def __init__(self, *, gives_nothing: bool) -> None:
        self._gives_nothing = gives_nothing

    def all_of(self, body: Iterable[ast.stmt]) -> list[ast.stmt]:
        """The statements in place of some."""
        found: list[ast.stmt] = []
        for each in body:
            changed = self.visit(each)
            found += changed if isinstance(changed, list) else [changed]
        return found

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        at = place_of(node)
        if self._gives_nothing:
            return [_told(LEFT, at), node]
        value = [] if node.value is None else [node.value]
        node.value = called(LEFT, [_look(at), *value], at)
        return node

    def visit_Yield(self, node: ast.Yield) -> ast.AST:
        self.generic_visit(node)
        at = place_of(node)
        value = [] if node.value is None else [node.value]
        node.value = called(GIVES, [_look(at), *value], at)
        return called(GOES_ON, [_look(at), node], at)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        return self._stopping(node, HANDS_OVER)

    def visit_Await(self, node: ast.Await) -> ast.AST:
        return self._stopping(node, WAITS)

    def _stopping(self, node: ast.YieldFrom | ast.Await, told: str) -> ast.AST:
        self.generic_visit(node)
        at = place_of(node)
        node.value = called(told, [_look(at), node.value], at)
        return called(GOES_ON, [_look(at), node], at)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AST:
        """It stops before each round, and goes on in it, or behind it when there is none left."""
        self.generic_visit(node)
        at = place_of(node)
        node.iter = called(WAITS, [_look(at), node.iter], at)
        body = _Continues().all_of(node.body)
        node.body = [_told(GOES_ON, at), *body, _told(WAITS, at)]
        node.orelse = [_told(GOES_ON, at), *node.orelse]
        return node

    def visit_AsyncWith(self, node: ast.AsyncWith) -> list[ast.stmt]:
        """It stops when it enters, and when it leaves."""
        self.generic_visit(node)
        at = place_of(node)
        first = node.items[0]
        first.context_expr = called(WAITS, [_look(at), first.context_expr], at)
        node.body = [_told(GOES_ON, at), *node.body, _told(WAITS, at)]
        return [node, _told(GOES_ON, at)]

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        return self._comprehended(node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        return self._comprehended(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        return self._comprehended(node)

    def _comprehended(self, node: ast.ListComp | ast.SetComp | ast.DictComp) -> ast.AST:
        self.generic_visit(node)
        if not any(each.is_async for each in node.generators):
            return node
        at = place_of(node)
        first = node.generators[0]
        first.iter = called(WAITS, [_look(at), first.iter], at)
        return called(GOES_ON, [_look(at), node], at)

    def _leave(self, node: ast.AST) -> ast.AST:
        """What is defined in it has ends of its own."""
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _leave


class _Continues(ast.NodeTransformer):
    """Makes an async loop tell that it stops where its rounds end early."""

    def all_of(self, body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
        """The statements in place of those of the loop."""
        for each in body:
            changed = self.visit(each)
            yield from changed if isinstance(changed, list) else [changed]

    def visit_Continue(self, node: ast.Continue) -> list[ast.stmt]:
        return [_told(WAITS, place_of(node)), node]

    def _inner(self, node: ast.For | ast.AsyncFor | ast.While) -> ast.AST:
        """Its body goes on with a loop of its own; what stands behind that does not."""
        node.orelse[:] = self.all_of(node.orelse)
        return node

    visit_For = visit_AsyncFor = visit_While = _inner
    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _Ends._leave


def _told(name: str, at: _Place) -> ast.stmt:
    nothing = ast.copy_location(ast.Constant(None), _look(at))
    value = [] if name == LEFT else [nothing]
    return ast.Expr(called(name, [_look(at), *value], at), **at)


def _look(at: _Place) -> ast.expr:
    return ast.Name(LOOK, _LOAD, **at)


def called(name: str, given: list[ast.expr], at: _Place) -> ast.Call:
    """A call of what a file imports for this.

    Args:
        name: what it is imported as.
        given: the arguments.
        at: where it stands, as `place_of` says.
    """
    return ast.Call(ast.Name(name, _LOAD, **at), given, [], **at)


def place_of(node: ast.stmt | ast.expr) -> _Place:
    """Where a node stands.

    To set that alone is much faster than to look through the file for what lacks it.
    """
    return {name: getattr(node, name) for name in _PLACE}
