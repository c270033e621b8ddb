"""What replaces files in a run, and what is kept for `undo`."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path

from nnx_migrate.sources.journal import Journal
from nnx_migrate.sources.write import Writer, real_trees, replace_file


def new_journal(paths: Iterable[Path], command: str) -> Journal:
    """Return the journal of a run over paths that is to be, beside the current folder.

    Args:
        paths: what is to be written lies at or below one of them.
        command: as it was typed.
    """
    return Journal(Path.cwd(), command, trees=real_trees(paths))


def writer(journal: Journal | None, paths: Iterable[Path]) -> Writer:
    """Return what replaces files below paths, and keeps what they were if there is a journal."""
    if journal is not None:
        return journal.write
    return functools.partial(replace_file, trees=real_trees(paths))
