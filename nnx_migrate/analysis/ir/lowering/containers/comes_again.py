"""Whether the turns of a loop or a comprehension give one object more than once."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

#: Calls that go over what they are given, element by element.
_GOING_OVER = frozenset({"enumerate", "list", "reversed", "sorted", "tuple", "zip"})
_TEXTS = frozenset({"repr", "str"})


def comes_again(generators: Sequence[ast.comprehension], each: ast.expr) -> bool:
    """Whether several turns of a comprehension give the same object.

    So they do where it has nothing to do with them, where another `for` goes over something else
    (`x for x in xs for _ in range(2)`), and under places that come again (`xs[i % 2]`).

    Args:
        each: what a turn gives.
    """
    several = [each for each in generators if not _has_one(each.iter)]
    named = {
        name: one.iter.elts[0]
        for one in generators
        if isinstance(one.iter, ast.List | ast.Tuple) and _has_one(one.iter)
        for name in _names(one.target)
    }
    return _Turns([(one.target, one.iter) for one in several], named).give_again(each)


def comes_again_in_loop(loop: ast.For | ast.AsyncFor | ast.While, each: ast.expr) -> bool:
    """The same of an expression in the body of a loop."""
    inside = [node for statement in loop.body for node in ast.walk(statement)]
    bound: dict[str, ast.expr] = {}
    for node in inside:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                bound[name] = value
    names = (node for node in inside if isinstance(node, ast.Name))
    stored = [each.id for each in names if isinstance(each.ctx, ast.Store)]
    assigned = {name: bound.get(name) if stored.count(name) == 1 else None for name in stored}
    counted = {name for name in _counted(loop.body) if stored.count(name) == 1}
    ends: tuple[ast.expr, ast.expr] = (
        (ast.Tuple([]), ast.Constant(None))
        if isinstance(loop, ast.While)
        else (loop.target, loop.iter)
    )
    return _Turns([ends], assigned, counted).give_again(each)


@dataclasses.dataclass(frozen=True, slots=True)
class _Turns:
    """What turns bind.

    Args:
        loops: the target of each `for`, and what it goes over; the outermost first.
        assigned: names that a turn binds, with what they are bound to; None where that is not one
            expression.
        counted: those of them that each turn counts on.
    """

    loops: Sequence[tuple[ast.expr, ast.expr]]
    assigned: Mapping[str, ast.expr | None]
    counted: Iterable[str] = ()

    def give_again(self, each: ast.expr) -> bool:
        """Whether several give the same object."""
        while isinstance(each, ast.Attribute):
            each = each.value
        match each:
            case ast.Name(id=name) if name in self.assigned:
                value = self.assigned[name]
                return value is not None and self._without(name).give_again(value)
            case ast.Name():
                return bool(self._all - self._apart_by(each))
            case _ if (found := _looked_up(each)) is not None:
                base, place = found
                return bool(self._all - self._objects(base) - self._apart_by(place))
            case _:
                return False

    def _without(self, name: str) -> _Turns:
        rest = {other: values for other, values in self.assigned.items() if other != name}
        return dataclasses.replace(self, assigned=rest)

    @property
    def _all(self) -> frozenset[int]:
        return frozenset(range(len(self.loops)))

    def _objects(self, code: ast.expr) -> frozenset[int]:
        """The loops whose turns give other objects of a container, as far as that is known."""
        while isinstance(code, ast.Attribute):
            code = code.value
        match code:
            case ast.Name(id=name) if name in self.assigned:
                value = self.assigned[name]
                return self._all if value is None else self._without(name)._objects(value)
            case ast.Name():
                return self._apart_by(code)
            case _ if (found := _looked_up(code)) is not None:
                return self._objects(found[0]) | self._apart_by(found[1])
            case _:
                return self._all  # made anew

    def _apart_by(self, place: ast.expr) -> frozenset[int]:
        """The loops whose turns give other values of a place, as far as that is known."""
        match place:
            case ast.Name(id=name):
                return self._apart_by_name(name)
            case ast.Attribute(value=value) | ast.NamedExpr(value=value):
                return self._apart_by(value)  # data are taken for unlike
            case ast.UnaryOp(op=ast.USub() | ast.Invert(), operand=value):
                return self._apart_by(value)
            case ast.FormattedValue(value=value):
                return self._apart_by(value)
            case ast.BinOp():
                return self._apart_by_operator(place)
            case ast.JoinedStr(values=[*parts]) | ast.Tuple(elts=[*parts]):
                return frozenset[int]().union(*map(self._apart_by, parts))
            case ast.Subscript(value=value, slice=index):
                return self._apart_by(value) | self._apart_by(index)
            case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="format"), args=parts):
                return frozenset[int]().union(*map(self._apart_by, parts))
            case ast.Call(func=ast.Name(id=name), args=[value]) if name in _TEXTS:
                return self._apart_by(value)
            case ast.Call(func=ast.Name(id="int"), args=[ast.Name() as value]):
                return self._apart_by(value)
            case _:
                return frozenset()

    def _apart_by_operator(self, place: ast.BinOp) -> frozenset[int]:
        left, right = self._apart_by(place.left), self._apart_by(place.right)
        match place:
            case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
                return right
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()) if self._is_same(place.right):
                return left
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()) if self._is_same(place.left):
                return right
            case ast.BinOp(left=one, op=ast.Add(), right=other):
                # `i * width + j`; of `i + j` several are alike.
                products = [isinstance(part, ast.BinOp) for part in (one, other)]
                return left | right if any(products) else frozenset()
            case ast.BinOp(op=ast.Mod()) if ast.unparse(place.right) in self._counts():
                return left
            case _:
                return frozenset()

    def _is_same(self, code: ast.expr) -> bool:
        """Whether code says the same in all turns."""
        names = {node.id for node in ast.walk(code) if isinstance(node, ast.Name)}
        bound = {name for target, _ in self.loops for name in _names(target)}
        return not names & {*bound, *self.assigned}

    def _apart_by_name(self, name: str) -> frozenset[int]:
        if name in self.counted:
            return self._all
        if name in self.assigned:
            value = self.assigned[name]
            return frozenset() if value is None else self._without(name)._apart_by(value)
        for number, (target, over) in reversed(list(enumerate(self.loops))):
            if name in _names(target):
                if _has_again(over):
                    return frozenset()
                outer = dataclasses.replace(self, loops=self.loops[:number])
                return outer._other_elements(over) | {number}
        return frozenset()

    def _other_elements(self, over: ast.expr) -> frozenset[int]:
        """The loops around in whose turns a loop goes over other elements."""
        match over:
            case ast.Call(func=ast.Name(id="range")):
                return frozenset()
            case ast.Call(func=ast.Name(id=name), args=args) if name in _GOING_OVER:
                return frozenset[int]().union(*map(self._other_elements, args))
            case ast.Call(func=ast.Attribute(value=base, attr="items" | "values"), args=[]):
                return self._objects(base)
            case ast.Constant():
                return frozenset()
            case _:
                return self._objects(over)

    def _counts(self) -> Iterator[str]:
        """The `n` of `range(n)`."""
        for _, over in self.loops:
            match over:
                case ast.Call(func=ast.Name(id="range"), args=[count]):
                    yield ast.unparse(count)


def _looked_up(code: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The container and the place of an element, or the object and the name of an attribute."""
    match code:
        case ast.Subscript(value=base, slice=place) if not isinstance(place, ast.Slice):
            return base, place
        case ast.Call(func=ast.Name(id="getattr"), args=[base, place, *_]):
            return base, place
        case ast.Call(func=ast.Attribute(value=base, attr="get" | "setdefault"), args=[place, *_]):
            return base, place
        case _:
            return None


def _counted(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Names that each turn counts on by a number: `i += 1`."""
    for statement in body:
        match statement:
            case ast.AugAssign(
                target=ast.Name(id=name), op=ast.Add() | ast.Sub(), value=ast.Constant()
            ):
                yield name


def _names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


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
