"""What the work on one file may take."""

from __future__ import annotations

import dataclasses

from nnx_migrate.core.deep_stack import STACK_BYTES
from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.engine.failures import QUARANTINED
from nnx_migrate.sources.walk.discovery import problem


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """What one file may take.

    Args:
        seconds: wall time of reading or of planning it.
        gigabytes: memory of the process that does so, what all files share included; 0 for any.
    """

    seconds: float = 60
    gigabytes: float = 2

    def too_slow(self) -> str:
        """Why a file was given up on that took its time."""
        return f"it took more than {self.seconds:g} s (--timeout)"

    def too_large(self) -> str:
        """Why a file was given up on that took too much memory."""
        return f"it took more than {self.gigabytes:g} GB of memory (--memory)"


def limit_memory(limits: Limits) -> None:
    """Hold this process to its limit, where the system has such a thing.

    Linux counts what is private and can be written. macOS takes the limit and does not keep it.
    """
    if not limits.gigabytes:
        return
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return
    most = int(limits.gigabytes * 2**30) + STACK_BYTES
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def quarantine(path: object, reason: str) -> FileResult:
    """The result of a file that failed twice, the second time in a process of its own.

    Args:
        path: the file.
        reason: what it did.
    """
    told = f"{reason}, twice; the run continued without it"
    return problem(str(path), FileStatus.FAILED, QUARANTINED, told)
