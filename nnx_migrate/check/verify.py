"""`nnx-migrate apply --verify`: what was just written is checked, and put back where it differs."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from nnx_migrate.check.cases.inputs import CannotCheck
from nnx_migrate.check.compare.verdicts import Verdict
from nnx_migrate.check.copies import copy_tree
from nnx_migrate.check.report import CheckReport
from nnx_migrate.check.run import CheckRequest, run_check
from nnx_migrate.check.settings import settings_from
from nnx_migrate.check.trees import side_at
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.settings.files import Table
from nnx_migrate.sources.write import Replacement, WriteError, replace_file


@dataclasses.dataclass(frozen=True, slots=True)
class Verified:
    """What became of a check of what was written.

    Args:
        report: the check.
        reverted: the files that were put back.
        failed: those that should have been, and why they could not be.
    """

    report: CheckReport
    reverted: tuple[Path, ...]
    failed: tuple[str, ...]


def project_table(path: Path, configuration: Configuration) -> Table:
    """The table that says how the project of a path is checked.

    Args:
        path: of a file or folder.
        configuration: of the run.

    Raises:
        CannotCheck: there is none.
        ConfigError: it cannot be obeyed.
    """
    place = path.resolve()
    table = configuration.table_for(place if place.is_dir() else place.parent)
    if table is None or not ({"cases", "command"} & table.check.keys()):
        raise CannotCheck(
            "--verify needs to know what to run: add [tool.nnx-migrate.check] with `cases` or "
            "`command` to pyproject.toml, or [check] to nnx-migrate.toml "
            "(docs/configuration.md has all keys)"
        )
    return table


def verify(changes: Sequence[Replacement], table: Table, revert: bool) -> Verified:
    """Checks migrated files in place, against the same tree with the old bytes in it.

    Args:
        changes: the files that were written.
        table: says how their project is checked.
        revert: put back every changed file that a case which differs has imported.

    Raises:
        ConfigError: what the table says cannot be obeyed.
    """
    settings = settings_from(table)
    root = table.base
    with tempfile.TemporaryDirectory(prefix="nnx-migrate-") as folder:
        old = Path(folder) / "old"
        copy_tree(root, old, settings.data)
        inside: dict[str, Replacement] = {}
        for change in changes:
            if change.path.resolve().is_relative_to(root):
                name = change.path.resolve().relative_to(root).as_posix()
                inside[name] = change
                (old / name).write_bytes(change.before)
        request = CheckRequest(settings, cached=False)
        report = run_check(
            side_at("old", old, settings.roots), side_at("new", root, settings.roots), request
        )
    if not revert:
        return Verified(report, (), ())
    reverted, failed = put_back(_behind_differences(report, inside))
    return Verified(report, tuple(reverted), tuple(failed))


def put_back(changes: Iterable[Replacement]) -> tuple[list[Path], list[str]]:
    """Give files their old bytes.

    Args:
        changes: what was made of the files.

    Returns:
        The files that have them, and why the others do not.
    """
    reverted: list[Path] = []
    failed: list[str] = []
    for change in changes:
        try:
            replace_file(Replacement(change.path, change.after, change.before))
            reverted.append(change.path)
        except WriteError as error:
            failed.append(f"{error.path} could not be put back: {error.reason}")
    return reverted, failed


def _behind_differences(
    report: CheckReport, inside: Mapping[str, Replacement]
) -> Iterator[Replacement]:
    names: set[str] = set()
    for case in report.cases:
        if case.verdict is Verdict.DIFFERENT:
            imported = {name for files in case.files.values() for name in files}
            # A case that broke before it imported anything says nothing about where.
            names |= (imported & inside.keys()) or inside.keys()
    return (inside[name] for name in sorted(names))
