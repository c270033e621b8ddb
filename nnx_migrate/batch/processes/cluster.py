"""Work on the nodes of a Ray cluster, some of which may go away meanwhile.

Every node sees the tree at the path that it has here (a shared file system, or a checkout of its
own), and has this version of the program; both are asked for before a node is given anything. What
is known of all files is put into the object store once, and reaches each node once.

An actor does batches one after the other, so that it can be stopped: Ray has no time limit for a
task. What is lost with a node is done elsewhere and counts for nothing against its files.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
import socket
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic

import ray
from ray.exceptions import RayActorError, RayError

from nnx_migrate.batch.processes.limits import Limits
from nnx_migrate.batch.processes.supervised import (
    Batch,
    Work,
    batched,
    do_batch,
    enter,
    given_up_or_again,
)
from nnx_migrate.engine.cache.fingerprint import program_digest
from nnx_migrate.engine.workers import Answer, Task
from nnx_migrate.sources.config_values import ConfigError

#: How long a cluster may have no processor for us before that is an error.
PATIENCE = 300.0
#: How long it takes Ray to tell that a node is gone.
_NODE_IS_GONE_AFTER = 15.0
_MOMENT = 0.5


class NoMemory:
    """The answer of an actor that has no memory left."""


class _Worker:
    """Lives on a node and does batches."""

    def __init__(self, folder: str, limits: Limits, start: Any, *start_args: Any) -> None:
        os.chdir(folder)
        enter(start, start_args, limits)

    def ready(self) -> tuple[str, bytes]:
        """Where it is, and what program it runs."""
        return ray.get_runtime_context().get_node_id(), program_digest()

    def do(self, *args: Any) -> list[Any] | NoMemory:
        """Do a batch."""
        try:
            return do_batch(*args)
        except MemoryError:
            return NoMemory()


_OnSomeNode: Any = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(_Worker)


@dataclasses.dataclass(slots=True)
class _Running(Generic[Task]):
    actor: Any
    node: str
    batch: Batch[Task]
    deadline: float


class ClusterProcesses:
    """Processes of a cluster that this process is connected to.

    Args:
        jobs: how many; None for one for each processor.
        limits: what a task may take.
        gpus: how many GPUs a check takes.
    """

    local = False

    def __init__(self, jobs: int | None, limits: Limits, gpus: float) -> None:
        self._jobs = jobs
        self._limits = limits
        self._gpus = gpus

    def map(self, work: Work[Task, Answer], tasks: Iterable[Task]) -> Iterator[Answer]:
        """See `Processes`."""
        batches = list(batched(tasks))
        if not batches:
            return
        processors = int(ray.cluster_resources().get("CPU", 1))
        actors = min(self._jobs or processors, len(batches))
        crew = _Crew(work, actors, self._limits)
        try:
            yield from crew.do(deque(batches))
        finally:
            crew.end()

    def check(self, function: Callable[..., Answer], *args: Any) -> Answer:
        """See `Processes`; where as many GPUs are free as were asked for."""
        remote = ray.remote(num_gpus=self._gpus, max_retries=0)(_called_in)
        answer: Answer = ray.get(remote.remote(os.getcwd(), function, *args))
        return answer


def _called_in(folder: str, function: Callable[..., Answer], *args: Any) -> Answer:
    os.chdir(folder)
    return function(*args)


@contextlib.contextmanager
def cluster_processes(
    address: str | None, jobs: int | None, limits: Limits, gpus: float
) -> Iterator[ClusterProcesses]:
    """Connect to a cluster, and leave it at the end.

    Args:
        address: of its head; None for what Ray finds (RAY_ADDRESS, else one on this machine).
        jobs: how many processes; None for one for each processor.
        limits: what a task may take.
        gpus: how many GPUs a check takes.

    Raises:
        ConfigError: there is no such cluster.
    """
    _require_somebody_at(address)
    try:
        # Ray puts the current folder of the driver on the path of every worker.
        with tempfile.TemporaryDirectory(prefix="nnx-migrate-") as empty, contextlib.chdir(empty):
            ray.init(
                address=address,
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
    except (ConnectionError, RayError, ValueError, RuntimeError) as error:
        raise ConfigError(f"--address {address}: {error}") from None
    try:
        yield ClusterProcesses(jobs, limits, gpus)
    finally:
        ray.shutdown()


def _require_somebody_at(address: str | None) -> None:
    # Ray itself tries for minutes, and then ends the process.
    host, colon, port = (address or "").rpartition(":")
    if not (colon and port.isdigit()):
        return
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except OSError as error:
        raise ConfigError(f"--address {address}: {error.strerror or error}") from None


class _Crew(Generic[Task, Answer]):
    """The actors of one piece of work."""

    def __init__(self, work: Work[Task, Answer], actors: int, limits: Limits) -> None:
        self._work = work
        self._limits = limits
        self._start_args = [ray.put(arg) for arg in work.start_args]
        self._coming: dict[Any, Any] = {}
        self._idle: list[tuple[Any, str]] = []
        self._running: dict[Any, _Running[Task]] = {}
        self._doubtful: list[tuple[_Running[Task], str, float]] = []
        self._waiting_since = time.monotonic()
        for _ in range(actors):
            self._hire()

    def do(self, batches: deque[Batch[Task]]) -> Iterator[Answer]:
        """Yield an answer for each task."""
        while batches or self._running or self._doubtful:
            while batches and self._idle:
                self._give(batches.popleft())
            self._complain_if_nobody_comes()
            for ref in self._waited():
                if ref in self._coming:
                    self._welcome(ref)
                else:
                    yield from self._ended(ref, batches)
            self._stopped()
            yield from self._decided(batches)

    def end(self) -> None:
        """Let all actors go."""
        actors = [*self._coming.values(), *(actor for actor, _ in self._idle)]
        for actor in [*actors, *(each.actor for each in self._running.values())]:
            with contextlib.suppress(RayError):
                ray.kill(actor)

    def _waited(self) -> list[Any]:
        some = [*self._coming, *self._running]
        if not some:
            time.sleep(_MOMENT)
            return []
        done, _ = ray.wait(some, num_returns=1, timeout=_MOMENT)
        return list(done)

    def _hire(self) -> None:
        actor = _OnSomeNode.remote(os.getcwd(), self._limits, self._work.start, *self._start_args)
        self._coming[actor.ready.remote()] = actor

    def _welcome(self, ref: Any) -> None:
        actor = self._coming.pop(ref)
        try:
            node, program = ray.get(ref)
        except RayActorError as error:
            if "__init__" in str(error):
                raise ConfigError(
                    f"a node of the cluster cannot work in {os.getcwd()}: {_last_line(error)}"
                ) from None
            self._hire()
            return
        if program != program_digest():
            raise ConfigError(
                f"node {node} of the cluster has another version of nnx-migrate, its rules, or "
                "Python; install the same on all nodes"
            )
        self._idle.append((actor, node))

    def _give(self, batch: Batch[Task]) -> None:
        actor, node = self._idle.pop()
        ref = actor.do.remote(*self._work.sent(), batch.tasks)
        deadline = time.monotonic() + self._limits.seconds
        self._running[ref] = _Running(actor, node, batch, deadline)

    def _ended(self, ref: Any, batches: deque[Batch[Task]]) -> Iterator[Answer]:
        run = self._running.pop(ref)
        try:
            answers = ray.get(ref)
        except RayActorError as error:
            self._hire()
            reason = f"the process that worked on it died ({_last_line(error)})"
            self._doubtful.append((run, reason, time.monotonic() + _NODE_IS_GONE_AFTER))
            return
        except RayError as error:
            self._idle.append((run.actor, run.node))
            yield from given_up_or_again(self._work, run.batch, _last_line(error), batches)
            return
        if isinstance(answers, NoMemory):
            ray.kill(run.actor)
            self._hire()
            yield from given_up_or_again(self._work, run.batch, self._limits.too_large(), batches)
            return
        self._idle.append((run.actor, run.node))
        yield from answers

    def _stopped(self) -> None:
        """End what has taken too long."""
        now = time.monotonic()
        for ref in [ref for ref, run in self._running.items() if run.deadline < now]:
            run = self._running.pop(ref)
            ray.kill(run.actor)
            self._hire()
            self._doubtful.append((run, self._limits.too_slow(), now))

    def _decided(self, batches: deque[Batch[Task]]) -> Iterator[Answer]:
        """Do again what was lost with its node; of the rest, nobody but the files is to blame."""
        if not self._doubtful:
            return
        alive = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
        doubtful, self._doubtful = self._doubtful, []
        for run, reason, until in doubtful:
            if run.node not in alive:
                batches.append(run.batch)
            elif not run.batch.again or time.monotonic() >= until:
                yield from given_up_or_again(self._work, run.batch, reason, batches)
            else:
                self._doubtful.append((run, reason, until))

    def _complain_if_nobody_comes(self) -> None:
        now = time.monotonic()
        if self._running or self._idle:
            self._waiting_since = now
        elif now - self._waiting_since > PATIENCE:
            raise ConfigError(f"the cluster had no free processor for {PATIENCE:g} s")


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
