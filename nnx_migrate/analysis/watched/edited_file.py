"""A project while one of its files is edited.

What is asked of the other files is answered with the file as it was at first, and noted is what
that answer has read of it: what it calls by some name, what one of its methods stores, what a name
in it is bound to. As long as a later text of the file has the same facts under these names, the
answers hold. The file itself, and all in which names may lead to it, are looked at with its text as
it is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

from nnx_migrate.analysis.callgraph.call_targets import Handles
from nnx_migrate.analysis.facts import Analyses, Analysis
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.occurrence_index import NameTables, defined_in
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.analysis.watched.facts_read import FactsRead, Version
from nnx_migrate.analysis.watched.records import watched
from nnx_migrate.analysis.watched.tables import WatchedTables

T = TypeVar("T")


class EditedFile:
    """The answers that hold while a file is edited.

    Args:
        project: with the file as it is at first; nothing of it was observed, and it has no
            transforms of its own.
        module: of the file.
    """

    def __init__(self, project: Project, module: str) -> None:
        self.project = project
        self.module = module
        record = project.modules[module]
        own = defined_in([record])
        kept = [[r for r in t.records if r is not record] for t in project.tables]
        elsewhere = frozenset[str]().union(*map(defined_in, kept), project.tables[0].defined - own)
        self._elsewhere = elsewhere
        others = [each for each in project.modules.values() if each is not record]
        tables = tuple(NameTables(records, elsewhere | own) for records in kept if records)
        self._others = Project(others, tables)
        self._places = {name: place for place, name in enumerate(project.modules)}
        self._meaning = Evaluator(self._others)
        self._facts = FactsRead(self._version(record))
        first = _WatchedProject(self._others, self._facts, self._places)
        self._first = Analysis(first, others=self._meaning)
        #: What functions may be called by while the file is as it is at first.
        self._handles: Handles | None = None

    def concerned(self, later: ir.ModuleIndex) -> list[Hashable]:
        """What answers have read of the file that is another in a later version.

        Args:
            later: with the lines that its parts had at first.
        """
        version, first = self._version(later), self._facts.version
        changed = self._facts.changed(version)
        # What other files pass on was looked for by the names that functions have.
        names = version.tables.known ^ first.tables.known
        names |= (defined_in([later]) ^ defined_in([first.record])) - self._elsewhere
        said = names.intersection(later.words).union(
            *(names & tables.words for tables in self._others.tables)
        )
        return [*changed, *(("defined", name) for name in sorted(said))]

    def with_text(
        self, record: ir.ModuleIndex, holder: Analyses, later: ir.ModuleIndex | None = None
    ) -> Project:
        """The project with the file as it is, of which an analysis is kept that asks this one.

        Args:
            record: the file as it is.
            holder: keeps the analysis.
            later: the file as it is, with the lines that its parts had at first; None at first.
        """
        project = self._others.with_file(record, self._places)
        analysis = Analysis(project, self._first, holder.reference, self._meaning)
        handles = analysis.evaluator.callers.handles
        if later is None:
            self._handles = handles
        elif self._handles is not None:
            handles.rest_on(self._handles, later)
        holder.keep(analysis)
        return project

    def _version(self, record: ir.ModuleIndex) -> Version:
        return Version(record, NameTables((record,), self._elsewhere), self._others.dependents)


class _WatchedProject(Project):
    """The project with the file as it was at first, of which is noted what is read.

    Args:
        others: all other files.
        facts: notes it.
        places: where each file stands among all.
    """

    def __init__(self, others: Project, facts: FactsRead, places: Mapping[str, int]) -> None:
        record = watched(facts)
        module = facts.version.record.module
        tables = (WatchedTables(facts, record), *others.tables)
        renewed = others.renewed_by(module)
        self._facts = facts
        self._watched = module
        super().__init__((*others.modules.values(), record), tables, others, renewed)
        self.stand(places)

    def leading_to(self, module: str) -> frozenset[str]:
        return self._facts.read(
            ("leading to", module), lambda version: version.dependents.of(module)
        )

    def fact(self, module: str, key: Hashable, ask: Callable[[Project], T]) -> T:
        if module != self._watched:
            return ask(self)
        return self._facts.read(key, lambda version: ask(version.alone))

    def methods_of(self, module: str, class_key: str) -> list[tuple[str, ir.Function]]:
        if module != self._watched:
            return super().methods_of(module, class_key)
        keys = self._facts.read(
            ("methods", class_key), lambda version: version.methods.get(class_key, ())
        )
        return [(key, self.modules[module].functions[key]) for key in keys]
