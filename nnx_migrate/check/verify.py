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
from nnx_migrate.sources.configuration import Configuration, Table
from nnx_migrate.sources.write import Replacement, WriteError, replace_files
from nnx_migrate.sources.write_groups import groups


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """A file that was migrated.

    Args:
        path: where it lies.
        before: its bytes as they were.
        after: as they are now.
        together: files that changed with it, without which it is not right.
    """

    path: Path
    before: bytes
    after: bytes
    together: tuple[Path, ...] = ()


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


def project_table(path: Path) -> Table:
    """The table that says how the project of a path is checked.

    Args:
        path: of a file or folder.

    Raises:
        CannotCheck: there is none.
        ConfigError: it cannot be obeyed.
    """
    place = path.resolve()
    table = Configuration({}).table_for(place if place.is_dir() else place.parent)
    if table is None or not ({"cases", "command"} & table.check.keys()):
        raise CannotCheck(
            "--verify needs to know what to run: add [tool.nnx-migrate.check] with `cases` or "
            "`command` to pyproject.toml (`nnx-migrate check --help` has examples)"
        )
    return table


def verify(changes: Sequence[Change], revert: bool) -> Verified:
    """Checks migrated files in place, against the same tree with the old bytes in it.

    Args:
        changes: the files that were written.
        revert: put back every changed file that a case which differs has imported.

    Raises:
        CannotCheck: the project does not say how it is checked.
        ConfigError: what it says cannot be obeyed.
    """
    table = project_table(changes[0].path)
    settings = settings_from(table.file, table.check)
    root = table.file.parent
    with tempfile.TemporaryDirectory(prefix="nnx-migrate-") as folder:
        old = Path(folder) / "old"
        copy_tree(root, old, settings.data)
        inside: dict[str, Change] = {}
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
    reverted, failed = put_back(list(_behind_differences(report, inside)))
    return Verified(report, tuple(reverted), tuple(failed))


def put_back(changes: Sequence[Change]) -> tuple[list[Path], list[str]]:
    """Give files their old bytes; those that changed together all at once.

    Args:
        changes: the files.

    Returns:
        The files that have them, and why the others do not.
    """
    by_path = {change.path: change for change in changes}
    together = groups(changes)
    alone = by_path.keys() - {path for group in together for path in group}
    reverted: list[Path] = []
    failed: list[str] = []
    for paths in sorted([*together, *([path] for path in alone)]):
        files = [by_path[path] for path in paths if path in by_path]
        try:
            replace_files([Replacement(each.path, each.after, each.before) for each in files])
            reverted += [each.path for each in files]
        except WriteError as error:
            failed.append(f"{error.path} could not be put back: {error.reason}")
            rest = (each.path for each in files if each.path != error.path)
            failed += [f"{path}, which works with it only, was not put back" for path in rest]
    return reverted, failed


def _behind_differences(report: CheckReport, inside: Mapping[str, Change]) -> Iterator[Change]:
    names: set[str] = set()
    for case in report.cases:
        if case.verdict is Verdict.DIFFERENT:
            imported = {name for files in case.files.values() for name in files}
            # A case that broke before it imported anything says nothing about where.
            names |= (imported & inside.keys()) or inside.keys()
    while more := {n for n in inside.keys() - names if _goes_with(inside[n], names, inside)}:
        names |= more
    return (inside[name] for name in sorted(names))


def _goes_with(change: Change, names: Iterable[str], inside: Mapping[str, Change]) -> bool:
    """Whether a file changed together with one of these."""
    return not set(change.together).isdisjoint(inside[name].path for name in names)
