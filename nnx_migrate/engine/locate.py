"""Places of the analysis as a reader finds them: the last step of what is said about a file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from nnx_migrate.core.findings import Evidence, Finding
from nnx_migrate.core.place import Location, Place, places_in, written_out
from nnx_migrate.core.relocation import lines_named
from nnx_migrate.sources.imports.module_names import home_of, name_in_home

if TYPE_CHECKING:
    from nnx_migrate.analysis.symbols.program import Project


class Locator:
    """Gives what is said of a file the names that its readers know places by.

    Args:
        project: knows the files of all places.
        module: of the file that something is said of.
    """

    def __init__(self, project: Project, module: str) -> None:
        self._project = project
        self._module = module
        self._names: dict[str, str] = {}
        self._home: Path | None = None

    def findings(self, findings: Iterable[Finding]) -> list[Finding]:
        """Findings with places that a reader finds."""
        return [
            dataclasses.replace(
                finding,
                message=self.text(finding.message),
                evidence=tuple(self.evidence(each, finding.line) for each in finding.evidence),
            )
            for finding in findings
        ]

    def text(self, text: str) -> str:
        """A sentence with names of files, and lines as they stand there."""
        own = self._project.modules[self._module]
        if own.stands or own.lines:
            text = lines_named(text, self._line)
        return written_out(text, lambda place: str(self.location(place)))

    def location(self, place: Place) -> Location:
        """Where a reader finds a place; one of no known module stays what it is called there."""
        index = self._project.modules.get(place.module)
        if index is None:
            return Location(Path(place.module), place.module, place.line)
        path = index.path
        if path not in self._names:
            self._names[path] = self._name(path)
        name = self._names[path]
        if not index.stands or not place.line:
            lines = index.lines if place.line else ()
            line = lines[min(place.line, len(lines)) - 1] if lines else place.line
            return Location(Path(path), name, line)
        line, cell, cell_line = index.stands[min(place.line, len(index.stands)) - 1]
        return Location(Path(path), name, line, cell, cell_line)

    def evidence(self, each: Evidence, line: int) -> Evidence:
        """Evidence at the place that shows it, which is never the finding that it is for.

        Args:
            line: of that finding.
        """
        where, site = each.where, Place(self._module, line)
        if where is None or where == site:
            where = next((place for place in places_in(each.claim) if place != site), None)
        located = self.location(where) if isinstance(where, Place) else where
        return dataclasses.replace(each, claim=self.text(each.claim), where=located)

    def _line(self, line: int) -> str:
        found = self.location(Place(self._module, line))
        return f"cell {found.cell}, line {found.cell_line}" if found.cell else str(found.line)

    def _name(self, path: str) -> str:
        """The name of a file from the repository or the project of the file at hand."""
        if self._home is None:
            self._home = home_of(Path(self._project.path_of(self._module)))
        return name_in_home(Path(path), self._home)
