"""Which lists and the like are new, and hold nothing but new ones.

Of `sizes = {}` that nothing else is put into than by `sizes.setdefault(axis, set())`, each part is
as new as the dictionary.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.ir.parse import walk
from nnx_migrate.sources.bound_names import bound_names

_DISPLAYS = (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_CONTAINERS = frozenset({"list", "dict", "set", "defaultdict", "OrderedDict", "deque"})
#: Methods that put something in, and those of them that put in the elements of what they are given.
_GROWING = frozenset({"add", "append", "appendleft", "insert", "setdefault"})
_BY_ELEMENTS = frozenset({"extend", "extendleft", "update"})


def is_new(value: ast.expr | None) -> bool:
    """Whether an expression makes a list or the like."""
    match value:
        case ast.Call(func=func):
            return _maker(func) in _CONTAINERS
        case _:
            return isinstance(value, _DISPLAYS)


def _maker(func: ast.expr) -> str:
    match func:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="collections"), attr=name):
            return name
        case _:
            return ""


def container_of(part: ast.expr) -> str:
    """`xs` of `xs[k]`, and of `xs.setdefault(k, [])`; empty of all else."""
    match part:
        case ast.Subscript(value=ast.Name(id=name), slice=index) if not isinstance(
            index, ast.Slice
        ):
            return name
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="setdefault" | "get"),
            args=[_, *otherwise],
            keywords=[],
        ):
            return name if all(map(is_new, otherwise)) else ""
        case _:
            return ""


def elements_named(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Dictionaries that loops go over, with the name of what lies in them: `for k, v in d.items()`.

    A body that binds that name anew is left out.
    """
    for node in nodes:
        match node:
            case ast.For(
                target=ast.Tuple(elts=[_, ast.Name(id=name)]),
                iter=ast.Call(func=ast.Attribute(value=ast.Name(id=table), attr="items"), args=[]),
            ):
                pass
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Attribute(value=ast.Name(id=table), attr="values"), args=[]),
            ):
                pass
            case _:
                continue
        inside = (each for statement in node.body for each in walk(statement))
        if not any(name in bound_names(each) for each in inside):
            yield table, name


def holding_others(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Names of containers that anything else than new containers is put into.

    Args:
        nodes: all of a body.
    """
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                if isinstance(value, ast.Name):
                    yield value.id  # what is put in under the other name is not looked for
                for target in targets:
                    yield from _put_into(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from _put_into(target, value)
            case ast.AugAssign(target=target):
                yield from (n.id for n in walk(target) if isinstance(n, ast.Name))
            case (
                ast.For(target=target)
                | ast.AsyncFor(target=target)
                | ast.withitem(optional_vars=ast.expr() as target)
            ):
                yield from _put_into(target, None)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
                given = node.args[1:] if method in {"setdefault", "insert"} else node.args
                is_plain = method in _GROWING and all(map(is_new, given))
                if method in _GROWING | _BY_ELEMENTS and (node.keywords or not is_plain):
                    yield name


def _put_into(target: ast.expr, value: ast.expr | None) -> Iterator[str]:
    match target:
        case ast.Name(id=name):
            if is_new(value) and not _is_filled_with_new(value):
                yield name
        case ast.Subscript(value=ast.Name(id=name), slice=index):
            if isinstance(index, ast.Slice) or not is_new(value):
                yield name
        case _:
            named = (n.value for n in walk(target) if isinstance(n, ast.Subscript))
            yield from (each.id for each in named if isinstance(each, ast.Name))


def _is_filled_with_new(value: ast.expr | None) -> bool:
    match value:
        case ast.List(elts=held) | ast.Set(elts=held) | ast.Dict(values=held):
            return all(map(is_new, held))
        case ast.ListComp(elt=each) | ast.SetComp(elt=each) | ast.DictComp(value=each):
            return is_new(each)
        case ast.Call(func=func, args=args, keywords=[]) if _maker(func) == "defaultdict":
            return all(_maker(each) in _CONTAINERS for each in args)
        case ast.Call(args=args, keywords=keywords):
            return not args and not keywords
        case _:
            return False
