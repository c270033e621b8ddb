"""The facts of a whole project: its modules, what names mean across them, its class hierarchy."""

from __future__ import annotations

import collections
import functools
import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from nnx_migrate.analysis.domain.values import Located, ParameterOf, Scope
from nnx_migrate.analysis.flax.names import NNX, is_public, nnx_name
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.implicit_calls import ARITHMETIC, METHODS
from nnx_migrate.analysis.ir.notebook_cells import notebook_cells
from nnx_migrate.analysis.symbols.imports.interface import stands_where
from nnx_migrate.analysis.symbols.imports.reverse_imports import Dependents
from nnx_migrate.analysis.symbols.nnx_names import names_used, renamed_transforms
from nnx_migrate.analysis.symbols.observed import Observations
from nnx_migrate.analysis.symbols.occurrence_index import NameTables
from nnx_migrate.analysis.symbols.reaching_definitions import seen_within
from nnx_migrate.analysis.symbols.wrappers import Wrappers
from nnx_migrate.sources.facts.observed_facts import ObservedFacts
from nnx_migrate.sources.own_transforms import OwnTransform

T = TypeVar("T")
Binding = Located | ParameterOf


class Project:
    """Modules that import each other by name.

    Args:
        indexes: one record per file; of two files with one module name the first counts.
        tables: name tables that together hold at least these files, and know the names that are
            defined in all; made from the files when not given.
        before: the project that this is, but for a file.
        renewed: the modules in which names may mean something else than there.
        wrappers: transforms of its own, each of which stands for the one that it is like.
        observed: what runs have shown of its functions.
        unobserved: the same project without that; None where nothing was observed.
    """

    def __init__(
        self,
        indexes: Iterable[ir.ModuleIndex],
        tables: tuple[NameTables, ...] = (),
        before: Project | None = None,
        renewed: frozenset[str] = frozenset(),
        wrappers: Wrappers | None = None,
        observed: Observations | None = None,
        unobserved: Project | None = None,
    ) -> None:
        self.modules: dict[str, ir.ModuleIndex] = {}
        for index in indexes:
            self.modules.setdefault(index.module, index)
        self.tables = tables or (NameTables(self.modules.values()),)
        self.before = before
        self.renewed = renewed
        self.wrappers = wrappers
        self.observed = observed
        self.unobserved = unobserved
        self._bindings: dict[tuple[Scope, str], list[Binding]] = {}
        self._cells: dict[str, frozenset[str]] = {}
        self._dotted: dict[tuple[Scope, str], str | None] = {}
        #: The names that are being followed, and how often one of them led to itself.
        self._followed: set[tuple[Scope, str] | str] = set()
        self._circles = 0
        self._methods: dict[str, dict[str, list[tuple[str, ir.Function]]]] = {}
        self._leading: dict[str, frozenset[str]] = {}
        self._names_used: dict[str, frozenset[str]] = {}
        self._renamed: dict[str, Mapping[str, frozenset[str]]] = {}

    def replacing(self, *indexes: ir.ModuleIndex) -> Project:
        """The project with some files as they are after an edit."""
        modules = {**self.modules, **{index.module: index for index in indexes}}
        own = NameTables(indexes, self.tables[0].defined, self.tables[0].wrappers)
        renewed = frozenset[str]().union(*map(self._renewed_by, indexes))
        wrappers = None if self.wrappers is None else self.wrappers.replacing(*indexes)
        plain = None if self.unobserved is None else self.unobserved.replacing(*indexes)
        tables = (own, *self.tables)
        return Project(modules.values(), tables, self, renewed, wrappers, self.observed, plain)

    def with_file(self, index: ir.ModuleIndex, places: Mapping[str, int]) -> Project:
        """The project with one more file.

        Args:
            index: the file.
            places: where each file stands among all.
        """
        found = self.replacing(index)
        found.stand(places)
        return found

    def stand(self, places: Mapping[str, int]) -> None:
        """Have the files in an order that does not depend on which of them was added."""
        self.modules = {
            name: self.modules[name] for name in sorted(self.modules, key=places.__getitem__)
        }
        self.places = places

    def with_wrappers(self, transforms: Sequence[OwnTransform]) -> Project:
        """The project in which transforms of its own stand for those that they are like."""
        wrappers = Wrappers.of(self, transforms)
        tables = tuple(each.with_wrappers(wrappers.by_last_name) for each in self.tables)
        return Project(self.modules.values(), tables, wrappers=wrappers)

    def with_facts(self, facts: ObservedFacts) -> Project:
        """The project in which what runs have shown stands where a proof is missing."""
        seen = Observations(facts, self.modules)
        modules, tables = self.modules.values(), self.tables
        return Project(modules, tables, wrappers=self.wrappers, observed=seen, unobserved=self)

    @functools.cached_property
    def dependents(self) -> Dependents:
        if self.before is None:
            return Dependents(self.modules.values())
        return Dependents(self.tables[0].records, self.before.dependents)

    def renewed_by(self, *modules: str) -> frozenset[str]:
        """The files in which names may mean something else after an edit of these files."""
        return frozenset[str]().union(*map(self.leading_to, modules))

    def _renewed_by(self, index: ir.ModuleIndex) -> frozenset[str]:
        """The same; of an edit that moves nothing which other files can name, the file alone."""
        old = self.modules.get(index.module)
        if old is not None and stands_where(old) == stands_where(index):
            return frozenset({index.module})
        return self.renewed_by(index.module)

    def leading_to(self, module: str) -> frozenset[str]:
        """The file itself, and all in which a name may lead to it, through others too."""
        if module not in self._leading:
            self._leading[module] = self.dependents.of(module)
        return self._leading[module]

    @functools.cached_property
    def places(self) -> Mapping[str, int]:
        """The order in which the name tables have the files."""
        records = itertools.chain.from_iterable(tables.records for tables in self.tables)
        return {record.module: i for i, record in enumerate(records) if self.holds(record)}

    @functools.cached_property
    def packages(self) -> frozenset[str]:
        """The first names by which files of the project, and of others in the run, are imported."""
        records = itertools.chain.from_iterable(tables.records for tables in self.tables)
        named = itertools.chain(self.modules, (record.module for record in records))
        return frozenset(module.partition(".")[0] for module in named)

    def holds(self, record: ir.ModuleIndex) -> bool:
        """Whether a file is the one that counts under its name."""
        return self.modules.get(record.module) is record

    def has_word(self, word: str) -> bool:
        """Whether the identifier occurs in a file of the project, or of others in the same run."""
        if self.wrappers is not None and self.wrappers.is_like(word):
            return True
        return any(word in tables.words for tables in self.tables)

    @functools.cached_property
    def special(self) -> frozenset[str]:
        """The methods of syntax that a class of the project, or of others in the run, has."""
        return frozenset().union(*(tables.special for tables in self.tables))

    @functools.cached_property
    def arithmetic(self) -> tuple[str, ...]:
        """Those of them that operators run, which may give any object."""
        return tuple(sorted(self.special & ARITHMETIC))

    @functools.cached_property
    def running(self) -> frozenset[str]:
        """The methods that syntax looks for first where it may run one of these."""
        return frozenset(
            first
            for first, sides in METHODS.items()
            if any(not self.special.isdisjoint(names) for names in sides)
        )

    def may_use(self, module: str, names: frozenset[str]) -> bool:
        """Whether a file may refer to one of these nnx names, by what its names can stand for."""
        index = self.modules[module]
        if any(star in self.modules or star.startswith("flax") for star in index.star_imports):
            return True
        if module not in self._names_used:
            self._names_used[module] = names_used(self, index)
        return not names.isdisjoint(self._names_used[module])

    def renamed(self, module: str) -> Mapping[str, frozenset[str]]:
        """Names in a file that may stand for transforms which are called otherwise: for which."""
        if module not in self._renamed:
            self._renamed[module] = renamed_transforms(self, self.modules[module])
        return self._renamed[module]

    def fact(self, module: str, key: Hashable, ask: Callable[[Project], T]) -> T:
        """What one file alone says, beside which names are defined anywhere.

        Args:
            module: of the file.
            key: names the fact.
            ask: looks it up in a project that holds the file.
        """
        return ask(self)

    def function(self, scope: Scope) -> ir.Function:
        return self.modules[scope.module].functions[scope.function]

    def within(self, scope: Scope) -> Iterator[Scope]:
        """A function and all that are defined in it."""
        yield scope
        for key in self.function(scope).nested:
            yield from self.within(Scope(scope.module, key))

    def class_of(self, class_name: str) -> tuple[str, ir.Class] | None:
        """The module and record of a project class by its name "module:Key:line"."""
        module, _, key = class_name.partition(":")
        index = self.modules.get(module)
        if index is None or key not in index.classes:
            return None
        return module, index.classes[key]

    def methods_of(self, module: str, class_key: str) -> list[tuple[str, ir.Function]]:
        """Every function defined in the body of a class, setters and the like included."""
        if module not in self._methods:
            self._methods[module] = collections.defaultdict(list)
            for key, function in self.modules[module].functions.items():
                if function.owner is not None:
                    self._methods[module][function.owner].append((key, function))
        return self._methods[module].get(class_key, [])

    def path_of(self, module: str) -> str:
        return self.modules[module].path

    def bindings(self, scope: Scope, name: str) -> list[Binding]:
        """What `name` can be bound to, seen from `scope`; empty when nothing binds it."""
        known = self._bindings.get((scope, name))
        if known is None:
            if self.before is not None and scope.module not in self.renewed:
                return self.before.bindings(scope, name)
            known = self._find_bindings(scope, name)
            if self.wrappers is not None:
                known = self.wrappers.instead(name, known)
            self._bindings[scope, name] = known
        return known

    def _find_bindings(self, scope: Scope, name: str) -> list[Binding]:
        index = self.modules[scope.module]
        key: str | None = scope.function
        loose: list[Binding] = []
        line = 0
        while key is not None:
            function = index.functions[key]
            if name not in function.globals:
                here = Scope(scope.module, key)
                found: list[Binding] = [
                    ParameterOf(here, p) for p in function.parameters if p.name == name
                ]
                if found and key in self.cells(scope.module):
                    found = self._of_other_cells(here, name) or found
                values = function.bindings.get(name, ())
                seen = seen_within(function, name, line)
                found += [Located(here, values[place]) for place in seen]
                if found and name not in function.loose:
                    return loose + found
                loose += found
            key, line = function.parent, function.line
        return loose + list(self._star_bindings(index, name, {index.module}))

    def cells(self, module: str) -> frozenset[str]:
        """The functions of a file that are cells of a notebook, by their keys."""
        if module not in self._cells:
            self._cells[module] = notebook_cells(self.modules[module])
        return self._cells[module]

    def _of_other_cells(self, cell: Scope, name: str) -> list[Binding]:
        """What the other cells of a notebook bind a parameter of one to."""
        functions = self.modules[cell.module].functions
        return [
            Located(Scope(cell.module, key), value)
            for key in sorted(self.cells(cell.module))
            if key != cell.function
            for value in functions[key].bindings.get(name, ())
        ]

    def _star_bindings(self, index: ir.ModuleIndex, name: str, seen: set[str]) -> Iterator[Binding]:
        for star in index.star_imports:
            if star in seen:
                continue
            seen.add(star)
            target = self.modules.get(star)
            if target is None:
                if star == NNX or star.startswith(NNX + ".") or star == "flax":
                    dotted = f"{star}.{name}"
                    if star == "flax" or is_public(dotted):
                        yield Located(Scope(index.module, ir.MODULE_SCOPE), ir.ImportRef(dotted))
                continue
            here = Scope(star, ir.MODULE_SCOPE)
            values = target.functions[ir.MODULE_SCOPE].bindings.get(name, ())
            yield from (Located(here, value) for value in values)
            if not values:
                yield from self._star_bindings(target, name, seen)

    def member(self, dotted: str) -> list[Binding] | None:
        """What an absolute dotted name of the project is bound to; None when it is not of it."""
        head, _, attribute = dotted.rpartition(".")
        # Flax's own source may be among the files; its names mean the library all the same.
        if dotted == NNX or head == NNX or head.startswith(NNX + "."):
            return None
        if head in self.modules:
            found = self.bindings(Scope(head, ir.MODULE_SCOPE), attribute)
            return [each for each in found if not _imports(each, dotted)]
        return None

    def dotted(self, scope: Scope, expr: ir.Expr) -> str | None:
        """The absolute dotted name that an expression stands for, re-exports followed.

        Returns None for anything that is not a plain reference to something imported, and when
        the possible meanings do not agree.
        """
        match expr:
            case ir.Name(id=name):
                key = scope, name
                if key not in self._dotted:
                    circles = self._circles
                    found = self._following(key, self.bindings(scope, name))
                    # What another name that is being followed cut short is not its answer.
                    if self._followed and self._circles != circles:
                        return found
                    self._dotted[key] = found
                return self._dotted[key]
            case ir.Attribute(base=base, name=name):
                head = self.dotted(scope, base)
                return None if head is None else self.follow(f"{head}.{name}")
            case ir.Call(func=ir.Name(id="getattr"), args=(base, ir.Constant(text=name), *_)) if (
                name
            ):
                return self.dotted(scope, ir.Attribute(base, name))
            case ir.ImportRef(target=target):
                return self.follow(target)
            case ir.Within(key=key, expr=inner):
                return self.dotted(Scope(scope.module, key), inner)
            case _:
                return None

    def follow(self, dotted: str) -> str | None:
        """Follow a dotted name through the project's re-exports to where it comes from."""
        if self.wrappers is not None and dotted in self.wrappers.named:
            return self.wrappers.like(dotted)
        bound = self.member(dotted)
        if bound:
            return self._following(dotted, bound) or dotted
        return dotted

    def names_on_the_way(self, dotted: str) -> Iterator[str]:
        """A dotted name, and every name that it is imported from, file by file."""
        waiting = [dotted]
        for name in waiting:
            yield name
            for binding in self.member(name) or ():
                if not isinstance(binding, Located) or not isinstance(binding.expr, ir.ImportRef):
                    continue
                if binding.expr.target not in waiting:
                    waiting.append(binding.expr.target)

    def _following(self, name: tuple[Scope, str] | str, bindings: list[Binding]) -> str | None:
        """What the bindings of a name agree on; None where that leads to the name itself."""
        if name in self._followed:
            self._circles += 1
            return None
        self._followed.add(name)
        try:
            return self._agreed(bindings)
        finally:
            self._followed.discard(name)

    def _agreed(self, bindings: list[Binding]) -> str | None:
        names: set[str | None] = set()
        for binding in bindings:
            if isinstance(binding, ParameterOf):
                return None
            if isinstance(binding.expr, ir.Constant) and binding.expr.type == "none":
                continue  # `except ImportError: nnx = None`
            names.add(self.dotted(binding.scope, binding.expr))
            if None in names or len(names) > 1:
                return None  # at once: names that are bound to each other multiply the ways
        return names.pop() if names else None

    def nnx_name(self, scope: Scope, expr: ir.Expr) -> str | None:
        """The name after `nnx.` ("grad", "compat.jit") of a reference into flax.nnx, or None."""
        return nnx_name(self.dotted(scope, expr))


def _imports(binding: Binding, dotted: str) -> bool:
    """Whether a name of a package is bound to the file of that name: `from . import nets` in it."""
    return isinstance(binding, Located) and binding.expr == ir.ImportRef(dotted)
