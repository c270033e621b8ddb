"""Annotations on the lines of a pull request, as workflow commands that GitHub Actions reads."""

from __future__ import annotations

from nnx_migrate.report.levels import Level, Report, Told, shown_path, told

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def render_github(report: Report) -> str:
    """Return one workflow command a finding, the loudest first: GitHub shows ten of each kind."""
    commands: dict[Level, list[str]] = {level: [] for level in Level}
    for item in told(report):
        commands[item.level].append(_command(item, report))
    return "".join(f"{line}\n" for lines in commands.values() for line in lines)


def _command(item: Told, report: Report) -> str:
    finding = item.finding
    properties = {"file": shown_path(item.result.path, report.root)}
    if finding.line:
        properties |= {"line": str(finding.line), "col": str(finding.column)}
    properties["title"] = f"nnx-migrate {finding.rule}: {finding.outcome}"
    if (cell := finding.in_cell) is not None:
        properties["title"] += f" (cell {cell.cell}, line {cell.line})"
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[item.level]} {listed}::{_data(finding.message)}"


def _data(text: str) -> str:
    """Text behind the second "::", by the rules of GitHub's own toolkit."""
    shown = text.encode("utf-8", "backslashreplace").decode()
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
