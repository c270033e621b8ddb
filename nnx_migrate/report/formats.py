"""The machine formats by name; each is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from nnx_migrate.report.levels import Report

FORMATS = {
    "json": "json:render_json",
    "jsonl": "json:render_jsonl",
    "sarif": "sarif:render_sarif",
    "github": "github:render_github",
    "gitlab": "gitlab:render_gitlab",
    "markdown": "markdown:render_markdown",
}


def render(name: str, report: Report) -> str:
    """Return the report of a run in one of the machine formats.

    Args:
        name: of the format.
        report: the run.

    Raises:
        KeyError: there is no such format.
    """
    module, _, function = FORMATS[name].partition(":")
    found = importlib.import_module(f"nnx_migrate.report.{module}")
    renderer: Callable[[Report], str] = getattr(found, function)
    return renderer(report)
