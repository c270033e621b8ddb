"""Annotations on the lines of a pull request, as workflow commands that GitHub Actions reads."""

from __future__ import annotations

import dataclasses

from nnx_migrate.report.human.causes import Shown, causes_of
from nnx_migrate.report.levels import Level, Report, shown_path, told
from nnx_migrate.report.text import plural
from nnx_migrate.report.ways_out import with_help

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def render_github(report: Report) -> str:
    """Return one workflow command a finding.

    GitHub shows ten of each kind, so the first place of each cause stands before all others: the
    loudest first, of these what stays in graph mode, of that the biggest.
    """
    firsts: list[str] = []
    others: list[str] = []
    items = list(told(report))
    for level in Level:
        causes = causes_of(item.shown for item in items if item.level is level)
        for cause in sorted(causes, key=lambda cause: -cause.rank):
            more = len(cause.items) - 1
            firsts.append(_command(level, cause.first, report, more))
            others += [_command(level, item, report) for item in cause.items[1:]]
    return "".join(f"{line}\n" for line in (*firsts, *others))


def _command(level: Level, item: Shown, report: Report, more: int = 0) -> str:
    """One command.

    Args:
        level: how loudly it is told.
        item: the finding.
        report: the run.
        more: other places of the same cause, which the message counts.
    """
    finding = item.finding
    properties = {"file": shown_path(item.result.path, report.root)}
    if finding.line:
        properties |= {"line": str(finding.line), "col": str(finding.column)}
    properties["title"] = f"nnx-migrate {finding.rule}: {finding.outcome}"
    if (cell := finding.in_cell) is not None:
        properties["title"] += f" (cell {cell.cell}, line {cell.line})"
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    also = f" ({plural(more, 'more place')} for the same reason)" if more else ""
    text = with_help(dataclasses.replace(finding, message=finding.message + also))
    return f"::{_COMMANDS[level]} {listed}::{_data(text)}"


def _data(text: str) -> str:
    """Text behind the second "::", by the rules of GitHub's own toolkit."""
    shown = text.encode("utf-8", "backslashreplace").decode()
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
