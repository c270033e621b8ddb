"""What the methods of a class store in their own object, by the names of the attributes."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Mapping

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.records import record
from nnx_migrate.analysis.symbols.passed_on import writes_in
from nnx_migrate.analysis.symbols.program import Project

_OF_ATTRIBUTES = frozenset({"vars", "__dict__"})
_SETTING = frozenset({"__setattr__", *_OF_ATTRIBUTES})


@record
class OwnStores:
    """What the methods of a class store.

    Args:
        by_name: what they store in each attribute that is named.
        computed: the names of others, as far as these are known: `setattr(self, f"net_{i}", x)`.
        any_name: some method may store in any attribute, under a name that nobody sees.
    """

    by_name: Mapping[str, tuple[Located, ...]]
    computed: tuple[ir.Expr, ...]
    any_name: bool

    def of(self, name: str) -> tuple[Located, ...] | None:
        """What is stored in an attribute; None for anything."""
        if self.any_name or any(_may_be(key, name) for key in self.computed):
            return None
        return self.by_name.get(name, ())


def own_stores(project: Project, module: str, class_key: str) -> OwnStores:
    """What the methods that stand in the body of a class store."""
    by_name: dict[str, list[Located]] = collections.defaultdict(list)
    computed: list[ir.Expr] = []
    any_name = False
    for key, function in project.methods_of(module, class_key):
        if not function.parameters:
            continue
        own = ir.Name(function.parameters[0].name)
        any_name = any_name or _may_store_any(function)
        for call in function.calls:
            match call:
                case ir.Call(func=ir.Name(id="setattr"), args=(base, name, _)) if base == own:
                    computed.append(name)
        for write in writes_in(function):
            match write.target:
                case ir.Attribute(base=base, name=attribute) if base == own:
                    if write.value is not None:
                        by_name[attribute].append(Located(Scope(module, key), put_by(write)))
    return OwnStores({k: tuple(v) for k, v in by_name.items()}, tuple(computed), any_name)


def put_by(write: ir.Write) -> ir.Expr:
    """What a store leaves behind: of an element a container of it."""
    assert write.value is not None
    return (
        ir.Sequence((write.value,), is_tuple=False) if write.how in {"key", "item"} else write.value
    )


def _may_store_any(function: ir.Function) -> bool:
    """Whether a method has the attributes of an object in a dict, or sets one in another way."""
    if any(ir.last_name(call.func) in _SETTING for call in function.calls):
        return True
    named = itertools.chain(function.reads, (call.func for call in function.calls))
    return any(_is_of_attributes(each) for each in named)


def _may_be(key: ir.Expr, name: str) -> bool:
    """Whether a text may be a name, by its beginning: `f"layer_{i}"`."""
    match key:
        case ir.Constant(text=text):
            return text == name
        case ir.Computed(operands=(ir.Constant(type="str", text=head), *_)):
            return name.startswith(head)
        case _:
            return True


def _is_of_attributes(expr: ir.Expr) -> bool:
    """Whether it is `self.__dict__`, or a method of that."""
    while isinstance(expr, ir.Attribute):
        if expr.name in _OF_ATTRIBUTES:
            return True
        expr = expr.base
    return False
