"""A part of a migration leaves a program from which the rest of the way is the same."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult
from nnx_migrate.report.patches.dependencies import needs_of
from nnx_migrate.report.patches.parts import split, state
from tests.golden.cases import all_cases
from tests.golden.columns import difference, run_matrix
from tests.golden.migration import migrate_tree, options_for


def partly_migrated(results: Mapping[str, FileResult]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield the project with one part by rule, and what that needs; nothing if it has only one."""
    changed = [result for result in results.values() if result.edits]
    parts = split(changed, "rule", Path.cwd(), lambda name: (name,))
    for part, needs in zip(parts, needs_of(parts), strict=True):
        files = {}
        for name, result in results.items():
            made = [p.files[name] for p in (part, *(parts[n] for n in needs)) if name in p.files]
            files[name] = state(result, made)
        if len(parts) > 1:
            yield "+".join(part.key), files


CASES = {case.name: case for case in all_cases()}


@functools.cache
def parts_of_all() -> list[tuple[str, str, dict[str, bytes]]]:
    """Every golden case that falls into parts, with its name and that of the part."""
    return [
        (name, key, files)
        for name, case in CASES.items()
        if sum(map(bool, case.expectation().outcomes.values())) > 1
        for key, files in partly_migrated(
            migrate_tree(case.files("before"), options_for(case.expectation()))
        )
    ]


#: A known gap: behind a function that sows and puts that back, a flag that is off is not followed,
#: so that the rest is pinned where one run over all of it writes tree-mode code.
_PINS_MORE = {("state-axes/sown-when-asked", "sown-intermediates+state-axes")}


def test_the_rest_of_the_way_is_the_same() -> None:
    found = parts_of_all()
    assert len(found) > 30
    other = set()
    for name, key, files in found:
        options = options_for(CASES[name].expectation())
        rest = {n: r.after for n, r in migrate_tree(files, options).items()}
        if rest != CASES[name].files("after"):
            other.add((name, key))
    assert other == _PINS_MORE


@pytest.mark.runs_jax
def test_what_a_part_leaves_runs_as_before(tmp_path: Path) -> None:
    jobs: dict[str, dict[str, Path]] = {"before": {}, "parts": {}}
    cases: dict[str, str] = {}
    for name, key, files in parts_of_all():
        if not CASES[name].expectation().raises:
            cases[f"{name} {key}"] = name
            jobs["before"][name] = _stored(tmp_path / "before" / name, CASES[name].files("before"))
            jobs["parts"][f"{name} {key}"] = _stored(tmp_path / "parts" / f"{name}-{key}", files)
    assert len(cases) > 15
    runs = [
        [(job, folder, CASES[cases.get(job, job)].folder / "drive.py") for job, folder in j.items()]
        for j in jobs.values()
    ]
    before, parts = run_matrix([(programs, "graph") for programs in runs])
    for job, name in cases.items():
        assert before[name].form is not None, (job, before[name].error)
        assert difference(before[name], parts[job]) is None, job


def _stored(folder: Path, files: Mapping[str, bytes]) -> Path:
    for file, data in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(data)
    return folder
