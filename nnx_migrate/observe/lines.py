"""Writes down what a process has seen, line by line: it may end at any moment, and in any way."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from nnx_migrate.check.recording.compiling import plain_settings


def write(line: dict[str, Any]) -> None:
    """Writes a line to the file of this process.

    Args:
        line: what was seen, as JSON holds it.
    """
    folder = Path(str(plain_settings()["folder"]))
    # Of a process of its own: what is forked from this one has another number. The line goes there
    # at once, so that those of several threads stay apart.
    file = os.open(folder / f"{os.getpid()}.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, json.dumps(line).encode() + b"\n")
    finally:
        os.close(file)
