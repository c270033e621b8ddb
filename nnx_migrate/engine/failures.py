"""What becomes of a file that could not be done: a result with a reason, never an exception."""

from __future__ import annotations

import sys
from pathlib import Path

from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.sources.text import UndecodableSource
from nnx_migrate.sources.walk.discovery import problem

#: The code of a file that ran out of memory.
TOO_LITTLE_MEMORY = "too-little-memory"
#: The code of a file that took more than its time.
TOO_SLOW = "too-slow"
#: The code of what a run has given up on after a second try.
QUARANTINED = "quarantined-file"


def failure_of(path: Path, error: Exception) -> FileResult:
    """The result of a file that an error has stopped."""
    if isinstance(error, UndecodableSource):
        return problem(path, FileStatus.FAILED, "unreadable-file", error.reason)
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        return problem(path, FileStatus.FAILED, "unreadable-file", reason)
    if isinstance(error, SyntaxError):
        return _syntax_failure(path, error)
    if isinstance(error, RecursionError) or _means_depth(error):
        return problem(path, FileStatus.FAILED, "too-deep", "its code is nested too deeply")
    if isinstance(error, MemoryError):
        return problem(path, FileStatus.FAILED, TOO_LITTLE_MEMORY, "there is too little memory")
    told = "; ".join(getattr(error, "__notes__", ())) or "report this"
    reason = f"{type(error).__name__}: {error} (at {_place(error)}); {told}"
    return problem(path, FileStatus.FAILED, "internal-error", reason)


def _syntax_failure(path: Path, error: SyntaxError) -> FileResult:
    import platform

    version = ".".join(platform.python_version_tuple()[:2])
    reason = f"{error.msg} (read as Python {version}; for newer syntax run this with a newer one)"
    finding = Finding("syntax-error", error.lineno or 0, error.offset or 0, Outcome.MANUAL, reason)
    return FileResult(path, FileStatus.FAILED, b"", b"", (finding,), reason)


def _means_depth(error: Exception) -> bool:
    """Whether the parser calls code that is nested too deeply a lack of memory."""
    if not isinstance(error, MemoryError) or not _place(error).startswith("ast.py:"):
        return False
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return True
    limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bytes_at_peak = peak * (1 if sys.platform == "darwin" else 1024)
    # Memory does not run out in the parser's small steps where half of it was never used.
    return limit == resource.RLIM_INFINITY or bytes_at_peak < limit / 2


def _place(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "an unknown place"
    return f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"


def crash(path: Path) -> FileResult:
    """The result of a file whose process died."""
    reason = "the process that worked on it died; report this"
    return problem(path, FileStatus.FAILED, "internal-error", reason)


def too_slow(path: Path, seconds: float) -> FileResult:
    """The result of a file that took more than its time."""
    reason = (
        f"it took more than {seconds:g} s and stays as it is; allow more time (`timeout` in "
        "[tool.nnx-migrate], or --timeout), or exclude it"
    )
    return problem(path, FileStatus.FAILED, TOO_SLOW, reason)


def changed_meanwhile(path: Path) -> FileResult:
    """The result of a file that somebody has edited between two looks at it."""
    reason = "the file changed during the run; run nnx-migrate again"
    return problem(path, FileStatus.FAILED, "changed-file", reason)


def quarantined(result: FileResult) -> bool:
    """Whether a run has given up on a file."""
    return any(finding.rule == QUARANTINED for finding in result.findings)
