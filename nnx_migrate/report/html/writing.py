"""From the result of a run to the page in its folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nnx_migrate.report.html.checks import Checks
from nnx_migrate.report.html.owners import owners_below
from nnx_migrate.report.html.page import Review, render_page
from nnx_migrate.report.patch import patch_root

if TYPE_CHECKING:
    from nnx_migrate.engine import RunResult


def write(
    result: RunResult, folder: Path, *, written: bool, check: Mapping[str, Any] | None = None
) -> Path:
    """Write the review page of a run, and return where it is.

    Args:
        result: the run.
        folder: made where it does not exist; an index.html in it is replaced.
        written: the files were changed; otherwise they would be.
        check: of what was written, as its JSON report has it; None when nothing was checked.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    root = patch_root(each.path for each in result.results)
    changed = [each.path for each in result.results if each.before != each.after]
    checks = Checks(check, _checked_root(changed[0])) if check is not None and changed else None
    review = Review(
        result.results,
        result.totals,
        written,
        root,
        owners_below(root),
        checks,
        result.missing,
    )
    page = folder / "index.html"
    page.write_text(render_page(review), encoding="utf-8", newline="\n")
    return page


def _checked_root(path: Path) -> Path:
    from nnx_migrate.check.verifying import project_table

    return project_table(path).file.parent
