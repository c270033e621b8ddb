"""Whether a comprehension gives one object more than once, whatever it goes over."""

from __future__ import annotations

import ast
from collections.abc import Sequence

_MANY_TO_ONE = ast.Mod | ast.FloorDiv


def comes_again(generators: Sequence[ast.comprehension], each: ast.expr) -> bool:
    """Whether several turns give the same object.

    So they do where it has nothing to do with them, where a later `for` goes over something else
    (`x for x in xs for _ in range(2)`), and under places that come again (`xs[i % 2]`).

    Args:
        each: what a turn gives.
    """
    while isinstance(each, ast.Attribute):
        each = each.value
    match each:
        case ast.Name(id=name):
            return _is_from_outside(generators, name)
        case ast.Subscript(value=base, slice=place) if not _turned(generators, base):
            return any(_has_again(each.iter) for each in generators if _turned([each], place)) or (
                _turned(generators, place) and _is_many_to_one(generators, place)
            )
        case _:
            return False


def _is_from_outside(generators: Sequence[ast.comprehension], name: str) -> bool:
    """Whether a name means the same in all turns of the last `for` that has several."""
    several = [g for g in generators if not _has_one(g.iter)]
    binding = [place for place, g in enumerate(several) if name in _targets(g)]
    return not any(name in _targets(g) for g in generators) or bool(
        binding and binding[-1] < len(several) - 1
    )


def _turned(generators: Sequence[ast.comprehension], code: ast.expr) -> bool:
    """Whether code reads what one of them binds."""
    targets = {name for g in generators for name in _targets(g)}
    return any(isinstance(node, ast.Name) and node.id in targets for node in ast.walk(code))


def _targets(generator: ast.comprehension) -> set[str]:
    return {node.id for node in ast.walk(generator.target) if isinstance(node, ast.Name)}


def _is_many_to_one(generators: Sequence[ast.comprehension], place: ast.expr) -> bool:
    """Whether a place is computed by `%` or `//`, and not by `% n` in `range(n)`."""
    ranges = {
        ast.unparse(g.iter.args[0])
        for g in generators
        if isinstance(g.iter, ast.Call)
        and ast.unparse(g.iter.func) == "range"
        and len(g.iter.args) == 1
    }
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, _MANY_TO_ONE)
        and not (isinstance(node.op, ast.Mod) and ast.unparse(node.right) in ranges)
        for node in ast.walk(place)
    )


def _has_one(code: ast.expr) -> bool:
    """Whether code is a display of one element: `for y in [f(x)]` binds a name, and no more."""
    return isinstance(code, ast.List | ast.Tuple) and len(code.elts) == 1


def _has_again(code: ast.expr) -> bool:
    """Whether code is a display, or a text, that has a literal more than once."""
    match code:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            literals = [repr(part.value) for part in parts if isinstance(part, ast.Constant)]
        case ast.Constant(value=str(text)):
            literals = list(text)
        case _:
            return False
    return len(set(literals)) < len(literals)
