"""`migrate_text` and `migrate_paths`: the whole migration, for programs and for `apply`."""

from __future__ import annotations

import dataclasses
import errno
import io
import os
import tokenize
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Unpack

from nnx_migrate.api.choices import Choices, configuration_of
from nnx_migrate.api.writing import new_journal, writer
from nnx_migrate.core.findings import FileResult
from nnx_migrate.core.pins import KeptPlace
from nnx_migrate.core.totals import RunResult
from nnx_migrate.engine.discover import Progress, Watch
from nnx_migrate.engine.projects.known import KnownFiles
from nnx_migrate.engine.run import run, run_text
from nnx_migrate.engine.workers import processors
from nnx_migrate.sources.facts.observed_facts import ObservedFacts


def migrate_text(
    text: str | bytes,
    path: str | os.PathLike[str] = "module.py",
    *,
    facts: ObservedFacts | None = None,
    known: KnownFiles | None = None,
    **choices: Unpack[Choices],
) -> FileResult:
    """Migrate one text as if it stood at `path`; no file is written.

    The project around `path` is read, because its calls and classes say what the text may assume.

    Args:
        text: a Python file, a notebook (.ipynb) or a page, whole.
        path: where it belongs; nothing needs to be there.
        facts: what `nnx-migrate observe` recorded.
        known: keeps what is known of the files around for the next call, which is faster by that.
        choices: in place of what the configuration around `path` says.

    Returns:
        Its findings, and the new text (`text`, `after`); the old one where nothing changes.

    Raises:
        ConfigError: a choice or a configuration file cannot be obeyed.
    """
    data = text if isinstance(text, bytes) else _encoded(text)
    return run_text(data, Path(path), configuration_of(choices, facts), known)


def migrate_paths(
    paths: Iterable[str | os.PathLike[str]],
    *,
    write: bool = False,
    journal: bool = True,
    jobs: int | None = 1,
    facts: ObservedFacts | None = None,
    kept: Mapping[Path, tuple[KeptPlace, ...]] = MappingProxyType({}),
    progress: Progress | None = None,
    watch: Watch | None = None,
    command: str = "nnx_migrate.migrate_paths",
    cached: bool = False,
    **choices: Unpack[Choices],
) -> RunResult:
    """Migrate the files at and below `paths`.

    Args:
        paths: files and folders.
        write: replace the files that change; otherwise none is touched.
        journal: keep what `nnx-migrate undo` needs.
        jobs: processes; 1 starts none, None takes as many as `nnx-migrate apply` does.
        facts: what `nnx-migrate observe` recorded.
        kept: by file (absolute), places that are pinned whatever the rules would make of them.
        progress: called with the stage, how many files are done, and how many there are (0 where
            that is not known yet).
        watch: called with each file when the work on it begins, and with None when it ends, in the
            process that does it.
        command: what the list of `nnx-migrate undo` calls the run.
        cached: take what earlier runs of this user have found out, and keep what this one does.
        choices: in place of what configuration files say.

    Returns:
        A result for each file that may use nnx, and what they add up to.

    Raises:
        ConfigError: a choice or a configuration file cannot be obeyed.
        FileNotFoundError: a path does not exist; nothing was changed.
        NoJournal: what `undo` needs cannot be kept; no file was changed without it.
    """
    named = [Path(path) for path in paths]
    for path in named:
        if not os.path.lexists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    configuration = configuration_of(choices, facts, kept)
    if jobs is None:
        jobs = configuration.options_for(Path.cwd() / "any.py").jobs or processors()
    undo = new_journal(named, command) if write and journal else None
    put = writer(undo, named) if write else None
    result = run(
        named,
        configuration,
        write=put,
        jobs=jobs,
        progress=progress,
        watch=watch,
        cached=cached,
    )
    return dataclasses.replace(result, journal=undo.name if undo is not None else "")


def _encoded(text: str) -> bytes:
    """The bytes of a file with this text, in the encoding that it says it has."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(text.encode()).readline)
    return text.encode(encoding)
