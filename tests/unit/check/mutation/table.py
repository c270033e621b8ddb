"""Writes the table of mutants in docs/check-bed.md: `python -m tests.unit.check.mutation.table`.

Exit status: 0 the checker tells every broken mutant from every harmless one, 1 it does not.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from nnx_migrate.check.compare.verdicts import ColumnResult, Verdict
from tests.unit.check.mutation.mutants import all_programs
from tests.unit.check.mutation.running import Finding, check_mutants

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs" / "check-bed.md"
SCRIPT = "tests/unit/check/mutation/table.py"
_PARTS = {
    "arguments": "the arguments, before the call",
    "call": "the call",
    "jit": "the call under `jax.jit`",
    "gradient": "the gradient",
}


def described(finding: Finding) -> str:
    """A finding in one line.

    Args:
        finding: of any kind.
    """
    told = "; ".join(
        f"{name}: {column.verdict} {column.part} {column.difference or column.reason}"
        for case in finding.cases.values()
        for name, column in case.columns.items()
    )
    return f"{finding.program}: {finding.mutant.kind}: {finding.mutant.name}: {told}"


def section(findings: Sequence[Finding]) -> str:
    """The text of the page's section.

    Args:
        findings: of all mutants.
    """
    from marked_text import markdown_table

    broken = [each for each in findings if each.mutant.kind == "broken"]
    harmless = [each for each in findings if each.mutant.kind == "harmless"]
    caught = sum(each.as_it_should_be for each in broken)
    passed = [each for each in harmless if each.as_it_should_be]
    proved = sum(each.verdict is Verdict.PROVED for each in passed)
    programs = len({each.program for each in findings})
    return "\n\n".join(
        (
            f"{programs} programs are migrated by hand and then changed, one place at a time.",
            f"**{caught} of {len(broken)} mutants that are broken are found.** Where: by what was "
            "compared, in the first column that differs.",
            markdown_table(
                ("program", "what is broken", "found by", "columns"),
                [
                    (each.program, each.mutant.name, _found_by(each), _columns(each))
                    for each in broken
                ],
            ),
            f"**{len(passed)} of {len(harmless)} that are harmless pass**, {proved} of them "
            "proved without a number being computed.",
            markdown_table(
                ("program", "what is changed", "verdict"),
                [(each.program, each.mutant.name, each.verdict) for each in harmless],
            ),
        )
    )


def _different(finding: Finding) -> list[tuple[str, ColumnResult]]:
    return [
        (name, column)
        for case in finding.cases.values()
        for name, column in case.columns.items()
        if column.verdict is Verdict.DIFFERENT
    ]


def _found_by(finding: Finding) -> str:
    different = _different(finding)
    return _PARTS[different[0][1].part] if different else f"missed: {finding.verdict}"


def _columns(finding: Finding) -> str:
    names = sorted({name for name, _ in _different(finding)})
    return "both" if len(names) == 2 else ", ".join(names)


def main() -> int:
    """Checks all mutants and rewrites the section."""
    sys.path.insert(0, str(ROOT / "scripts"))
    from marked_text import replace_marked

    findings = []
    with tempfile.TemporaryDirectory() as folder:
        for finding in check_mutants(all_programs(), Path(folder)):
            findings.append(finding)
            if not finding.as_it_should_be:
                print(described(finding), flush=True)
    replace_marked(PAGE, SCRIPT, section(findings))
    return 0 if all(finding.as_it_should_be for finding in findings) else 1


if __name__ == "__main__":
    sys.exit(main())
