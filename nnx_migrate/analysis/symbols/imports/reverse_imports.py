"""Which files a change of one file may concern: those in which a name may come from it."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.mentioned_names import imports_in, names_in

#: The names of a file that lead somewhere; None for all that it has, or may have after an edit.
_Names = frozenset[str] | None


@dataclasses.dataclass(frozen=True, slots=True)
class _Module:
    """What a file says of others.

    Args:
        words: every identifier in its code.
        stars: the modules of which it imports everything.
        imports: what each name that others may import from it comes from.
        leading: by the module that they may lead to, the names that do, see `_Leading`.
        built: the names of the file that it is made of, by each such name.
        mentioned: its words, and each part of what it imports.
    """

    words: frozenset[str]
    stars: frozenset[str]
    imports: dict[str, set[str]]
    built: dict[str, set[str]]
    mentioned: frozenset[str]
    leading: dict[str, _Leading] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class _Leading:
    """The names of a file that lead to another one.

    Args:
        always: those that lead there whatever is asked for.
        to: those that lead to a name of it, by that name.
    """

    always: set[str]
    to: dict[str, set[str]]


class Dependents:
    """The import graph the other way round, by what the names of files may reach.

    A file that imports another does not depend on all that this one imports: only where it has one
    of the names that lead on from there.

    Args:
        indexes: the files.
        before: the graph that these files are added to.
    """

    def __init__(self, indexes: Iterable[ir.ModuleIndex], before: Dependents | None = None) -> None:
        self._before = before
        self._reaching: dict[str, set[str]] = collections.defaultdict(set)
        self._naming: dict[str, set[str]] = collections.defaultdict(set)
        self._indexes: dict[str, ir.ModuleIndex] = {}
        self._modules: dict[str, _Module] = {}
        for index in indexes:
            self._indexes.setdefault(index.module, index)
            for target in _targets(index):
                # `import a` reaches all of `a.b.c`, and `from a.b import c` may be all of `a.b`.
                self._naming[target].add(index.module)
                for part in _prefixes(target):
                    self._reaching[part].add(index.module)

    def of(self, module: str) -> frozenset[str]:
        """The file itself, and all in which a name may lead to it, through others too."""
        leading: dict[str, _Names] = {module: None}
        waiting = [module]
        while waiting:
            via = waiting.pop()
            for near in self._near(via):
                known = leading.get(near, frozenset())
                if known is None or not self._may_name(near, via, leading[via]):
                    continue
                found = self._leading(near, via, leading[via])
                if near not in leading or found is None or not found <= known:
                    leading[near] = None if found is None else found | known
                    waiting.append(near)
        return frozenset(leading)

    def _near(self, module: str) -> set[str]:
        found = set() if self._before is None else self._before._near(module)
        return found.union(
            self._reaching.get(module, ()),
            *(self._naming.get(part, ()) for part in _prefixes(module)),
        )

    def _module(self, module: str) -> _Module:
        if module not in self._indexes and self._before is not None:
            return self._before._module(module)
        if module not in self._modules:
            self._modules[module] = _summary(self._indexes[module])
        return self._modules[module]

    def _may_name(self, near: str, via: str, names: _Names) -> bool:
        """Whether a file that may reach another has one of these names of it."""
        record = self._module(near)
        return names is None or via in record.stars or not record.mentioned.isdisjoint(names)

    def _leading(self, near: str, via: str, names: _Names) -> _Names:
        """The names of a file that lead to these of another one."""
        record = self._module(near)
        if via in record.stars:
            return None if names is None else names | self._made_of(record, names)
        if via not in record.leading:
            record.leading[via] = _leading_to(record, via)
        by_name = record.leading[via]
        first = set(by_name.always)
        for name in by_name.to if names is None else names & by_name.to.keys():
            first |= by_name.to[name]
        return self._made_of(record, first)

    def _made_of(self, record: _Module, names: Iterable[str]) -> frozenset[str]:
        """These names of a file, and those made of them: aliases, classes below, decorated ones."""
        found = set(names)
        size = -1
        while size != len(found):
            size = len(found)
            found.update(name for name, parts in record.built.items() if parts & found)
        return frozenset(found)


def _leading_to(record: _Module, via: str) -> _Leading:
    found = _Leading(set(), collections.defaultdict(set))
    for name, targets in record.imports.items():
        for target in targets:
            if target == via:
                found.always.add(name)
            elif via.startswith(f"{target}."):  # `import a`, and then `a.b`
                if via[len(target) + 1 :].partition(".")[0] in record.words:
                    found.always.add(name)
            elif target.startswith(f"{via}."):
                found.to[target[len(via) + 1 :].partition(".")[0]].add(name)
    return found


def _summary(index: ir.ModuleIndex) -> _Module:
    imports: dict[str, set[str]] = collections.defaultdict(set)
    built: dict[str, set[str]] = collections.defaultdict(set)
    for name, parts in _parts(index):
        imports[name].update(imports_in(parts))
        built[name].update(names_in(parts))
    words, stars = frozenset(index.words), frozenset(index.star_imports)
    mentioned = words.union(*(target.split(".") for target in index.imports))
    return _Module(words, stars, imports, built, mentioned)


def _parts(index: ir.ModuleIndex) -> Iterator[tuple[str, Iterable[ir.Expr]]]:
    """The names that a file may give to others, and what decides what these mean."""
    yield from index.functions[ir.MODULE_SCOPE].bindings.items()
    for function in index.functions.values():
        yield function.name, function.decorators
        for name in function.globals:
            yield name, function.bindings.get(name, ())
    for each in index.classes.values():
        yield each.name, (*each.bases, *each.decorators, *(value for _, value in each.keywords))
        yield each.name, each.annotations.values()
        for values in each.attributes.values():
            yield each.name, values


def _targets(index: ir.ModuleIndex) -> set[str]:
    found = set(index.imports)
    for function in index.functions.values():
        for values in function.bindings.values():
            found.update(value.target for value in values if isinstance(value, ir.ImportRef))
    return found


def _prefixes(dotted: str) -> Iterator[str]:
    """`a.b.c`, `a.b` and `a`."""
    while dotted:
        yield dotted
        dotted = dotted.rpartition(".")[0]
