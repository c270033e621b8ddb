"""The user's command in a process of its own, on one side and under one default of Flax."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from nnx_migrate.check.copies import moved_entries
from nnx_migrate.check.jobs import Mode, Side

_FLAGS = {"graph": "true", "tree": "false"}


def variables_for(
    side: Side, mode: Mode, given: Mapping[str, str], first: Sequence[str] = ()
) -> dict[str, str]:
    """The environment in which what leads into the user's tree leads into a side.

    Args:
        side: the tree that the command runs in.
        mode: the default of Flax that it runs under.
        given: the variables of this process, and more.
        first: folders that imports are looked up in before all others.
    """
    paths = [*first, *(str(root.resolve()) for root in side.import_roots)]
    # An editable install, for one.
    paths += [entry for entry in moved_entries(side, sys.path) if entry not in sys.path]
    if given.get("PYTHONPATH"):
        paths += moved_entries(side, given["PYTHONPATH"].split(os.pathsep))
    return {
        **given,
        "PYTHONPATH": os.pathsep.join(paths),
        # `python` and `pytest` are those that this tool runs with.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), given.get("PATH", os.defpath)]),
        "NNX_GRAPH_MODE": _FLAGS[mode],
        "NNX_GRAPH_UPDATES": _FLAGS[mode],
    }


def exit_code_of(
    command: Sequence[str], cwd: Path, variables: Mapping[str, str], timeout: float | None = None
) -> int:
    """The exit code of a command; what it prints goes to stderr, and no child of it stays.

    Args:
        command: as it would be typed.
        cwd: where it runs.
        variables: its environment.
        timeout: seconds after which it is stopped.

    Raises:
        OSError: it cannot be started.
        subprocess.TimeoutExpired: it took longer.
    """
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=dict(variables),
        stdin=subprocess.DEVNULL,
        stdout=2,
        start_new_session=True,
    )
    try:
        return process.wait(timeout)
    finally:
        if process.poll() is None:
            # Its own children, too: workers of pytest-xdist, say.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
