"""The entry points of a worker process: one column of the matrix, one case after the other.

The mode comes from the environment, set before flax is imported: the setters are local to a thread
and miss what is decorated at import. So nothing at the top of this file may import jax.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

from nnx_migrate.check.branches.lines import Lines, LinesRun, watch_lines
from nnx_migrate.check.branches.sites import Taken
from nnx_migrate.check.compare.forms import NotDone, Observation
from nnx_migrate.check.compare.places import placeless
from nnx_migrate.check.copies import enter_copy
from nnx_migrate.check.jobs import (
    Column,
    Costs,
    Job,
    Probed,
    Ran,
    Side,
    WasTraced,
    Widened,
    WorkerSettings,
)
from nnx_migrate.check.worker.process_state import Exited, catch_exit, process_state_kept
from nnx_migrate.check.worker.reading import Opened, files_read, watch_reading
from nnx_migrate.check.worker.written import own_tree, put_back_after

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
    with contextlib.suppress(Exception):
        # The time limit of the first case is its own. What fails here fails there, and is told.
        for name in ("running", "tracing"):
            importlib.import_module(f"nnx_migrate.check.worker.{name}")


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
    enter_copy(side)
    watch_lines(side)
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

    # This is what starts the platform, and fails where there is none.
    jax.devices()
    return jax.default_backend()


def trace(column: Column, job: Job) -> WasTraced:
    """Traces a case and hashes its program; nothing is computed.

    Args:
        column: the one that this process runs.
        job: the case.
    """
    from nnx_migrate.check.worker.tracing import traced_call

    started = time.perf_counter()
    done = _calling(column, job, traced_call, numbers=False)
    if isinstance(done.found, NotDone):
        # A trace that broke off may have left traced values in objects of the user's modules.
        _forget(column)
    seconds = time.perf_counter() - started
    found = placeless(done.found, column.side.top)
    if done.outside and not isinstance(found, NotDone):
        # Whatever else is proved, this is not.
        found = NotDone(f"it writes {done.outside[0]}, outside of its tree")
    return WasTraced(found, done.files, seconds, done.read, done.outside, done.lines, done.ways)


def trace_on_shapes(column: Column, job: Job) -> WasTraced:
    """Traces a case, and how its arguments are made: not one array of it is ever there.

    Args:
        column: the one that this process runs.
        job: the case.
    """
    from nnx_migrate.check.worker.tracing import traced_on_shapes

    if job.kind != "function":
        # A recording has the shapes of what is too large for it.
        return trace(column, job)
    started = time.perf_counter()
    opened, run = Opened(), LinesRun(column.side)
    with process_state_kept(), put_back_after(own_tree(column.side)):
        found = traced_on_shapes(lambda: call_in(column, job))
        files, read = _files(column), files_read(column.side)
    missed = opened.left_out(column.side)
    found = placeless(NotDone(missed) if missed else found, column.side.top)
    # What was traced may be left in objects of the user's modules.
    _forget(column)
    _forget_file(job)
    seconds = time.perf_counter() - started
    return WasTraced(found, files, seconds, read, lines=run.lines)


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
    from nnx_migrate.check.worker.module_state import changes_modules
    from nnx_migrate.check.worker.running import run_call, run_case

    started = time.perf_counter()
    use = run_call if job.kind == "recorded" else run_case
    done = _calling(column, job, use)
    found = done.found
    if not isinstance(found, NotDone):
        if found[1].view is None or changes_modules(found[1].view):
            # The next case is to find them as they are when they are imported.
            _forget(column)
        top = column.side.top
        before, called, jitted, gradient = found
        found = (
            placeless(before, top),
            placeless(called, top),
            placeless(jitted, top),
            placeless(gradient, top),
        )
    if job.kind == "recorded" and column.side.name == "old" and not isinstance(found, NotDone):
        from nnx_migrate.check.recording.replaying import unlike_recorded

        # Two sides that fail for want of what only the whole program sets up agree on nothing.
        unlike = unlike_recorded(job.file, int(job.entry), found[1])
        found = NotDone(unlike) if unlike else found
    if isinstance(found, NotDone):
        found = placeless(found, column.side.top)
        failed = Observation(None, "case", found.reason)
        found = failed, failed, found, found
    seconds = time.perf_counter() - started
    return Ran(*found, done.files, seconds, done.read, done.outside, done.lines, done.ways)


def widen(column: Column, job: Job) -> Widened:
    """Runs a case in float64, to tell rounding from another meaning.

    Args:
        column: the one that this process runs.
        job: the case.
    """
    from nnx_migrate.check.worker.running import widened_call

    found = _calling(column, job, widened_call).found
    if isinstance(found, NotDone):
        return Widened(found, found)
    return Widened(*(placeless(each, column.side.top) for each in found))


def probe_steps(column: Column, job: Job) -> Probed | NotDone:
    """Runs a case, and the gradient transformations that go into it and come out of it.

    Args:
        column: the one that this process runs.
        job: the case.
    """
    from nnx_migrate.check.worker.optimizers import probed_call

    found = _calling(column, job, probed_call).found
    # The call was made, and may have changed what modules hold.
    _forget(column)
    return found


def measure(column: Column, job: Job) -> Costs | NotDone:
    """Measures what a case costs.

    Args:
        column: the one that this process runs.
        job: the case.
    """
    from nnx_migrate.check.worker.costs import costs_of

    return _calling(column, job, costs_of).found


@dataclasses.dataclass(frozen=True, slots=True)
class _Done(Generic[_Kept]):
    """What was made of a call; the files are those of `Ran`."""

    found: _Kept | NotDone
    files: tuple[str, ...]
    read: tuple[str, ...]
    outside: tuple[str, ...]
    lines: Lines
    ways: tuple[Taken, ...] | NotDone


def _calling(
    column: Column, job: Job, use: Callable[[Call], _Kept | NotDone], *, numbers: bool = True
) -> _Done[_Kept]:
    """What `use` makes of the call of a case, and the files that had to do with it."""
    opened, run = Opened(), LinesRun(column.side)
    with process_state_kept() as state:
        used, ways = _used(column, job, use, numbers)
        if missed := opened.left_out(column.side):
            used = NotDone(missed)
        # The files are those that are imported now, before they are forgotten.
        files, read = _files(column), files_read(column.side)
        found = _Done(used, files, read, opened.outside(column.side), run.lines, ways)
    if state.changed or column.side.is_program or job.program or job.kind == "module":
        # What a module set when it was imported it is to set again.
        _forget(column)
        _forget_file(job)
    return found


def _used(
    column: Column, job: Job, use: Callable[[Call], _Kept | NotDone], numbers: bool
) -> tuple[_Kept | NotDone, tuple[Taken, ...] | NotDone]:
    from nnx_migrate.check.cases.calls import failure
    from nnx_migrate.check.recording.meshes import MeshTooLarge

    try:
        call = call_in(column, job, numbers=numbers)
    except MeshTooLarge as error:
        return NotDone(str(error)), ()
    except BaseException as error:
        return NotDone(f"the case cannot be built: {failure(error)}"), ()
    try:
        with call.within(), put_back_after(call.tree):
            found = use(call)
        return found, call.conditions.found if call.conditions is not None else ()
    except MeshTooLarge as error:
        return NotDone(str(error)), ()
    except (SystemExit, KeyboardInterrupt, GeneratorExit, Exited) as error:
        # The pool would raise it in the process that checks, and so end it.
        return NotDone(failure(error)), ()


def call_in(column: Column, job: Job, *, numbers: bool = True) -> Call:
    """The call of a case, with all that it may change beside its arguments.

    Args:
        column: the one that this process runs.
        job: the case.
        numbers: make numbers up where a recording has shapes only.

    Raises:
        BaseException: whatever the user's code raises.
    """
    from nnx_migrate.check.branches.traced import Conditions
    from nnx_migrate.check.cases.calls import Home
    from nnx_migrate.check.cases.sources import call_of_job

    call = call_of_job(column, job, numbers=numbers)
    home = None if call.returns_driver else Home(column.side.root, job.program)
    tree, conditions = own_tree(column.side), Conditions(column.side)
    return dataclasses.replace(call, home=home, tree=tree, conditions=conditions)


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
