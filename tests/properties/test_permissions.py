"""Golden programs that rest on assumptions: the names that their findings say are enough."""

from __future__ import annotations

import dataclasses

import pytest

from nnx_migrate.core.findings import FileResult
from nnx_migrate.core.permissions import Permission
from nnx_migrate.sources.configuration import Options
from tests.golden.cases import Case, all_cases
from tests.golden.migration import migrate_tree, options_for

UNSAFE = [case for case in all_cases() if case.expectation().unsafe]


def _used(results: dict[str, FileResult]) -> frozenset[Permission]:
    findings = [finding for result in results.values() for finding in result.findings]
    return frozenset(
        each.permission
        for finding in findings
        if finding.rests_on_permission
        for each in finding.evidence
        if each.permission is not None
    )


def _texts(case: Case, options: Options) -> dict[str, bytes]:
    found = migrate_tree(case.files("before"), options)
    return {name: result.after for name, result in found.items()}


@pytest.mark.parametrize("case", UNSAFE, ids=lambda case: case.name)
def test_what_the_findings_name_is_enough_and_needed(case: Case) -> None:
    unsafe = options_for(case.expectation())
    used = _used(migrate_tree(case.files("before"), unsafe))
    assert used
    after = case.files("after")
    allowed = dataclasses.replace(unsafe, unsafe=False, allow=used)
    assert _texts(case, allowed) == after
    for name in used:
        assert _texts(case, dataclasses.replace(allowed, allow=used - {name})) != after
