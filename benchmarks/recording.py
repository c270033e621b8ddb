"""What it costs a training loop to be recorded: `python -m benchmarks.recording`.

A small model trains for 200 steps in a process of its own, recorded and not, one right after the
other, so that both find the machine alike; which comes first changes with every pair, and the
first pair does not count. A ratio is the median of those of the pairs: of the loop with its
compilation, of its steps alone, and of the whole process. The budget is 1.5 for the loop.
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

from nnx_migrate.check.cases.touched import Touched
from nnx_migrate.check.jobs import Side
from nnx_migrate.check.recording.command import record

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
_PAIRS = 9


def main() -> None:
    """Measures and prints the ratios."""
    with tempfile.TemporaryDirectory() as name:
        _, *pairs = _measured(Path(name).resolve())
    for key in pairs[0][False]:
        plain, recorded = (statistics.median(each[n][key] for each in pairs) for n in (False, True))
        ratios = sorted(each[True][key] / each[False][key] for each in pairs)
        # What others do on the machine makes no run faster.
        least = min(each[True][key] for each in pairs) / min(each[False][key] for each in pairs)
        print(
            f"{key}: {plain:.3f} s, recorded {recorded:.3f} s: {statistics.median(ratios):.2f}x "
            f"({ratios[0]:.2f} to {ratios[-1]:.2f}), of the fastest {least:.2f}x"
        )


def _measured(folder: Path) -> Iterator[dict[bool, dict[str, float]]]:
    """Seconds by what they are of, recorded or not, of each pair."""
    (folder / "train.py").write_text(_TRAINING)
    side = Side("old", folder, (folder,))
    touched = [Touched("train.py", ("loss_fn", "train_step", "Net.__call__"))]
    times = folder / "times.json"
    command = [sys.executable, "train.py", str(times)]
    for number in range(1 + _PAIRS):
        found = {}
        for is_recorded in (False, True)[:: (-1) ** number]:
            started = time.perf_counter()
            if is_recorded:
                outcome = record(command, side, touched, folder / "calls.sqlite")
                # Three calls of the step, and the two that were only ever traced.
                assert (outcome.exit_code, outcome.recorded) == (0, 5)
            else:
                variables = {**os.environ, "NNX_GRAPH_MODE": "true", "NNX_GRAPH_UPDATES": "true"}
                subprocess.run(command, cwd=folder, env=variables, check=True)
            process = time.perf_counter() - started
            found[is_recorded] = {**json.loads(times.read_text()), "process": process}
        yield found


if __name__ == "__main__":
    main()
