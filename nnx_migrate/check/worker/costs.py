"""What a call costs: traces, compilation, memory, work, and the time of a call."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import jax
import jax.monitoring

from nnx_migrate.check.cases.calls import Call, failure
from nnx_migrate.check.compare.forms import NotDone
from nnx_migrate.check.jobs import Costs
from nnx_migrate.check.worker.pure import NotPure, abstract, pure_call

_TRACED = "/jax/core/compile/jaxpr_trace_duration"
_CALLS_TRACED = 5
_CALLS_TIMED = 20
_LONGEST = 2.0


def costs_of(call: Call) -> Costs | NotDone:
    """Measures a call.

    Args:
        call: it is made again and again, each time with what the time before left behind.
    """
    try:
        pure = pure_call(call)
    except NotPure as error:
        return NotDone(str(error))
    try:
        lowered = jax.jit(pure.run).lower(abstract(pure.inputs))
        started = time.perf_counter()
        compiled = lowered.compile()
        seconds = time.perf_counter() - started
        memory = compiled.memory_analysis()
        analysis = compiled.cost_analysis() or {}
        traces = _traces(lambda: call.function(*call.arguments, **call.keywords))
        duration = _duration(lambda: call.function(*call.arguments, **call.keywords))
    except BaseException as error:
        return NotDone(failure(error))
    return Costs(
        traces,
        seconds,
        int(getattr(memory, "temp_size_in_bytes", 0)),
        float(analysis.get("flops", 0.0)),
        duration * 1e6,
    )


def _traces(call: Callable[[], object]) -> int:
    """How many programs are traced in calls that are all alike, the first one included."""
    seen: list[str] = []

    def note(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event == _TRACED:
            seen.append(event)

    jax.clear_caches()
    jax.monitoring.register_event_duration_secs_listener(note)
    try:
        for _ in range(_CALLS_TRACED):
            jax.block_until_ready(_arrays(call()))
    finally:
        jax.monitoring.unregister_event_duration_listener(note)
    return len(seen)


def _duration(call: Callable[[], object]) -> float:
    times: list[float] = []
    while len(times) < _CALLS_TIMED and sum(times) < _LONGEST:
        started = time.perf_counter()
        jax.block_until_ready(_arrays(call()))
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def _arrays(result: object) -> object:
    from nnx_migrate.check.compare.leaves import array_leaves

    return array_leaves(result)
