"""What it costs a training loop to be recorded: `python -m benchmarks.recording`.

A small model trains for 200 steps in a process of its own, recorded and not, in turn. The ratios
are of medians: of the loop with its compilation, of its steps alone, and of the whole process.
The budget is 1.5 for the loop.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from nnx_migrate.check.jobs import Side
from nnx_migrate.check.recording.command import record
from nnx_migrate.check.touched import Touched

_TRAINING = """
import json
import sys
import time

import jax
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.layers = nnx.List([nnx.Linear(32, 32, rngs=rngs) for _ in range(4)])
        self.drop = nnx.Dropout(0.2, rngs=rngs)
        self.norm = nnx.BatchNorm(32, rngs=rngs)

    def __call__(self, x):
        for layer in self.layers:
            x = nnx.relu(self.norm(layer(x)))
        return self.drop(x)


def loss_fn(model, x, y):
    return ((model(x) - y) ** 2).mean()


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(loss_fn)(model, x, y)
    optimizer.update(model, grads)
    return loss


def main():
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)
    x = jax.random.normal(jax.random.key(0), (64, 32))
    started = [time.perf_counter(), time.process_time()]
    train_step(model, optimizer, x, x * 2).block_until_ready()
    compiled = [time.perf_counter(), time.process_time()]
    for _ in range(199):
        train_step(model, optimizer, x, x * 2).block_until_ready()
    ended = [time.perf_counter(), time.process_time()]
    names = "loop", "loop CPU", "steps 2 to 200", "steps 2 to 200 CPU"
    pairs = zip([*started, *compiled], ended + ended)
    times = {name: end - start for name, (start, end) in zip(names, pairs)}
    with open(sys.argv[1], "w") as file:
        json.dump(times, file)


if __name__ == "__main__":
    main()
"""
_ROUNDS = 7


def main() -> None:
    """Measures and prints the ratios."""
    with tempfile.TemporaryDirectory() as name:
        rounds = list(_measured(Path(name).resolve()))
    for key in rounds[0][0]:
        plain, recorded = (statistics.median(each[n][key] for each in rounds) for n in (0, 1))
        print(f"{key}: {plain:.3f} s, recorded {recorded:.3f} s: {recorded / plain:.2f}x")


def _measured(folder: Path) -> Iterator[tuple[dict[str, float], dict[str, float]]]:
    (folder / "train.py").write_text(_TRAINING)
    side = Side("old", folder, (folder,))
    touched = [Touched("train.py", ("loss_fn", "train_step", "Net.__call__"))]
    times = folder / "times.json"
    command = [sys.executable, "train.py", str(times)]
    for _ in range(_ROUNDS):
        found = []
        for is_recorded in (False, True):
            started = time.perf_counter()
            if is_recorded:
                outcome = record(command, side, touched, folder / "calls.sqlite")
                # Three calls of the step, and the two that were only ever traced.
                assert (outcome.exit_code, outcome.recorded) == (0, 5)
            else:
                variables = {**os.environ, "NNX_GRAPH_MODE": "true", "NNX_GRAPH_UPDATES": "true"}
                subprocess.run(command, cwd=folder, env=variables, check=True)
            process = time.perf_counter() - started
            found.append({**json.loads(times.read_text()), "process": process})
        yield found[0], found[1]


if __name__ == "__main__":
    main()
