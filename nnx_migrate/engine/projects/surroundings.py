"""The files around an edited one, as they were read last, while nothing says that they changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from pathlib import Path

from nnx_migrate.engine.discover import Indexed, IndexTask
from nnx_migrate.sources.configuration import Options
from nnx_migrate.sources.imports.folders import taken_out_of
from nnx_migrate.sources.imports.scan import written_imports
from nnx_migrate.sources.walk.disk_state import DiskState


@dataclasses.dataclass(frozen=True, slots=True)
class Surroundings:
    """What was read around a text.

    Args:
        task: the text.
        options: what counts for it.
        others: the other files, as they were indexed.
        state: of the folders that they are in.
    """

    task: IndexTask
    options: Options
    others: tuple[Indexed, ...]
    state: DiskState

    def task_for(self, path: Path, data: bytes, options: Options) -> IndexTask | None:
        """The task of a later text with the same files around it; None where others may count.

        Args:
            path: the file.
            data: its text.
            options: what counts for it.
        """
        before = self.task.data
        if path != self.task.path or options != self.options or not isinstance(before, bytes):
            return None
        names = self.state.names
        if data != before and _imported(data, names) != _imported(before, names):
            return None
        return dataclasses.replace(self.task, data=data) if self.state.is_still() else None


def _imported(data: bytes, names: Collection[str]) -> tuple[object, Sequence[object]]:
    """What a text imports, and what it takes out of modules whose names files here have.

    Whether `import types` means the file beside it hangs on what the text takes out of it.

    Args:
        data: the text.
        names: those of all files.
    """
    written = written_imports(data)
    heads = {each.module for each in written if f"{each.module}.py" in names}
    return written, [(head, frozenset(taken_out_of(data, head))) for head in sorted(heads)]
