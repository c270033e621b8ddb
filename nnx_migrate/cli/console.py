"""What the command line does between its flags and its exit code: run, print, complain."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import functools
import shlex
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from nnx_migrate.core.findings import FileResult
from nnx_migrate.core.totals import RunResult, count
from nnx_migrate.engine.run import explain_line, pending, run, run_text
from nnx_migrate.engine.workers import FEWER, processors
from nnx_migrate.report.terminal import (
    colours,
    paint_for,
    progress_on,
    shown,
    shown_diff,
    table_for,
)
from nnx_migrate.report.text import first_on_line, printable, render_text
from nnx_migrate.sources.configuration import ConfigError, Configuration
from nnx_migrate.sources.journal import Journal, NoJournal, Run, runs_of
from nnx_migrate.sources.own_folder import put_file
from nnx_migrate.sources.write import Writer, real_trees, replace_files

if TYPE_CHECKING:
    from nnx_migrate.report.levels import Report
    from nnx_migrate.report.patches.split_by import SplitBy
    from nnx_migrate.sources.observed_facts import ObservedFacts

T = TypeVar("T")
DONE, WORK_LEFT, UNUSABLE = 0, 1, 2
#: What no program can do anything about.
_OF_THE_MACHINE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS})
_OF_PROCESSES = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM})
_CHECK_EXTRA = frozenset({"cloudpickle", "flax", "jax", "numpy", "optax", "pebble"})
_PAGE_EXTRA = frozenset({"jinja2", "markupsafe", "pygments"})


def stop(message: str) -> NoReturn:
    """End the process with a message on stderr and the exit code for unusable input."""
    print(f"nnx-migrate: error: {shown(message)}", file=sys.stderr)
    sys.exit(UNUSABLE)


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
        stop(f"{error}; no file was changed without it (apply --no-journal does so){_notes(error)}")
    except KeyboardInterrupt as error:
        stop(f"interrupted; every file is either as it was or done{_notes(error)}")
    except MemoryError as error:
        stop(f"there is too little memory{_reason(error)}{_notes(error)}")
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _OF_THE_MACHINE:
            stop(f"{error.filename or 'the output'}: {error.strerror}{_notes(error)}")
        if isinstance(error, OSError) and error.errno in _OF_PROCESSES:
            stop(f"{error.strerror}: {FEWER}{_notes(error)}")
        import traceback

        traceback.print_exc()
        stop("this is a bug in nnx-migrate; please report it with the lines above")


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


def configure(flags: Mapping[str, Any], facts: ObservedFacts | None = None) -> Configuration:
    """Return the configuration of a run.

    Args:
        flags: the options that were given, by name.
        facts: what runs have shown of the files.

    Raises:
        ConfigError: a flag names an unknown rule.
    """

    def known_rules() -> Collection[str]:
        from nnx_migrate.rewrite.model.registry import rule_entries

        return rule_entries().keys()

    def known_transforms() -> Collection[str]:
        from nnx_migrate.analysis.flax.transforms import of_nnx

        return of_nnx(lambda known: known.is_site)

    return Configuration(flags, known_rules, known_transforms, facts)


def run_paths(
    paths: Sequence[Path], configuration: Configuration, write: Writer | None
) -> RunResult:
    """Run over files and folders, with a line of progress on a terminal.

    Raises:
        ConfigError: a pyproject.toml cannot be obeyed.
    """
    jobs = configuration.options_for(Path.cwd() / "any.py").jobs or processors()
    with progress_on(sys.stderr) as progress:
        return run(paths, configuration, write=write, jobs=jobs, progress=progress)


def new_journal(paths: Iterable[Path]) -> Journal:
    """Return the journal of a run over paths that is to be, beside the current folder."""
    command = shlex.join(["nnx-migrate", *sys.argv[1:]])
    return Journal(Path.cwd(), command, trees=real_trees(paths))


def writer(journal: Journal | None, paths: Iterable[Path]) -> Writer:
    """Return what replaces files below paths, and keeps what they were if there is a journal."""
    if journal is not None:
        return journal.write
    return functools.partial(replace_files, trees=real_trees(paths))


def list_runs() -> int:
    """Print the runs of the current folder that can be undone."""
    runs = _known_runs()
    for each in runs:
        try:
            files = len(each.entries()) if not each.damage else 0
        except NoJournal as error:
            each = dataclasses.replace(each, damage=str(error))
        if each.damage:
            print(f"{each.name}  {printable(each.damage)}")
            continue
        plural = "" if files == 1 else "s"
        state = ", undone" if each.undone else ""
        print(f"{each.name}  {files} file{plural}{state}  {printable(each.command)}")
    if not runs:
        print("no run of `apply` has written files from this folder")
    return DONE


def undo_run(name: str) -> int:
    """Put the files of a run back, and say of each what became of it."""
    from nnx_migrate.engine.undo import Undone, undo

    runs = _known_runs()
    wanted = [r for r in runs if r.name == name or (name == "last" and not r.undone)]
    if not wanted:
        stop(f"there is no run {printable(name)} here to undo: `nnx-migrate undo` lists them")
    if damage := wanted[0].damage:
        stop(f"{printable(damage)}: it cannot be undone; `nnx-migrate undo` lists the other runs")
    left = False
    for file in _journal_explained(undo(wanted[0])):
        why = f": {file.reason}" if file.reason else ""
        path = first_on_line(printable(str(_from_here(file.path))))
        print(f"{path} {file.outcome}{printable(why)}")
        left = left or file.outcome is Undone.REFUSED
    return WORK_LEFT if left else DONE


def _known_runs() -> list[Run]:
    try:
        return runs_of(Path.cwd())
    except NoJournal as error:
        stop(str(error))


def _journal_explained(files: Iterable[T]) -> Iterator[T]:
    try:
        yield from files
    except NoJournal as error:
        stop(str(error))


def _from_here(path: Path) -> Path:
    here = Path.cwd().resolve()
    return path.relative_to(here) if path.is_relative_to(here) else path


def run_stdin(path: Path, configuration: Configuration) -> RunResult:
    """Run over the text on stdin, as if it stood at `path`.

    Raises:
        ConfigError: a pyproject.toml cannot be obeyed.
    """
    result = run_text(sys.stdin.buffer.read(), path, configuration)
    return RunResult((result,), count([result], looked_at=1))


def explain(path: Path, line: int, cell: int, configuration: Configuration) -> str:
    """Return what is known of a line of a file, or of a cell (from 1) of a notebook.

    Raises:
        ConfigError: the file cannot be read, or a pyproject.toml cannot be obeyed.
    """
    text = explain_line(path, line, configuration, cell)
    return "\n".join(map(printable, text.split("\n")))


def emit_source(result: FileResult) -> None:
    """Print the migrated text of stdin, or the text as it was when it could not be done."""
    if sys.stdout.isatty():
        _tell_terminal(shown(result.after.decode("utf-8", "backslashreplace")))
        return
    sys.stdout.buffer.write(result.after)
    sys.stdout.buffer.flush()


def emit_diff(result: RunResult, *, for_git: bool) -> None:
    """Print the diff: byte for byte where something else reads it, escaped on a terminal.

    Args:
        result: the run.
        for_git: of notebooks, show the file as it is stored; otherwise cell by cell.
    """
    from nnx_migrate.report.patches.cells import render_readable
    from nnx_migrate.report.patches.patch import patch_root, render_patch

    changed = [each for each in result.results if each.before != each.after]
    render = render_patch if for_git else render_readable
    patch = render(changed, patch_root(each.path for each in changed))
    if sys.stdout.isatty():
        _tell_terminal(shown_diff(patch, colour=colours(sys.stdout)))
        return
    sys.stdout.buffer.write(patch)
    sys.stdout.buffer.flush()


def _tell_terminal(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def write_patch(result: RunResult, file: Path) -> None:
    """Write the patch to `file`.

    Raises:
        ConfigError: the file cannot be written.
    """
    from nnx_migrate.report.patches.patch import patch_root, render_patch

    changed = [each for each in result.results if each.before != each.after]
    try:
        root = patch_root(each.path for each in changed)
        put_file(file, render_patch(changed, root), [root])
    except OSError as error:
        raise ConfigError(f"--patch {file}: {_unwritable(file, error)}") from None


def emit_patches(result: RunResult, *, folder: Path, by: SplitBy) -> None:
    """Write a folder of patches.

    Raises:
        ConfigError: the folder cannot be written, or the owners are not known.
    """
    from nnx_migrate.report.patches.folder import write_patches

    write_patches(_report(result, False, None), folder, by)


def emit_report(
    result: RunResult,
    report_format: str,
    *,
    verbose: bool,
    written: bool,
    on_stdout: bool,
    check: Mapping[str, Any] | None = None,
) -> None:
    """Print the report of a run."""
    if report_format == "text":
        report = render_text(
            result.results,
            result.totals,
            verbose=verbose,
            written=written,
            paint=paint_for(sys.stderr),
            table=table_for(sys.stderr),
        )
    else:
        report = _rendered(report_format, result, written, check)
    if on_stdout:  # for programs, whatever the locale says
        sys.stdout.buffer.write(report.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
        return
    sys.stderr.write(report)
    sys.stderr.flush()


def write_reports(
    result: RunResult,
    files: Iterable[tuple[str, Path]],
    *,
    written: bool,
    check: Mapping[str, Any] | None = None,
) -> None:
    """Write reports to files.

    Args:
        result: the run.
        files: formats, each with where to.
        written: the files were changed; otherwise they would be.
        check: what was checked, if it was.

    Raises:
        ConfigError: a file cannot be written.
    """
    from nnx_migrate.report.patches.patch import patch_root

    root = patch_root(each.path for each in result.results)
    for name, file in files:
        try:
            put_file(file, _rendered(name, result, written, check).encode(), [root])
        except OSError as error:
            raise ConfigError(f"--report {name}={file}: {_unwritable(file, error)}") from None


def _unwritable(file: Path, error: OSError) -> str:
    if not file.parent.exists():
        return f"there is no folder {file.parent}; make it first"
    return error.strerror or str(error)


def require_page() -> None:
    """Stop before anything is done where the review page could not be made."""
    try:
        import nnx_migrate.report.html.page  # noqa: F401
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _PAGE_EXTRA:
            raise
        stop(f"--html needs {missing}: pip install 'nnx-migrate[html]'")


def write_page(
    result: RunResult, folder: Path, *, written: bool, check: Mapping[str, Any] | None
) -> None:
    """Write the review page of a run into `folder`.

    Raises:
        ConfigError: it cannot be written.
    """
    from nnx_migrate.report.html.writing import write

    try:
        page = write(result, folder, written=written, check=check)
    except OSError as error:
        raise ConfigError(f"--html {folder}: {error.strerror}") from None
    print(f"review page: {printable(str(page))}", file=sys.stderr)


def _rendered(
    report_format: str, result: RunResult, written: bool, check: Mapping[str, Any] | None
) -> str:
    from nnx_migrate.report.formats import render

    return render(report_format, _report(result, written, check))


def _report(result: RunResult, written: bool, check: Mapping[str, Any] | None) -> Report:
    from nnx_migrate.report.levels import Report
    from nnx_migrate.report.patches.patch import patch_root

    root = patch_root(each.path for each in result.results)
    return Report(result.results, result.totals, written, root, check)


def exit_code(result: RunResult, *, written: bool) -> int:
    """Return the exit code that a run has earned."""
    if result.missing:
        return UNUSABLE
    if result.totals.work_left or (not written and pending(result.results)):
        return WORK_LEFT
    return DONE
