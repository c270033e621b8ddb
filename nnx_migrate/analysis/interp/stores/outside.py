"""What other code than its own methods stores in an object: `net.layers = layers`.

Hundreds of classes may have an attribute of some name, and each is asked about for an object that
may be of any of them, in every round of every circle. What a store goes to is asked once for all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Set
from typing import NamedTuple

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import Basic, Instance, Located, Scope, Value, Values
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.interp.containers.put_by_functions import put_by_functions
from nnx_migrate.analysis.interp.containers.puts import stored_by
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import is_new_container
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy

#: Whether a store to something says nothing of the object in question.
LeaveOut = Callable[[Scope, ir.Write, ir.Expr], bool]


class _Met(NamedTuple):
    """The classes that something may be of.

    Args:
        known: they, and those above them.
        open: of these it may be of any class below, too.
    """

    known: Set[str]
    open: Set[str]


class OutsideStores:
    """What other code stores under a name, of one class after the other.

    Args:
        leave_out: tells stores that do not count.
    """

    def __init__(self, evaluator: Evaluation, name: str, leave_out: LeaveOut | None = None) -> None:
        self.evaluator = evaluator
        self.name = name
        self.leave_out = leave_out
        self._met: dict[tuple[Scope, int], _Met] = {}

    def in_class(self, class_name: str) -> list[Located]:
        """What is stored in something that is shown to be of the class.

        Stores to things that nothing is known of are not among it.
        """
        found = []
        for scope, write in self.evaluator.callers.mentions.outside_writes(self.name):
            if not isinstance(write.target, ir.Attribute) or write.value is None:
                continue
            base = write.target.base
            if self.leave_out is not None and self.leave_out(scope, write, base):
                continue
            if not self._may_be(scope, base, (class_name,)):
                continue
            if write.how in {"item", "key"} and _holds_arrays(
                self.evaluator, class_name, self.name
            ):
                continue  # `m.w[...] = x` gives what is there another value
            found.append(stored_by(scope, write))
        if _keeps_list(self.evaluator, class_name, self.name):
            found += self.put_in((class_name,))
        return found

    def put_in(self, class_names: Collection[str]) -> Iterator[Located]:
        """What is put into the list or the like that objects of any of some classes keep there."""
        for scope, put in self.evaluator.callers.mentions.outside_puts(self.name):
            assert isinstance(put.target, ir.Attribute)
            assert put.value is not None
            if self._may_be(scope, put.target.base, class_names):
                yield Located(scope, put.value)
        for each in put_by_functions(self.evaluator, self.name):
            if each.base and self._may_be(each.where, each.base, class_names):
                yield each.put

    def _may_be(self, scope: Scope, base: ir.Expr, class_names: Collection[str]) -> bool:
        """Whether something may be of one of these classes."""
        key = scope, id(base)
        if key not in self._met:
            self._met[key] = _met_in(self.evaluator.hierarchy, self.evaluator.values(scope, base))
        known, open_ = self._met[key]
        if not known.isdisjoint(class_names):
            return True
        ancestry = self.evaluator.hierarchy.ancestry
        return bool(open_) and any(
            not open_.isdisjoint(ancestry(class_name).classes) for class_name in class_names
        )


def stored_outside(
    evaluator: Evaluation, class_name: str, name: str, leave_out: LeaveOut | None = None
) -> list[Located]:
    """What other code stores in that attribute of something that is shown to be of the class."""
    return OutsideStores(evaluator, name, leave_out).in_class(class_name)


def may_be(evaluator: Evaluation, value: Value, class_name: str) -> bool:
    known, open_ = _met_in(evaluator.hierarchy, frozenset({value}))
    return class_name in known or not open_.isdisjoint(
        evaluator.hierarchy.ancestry(class_name).classes
    )


def _met_in(hierarchy: Hierarchy, values: Values) -> _Met:
    known: set[str] = set()
    open_: set[str] = set()
    for value in values:
        if isinstance(value, Instance):
            known.update(hierarchy.ancestry(value.class_name).classes)
            if not value.exact:  # what is made as `nnx.Module()` is of no class below that
                open_.add(value.class_name)
    return _Met(known, open_)


def _keeps_list(evaluator: Evaluation, class_name: str, name: str) -> bool:
    """Whether a class keeps a list there, and not something with a method of such a name."""
    layer = layer_of(class_name)
    if layer is not None:
        return layer.attribute(name) is not None
    return any(is_new_container(each.expr) for each in evaluator.stored(class_name, name))


def _holds_arrays(evaluator: Evaluation, class_name: str, name: str) -> bool:
    """Whether an attribute is a Variable or an array by all that its class stores in it."""
    stored = evaluator.stored(class_name, name)
    own = [evaluator.values(each.scope, each.expr) for each in stored]
    return bool(own) and all(
        bool(values) and all(_is_array(evaluator, value) for value in values) for values in own
    )


def _is_array(evaluator: Evaluation, value: Value) -> bool:
    if isinstance(value, Instance):
        return evaluator.hierarchy.kind(value.class_name) == "variable"
    return value == Basic("array")
