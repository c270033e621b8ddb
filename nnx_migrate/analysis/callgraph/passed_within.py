"""What becomes of variables that no function is called like, which the name tables leave out."""

from __future__ import annotations

import collections
import weakref
from collections.abc import Iterator, Mapping, Sequence

from nnx_migrate.analysis.domain.values import Scope, scope_around
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.occurrences import Mentions
from nnx_migrate.analysis.symbols.passed_on import PassedOn, passed_on_in, passed_out_of
from nnx_migrate.analysis.symbols.program import Project


class PassedWithin:
    """Goes through each function once for all of its variables, of which it may have hundreds.

    Args:
        project: the files.
        mentions: what they call and define.
        before: of the project that this one is but for a file.
    """

    def __init__(
        self, project: Project, mentions: Mentions, before: PassedWithin | None = None
    ) -> None:
        self._project = project
        self._mentions = mentions
        self._before = before
        self._wraps = project.tables[0].wraps
        self._within: dict[Scope, Mapping[str, Sequence[PassedOn]]] = {}
        self._own_values: dict[Scope, tuple[PassedOn, ...]] = {}
        #: Of other projects that hold a file as it is, or as it will be.
        self._others: weakref.WeakKeyDictionary[Project, PassedWithin] = weakref.WeakKeyDictionary()

    def of(self, within: Scope, name: str) -> Sequence[PassedOn]:
        """What becomes of a variable of a function, or of a module: the file itself says it all."""
        if self._before is not None and self._has_as_it_was(within.module):
            return self._before.of(within, name)
        key = "passed within", within, name
        return self._project.fact(within.module, key, lambda p: self._in(p)._named(within, name))

    def _has_as_it_was(self, module: str) -> bool:
        before = self._before and self._before._project.modules.get(module)
        return before is self._project.modules.get(module)

    def _in(self, project: Project) -> PassedWithin:
        if project is self._project:
            return self
        if project not in self._others:
            self._others[project] = PassedWithin(project, Mentions(project))
        return self._others[project]

    def _named(self, within: Scope, name: str) -> Sequence[PassedOn]:
        if within not in self._within:
            found: dict[str, list[PassedOn]] = collections.defaultdict(list)
            for each in self._all_within(within):
                found[ir.last_name(each.source)].append(each)
            self._within[within] = dict(found)
        return self._within[within].get(name, ())

    def _all_within(self, within: Scope) -> Iterator[PassedOn]:
        """What becomes of anything in a function, in those nested in it, and put out of these."""
        scopes = [within]
        # What is imported may be a whole module, or of a library.
        for scope in scopes if within.module in self._project.modules else ():
            function = self._project.function(scope)
            scopes += [Scope(scope.module, key) for key in function.nested]
            if scope not in self._own_values:
                passed = passed_on_in(scope, function, self._is_variable, self._wraps)
                self._own_values[scope] = tuple(passed)
            yield from self._own_values[scope]
            if function.parent is not None:
                outer = scope_around(scope, function)
                yield from self._passed_out(outer, scope.function)
                if outer.function != ir.MODULE_SCOPE:
                    yield from self._passed_out(
                        Scope(outer.module, ir.MODULE_SCOPE), scope.function
                    )

    def _passed_out(self, outer: Scope, inner: str) -> Iterator[PassedOn]:
        around = self._project.function(outer)
        return passed_out_of(outer, around, inner, self._is_variable, self._wraps)

    def _is_variable(self, name: str) -> bool:
        return not self._mentions.defines(name)
