"""Parts of an object that code outside of its class stores in it once more: `m.b = m.a`."""

from __future__ import annotations

import dataclasses
import functools

from nnx_migrate.analysis.domain.values import Instance, ParameterOf, Scope, Value
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.reaching_definitions import meant_at
from nnx_migrate.core.place import Place

#: Kinds of objects that no tree may hold twice.
OBJECTS = frozenset({"module", "metric", "variable", "rngs", "optimizer"})
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
        found: dict[str, str] = {}
        for scope, root, line in self._ties:
            where = Place(scope.module, line)
            for holder in self.evaluator.values(scope, self._meant(scope, root, line)):
                if isinstance(holder, Instance):
                    reason = f"one object has two names ({where})"
                    found.setdefault(holder.class_name, reason)
        return found

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
                target, value = write.target, _as_attribute(write.value)
                if write.how == "item" or not isinstance(value, ir.Attribute):
                    continue  # `m.b[...] = m.a` writes values
                root = ir.root_name(target)
                if root is None or root != ir.root_name(value) or self._is_swap(scope, write):
                    continue
                if any(map(self.is_node, self.evaluator.values(scope, value))):
                    found.append((scope, root, write.line))
        return found

    def _is_swap(self, scope: Scope, write: ir.Write) -> bool:
        """`m.a, m.b = m.b, m.a` keeps each object once."""
        writes = self.project.function(scope).writes
        return any(w.target == write.value and w.value == write.target for w in writes)


def _as_attribute(value: ir.Expr | None) -> ir.Expr | None:
    """`getattr(m, "a")` as `m.a`."""
    match value:
        case ir.Call(func=ir.Name(id="getattr"), args=(base, ir.Constant(text=name), *_)) if name:
            return ir.Attribute(base, name)
        case _:
            return value
