"""The edits that a result carries are all that happened to the file, and each has its reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nnx_migrate.core.findings import (
    FileResult,
    FileStatus,
    Finding,
    Outcome,
    apply_source_edits,
)
from nnx_migrate.rewrite.style.locations import source_edits
from nnx_migrate.rewrite.text.edits import Edit, Text, apply_edits
from nnx_migrate.rewrite.text.history import History
from nnx_migrate.sources.text import decode
from tests.golden.cases import all_cases
from tests.golden.migration import migrate_tree, options_for
from tests.hazards.running import migrated
from tests.hazards.sources import SOURCES
from tests.properties.programs import Program, programs

#: Outcomes that edits bring about; the others leave the file as it is.
_CHANGING = frozenset(Outcome) - {Outcome.MANUAL, Outcome.SAME}
_FINDINGS = [Finding(f"rule-{n}", 1, 1, Outcome.REWRITTEN, "done") for n in range(4)]
_FEW = settings(max_examples=60, derandomize=True, deadline=None, database=None)


def check_edits(result: FileResult) -> None:
    """What every result promises of its edits."""
    assert bool(result.edits) == (result.before != result.after)
    assert apply_source_edits(result.before, result.edits, result.encoding) == result.after
    text = Text(decode(result.path, result.before).text)
    bom = 3 if result.before.startswith(b"\xef\xbb\xbf") else 0
    for edit in result.edits:
        start = text.line_start(edit.line) + edit.column - 1
        end = text.line_start(edit.end_line) + edit.end_column - 1
        assert len(text.text[:start].encode(result.encoding)) + bom == edit.start
        assert len(text.text[:end].encode(result.encoding)) + bom == edit.end
    for former, latter in zip(result.edits, result.edits[1:], strict=False):
        assert former.end < latter.start
    explained = {place for edit in result.edits for place in edit.findings}
    for place, finding in enumerate(result.findings):
        assert (place in explained) == (finding.outcome in _CHANGING), finding


@_FEW
@given(programs())
def test_edits_of_a_program_are_what_happened(program: Program) -> None:
    check_edits(migrated(program.data))


@pytest.mark.parametrize("name", SOURCES)
def test_edits_of_hazards_are_what_happened(name: str) -> None:
    check_edits(migrated(SOURCES[name].text))


@pytest.mark.parametrize("outcome", sorted(_CHANGING))
def test_edits_of_golden_programs_are_what_happened(outcome: Outcome) -> None:
    """One of each outcome, whatever the drawn programs and the hazards come to."""
    for case in all_cases():
        said = case.expectation()
        if not any(counts.get(outcome) for counts in said.outcomes.values()):
            continue
        (result, *others) = migrate_tree(case.files("before"), options_for(said)).values()
        if not others and any(finding.outcome is outcome for finding in result.findings):
            check_edits(result)
            return
    pytest.fail(f"no golden program of one file is {outcome}")


@st.composite
def rounds(draw: st.DrawFn, head: str) -> tuple[str, list[list[Edit]]]:
    """A text that begins with `head`, and rounds of edits, each over what the last has left."""
    start = text = head + draw(st.text("abäあ", max_size=12))
    found: list[list[Edit]] = []
    for _ in range(draw(st.integers(0, 4))):
        places = sorted(draw(st.lists(st.integers(len(head), len(text)), max_size=6)))
        pairs = zip(places[::2], places[1::2], strict=False)
        found.append([Edit(a, b, draw(st.text("xäい", max_size=3))) for a, b in pairs])
        text = apply_edits(text, found[-1])
    return start, found


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "iso2022_jp_2", "utf-7"])
@settings(max_examples=150, derandomize=True, deadline=None, database=None)
@given(st.data())
def test_rounds_of_edits_add_up(encoding: str, data: st.DataObject) -> None:
    start, found = data.draw(rounds(f"# coding: {encoding}\n# "))
    text, history = start, History(start)
    for number, edits in enumerate(found):
        text = apply_edits(text, edits)
        history.advance(edits, dict.fromkeys(edits, (_FINDINGS[number],)))
    source = decode(Path("main.py"), start.encode(encoding))
    after = source.encode(text)
    located = source_edits(source, text, after, history, _FINDINGS)
    result = FileResult(
        source.path, FileStatus.CHANGED, source.data, after, edits=located, encoding=encoding
    )
    assert apply_source_edits(source.data, result.edits, encoding) == after
    assert bool(result.edits) == (text != start)
    assert all(edit.findings for edit in result.edits)
