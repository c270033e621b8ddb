"""Tables and progress by rich, where it is installed and someone sits at a terminal.

No text of the user's goes through rich's markup: cells are `Text`, and names of rules are all that
is in them.
"""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Callable, Iterator
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
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


@contextlib.contextmanager
def progress_bar(stream: TextIO, *, colour: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A bar that is gone when the block ends."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
    )
    console = Console(file=stream, no_color=not colour, markup=False, highlight=False, emoji=False)
    # It draws when it is told to: processes are forked meanwhile, so there may be no thread.
    bar = Progress(*columns, console=console, auto_refresh=False, transient=True)
    tasks: dict[str, object] = {}
    with bar:

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                for task in bar.task_ids:
                    bar.remove_task(task)
                tasks[stage] = bar.add_task(f"{stage} files", total=total or None)
            if done % 16 == 0 or done == total:
                bar.update(bar.task_ids[0], completed=done, refresh=True)

        yield show


class _Rate(ProgressColumn):
    """How many files a second."""

    def render(self, task: Task) -> Text:
        """See `ProgressColumn`."""
        return Text(f"{task.speed:,.0f}/s" if task.speed else "")


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
