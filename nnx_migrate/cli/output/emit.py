"""What a run puts on its streams and into files: diffs, patches, reports and the review page."""

from __future__ import annotations

import importlib
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from nnx_migrate.cli.console import stop
from nnx_migrate.cli.output.options import OutputOptions
from nnx_migrate.core.findings import FileResult
from nnx_migrate.core.totals import RunResult
from nnx_migrate.report.terminal import Colour, colours, shown, shown_diff
from nnx_migrate.report.text import printable
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.own_folder import put_file

if TYPE_CHECKING:
    from nnx_migrate.report.levels import Report
    from nnx_migrate.report.patches.split_by import SplitBy
    from nnx_migrate.sources.configuration import Configuration

_PAGE_EXTRA = frozenset({"jinja2", "markupsafe", "pygments"})


def emit_source(result: FileResult) -> None:
    """Print the migrated text of stdin, or the text as it was when it could not be done."""
    if sys.stdout.isatty():
        _tell(sys.stdout, shown(result.after.decode("utf-8", "backslashreplace")))
        return
    sys.stdout.buffer.write(result.after)
    sys.stdout.buffer.flush()


def emit_diff(result: RunResult, *, for_git: bool, colour: Colour = Colour.AUTO) -> None:
    """Print the diff: byte for byte where something else reads it, escaped on a terminal.

    Args:
        result: the run.
        for_git: of notebooks, show the file as it is stored; otherwise cell by cell.
        colour: when to colour it; a pipe gets colours only where these are asked for by name.
    """
    from nnx_migrate.report.patches.cells import render_readable
    from nnx_migrate.report.patches.patch import patch_root, render_patch

    changed = [each for each in result.results if each.before != each.after]
    render = render_patch if for_git else render_readable
    patch = render(changed, patch_root(each.path for each in changed))
    if sys.stdout.isatty() or colour is Colour.ALWAYS:
        _tell(sys.stdout, shown_diff(patch, colour=colours(sys.stdout, colour)))
        return
    sys.stdout.buffer.write(patch)
    sys.stdout.buffer.flush()


def _tell(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


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

    write_patches(report_of(result, written=False), folder, by)


def emit_report(
    result: RunResult,
    output: OutputOptions,
    *,
    written: bool,
    on_stdout: bool,
    proposes: bool = True,
    check: Mapping[str, Any] | None = None,
) -> None:
    """Print the report of a run, or write it to the file that was named for it.

    Args:
        result: the run.
        output: what the report looks like.
        written: the files were changed; otherwise they would be.
        on_stdout: it is what was asked for, and not what is said beside that.
        proposes: end with what to do next.
        check: what was checked, if it was.

    Raises:
        ConfigError: the file cannot be written.
    """
    stream = sys.stdout if on_stdout else sys.stderr
    if output.for_people:
        from nnx_migrate.cli.output.human import rendered

        report = rendered(result, output, stream, written=written, proposes=proposes)
    else:
        report = _rendered(output.format, result, written, check)
    data = report.encode("utf-8", "backslashreplace")
    if output.file is not None:
        _put_report(result, output.file, data, "--output ")
    elif on_stdout and not stream.isatty():  # for programs, whatever the locale says
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        _tell(stream, report)


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
    for name, file in files:
        data = _rendered(name, result, written, check).encode()
        _put_report(result, file, data, f"--report {name}=")


def _put_report(result: RunResult, file: Path, data: bytes, option: str) -> None:
    from nnx_migrate.report.patches.patch import patch_root

    try:
        put_file(file, data, [patch_root(each.path for each in result.results)])
    except OSError as error:
        raise ConfigError(f"{option}{file}: {_unwritable(file, error)}") from None


def _unwritable(file: Path, error: OSError) -> str:
    if not file.parent.exists():
        return f"the folder {file.parent} does not exist; create it first"
    return error.strerror or str(error)


def require_places(report: Path | None, page: Path | None) -> None:
    """Stop before anything is done where what is asked for could not be written.

    Args:
        report: the file of --output.
        page: the folder of --html.
    """
    if report is not None and report.is_dir():
        stop(f"--output {report}: it is a folder; name a file")
    if report is not None and not report.parent.is_dir():
        stop(f"--output {report}: the folder {report.parent} does not exist; create it first")
    there = () if page is None else (each for each in (page, *page.parents) if each.exists())
    if (nearest := next(iter(there), None)) is not None and not nearest.is_dir():
        stop(f"--html {page}: {nearest} is not a folder; name a new or empty one")


def require_page() -> None:
    """Stop before anything is done where the review page could not be made."""
    try:
        importlib.import_module("nnx_migrate.report.html.page")
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _PAGE_EXTRA:
            raise
        stop(f"--html needs {missing}: pip install 'nnx-migrate[html]'")


def require_owners(paths: Sequence[Path]) -> None:
    """Stop before anything is done where owners could not be told.

    Args:
        paths: files and folders, as they were named.
    """
    from nnx_migrate.report.patches.owners import PLACES, owners_in
    from nnx_migrate.report.patches.patch import patch_root

    try:
        importlib.import_module("codeowners")
    except ModuleNotFoundError:
        stop("--patch-by owner needs codeowners: pip install 'nnx-migrate[owners]'")
    # A folder may be a repository itself, and files below it may be in several.
    root = patch_root(path / "file" if path.is_dir() else path for path in paths)
    if any((Path.cwd() / place).is_file() for place in PLACES):
        return
    try:
        owners_in(root)
    except ConfigError as error:
        stop(str(error))


def write_page(
    result: RunResult,
    folder: Path,
    configuration: Configuration,
    *,
    written: bool,
    check: Mapping[str, Any] | None,
) -> None:
    """Write the review page of a run into `folder`.

    Raises:
        ConfigError: it cannot be written.
    """
    from nnx_migrate.report.html.writing import write

    try:
        command = shlex.join(["nnx-migrate", *sys.argv[1:]])
        page = write(
            result,
            folder,
            written=written,
            check=check,
            configuration=configuration,
            command=command,
        )
    except OSError as error:
        raise ConfigError(f"--html {folder}: {error.strerror}") from None
    print(f"review page: {printable(str(page))}", file=sys.stderr)


def _rendered(
    report_format: str, result: RunResult, written: bool, check: Mapping[str, Any] | None
) -> str:
    from nnx_migrate.report.formats import render

    return render(report_format, report_of(result, written=written, check=check))


def report_of(
    result: RunResult, *, written: bool, check: Mapping[str, Any] | None = None
) -> Report:
    """The run as the formats for programs take it."""
    from nnx_migrate.report.levels import Report
    from nnx_migrate.report.patches.patch import patch_root

    root = patch_root(each.path for each in result.results)
    return Report(result.results, result.totals, written, root, check)
