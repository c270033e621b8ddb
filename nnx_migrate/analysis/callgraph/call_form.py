"""How a call passes its arguments: what cannot take it raises, in both modes, and is not meant."""

from __future__ import annotations

from collections.abc import Callable

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.records import record


@record
class CallForm:
    """The arguments of a call, without what they are.

    Args:
        places: how many are passed by place.
        keywords: the names of those that are passed by keyword.
        starred: more are passed by place, out of a sequence.
        object_at: places and keywords by which the object that is followed comes; None where that
            is not asked, or not to be seen.
    """

    places: int
    keywords: frozenset[str]
    starred: bool = False
    object_at: frozenset[int | str] | None = None

    @classmethod
    def of(cls, call: ir.Call, is_object: Callable[[ir.Expr], bool] | None = None) -> CallForm:
        """The form of a call.

        Args:
            is_object: whether an argument is, or holds, the object that is followed.
        """
        starred = any(isinstance(argument, ir.Starred) for argument in call.args)
        hidden = starred or any(name is None for name, _ in call.keywords)
        keywords = frozenset(name for name, _ in call.keywords if name is not None)
        if is_object is None or hidden:
            return cls(len(call.args), keywords, starred)
        by_place = {i for i, argument in enumerate(call.args) if is_object(argument)}
        by_name = {name for name, value in call.keywords if name is not None and is_object(value)}
        return cls(len(call.args), keywords, starred, frozenset({*by_place, *by_name}))

    def fits(self, function: ir.Function, bound: int) -> bool:
        """Whether a function may take such a call; where it is decorated, it may.

        Args:
            bound: how many of its leading parameters are given already.
        """
        if function.decorators:
            return True
        kinds = {parameter.kind for parameter in function.parameters}
        names = {p.name for p in function.parameters if p.kind in {"positional", "keyword"}}
        if "double_star" not in kinds and not self.keywords <= names:
            return False
        room = sum(p.kind == "positional" for p in function.parameters) - bound
        return "star" in kinds or self.starred or self.places <= room

    def may_give_object(self, function: ir.Function, parameter: ir.Parameter, bound: int) -> bool:
        """Whether a parameter of a function may get the object that is followed."""
        if self.object_at is None or function.decorators:
            return True
        if parameter.kind in {"star", "double_star"} or parameter.name in self.object_at:
            return True
        place = function.parameters.index(parameter) - bound
        return parameter.kind == "positional" and place in self.object_at


def mapped(call: ir.Call) -> ir.Call:
    """The call that `map(f, xs)` makes for each element."""
    elements = tuple(ir.Iterated(arg) for arg in call.args[1:])
    return ir.Call(call.args[0], elements, (), call.line) if call.args else call


def column(call: ir.Call, name: str, index: int) -> ir.Expr | None:
    """What each tuple of `zip(xs, ys)` or `enumerate(xs)` has at a place; None if that is unclear.

    Args:
        name: of the builtin that is called.
    """
    columns = [ir.Iterated(argument) for argument in call.args]
    if any(isinstance(argument, ir.Starred) for argument in call.args):
        return None
    if name == "enumerate":
        counted: list[ir.Expr] = [ir.Constant("number"), *columns[:1]]
        return counted[index] if 0 <= index < len(counted) else None
    return columns[index] if name == "zip" and 0 <= index < len(columns) else None


def unstarred(expr: ir.Expr) -> ir.Expr:
    """An argument, or what each of those is that come out of a sequence."""
    return ir.Element(expr.value) if isinstance(expr, ir.Starred) else expr
