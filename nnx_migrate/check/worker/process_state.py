"""What a case sets for its whole process, put back for the next one."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any, NoReturn


@dataclasses.dataclass
class ProcessState:
    """What became of the state of the process.

    Args:
        changed: whether a case left it otherwise than it was.
    """

    changed: bool = False


class Exited(BaseException):
    """The user's code ended its process at once, by `os._exit`."""


def catch_exit() -> None:
    """Makes `os._exit` of the user's code an exception in this process, but not in its children."""
    exit_at_once = os._exit
    here = os.getpid()

    def exit_or_raise(status: int) -> NoReturn:
        caller = str(sys._getframe(1).f_globals.get("__name__"))
        # The pool ends its processes so.
        is_the_users = caller.partition(".")[0] not in ("pebble", "multiprocessing")
        in_main_thread = threading.current_thread() is threading.main_thread()
        if is_the_users and in_main_thread and os.getpid() == here:
            raise Exited(f"os._exit({status})")
        exit_at_once(status)

    os._exit = exit_or_raise


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
