"""Tables by rich, where someone sits at a terminal.

No text of the user's goes through rich's markup: cells are `Text`, and names of rules are all that
is in them.
"""

from __future__ import annotations

import io
import shutil

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from nnx_migrate.core.findings import Outcome
from nnx_migrate.core.totals import Totals

_STYLES = {
    "rewritten": "green",
    "rewritten-checked": "green",
    "pinned": "yellow",
    "pinned-mid": "yellow",
    "manual": "bold red",
    "same": "dim",
}


def table_of_rules(totals: Totals, *, colour: bool) -> str:
    """The numbers of each rule as a table, as wide as the terminal allows."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("rule")
    found = [outcome for outcome in Outcome if totals.outcomes.get(outcome)]
    for outcome in found:
        table.add_column(Text(outcome), justify="right", style=_STYLES[outcome])
    for rule, outcomes in totals.rules.items():
        counts = [f"{outcomes[o]:,}" if outcomes.get(o) else "" for o in found]
        table.add_row(Text(rule), *map(Text, counts))
    drawn = io.StringIO()
    console = Console(
        file=drawn,
        force_terminal=colour,
        no_color=not colour,
        width=shutil.get_terminal_size().columns,
        markup=False,
        highlight=False,
        emoji=False,
    )
    console.print(table)
    return drawn.getvalue().rstrip("\n")
