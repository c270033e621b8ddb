"""What the command line does between its flags and its exit code: run, print, complain."""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, cast

from nnx_migrate.api.choices import Choices
from nnx_migrate.api.migrating import migrate_paths, migrate_text
from nnx_migrate.cli.guidance import INTERRUPTED
from nnx_migrate.core.findings import FileStatus
from nnx_migrate.core.totals import RunResult, count
from nnx_migrate.engine.run import explain_line, pending
from nnx_migrate.engine.workers import FEWER
from nnx_migrate.report.terminal import Colour, progress_on, shown
from nnx_migrate.report.text import printable
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.journal import NoJournal
from nnx_migrate.sources.walk.discovery import did_you_mean
from nnx_migrate.sources.write import unwritable

if TYPE_CHECKING:
    from nnx_migrate.core.pins import KeptPlace
    from nnx_migrate.sources.facts.observed_facts import ObservedFacts

DONE, WORK_LEFT, UNUSABLE = 0, 1, 2
#: What no program can do anything about.
_OF_THE_MACHINE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS})
_OF_PROCESSES = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM})
_CHECK_EXTRA = frozenset({"cloudpickle", "flax", "jax", "numpy", "optax", "pebble"})


def stop(message: str) -> NoReturn:
    """End the process with a message on stderr and the exit code for unusable input."""
    print(f"nnx-migrate: error: {shown(message)}", file=sys.stderr)
    sys.exit(UNUSABLE)


def warn(message: str) -> None:
    """Say on stderr what a person should know of a run that goes on."""
    print(f"nnx-migrate: warning: {shown(message)}", file=sys.stderr)


def require_paths(paths: Iterable[Path], *, changing: bool = True) -> None:
    """Stop before anything is done where a named path does not exist.

    Args:
        changing: whether the command changes files, so that people ask whether it did.
    """
    missing = [path for path in paths if not os.path.lexists(path)]
    if missing:
        told = (
            f"{path}: there is no such file or folder{did_you_mean(str(path))}" for path in missing
        )
        stop("; ".join([*told, *(["nothing was changed"] if changing else [])]))


def warn_of(result: RunResult, paths: Iterable[Path], *, written: bool) -> None:
    """Warn of a run that has looked at nothing, and of files that could not be written."""
    if not result.totals.looked_at and not result.results:
        named = ", ".join(map(str, paths))
        warn(f"no Python files found in {named}")
    changed = [each.path for each in result.results if each.status is FileStatus.CHANGED]
    for path in () if written else changed:
        if why := unwritable(path):
            warn(f"{path} could not be written: {why}")


@contextlib.contextmanager
def errors_reported() -> Iterator[None]:
    """Turn what may go wrong in a run into a message and exit code 2."""
    try:
        yield
    except BrokenPipeError:
        raise
    except ConfigError as error:
        stop(f"{error}{_notes(error)}")
    except NoJournal as error:
        stop(
            f"{error}; no file was changed (to change files without it: apply "
            f"--no-journal){_notes(error)}"
        )
    except KeyboardInterrupt as error:
        stop(f"{INTERRUPTED}{_notes(error)}")
    except MemoryError as error:
        stop(f"there is too little memory{_reason(error)}{_notes(error)}")
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _OF_THE_MACHINE:
            stop(f"{error.filename or 'the output'}: {error.strerror}{_notes(error)}")
        if isinstance(error, OSError) and error.errno in _OF_PROCESSES:
            stop(f"{error.strerror}: {FEWER}{_notes(error)}")
        import traceback

        traceback.print_exc()
        stop("this is a bug in nnx-migrate; report it with the lines above")


def _reason(error: BaseException) -> str:
    return f": {error}" if str(error) else ""


def _notes(error: BaseException) -> str:
    return "".join(f"; {note}" for note in getattr(error, "__notes__", ()))


@contextlib.contextmanager
def check_explained() -> Iterator[None]:
    """Turn what keeps a check from running into a message and exit code 2."""
    try:
        from nnx_migrate.check.cases.inputs import CannotCheck
        from nnx_migrate.check.trees import NoSuchTree

        yield
    # This one first: the names of the others are what may be missing.
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _CHECK_EXTRA:
            raise
        stop(f"{error.name} is not installed here: pip install 'nnx-migrate[check]'")
    except (CannotCheck, NoSuchTree) as error:
        stop(str(error))


def run_paths(
    paths: Sequence[Path],
    flags: Mapping[str, Any],
    *,
    facts: ObservedFacts | None = None,
    kept: Mapping[Path, tuple[KeptPlace, ...]] = MappingProxyType({}),
    write: bool = False,
    journal: bool = True,
    quiet: bool = False,
    colour: Colour = Colour.AUTO,
    cached: bool = False,
) -> RunResult:
    """Run over files and folders, with a line of progress on a terminal.

    Args:
        paths: files and folders.
        flags: the options that were given, by name.
        facts: what runs have shown of the files.
        kept: by file (absolute), the places that are pinned in any case.
        write: replace the files that change.
        journal: keep what `undo` needs.
        quiet: show no progress.
        colour: when to colour it.
        cached: take what earlier runs have found out, and keep what this one does.

    Raises:
        ConfigError: a configuration cannot be obeyed.
    """
    with contextlib.nullcontext() if quiet else progress_on(sys.stderr, colour) as progress:
        return migrate_paths(
            paths,
            write=write,
            journal=journal,
            jobs=flags.get("jobs"),
            facts=facts,
            kept=kept,
            progress=progress,
            watch=progress.works_on if progress is not None else None,
            command=typed_command(),
            cached=cached,
            **choices(flags),
        )


def choices(flags: Mapping[str, Any]) -> Choices:
    """The options for files that were given; how many processes do them is none of these."""
    return cast(Choices, {name: value for name, value in flags.items() if name != "jobs"})


def typed_command() -> str:
    """This run as it was typed."""
    return shlex.join(["nnx-migrate", *sys.argv[1:]])


def run_stdin(path: Path, flags: Mapping[str, Any], facts: ObservedFacts | None) -> RunResult:
    """Run over the text on stdin, as if it stood at `path`.

    Raises:
        ConfigError: a configuration cannot be obeyed.
    """
    result = migrate_text(sys.stdin.buffer.read(), path, facts=facts, **choices(flags))
    return RunResult((result,), count([result], looked_at=1))


def explain(path: Path, line: int, cell: int, configuration: Configuration) -> str:
    """Return what is known of a line of a file, or of a cell (from 1) of a notebook.

    Raises:
        ConfigError: the file cannot be read, or a pyproject.toml cannot be obeyed.
    """
    text = explain_line(path, line, configuration, cell)
    return "\n".join(map(printable, text.split("\n")))


def exit_code(result: RunResult, *, written: bool) -> int:
    """Return the exit code that a run has earned."""
    if result.missing:
        return UNUSABLE
    if result.totals.work_left or (not written and pending(result.results)):
        return WORK_LEFT
    return DONE
