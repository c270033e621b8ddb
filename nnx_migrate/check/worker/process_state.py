"""What a case sets for its whole process, put back for the next one."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
from collections.abc import Iterator
from typing import Any


@dataclasses.dataclass
class ProcessState:
    """What became of the state of the process.

    Args:
        changed: whether a case left it otherwise than it was.
    """

    changed: bool = False


@contextlib.contextmanager
def process_state_kept() -> Iterator[ProcessState]:
    """Puts the working folder, the environment and the configuration of jax back.

    Yields:
        What is filled in at the end: modules that set something when they were imported have to be
        imported again by the next case.
    """
    state = ProcessState()
    folder = os.getcwd()
    environment = dict(os.environ)
    configuration = _jax_configuration()
    try:
        yield state
    finally:
        if _folder() != folder:
            state.changed = True
            os.chdir(folder)
        if dict(os.environ) != environment:
            state.changed = True
            os.environ.clear()
            os.environ.update(environment)
        for name, value in _jax_configuration().items():
            if name in configuration and configuration[name] != value:
                state.changed = True
                sys.modules["jax"].config.update(name, configuration[name])


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def _jax_configuration() -> dict[str, Any]:
    jax: Any = sys.modules.get("jax")
    return dict(jax.config.values) if jax is not None else {}
