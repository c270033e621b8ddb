"""Where the calls of a job come from."""

from __future__ import annotations

from nnx_migrate.check.cases.calls import Call
from nnx_migrate.check.cases.casefile import call_of
from nnx_migrate.check.jobs import Column, Job
from nnx_migrate.check.worker.loading import load_file, load_in_tree


def call_of_job(column: Column, job: Job, *, numbers: bool = True) -> Call:
    """Builds the call of a case on one side; the user's code is imported for it.

    Args:
        column: the side and its mode.
        job: the case.
        numbers: make numbers up where a recording has shapes only.

    Raises:
        Exception: whatever the user's code raises.
    """
    program = column.side.root / job.program if job.program else column.side.root
    if job.kind == "function":
        module = load_file(job.file)
        return call_of(getattr(module, job.entry), lambda: load_file(program))
    if job.kind == "recorded":
        from nnx_migrate.check.recording.replaying import recorded_call

        return recorded_call(job.file, int(job.entry), column.side, numbers=numbers)
    return Call(lambda: _namespace(load_in_tree(column.side, job.entry)), returns_driver=True)


def _namespace(module: object) -> dict[str, object]:
    """What a script leaves behind, by name: values that came from calls, not what it imported.

    Its functions are cases of their own.
    """
    import types

    from flax import nnx

    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not isinstance(value, (types.ModuleType, type))
        and (isinstance(value, (nnx.Pytree, nnx.Variable)) or not callable(value))
    }
