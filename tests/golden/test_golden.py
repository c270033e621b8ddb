"""Every golden case: the tool writes what was reviewed, and what it writes runs as before."""

from __future__ import annotations

import ast
import fcntl
import functools
import pickle
from collections.abc import Callable, Mapping

import pytest

from nnx_migrate.core.findings import FileResult
from tests.chosen import chosen
from tests.golden.cases import Case, all_cases
from tests.golden.columns import (
    AFTER_GRAPH,
    AFTER_TREE,
    ALL_COLUMNS,
    BEFORE_GRAPH,
    BEFORE_TREE,
    Column,
    Result,
    difference,
    on_one_device,
    run_columns,
)
from tests.golden.migration import migrate_tree, options_for, wrong_outcomes

CASES = all_cases()
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
ColumnOf = Callable[[Column], dict[str, Result]]


@pytest.fixture(scope="session")
def column(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> ColumnOf:
    """Runs all columns of what is tested once for all tests and all workers of this session."""
    cases = chosen(request.session, "case", CASES)
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent

    # Every test asks, and to read them takes longer than what it does with them.
    @functools.cache
    def results() -> dict[str, dict[str, Result]]:
        file = shared / "golden.pickle"
        with open(shared / "golden.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not file.exists():
                file.write_bytes(pickle.dumps(run_columns(cases, ALL_COLUMNS)))
        found: dict[str, dict[str, Result]] = pickle.loads(file.read_bytes())
        return found

    return lambda wanted: results()[wanted.name]


@each_case
def test_tool_says_and_writes_what_was_reviewed(case: Case) -> None:
    expectation = case.expectation()
    results = migrate_tree(case.files("before"), options_for(expectation))
    wrong = wrong_outcomes(expectation, results)
    assert not wrong, "\n".join(wrong)
    _assert_findings_stand_at_code(results)
    written = {name: result.after for name, result in results.items()}
    assert {name: data.decode() for name, data in written.items()} == {
        name: data.decode() for name, data in case.files("after").items()
    }
    assert written == case.files("after")


def _assert_findings_stand_at_code(results: Mapping[str, FileResult]) -> None:
    """Each is at an expression or a statement of the file as it was, in later rounds too."""
    for result in results.values():
        nodes = [
            n for n in ast.walk(ast.parse(result.before)) if isinstance(n, ast.expr | ast.stmt)
        ]
        code = {(node.lineno, node.col_offset + 1) for node in nodes}
        assert [f for f in result.findings if f.line and (f.line, f.column) not in code] == []


@each_case
def test_second_run_has_nothing_to_do(case: Case) -> None:
    results = migrate_tree(case.files("after"), options_for(case.expectation()))
    assert {name: result.after for name, result in results.items()} == case.files("after")


@pytest.mark.runs_jax
@each_case
def test_migrated_program_gives_the_same(case: Case, column: ColumnOf) -> None:
    expectation = case.expectation()
    if "graph" in expectation.raises:
        _assert_raises(column(BEFORE_GRAPH)[case.name], expectation.raises["graph"])
    reference = column(AFTER_GRAPH if "graph" in expectation.raises else BEFORE_GRAPH)[case.name]
    assert reference.form is not None, f"the reference does not run: {reference.error}"
    assert len(reference.form) > 3, "the driver returns next to nothing"
    for after in (AFTER_GRAPH, AFTER_TREE):
        expected, actual = reference, column(after)[case.name]
        if expectation.placement and after is AFTER_TREE:
            assert difference(expected, actual) is not None, "it lies where it lay before"
            expected, actual = on_one_device(expected), on_one_device(actual)
        found = difference(expected, actual)
        assert found is None, f"{after.name}: {found}"


@pytest.mark.runs_jax
@each_case
def test_case_is_worth_having(case: Case, column: ColumnOf) -> None:
    expectation = case.expectation()
    before_tree = column(BEFORE_TREE)[case.name]
    if "tree" in expectation.raises:
        _assert_raises(before_tree, expectation.raises["tree"])
        return
    if "graph" in expectation.raises:
        found = difference(column(AFTER_TREE)[case.name], before_tree)
        assert found is None, f"it ran in tree mode before, and gives something else now: {found}"
        return
    found = difference(column(BEFORE_GRAPH)[case.name], before_tree)
    if expectation.must_change and not expectation.tree_unchanged_ok:
        assert found is not None, "the flip changes nothing here, so the case proves nothing"
    else:
        assert found is None, f"the flip breaks it, but nothing is to be changed: {found}"
        assert expectation.reason or not expectation.tree_unchanged_ok


def _assert_raises(result: Result, expected: str) -> None:
    assert result.form is None, "it runs, though it is expected to raise"
    assert result.error.startswith(f"{expected}:"), result.error
