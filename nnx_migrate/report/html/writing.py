"""From the result of a run to the page in its folder."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nnx_migrate.report.html.checks import Checks
from nnx_migrate.report.html.page import Owners, Review, render_page
from nnx_migrate.report.html.review.run import run_of
from nnx_migrate.report.patches.owners import PLACES, UNOWNED, owners_in
from nnx_migrate.report.patches.patch import patch_root
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.own_folder import OwnFolder

if TYPE_CHECKING:
    from nnx_migrate.core.totals import RunResult


def write(
    result: RunResult,
    folder: Path,
    *,
    written: bool,
    check: Mapping[str, Any] | None = None,
    configuration: Configuration | None = None,
    command: str = "",
) -> Path:
    """Write the review page of a run, and return where it is.

    Args:
        result: the run.
        folder: made where it does not exist; an index.html in it is replaced.
        written: the files were changed; otherwise they would be.
        check: of what was written, as its JSON report has it; None when nothing was checked.
        configuration: of the run; None where none was named.
        command: as it was typed, for the head of the page.

    Raises:
        OSError: it cannot be written.
    """
    review = review_of(result, written=written, check=check, configuration=configuration)
    # Paths in no repository are shown from the current folder, which may be in one.
    below = any(e.path.resolve().is_relative_to(review.root.resolve()) for e in result.results)
    run = run_of(review.root, folder, command, below=below)
    review = dataclasses.replace(review, run=run)
    with OwnFolder(folder, [review.root]) as own:
        own.put("index.html", render_page(review).encode())
    return folder / "index.html"


def review_of(
    result: RunResult,
    *,
    written: bool,
    check: Mapping[str, Any] | None = None,
    configuration: Configuration | None = None,
) -> Review:
    """Return what a page shows of a run; the arguments are those of `write`."""
    root = patch_root(each.path for each in result.results)
    changed = [each.path for each in result.results if each.before != each.after]
    checks = None
    if check is not None and changed:
        checks = Checks(check, _checked_root(changed[0], configuration or Configuration()))
    owners, notes = _owners(root)
    return Review(result.results, result.totals, written, root, owners, checks, notes)


def _owners(root: Path) -> tuple[Owners, list[str]]:
    """What gives the owners of a file, and why there are none where they cannot be told."""
    if not any((root / place).is_file() for place in PLACES):
        return (lambda name: ()), []
    try:
        found = owners_in(root)
    except ConfigError as error:
        return (lambda name: ()), [f"The owners of files are unknown: {error}"]
    return (lambda name: tuple(owner for owner in found(name) if owner != UNOWNED)), []


def _checked_root(path: Path, configuration: Configuration) -> Path:
    table = configuration.table_for(path.resolve().parent)
    return table.base if table is not None else path.resolve().parent
