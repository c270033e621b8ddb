"""Parts of an object that code outside of its class stores in it once more: `m.b = m.a`."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Instance, ParameterOf, Scope, Value
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.reaching_definitions import meant_at
from nnx_migrate.core.place import Place

#: Kinds of objects that no tree may hold twice.
OBJECTS = frozenset({"module", "metric", "variable", "rngs", "optimizer"})
#: What gives the elements of what it is given.
_GIVING_PARTS = frozenset({ir.SLICED.id, "enumerate", "iter", "list", "reversed", "tuple"})
#: Where, the name of the object, and on which line.
_Tie = tuple[Scope, ir.Name, int]


class TieFinder:
    """Finds such stores, and which objects they are done to."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project

    def is_node(self, value: Value) -> bool:
        """Whether it is an object of which it matters."""
        return (
            isinstance(value, Instance)
            and self.evaluator.hierarchy.kind(value.class_name) in OBJECTS
        )

    @functools.cached_property
    def reasons(self) -> dict[str, str]:
        """Class -> where that is done to an instance of it, in words."""
        return {
            class_name: f"one object has two names ({Place(scope.module, line)})"
            for class_name, ((scope, line), *_) in self._places.items()
        }

    @functools.cached_property
    def _places(self) -> dict[str, list[tuple[Scope, int]]]:
        """Class -> where that is done to an instance of it."""
        found: dict[str, list[tuple[Scope, int]]] = {}
        for scope, root, line in self._ties:
            for holder in self.evaluator.values(scope, self._meant(scope, root, line)):
                if isinstance(holder, Instance):
                    found.setdefault(holder.class_name, []).append((scope, line))
        return found

    def is_done_below(self, class_name: str, scope: Scope, line: float) -> bool:
        """Whether that is done to instances of a class only once a line of a module has run."""
        if scope.function != ir.MODULE_SCOPE:
            return False
        loops = self.project.function(scope).loops
        return all(
            where == scope
            and line < below
            and not any(first <= line and below <= last for first, last in loops)
            for where, below in self._places.get(class_name, ())
        )

    @functools.cached_property
    def calls(self) -> dict[str, frozenset[ir.Call] | None]:
        """Class -> the calls that make all instances to which it is done; None for any."""
        found: dict[str, frozenset[ir.Call] | None] = {}
        for scope, root, line in self._ties:
            meant = self._meant(scope, root, line)
            made = self._all_made_by(scope, meant)
            for holder in self.evaluator.values(scope, meant):
                if isinstance(holder, Instance):
                    known = found.get(holder.class_name, frozenset())
                    both = None if known is None or made is None else known | made
                    found[holder.class_name] = both
        return found

    def made_by(self, scope: Scope, expr: ir.Expr) -> ir.Call | None:
        """The call of a class that makes what an expression gives, if it shows that."""
        if isinstance(expr, ir.Name):
            bindings = self.project.bindings(scope, expr.id)
            if len(bindings) != 1 or isinstance(bindings[0], ParameterOf):
                return None
            scope, expr = bindings[0].scope, bindings[0].expr
        if not isinstance(expr, ir.Call):
            return None
        func = meant_at(self.project, scope, expr.func, expr.line)
        if self.evaluator.hierarchy.class_name(scope, func) is None:
            return None
        return expr if func == expr.func else dataclasses.replace(expr, func=func)

    def _meant(self, scope: Scope, root: ir.Name, line: int) -> ir.Expr:
        """What the name of the object means where it is stored in."""
        return meant_at(self.project, scope, root, line)

    def _all_made_by(self, scope: Scope, expr: ir.Expr) -> frozenset[ir.Call] | None:
        if not isinstance(expr, ir.Name):
            only = self.made_by(scope, expr)
            return None if only is None else frozenset({only})
        found: set[ir.Call] = set()
        for binding in self.project.bindings(scope, expr.id):
            if isinstance(binding, ParameterOf) or not isinstance(binding.expr, ir.Call):
                return None
            made = self.made_by(binding.scope, binding.expr)
            if made is None:
                return None
            found.add(made)
        return frozenset(found)

    @functools.cached_property
    def _ties(self) -> list[_Tie]:
        found = []
        mentions = self.evaluator.callers.mentions
        for name in sorted(mentions.names_written_outside()):
            for scope, write in mentions.outside_writes(name):
                value = _as_attribute(write.value)
                if write.how == "item" or value is None or _replaces_holder(write, value):
                    continue  # `m.b[...] = m.a` writes values
                root = self._tied(scope, write, value)
                if root is None:
                    continue
                if any(map(self.is_node, self.evaluator.values(scope, value))):
                    found.append((scope, root, write.line))
        return found

    def _tied(self, scope: Scope, write: ir.Write, value: ir.Expr) -> ir.Name | None:
        """The object in which a store puts a part of it, or puts one object more than once."""
        targets, sources = self._holders(scope, write.target), self._holders(scope, value)
        if isinstance(value, ir.Name):
            if self._bound_once(scope, value) == write.target:
                return None  # where it is already
            sources = sources[1:]
        common = next((each for each in targets if each in sources), None)
        if common is not None:
            return common
        return self._given_in_turns(scope, write, ir.root_name(value), targets)

    def _given_in_turns(
        self, scope: Scope, write: ir.Write, value: ir.Name | None, holders: list[ir.Name]
    ) -> ir.Name | None:
        """What a loop gives one object in each turn: `for block in m.blocks: block.head = head`."""
        function = self.project.function(scope)
        loops = [each for each in function.loops if each[0] <= write.line <= each[1]]
        if value is None or not holders or not loops:
            return None

        def is_bound_in_turn(name: ir.Name) -> bool:
            lines = function.lines.get(name.id, ())
            return any(first <= line <= last for first, last in loops for line in lines)

        if is_bound_in_turn(value):
            return None
        if any(map(is_bound_in_turn, _computed_from(write.target))):
            return holders[0]
        bound = self._bound_here(scope, holders[0])
        in_turn = bound.base if isinstance(bound, ir.Unpacked) else bound
        own = isinstance(in_turn, ir.Iterated) and is_bound_in_turn(holders[0])
        return holders[1] if own and len(holders) > 1 else None

    def _holders(self, scope: Scope, expr: ir.Expr) -> list[ir.Name]:
        """The names that something is a part of what they mean, the innermost first."""
        found: list[ir.Name] = []
        while (name := _part_of(expr)) is not None and name not in found:
            found.append(name)
            bound = self._bound_once(scope, name)
            if bound is None:
                break
            expr = bound
        return found

    def _bound_once(self, scope: Scope, name: ir.Name) -> ir.Expr | None:
        """What a name always means, in terms of names that mean the same where it is read."""
        bindings = self.project.bindings(scope, name.id)
        if len(bindings) != 1 or isinstance(bindings[0], ParameterOf):
            return None
        where, bound = bindings[0].scope, bindings[0].expr
        if len(self.project.function(where).bindings.get(name.id, ())) != 1:
            return None
        if not isinstance(bound, ir.Name) and where == scope:
            return bound
        root = _part_of(bound)
        means = [] if root is None else self.project.bindings(where, root.id)
        same = root is not None and means == self.project.bindings(scope, root.id)
        return bound if same and len(means) == 1 else None

    def _bound_here(self, scope: Scope, name: ir.Name) -> ir.Expr | None:
        """The one thing that a name is bound to, by the function that reads it."""
        bound = self.project.function(scope).bindings.get(name.id, ())
        return bound[0] if len(bound) == 1 == len(self.project.bindings(scope, name.id)) else None


def _replaces_holder(write: ir.Write, value: ir.Expr) -> bool:
    """Whether a part takes the place of what holds it, which goes: `m.a = m.a.base`."""
    while write.how == "set" and isinstance(value, ir.Attribute | ir.Element):
        value = value.base
        if value == write.target:
            return True
    return False


def _as_attribute(value: ir.Expr | None) -> ir.Expr | None:
    """What is no new object: a name, or a part of one; `getattr(m, "a")` as `m.a`."""
    match value:
        case ir.Name() | ir.Attribute() | ir.Element():
            return value
        case ir.Call(func=ir.Name(id="getattr"), args=(base, ir.Constant(text=name), *_)) if name:
            return ir.Attribute(base, name)
        case _:
            return None


def _computed_from(expr: ir.Expr) -> Iterator[ir.Name]:
    """The names from which code computes which element it stores in."""
    while isinstance(expr, ir.Attribute | ir.Element):
        if isinstance(expr, ir.Element):
            yield from (each for each in expr.index if isinstance(each, ir.Name))
        expr = expr.base


def _part_of(expr: ir.Expr) -> ir.Name | None:
    """The name whose part an expression is, by attributes, by subscripts, or by a loop over it."""
    while True:
        match expr:
            case ir.Unpacked(base=ir.Sequence(elements=elements), index=index) if not any(
                isinstance(each, ir.Starred) for each in elements
            ) and index < len(elements):
                expr = elements[index]
            case ir.Attribute(base=base) | ir.Element(base=base) | ir.Unpacked(base=base):
                expr = base
            case ir.Sequence(elements=(ir.Starred(value=base),)):
                expr = base
            case ir.Call(func=ir.Name(id=name), args=(base, *_)) if name in _GIVING_PARTS:
                expr = base
            case ir.Name():
                return expr
            case _:
                return None
