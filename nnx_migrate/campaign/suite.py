"""Runs the command of a campaign on a migrated tree, under one default or the other."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from nnx_migrate.check.copies import moved_entries
from nnx_migrate.check.jobs import Mode, Side

_FLAGS = {"graph": "true", "tree": "false"}


def exit_code_of(command: Sequence[str], side: Side, mode: Mode) -> int:
    """The exit code of a command that runs in a tree; what it prints goes to stderr.

    Args:
        command: as it would be typed.
        side: the tree, a copy that the command may write to.
        mode: the default of Flax that it runs under.

    Raises:
        OSError: the command cannot be started.
    """
    process = subprocess.Popen(
        command,
        cwd=side.top,
        env=_variables(side, mode),
        stdin=subprocess.DEVNULL,
        stdout=2,
        start_new_session=True,
    )
    try:
        return process.wait()
    finally:
        if process.poll() is None:
            # Its own children, too: workers of pytest-xdist, say.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _variables(side: Side, mode: Mode) -> dict[str, str]:
    """As a recording sets them: what leads into the user's tree leads into this one."""
    paths = [str(root) for root in side.import_roots]
    paths += [entry for entry in moved_entries(side, sys.path) if entry not in sys.path]
    if given := os.environ.get("PYTHONPATH"):
        paths += moved_entries(side, given.split(os.pathsep))
    search = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "PATH": os.pathsep.join(search),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NNX_GRAPH_MODE": _FLAGS[mode],
        "NNX_GRAPH_UPDATES": _FLAGS[mode],
    }
