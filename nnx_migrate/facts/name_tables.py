"""Where something of a name is called, stored to, passed on or defined: tables over many files.

The tables hold nothing that depends on what names mean, so they are made once from all files of a
run and serve every project that has some of these files.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Iterable, Iterator
from typing import TypeVar

from nnx_migrate.facts import ir
from nnx_migrate.facts.transforms import WRAPPERS
from nnx_migrate.facts.values import Scope

Item = TypeVar("Item")
#: What stands in a file, with the record of that file.
Row = tuple[ir.ModuleIndex, Item]
Table = dict[str, list[Row[Item]]]


@dataclasses.dataclass(frozen=True, slots=True)
class PassedOn:
    """A value that is made from a function, and what becomes of it.

    Args:
        site: where that happens.
        source: the function as it is named there; a call stands for what it returns.
        variable: the name that the value is bound to in `site`, or
        attribute: the attribute that it is stored in, or
        call, place: the call that it is passed to, and its index or keyword; with none of these,
            it is returned.
    """

    site: Scope
    source: ir.Name | ir.Attribute | ir.Call
    variable: str = ""
    attribute: str = ""
    call: ir.Call | None = None
    place: int | str = 0


class NameTables:
    """What files call, store to, pass on and define, by last name.

    Args:
        records: the files, in the order in which their entries are to stand.
        around: tables of files that these may import from.
    """

    def __init__(
        self, records: Iterable[ir.ModuleIndex], around: tuple[NameTables, ...] = ()
    ) -> None:
        self.records = tuple(records)
        self.around = around

    def _functions(self) -> Iterator[tuple[ir.ModuleIndex, Scope, ir.Function]]:
        for record in self.records:
            for key, function in record.functions.items():
                yield record, Scope(record.module, key), function

    @functools.cached_property
    def calls(self) -> Table[tuple[Scope, ir.Call]]:
        """Calls by the name of what is called; `nnx.jit(f)(x)` is one of `jit` and one of `f`."""
        found: Table[tuple[Scope, ir.Call]] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            for call in function.calls:
                for name in dict.fromkeys(map(ir.last_name, callees(call.func))):
                    found[name].append((record, (scope, call)))
        return dict(found)

    @functools.cached_property
    def keywords(self) -> Table[tuple[Scope, ir.Call]]:
        """Calls by each keyword that they pass something by."""
        found: Table[tuple[Scope, ir.Call]] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            for call in function.calls:
                for keyword, _ in call.keywords:
                    if keyword:
                        found[keyword].append((record, (scope, call)))
        return dict(found)

    @functools.cached_property
    def outside_writes(self) -> Table[tuple[Scope, ir.Write]]:
        """Stores to attributes of anything but a method's own object, by the attribute."""
        found: Table[tuple[Scope, ir.Write]] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            own = function.parameters[0].name if function.owner and function.parameters else ""
            for write in writes_in(function):
                target = write.target
                if not isinstance(target, ir.Attribute) or write.value is None:
                    continue
                if target.base != ir.Name(own) and not isinstance(write.value, ir.Constant):
                    found[target.name].append((record, (scope, write)))
        return dict(found)

    @functools.cached_property
    def functions(self) -> Table[Scope]:
        """Functions by name."""
        found: Table[Scope] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            found[function.name].append((record, scope))
        return dict(found)

    @functools.cached_property
    def properties(self) -> Table[Scope]:
        """Properties by name."""
        found: Table[Scope] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            if function.owner is not None and any(map(ir.is_property, function.decorators)):
                found[function.name].append((record, scope))
        return dict(found)

    @functools.cached_property
    def classes(self) -> Table[tuple[str, ir.Class]]:
        """Classes, each with its module, by name."""
        found: Table[tuple[str, ir.Class]] = collections.defaultdict(list)
        for record in self.records:
            for class_record in record.classes.values():
                found[class_record.name].append((record, (record.module, class_record)))
        return dict(found)

    def defines(self, name: str) -> bool:
        """Whether a function or a class has that name, in these files or around them."""
        if name in self.functions or name in self.classes:
            return True
        return any(tables.defines(name) for tables in self.around)

    @functools.cached_property
    def passed_on(self) -> Table[PassedOn]:
        """Functions that are bound, stored, returned or passed, by the name they have there."""
        found: Table[PassedOn] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            for each in self._passed_on(scope, function):
                name = each.source.func if isinstance(each.source, ir.Call) else each.source
                found[ir.last_name(name)].append((record, each))
        return dict(found)

    def _passed_on(self, scope: Scope, function: ir.Function) -> Iterator[PassedOn]:
        for name, values in function.bindings.items():
            for value in values:
                for site, source in self._made_from(scope, value):
                    yield PassedOn(site, source, variable=name)
        for write in function.writes:
            if write.value is not None and isinstance(write.target, ir.Attribute):
                for site, source in self._made_from(scope, write.value):
                    yield PassedOn(site, source, attribute=write.target.name)
        for returned in (*function.returns, *function.yields):
            for site, source in self._made_from(scope, returned):
                yield PassedOn(site, source)
        for call in function.calls:
            for i, argument in enumerate(call.args):
                for site, source in self._made_from(scope, argument):
                    yield PassedOn(site, source, call=call, place=i)
            for keyword, argument in call.keywords:
                for site, source in self._made_from(scope, argument) if keyword else ():
                    yield PassedOn(site, source, call=call, place=keyword or "")

    def _made_from(
        self, here: Scope, value: ir.Expr
    ) -> Iterator[tuple[Scope, ir.Name | ir.Attribute | ir.Call]]:
        """What a value is made from: `f`, `nnx.jit(f)`, `(f, g)`, `make()`."""
        match value:
            case ir.Name(id=name) | ir.Attribute(name=name):
                if self.defines(name):
                    yield here, value
            case ir.Call(func=func, args=(first, *_)) if ir.last_name(func) in WRAPPERS:
                yield from self._made_from(here, first)
            case ir.Call(func=ir.Name(id=name) | ir.Attribute(name=name)):
                if self.defines(name):
                    yield here, value
            case ir.Choice(options=parts) | ir.Sequence(elements=parts):
                for part in parts:
                    yield from self._made_from(here, part)
            case ir.Unpacked(base=base):
                yield from self._made_from(here, base)
            case ir.Within(key=key, expr=inner):
                yield from self._made_from(Scope(here.module, key), inner)


def callees(func: ir.Expr) -> Iterator[ir.Name | ir.Attribute]:
    """What a call may call: `f` of `f(x)`, both `nnx.jit` and `f` of `nnx.jit(f)(x)`."""
    match func:
        case ir.Name() | ir.Attribute():
            yield func
        case ir.Call(func=inner, args=args):
            yield from callees(inner)
            for arg in args[:1]:
                yield from callees(arg)


def writes_in(function: ir.Function) -> Iterator[ir.Write]:
    """The stores of a function, those by `setattr` with a literal name included."""
    yield from function.writes
    yield from _set_by_name(function)


def _set_by_name(function: ir.Function) -> Iterator[ir.Write]:
    """`setattr(x, "name", value)` as the store that it is."""
    for call in function.calls:
        match call:
            case ir.Call(func=ir.Name(id="setattr"), args=(base, ir.Constant(text=name), value)):
                if name:
                    yield ir.Write(ir.Attribute(base, name), value, "set", call.line)
