"""Where something of a name is called, stored to, passed on or defined: tables over many files.

The tables hold nothing that depends on what names mean, so they are made once from all files of a
run and serve every project that has some of these files.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.flax.transforms import KEEPERS
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.implicit_calls import NO_OBJECT, SPECIAL
from nnx_migrate.analysis.symbols.higher_order import (
    TAKER_NAMES,
    TAKERS,
    Taker,
    implied_calls,
    takers_named,
)
from nnx_migrate.analysis.symbols.passed_on import (
    PassedOn,
    called_names,
    callees,
    kept_in,
    passed_on_in,
    passed_on_in_class,
    writes_in,
)

Item = TypeVar("Item")
#: The record of a file, a scope in it, and what stands there.
Row = tuple[ir.ModuleIndex, Scope, Item]
#: Rows by name.
Table = dict[str, list[Row[Item]]]
_Question = Callable[[ir.ModuleIndex, str], bool]


class NameTables:
    """What files call, store to, pass on and define, by last name.

    Args:
        records: the files, in the order in which their entries are to stand.
        elsewhere: names of functions and classes that other files define.
        wrappers: the last names of the project's own transforms, with those that they are like.
    """

    def with_wrappers(self, wrappers: Mapping[str, frozenset[str]]) -> NameTables:
        """The same files, where these names are those of transforms."""
        return NameTables(self.records, self._elsewhere, wrappers)

    def __init__(
        self,
        records: Iterable[ir.ModuleIndex],
        elsewhere: frozenset[str] = frozenset(),
        wrappers: Mapping[str, frozenset[str]] = MappingProxyType({}),
    ) -> None:
        self.records = tuple(records)
        self._elsewhere = elsewhere
        self.wrappers = wrappers
        #: The last names of the project's own transforms.
        self.wraps = frozenset(wrappers)
        self._implied: dict[str, Sequence[Row[tuple[ir.Expr, ir.Expr]]]] = {}
        self._where: dict[tuple[str, _Question], tuple[ir.ModuleIndex, ...]] = {}
        self._of_parameters: dict[str, Mapping[str | None, Sequence[Row[ir.Call]]]] = {}

    def records_where(self, word: str, holds: _Question) -> tuple[ir.ModuleIndex, ...]:
        """The files with a word of which something is so, found once.

        Args:
            holds: says of a file and the word whether it is.
        """
        key = word, holds
        if key not in self._where:
            files = self.records if word in self.words else ()
            self._where[key] = tuple(f for f in files if word in f.words and holds(f, word))
        return self._where[key]

    def _functions(self) -> Iterator[tuple[ir.ModuleIndex, Scope, ir.Function]]:
        for record in self.records:
            for key, function in record.functions.items():
                yield record, Scope(record.module, key), function

    @functools.cached_property
    def words(self) -> frozenset[str]:
        """Every identifier that occurs in the files."""
        return frozenset().union(*(record.words for record in self.records))

    @functools.cached_property
    def calls(self) -> Table[ir.Call]:
        """Calls by the name of what is called; `nnx.jit(f)(x)` is one of `jit` and one of `f`."""
        found: Table[ir.Call] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            for call in function.calls:
                for name in dict.fromkeys(map(ir.last_name, callees(call.func))):
                    found[name].append((record, scope, call))
        return dict(found)

    @functools.cached_property
    def open_calls(self) -> Table[ir.Call]:
        """The same, without those of parameters: what these call is no name of another file."""
        return {
            name: [row for row in rows if not _is_of_parameter(row, name)]
            for name, rows in self.calls.items()
        }

    def calls_of_parameters(self, name: str, module: str | None = None) -> Sequence[Row[ir.Call]]:
        """Calls of parameters of that name.

        Args:
            module: the one that they are wanted of; None for all.
        """
        if name not in self._of_parameters:
            found: dict[str | None, list[Row[ir.Call]]] = collections.defaultdict(list)
            for row in self.calls.get(name, ()):
                if _is_of_parameter(row, name):
                    for wanted in (None, row[1].module):
                        found[wanted].append(row)
            self._of_parameters[name] = dict(found)
        return self._of_parameters[name].get(module, ())

    @functools.cached_property
    def implied_calls(self) -> Table[tuple[ir.Call, ir.Call, str]]:
        """Calls that functions of libraries make, by the names of what they call.

        Each with the call that they are given it by, and with the name of the one that this is if
        it is of a library at all. Lambdas are called by their keys.
        """
        found: Table[tuple[ir.Call, ir.Call, str]] = collections.defaultdict(list)
        for last in sorted(TAKER_NAMES | self.wraps):
            for record, scope, call in self.calls.get(last, ()):
                if ir.last_name(call.func) != last or isinstance(call.func, ir.Call):
                    continue
                for dotted, taker in (*takers_named(last), *self._takers_like(last)):
                    for made in implied_calls(call, taker):
                        for name in dict.fromkeys(called_names(made.func)):
                            found[name].append((record, scope, (made, call, dotted)))
        return dict(found)

    def _takers_like(self, last: str) -> Iterator[tuple[str, Taker]]:
        """What the project's own transforms of a last name are like, of what calls functions."""
        for like in sorted(self.wrappers.get(last, ())):
            if (taker := TAKERS.get(f"flax.nnx.{like}")) is not None:
                yield f"flax.nnx.{like}", taker

    @functools.cached_property
    def keywords(self) -> Table[ir.Call]:
        """Calls by each keyword that they pass something by."""
        found: Table[ir.Call] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            for call in function.calls:
                for keyword, _ in call.keywords:
                    if keyword:
                        found[keyword].append((record, scope, call))
        return dict(found)

    @functools.cached_property
    def outside_writes(self) -> Table[ir.Write]:
        """Stores to attributes of anything but a method's own object, by the attribute."""
        found: Table[ir.Write] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            own = function.parameters[0].name if function.owner and function.parameters else ""
            for write in writes_in(function):
                target = write.target
                if not isinstance(target, ir.Attribute) or write.value is None:
                    continue
                if target.base != ir.Name(own) and not isinstance(write.value, ir.Constant):
                    found[target.name].append((record, scope, write))
        return dict(found)

    @functools.cached_property
    def outside_puts(self) -> Table[ir.Write]:
        """What is put into attributes of anything but a method's own object, by the attribute."""
        found: Table[ir.Write] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            own = function.parameters[0].name if function.owner and function.parameters else ""
            for put in function.puts:
                if isinstance(put.target, ir.Attribute) and put.target.base != ir.Name(own):
                    found[put.target.name].append((record, scope, put))
        return dict(found)

    @functools.cached_property
    def puts_in_parameters(self) -> Table[ir.Write]:
        """What functions put into what they are passed, by the name of the function."""
        found: Table[ir.Write] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            names = {parameter.name for parameter in function.parameters}
            for put in function.puts:
                if isinstance(put.target, ir.Name) and put.target.id in names:
                    found[function.name].append((record, scope, put))
        return dict(found)

    @functools.cached_property
    def set_elsewhere(self) -> Table[ir.Write]:
        """Stores of constants to attributes of anything but a method's own object, and stores into
        what a local name has from an attribute: `layers = net.layers; layers.append(x)`."""
        found: Table[ir.Write] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            own = function.parameters[0].name if function.owner and function.parameters else ""
            for write in writes_in(function):
                match write:
                    case ir.Write(target=ir.Attribute(base=base, name=name), value=ir.Constant()):
                        if base != ir.Name(own):
                            found[name].append((record, scope, write))
                    case ir.Write(target=ir.Name(id=local), how="key"):
                        for bound in function.bindings.get(local, ()):
                            if isinstance(bound, ir.Attribute):
                                found[bound.name].append((record, scope, write))
            for bindings in function.bindings.values():
                grown = next((each for each in bindings if isinstance(each, ir.Sequence)), None)
                for bound in bindings if grown is not None else ():
                    if isinstance(bound, ir.Attribute):
                        write = ir.Write(bound, grown, "grow", function.line)
                        found[bound.name].append((record, scope, write))
        return dict(found)

    @functools.cached_property
    def outside_deletions(self) -> Table[ir.Write]:
        """Attributes of anything but a method's own object that are deleted, by the attribute."""
        found: Table[ir.Write] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            own = function.parameters[0].name if function.owner and function.parameters else ""
            for write in writes_in(function):
                match write:
                    case ir.Write(target=ir.Attribute(base=base, name=name), how="delete"):
                        if base != ir.Name(own):
                            found[name].append((record, scope, write))
        return dict(found)

    @functools.cached_property
    def functions(self) -> Table[ir.Function]:
        """Functions by name."""
        found: Table[ir.Function] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            found[function.name].append((record, scope, function))
        return dict(found)

    @functools.cached_property
    def properties(self) -> Table[ir.Function]:
        """Properties by name."""
        found: Table[ir.Function] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            if function.owner is not None and any(map(ir.is_property, function.decorators)):
                found[function.name].append((record, scope, function))
        return dict(found)

    @functools.cached_property
    def classes(self) -> Table[ir.Class]:
        """Classes by name, each with the scope that it stands in."""
        found: Table[ir.Class] = collections.defaultdict(list)
        for record in self.records:
            for class_record in record.classes.values():
                scope = Scope(record.module, class_record.scope)
                found[class_record.name].append((record, scope, class_record))
        return dict(found)

    @functools.cached_property
    def defined(self) -> frozenset[str]:
        """Names of functions and classes, in these files or elsewhere."""
        return self._elsewhere | defined_in(self.records)

    @functools.cached_property
    def known(self) -> frozenset[str]:
        """Names that functions and classes may be passed on by: their own, and of attributes."""
        return self.defined | kept_in(self.records, self.defined, self.wraps)

    def implied(self, first: str) -> Sequence[Row[tuple[ir.Expr, ir.Expr]]]:
        """What syntax that looks for this method first may run it on, and what that is given."""
        if first not in self._implied:
            self._implied[first] = [
                (record, scope, (left, right))
                for record, scope, function in self._functions()
                for name, operands in function.implied
                if name == first
                for left, right in zip(operands[::2], operands[1::2], strict=True)
                if NO_OBJECT not in (left, right)
            ]
        return self._implied[first]

    @functools.cached_property
    def keepers(self) -> dict[str, str]:
        """Names of classes that are made from those that keep a State, by their names alone."""
        found = {name: name for name in KEEPERS}
        classes = [each for record in self.records for each in record.classes.values()]
        grown = True
        while grown:
            known = len(found)
            for each in classes:
                bases = (found.get(ir.last_name(base)) for base in each.bases)
                kept = next(filter(None, bases), None)
                if kept is not None:
                    found.setdefault(each.name, kept)
            grown = len(found) > known
        return {name: base for name, base in found.items() if name not in KEEPERS}

    @functools.cached_property
    def special(self) -> frozenset[str]:
        """The names of methods that syntax runs, of those that classes in these files have."""
        classes = [each for record in self.records for each in record.classes.values()]
        return SPECIAL & frozenset().union(
            *(each.methods for each in classes), *(each.attributes for each in classes)
        )

    @functools.cached_property
    def renamed(self) -> Table[tuple[str, str]]:
        """Imports under another name, by the last name of what is imported: that, and the name."""
        found: Table[tuple[str, str]] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            for name, values in function.bindings.items():
                for value in values:
                    if not isinstance(value, ir.ImportRef):
                        continue
                    imported = value.target.rpartition(".")[2]
                    if imported != name:
                        found[imported].append((record, scope, (value.target, name)))
        return dict(found)

    @functools.cached_property
    def other_names(self) -> Table[ir.Expr]:
        """What the names of modules stand for that is called otherwise: `g = m.f`, `f as g`."""
        found: Table[ir.Expr] = collections.defaultdict(list)
        for record in self.records:
            scope = Scope(record.module, ir.MODULE_SCOPE)
            for name, values in record.functions[ir.MODULE_SCOPE].bindings.items():
                for value in values:
                    if ir.referred_name(value) not in {"", name}:
                        found[name].append((record, scope, value))
        return dict(found)

    @functools.cached_property
    def passed_on(self) -> Table[PassedOn]:
        """Functions that are bound, stored, returned or passed, by the name they have there."""
        found: Table[PassedOn] = collections.defaultdict(list)
        for record, scope, function in self._functions():
            for each in passed_on_in(scope, function, self.known.__contains__, self.wraps):
                name = each.source.func if isinstance(each.source, ir.Call) else each.source
                found[ir.last_name(name)].append((record, scope, each))
        for record in self.records:
            for class_record in record.classes.values():
                for each in passed_on_in_class(
                    record.module, class_record, self.known.__contains__, self.wraps
                ):
                    found[ir.last_name(each.source)].append((record, each.site, each))
        return dict(found)


def defined_in(records: Iterable[ir.ModuleIndex]) -> frozenset[str]:
    """The names of all functions and classes."""
    names: set[str] = set()
    for record in records:
        names.update(function.name for function in record.functions.values())
        names.update(defined.name for defined in record.classes.values())
    return frozenset(names)


def _is_of_parameter(row: Row[ir.Call], name: str) -> bool:
    """Whether what is called by a name can be nothing but a parameter of a function around it."""
    record, scope, call = row
    if not isinstance(call.func, ir.Name):
        return False
    key: str | None = scope.function
    while key is not None:
        function = record.functions[key]
        if name in function.loose or function.bindings.get(name):
            return False
        if name not in function.globals and any(p.name == name for p in function.parameters):
            return True
        key = function.parent
    return False
