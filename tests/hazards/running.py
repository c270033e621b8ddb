"""Small programs migrated in memory and run: before in graph mode, after in both modes."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult, FileStatus, Outcome
from nnx_migrate.sources.configuration import Options
from tests.chosen import chosen
from tests.golden.columns import Result, difference, run_matrix
from tests.golden.migration import migrate_tree

_DRIVE = "def drive(program):\n    return program.main()\n"


def programs_of(folder: Path) -> dict[str, tuple[str, str]]:
    """The programs in the text files of a folder, by file and name: the head of the file, and each.

    A head that the programs of a file share comes first, then one for each line `#--- name`.
    """
    found = {}
    for path in sorted(folder.glob("*.txt")):
        head, *parts = path.read_text(encoding="utf-8").split("#--- ")
        for part in parts:
            name, _, body = part.partition("\n")
            found[f"{path.stem}-{name.strip()}"] = head, body
    return found


def sources_of(folder: Path) -> dict[str, str]:
    """The same, where a head and a program are one file."""
    return {name: head + body for name, (head, body) in programs_of(folder).items()}


def verdicts_of_chosen(
    request: pytest.FixtureRequest, results: Mapping[str, FileResult], folder: Path
) -> dict[str, str]:
    """`verdicts` of the programs whose tests are about to run, by the parameter `name`."""
    return verdicts(
        {name: results[name] for name in chosen(request.session, "name", results)}, folder
    )


def migrated(source: str | bytes) -> FileResult:
    """Migrate a program of one file, with the default options."""
    data = source if isinstance(source, bytes) else textwrap.dedent(source).lstrip("\n").encode()
    return migrate_tree({"main.py": data}, Options())["main.py"]


def migrated_with(program: str, parts: Mapping[str, str]) -> FileResult:
    """Migrate a program of one file, with parts of it in the place of their names."""
    for name, part in parts.items():
        program = program.replace(name, part)
    return migrated(program)


def migrated_files(files: Mapping[str, str]) -> dict[str, FileResult]:
    """Migrate a program of several files, with the default options."""
    return migrate_tree({name: text.encode() for name, text in files.items()}, Options())


def verdicts(
    programs: Mapping[str, FileResult | Mapping[str, FileResult]], folder: Path
) -> dict[str, str]:
    """Run programs whose `main.py` defines `main`.

    Args:
        programs: name -> what its migration gave; of several files, for each of them.
        folder: where the programs may be written.

    Returns:
        Name -> "" when all three columns ran and agree exactly, else what is different.
    """
    drive = folder / "drive.py"
    drive.write_text(_DRIVE)
    jobs: dict[str, list[tuple[str, Path, Path]]] = {"before": [], "after": []}
    for name, result in programs.items():
        files = {"main.py": result} if isinstance(result, FileResult) else result
        for side in jobs:
            program = folder / name / side
            program.mkdir(parents=True)
            for path, each in files.items():
                data = each.before if side == "before" else each.after
                (program / path).parent.mkdir(parents=True, exist_ok=True)
                (program / path).write_bytes(data)
            jobs[side].append((name, program, drive))
    reference, graph, tree = run_matrix(
        [(jobs["before"], "graph"), (jobs["after"], "graph"), (jobs["after"], "tree")]
    )
    columns = {"after@graph": graph, "after@tree": tree}
    return {name: _verdict(name, reference[name], columns) for name in programs}


def _verdict(name: str, expected: Result, columns: Mapping[str, Mapping[str, Result]]) -> str:
    if expected.form is None:
        return f"the program itself does not run: {expected.error}"
    for column, results in columns.items():
        found = difference(expected, results[name])
        if found is not None:
            return f"{column}: {found}"
    return ""


def outcomes_of(result: FileResult) -> set[Outcome]:
    """What became of the places of a file."""
    assert result.status in {FileStatus.CHANGED, FileStatus.UNCHANGED}, result.reason
    return {finding.outcome for finding in result.findings}


def said_of(result: FileResult) -> str:
    """All messages about a file, with what they rest on."""
    messages = [finding.message for finding in result.findings]
    claims = [each.claim for finding in result.findings for each in finding.evidence]
    return "\n".join(messages + claims)


def settled(result: FileResult) -> bool:
    """Whether a second run over what a migration wrote makes no edit."""
    if result.status not in {FileStatus.CHANGED, FileStatus.UNCHANGED}:
        return False
    return migrated(result.after).after == result.after


def all_settled(results: Mapping[str, FileResult]) -> bool:
    """The same of a program of several files."""
    again = migrated_files({name: result.after.decode() for name, result in results.items()})
    return all(again[name].after == result.after for name, result in results.items())
