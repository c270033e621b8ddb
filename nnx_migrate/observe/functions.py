"""Finds the functions of a file that are watched, and what of them can be."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from nnx_migrate.observe.attribute_writes import CONSTRUCTORS

Definition = ast.FunctionDef | ast.AsyncFunctionDef
_LAMBDA = "<lambda>"
_OWN_BODY = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
#: What is called once for each element says little, and is in the way.
_ONE_BY_ONE = frozenset(
    {"filter", "groupby", "map", "max", "min", "reduce", "sort", "sorted", "sub", "tree_map"}
)
#: They tell of all local names, or let others see them.
_ALL_NAMES = frozenset({"eval", "exec", "locals", "vars"})


class Watched(NamedTuple):
    """A function of a file.

    Args:
        node: it.
        path: its name behind those of what it is defined in, as the analysis names it.
        in_class: whether it is a method.
        inside: whether it is defined in another function.
        for_each: whether it is handed to what calls it for each element of something.
    """

    node: Definition | ast.Lambda
    path: str
    in_class: bool
    inside: bool
    for_each: bool = False

    @property
    def own(self) -> str:
        """The name of the object of a method; "" where there is none."""
        node, given = self.node, self.node.args
        names = [each.arg for each in (*given.posonlyargs, *given.args)]
        if not self.in_class or isinstance(node, ast.Lambda) or not names:
            return ""
        decorators = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
        return "" if "staticmethod" in decorators else names[0]

    @property
    def parameters(self) -> list[str]:
        """The parameters that are not the object of a method, and not several in one."""
        given = self.node.args
        names = [each.arg for each in (*given.posonlyargs, *given.args)]
        return [*(names[1:] if self.own else names), *(each.arg for each in given.kwonlyargs)]

    @property
    def false_defaults(self) -> dict[str, ast.Constant]:
        """The defaults of parameters that are numbers or texts, and count as false."""
        given = self.node.args
        names = [each.arg for each in (*given.posonlyargs, *given.args)]
        with_one = names[len(names) - len(given.defaults) :]
        keywords = [each.arg for each in given.kwonlyargs]
        pairs = (
            *zip(with_one, given.defaults, strict=True),
            *zip(keywords, given.kw_defaults, strict=True),
        )
        return {
            name: default
            for name, default in pairs
            if isinstance(default, ast.Constant)
            and isinstance(default.value, (int, float, str, bytes))
            and not isinstance(default.value, bool)
            and not default.value
        }

    @property
    def is_constructor(self) -> bool:
        """Whether it makes its object."""
        return self.in_class and getattr(self.node, "name", "") in CONSTRUCTORS

    @property
    def end_can_be_seen(self) -> bool:
        """Whether each way out of it, and each stop of it, is one that can be told of."""
        nodes = list(self._nodes())
        if any(map(_tells_all_names, nodes)):
            return False
        stops = any(isinstance(each, ast.Yield | ast.YieldFrom) for each in nodes)
        return not stops or not isinstance(self.node, ast.Lambda)

    def _nodes(self) -> Iterator[ast.AST]:
        body = self.node.body
        yield from own_nodes(body if isinstance(body, list) else [body])


def watched(tree: ast.Module) -> Iterator[Watched]:
    """Every function of a file, with its path: as `analysis/symbols/observed.py` names them.

    Args:
        tree: of the file.
    """
    yield from _functions(tree, ())


def _functions(
    node: ast.AST, around: tuple[str, ...], in_class: str = "", for_each: bool = False
) -> Iterator[Watched]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, around, child.name)
        elif isinstance(child, Definition):
            path = (*around, *filter(None, [in_class]), child.name)
            yield Watched(child, ".".join(path), bool(in_class), bool(around))
            for part in ast.iter_child_nodes(child):
                of = path if part in child.body else around
                yield from _functions(_alone(part), of)
        elif isinstance(child, ast.Lambda):
            path = (*around, _LAMBDA)
            yield Watched(child, ".".join(path), False, bool(around), for_each)
            yield from _functions(_alone(child.body), path)
            yield from _functions(child.args, around)
        else:
            each = isinstance(child, ast.Call) and _last_name(child.func) in _ONE_BY_ONE
            yield from _functions(child, around, in_class, each)


def _alone(node: ast.AST) -> ast.AST:
    """Something that has a node for its only child."""
    if isinstance(node, ast.stmt):
        return ast.Module([node], [])
    return ast.Expression(node) if isinstance(node, ast.expr) else node


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """What is in a function, and not in one that is defined in it, in the order of the file.

    Args:
        nodes: those of its body.
    """
    left = [*nodes][::-1]
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, _OWN_BODY):
            left += [*ast.iter_child_nodes(node)][::-1]


def _tells_all_names(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _last_name(node.func) in _ALL_NAMES
