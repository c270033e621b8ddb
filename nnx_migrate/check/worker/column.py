"""The entry points of a worker process: one column of the matrix, one case after the other.

The mode comes from the environment, set before flax is imported: the setters are local to a thread
and miss what is decorated at import. So nothing at the top of this file may import jax.
"""

from __future__ import annotations

import dataclasses
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from nnx_migrate.check.compare.forms import NotDone, Observation
from nnx_migrate.check.jobs import Column, Costs, Job, Ran, Side, WasTraced, Widened, WorkerSettings
from nnx_migrate.check.worker.process_state import Exited, catch_exit, process_state_kept
from nnx_migrate.check.worker.reading import files_read, watch_reading

if TYPE_CHECKING:
    from nnx_migrate.check.cases.calls import Call

_Kept = TypeVar("_Kept")
_MODE_FLAGS = {"graph": "true", "tree": "false"}


def start(settings: WorkerSettings) -> None:
    """Prepares the process; the first thing that runs in it."""
    log = os.open(settings.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(log, stream)
    catch_exit()
    watch_reading()
    if settings.gigabytes:
        import resource

        most = int(settings.gigabytes * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    enter(settings.column, settings.environment)


def enter(column: Column, environment: Mapping[str, str]) -> None:
    """Makes this process one that runs a column; flax must not be imported yet.

    Args:
        column: the side and its mode.
        environment: variables to set beside those of the mode.
    """
    if "flax" in sys.modules:
        raise RuntimeError("flax was imported before its mode was set")
    flag = _MODE_FLAGS[column.mode]
    os.environ.update(environment)
    os.environ.update({"NNX_GRAPH_MODE": flag, "NNX_GRAPH_UPDATES": flag})
    side = column.side
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(root) for root in side.import_roots]
    if not side.is_program:
        os.chdir(side.root)


def probe(column: Column, job: Job) -> str:
    """Names the platform that jax runs on here.

    Args:
        column: the one that this process runs.
        job: not looked at; every entry point takes one.

    Raises:
        RuntimeError: the platform that was asked for is not there.
    """
    import jax

    return jax.default_backend()


def trace(column: Column, job: Job) -> WasTraced:
    """Traces a case and hashes its program; nothing is computed.

    Args:
        column: the one that this process runs.
        job: the case.
    """
    from nnx_migrate.check.worker.tracing import traced_call

    started = time.perf_counter()
    found, files, read = _calling(column, job, traced_call, numbers=False)
    if isinstance(found, NotDone):
        # A trace that broke off may have left traced values in objects of the user's modules.
        _forget(column)
    return WasTraced(found, files, time.perf_counter() - started, read)


def trace_on_shapes(column: Column, job: Job) -> WasTraced:
    """Traces a case, and how its arguments are made: not one array of it is ever there.

    Args:
        column: the one that this process runs.
        job: the case.
    """
    from nnx_migrate.check.cases.sources import call_of_job
    from nnx_migrate.check.worker.tracing import traced_on_shapes

    if job.kind != "function":
        # A recording has the shapes of what is too large for it.
        return trace(column, job)
    started = time.perf_counter()
    with process_state_kept():
        found = traced_on_shapes(lambda: call_of_job(column, job))
        files, read = _files(column), files_read(column.side.root)
    # What was traced may be left in objects of the user's modules.
    _forget(column)
    _forget_file(job)
    return WasTraced(found, files, time.perf_counter() - started, read)


def refresh(column: Column, job: Job) -> None:
    """Forgets the user's modules: tracing may have changed the objects that they hold.

    Args:
        column: the one that this process runs.
        job: not looked at; every entry point takes one.
    """
    _forget(column)


def run(column: Column, job: Job) -> Ran:
    """Runs a case: as it is called, under `jax.jit`, and its gradient.

    Args:
        column: the one that this process runs.
        job: the case.
    """
    from nnx_migrate.check.worker.running import run_call, run_case

    started = time.perf_counter()
    use = run_call if job.kind == "recorded" else run_case
    found, files, read = _calling(column, job, use)
    if job.kind == "recorded" and column.side.name == "old" and not isinstance(found, NotDone):
        from nnx_migrate.check.recording.replaying import unlike_recorded

        # Two sides that fail for want of what only the whole program sets up agree on nothing.
        unlike = unlike_recorded(job.file, int(job.entry), found[1])
        found = NotDone(unlike) if unlike else found
    if isinstance(found, NotDone):
        failed = Observation(None, "case", found.reason)
        found = failed, failed, found, found
    return Ran(*found, files, time.perf_counter() - started, read)


def widen(column: Column, job: Job) -> Widened:
    """Runs a case in float64, to tell rounding from another meaning.

    Args:
        column: the one that this process runs.
        job: the case.
    """
    from nnx_migrate.check.worker.running import widened_call

    found, _, _ = _calling(column, job, widened_call)
    return Widened(found, found) if isinstance(found, NotDone) else Widened(*found)


def measure(column: Column, job: Job) -> Costs | NotDone:
    """Measures what a case costs.

    Args:
        column: the one that this process runs.
        job: the case.
    """
    from nnx_migrate.check.worker.costs import costs_of

    found, _, _ = _calling(column, job, costs_of)
    return found


def _calling(
    column: Column, job: Job, use: Callable[[Call], _Kept | NotDone], *, numbers: bool = True
) -> tuple[_Kept | NotDone, tuple[str, ...], tuple[str, ...]]:
    """What `use` makes of the call of a case, its files of the project, and all that was read."""
    with process_state_kept() as state:
        # The files are those that are imported now, before they are forgotten.
        found = _used(column, job, use, numbers), _files(column), files_read(column.side.root)
    if state.changed or column.side.is_program or job.program or job.kind == "module":
        # What a module set when it was imported it is to set again.
        _forget(column)
        _forget_file(job)
    return found


def _used(
    column: Column, job: Job, use: Callable[[Call], _Kept | NotDone], numbers: bool
) -> _Kept | NotDone:
    from nnx_migrate.check.cases.calls import Home, failure
    from nnx_migrate.check.cases.sources import call_of_job
    from nnx_migrate.check.recording.meshes import MeshTooLarge

    try:
        call = call_of_job(column, job, numbers=numbers)
        if not call.returns_driver:
            call = dataclasses.replace(call, home=Home(column.side.root, job.program))
    except BaseException as error:
        return NotDone(f"the case cannot be built: {failure(error)}")
    try:
        with call.within():
            return use(call)
    except MeshTooLarge as error:
        return NotDone(str(error))
    except (SystemExit, KeyboardInterrupt, GeneratorExit, Exited) as error:
        # The pool would raise it in the process that checks, and so end it.
        return NotDone(failure(error))


def _forget(column: Column) -> None:
    from nnx_migrate.check.worker.loading import forget

    forget(column.side)
    put_mode_back(column)


def put_mode_back(column: Column) -> None:
    """Undoes what forgotten modules set for the whole process, `nnx.set_graph_mode(True)` alone.

    Args:
        column: the one that this process runs.
    """
    if "flax" not in sys.modules:
        return
    from flax import configurations, nnx

    for name, context in (
        ("nnx_graph_mode", nnx.set_graph_mode),
        ("nnx_graph_updates", nnx.set_graph_updates),
    ):
        context.get_stack().clear()
        configurations.config.update(name, column.mode == "graph")


def _forget_file(job: Job) -> None:
    from nnx_migrate.check.worker.loading import forget

    forget(Side("old", job.file, ()))


def _files(column: Column) -> tuple[str, ...]:
    from nnx_migrate.check.worker.loading import project_files

    return tuple(sorted(set(project_files(column.side.root).values())))
