"""Tables of the documentation that are made of the rules and of what the engine finds.

python -m scripts.finding_pages      # writes them into docs/pins.md and docs/troubleshooting.md
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nnx_migrate.report.manuals import ENGINE_FINDINGS, summary_of, way_out_of
from nnx_migrate.rewrite.model.registry import rule_entries

DOCS = Path(__file__).parent.parent / "docs"
BEGIN, END = "<!-- made by scripts/finding_pages.py: begin -->\n", "<!-- end -->"


def ways_out() -> Iterator[str]:
    """What frees the pins of each rule."""
    yield "| cause | what it is | the way out |"
    yield "|---|---|---|"
    for rule in sorted(rule_entries()):
        if way := way_out_of(rule):
            yield f"| [`{rule}`](rules/{rule}.md) | {_cell(summary_of(rule))} | {_cell(way)} |"


def engine_findings() -> Iterator[str]:
    """What is found without a rule, and what to do about it."""
    yield "| finding | what happened | what to do |"
    yield "|---|---|---|"
    for name, finding in sorted(ENGINE_FINDINGS.items()):
        yield f"| `{name}` | {_cell(finding.what)} | {_cell(finding.todo)} |"


def made(text: str, rows: Iterator[str]) -> str:
    """A page with its table made anew.

    Args:
        text: the page.
        rows: of the table.
    """
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    table = "\n".join(rows)
    return f"{head}{BEGIN}{table}\n{END}{tail}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


PAGES = {"pins.md": ways_out, "troubleshooting.md": engine_findings}


def main() -> None:
    """Write the tables."""
    for name, rows in PAGES.items():
        page = DOCS / name
        page.write_text(made(page.read_text(encoding="utf-8"), rows()), encoding="utf-8")


if __name__ == "__main__":
    main()
