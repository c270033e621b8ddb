"""The projects of a run in which one file is edited, again and again, while the others stay."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nnx_migrate.analysis.facts import Analyses
from nnx_migrate.analysis.ir.build import index_tree
from nnx_migrate.analysis.watched.edited_file import EditedFile
from nnx_migrate.analysis.watched.lines import with_earlier_lines
from nnx_migrate.engine.discover import IndexTask
from nnx_migrate.engine.projects.assign import PlacedIndex, Projects
from nnx_migrate.rewrite.pinned.withdrawn import withdrawn
from nnx_migrate.sources.documents.kinds import is_document, read_source
from nnx_migrate.sources.text import Source

if TYPE_CHECKING:
    from nnx_migrate.analysis.ir.nodes import ModuleIndex
    from nnx_migrate.analysis.symbols.program import Project
    from nnx_migrate.sources.own_transforms import OwnTransform


class EditedProjects(Projects):
    """Projects in which the one of the edited file rests on what was known before the edit.

    Args:
        indexes: one for each file, in any order.
        path: the edited file.
        edited: what is known of its project, whatever the file says.
        record: the file as it is.
        later: the same with the lines that its parts had at first; None at first.
        is_preliminary: what is known of other files rests on something that the file said before.
    """

    def __init__(
        self,
        indexes: Sequence[PlacedIndex],
        path: Path,
        edited: EditedFile,
        record: ModuleIndex,
        later: ModuleIndex | None,
        *,
        is_preliminary: bool,
    ) -> None:
        super().__init__(indexes)
        self.is_preliminary = is_preliminary
        self._path = path
        self._analyses = Analyses()
        self._project = edited.with_text(record, self._analyses, later)

    def analyses(self) -> Analyses:
        return self._analyses

    def around(self, path: Path, transforms: tuple[OwnTransform, ...] = ()) -> Project:
        if path != self._path or transforms:
            return super().around(path, transforms)
        return self._project


@dataclasses.dataclass(frozen=True, slots=True)
class _Base:
    """What the file was like at first.

    Args:
        others: the indexes of all other files.
        index: that of the file.
        source: its text.
        edited: what is known of its project.
    """

    others: tuple[PlacedIndex, ...]
    index: PlacedIndex
    source: Source
    edited: EditedFile


class EditedFiles:
    """What is known while files are edited, of the last few of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._bases: dict[Path, _Base] = {}
        #: How often all was found anew.
        self.anew = 0

    def knows(self, path: Path) -> bool:
        """Whether it is known what edits of a file leave as it is."""
        return path in self._bases

    def projects(
        self, indexes: Sequence[PlacedIndex], task: IndexTask, *, at_once: bool = False
    ) -> EditedProjects | None:
        """The projects of these files, resting on those of before; None where that cannot be.

        Args:
            indexes: one for each file.
            task: the file that is edited, with its bytes.
            at_once: where other files feel the edit, leave what is known of them as it was.
        """
        path, data = task.path, task.data
        index = next((each for each in indexes if each.path == path), None)
        if index is None or not isinstance(data, bytes) or is_document(path):
            return None
        others = tuple(each for each in indexes if each is not index)
        source = withdrawn(read_source(path, data), task.unpin).source
        base = self._bases.pop(path, None)
        stands = base is not None and _stands(base, index, others)
        later = _with_earlier_lines(base, index, source) if base is not None and stands else None
        felt = base is not None and later is not None and bool(base.edited.concerned(later))
        if base is None or not stands or (felt and not at_once):
            felt, later = False, None
            self.anew += 1
            project = Projects(indexes).around(path)
            module = index.unpacked().module
            if project.modules.get(module) is not index.record:
                return None
            base = _Base(others, index, source, EditedFile(project, module))
        self._bases[path] = base
        for oldest in list(self._bases)[: -self._most]:
            del self._bases[oldest]
        record = index.unpacked()
        return EditedProjects(indexes, path, base.edited, record, later, is_preliminary=felt)


def _stands(base: _Base, index: PlacedIndex, others: tuple[PlacedIndex, ...]) -> bool:
    """Whether the same files are known together as before the edit."""
    before = base.index
    if len(others) != len(base.others) or any(
        one is not other for one, other in zip(others, base.others, strict=True)
    ):
        return False
    if (before.root, before.module) != (index.root, index.module):
        return False
    # What a file imports decides which files are known together.
    return before.imports == index.imports or _of_libraries(before, index, others)


def _with_earlier_lines(base: _Base, index: PlacedIndex, source: Source) -> ModuleIndex:
    """The file as it is, with the lines that its parts had at first."""
    record = index.unpacked()
    tree = with_earlier_lines(source.text, base.source.text)
    return index_tree(tree, record.module, source, record.meant)


def _of_libraries(before: PlacedIndex, index: PlacedIndex, others: Sequence[PlacedIndex]) -> bool:
    """Whether all that is imported now and was not, or the other way round, is of no project."""
    parts = {part for each in (*others, index) for part in each.module.split(".")}
    changed = set(before.imports) ^ set(index.imports)
    return not any(part in parts for target in changed for part in target.split("."))
