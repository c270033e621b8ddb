"""What a worker process does with a program; nothing at the top of this file imports flax."""

from __future__ import annotations

from nnx_migrate.check.compare.forms import Observation
from nnx_migrate.check.jobs import Column, Job
from nnx_migrate.check.worker.column import refresh


def call(column: Column, job: Job) -> Observation:
    """Makes the call of a program once, with numbers.

    Args:
        column: the program, in the mode of the process.
        job: its driver.
    """
    from nnx_migrate.check.cases.sources import call_of_job
    from nnx_migrate.check.worker.observing import observe

    try:
        return observe(call_of_job(column, job))
    except (Exception, SystemExit) as error:
        return Observation(None, type(error).__name__, f"in the making: {error}"[:2000])
    finally:
        refresh(column, job)
