"""What one file costs: the CPU time of reading its facts and of planning it, by what became of it.

    python -m benchmarks.per_file FOLDER

Runs the engine in this process, with a clock around its two steps, and prints the medians over the
files of 400 to 900 lines as JSON. A process around the whole tree could not tell them apart.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nnx_migrate.core.findings import FileStatus
from nnx_migrate.engine import discover as reading
from nnx_migrate.engine import run as engine
from nnx_migrate.sources.configuration import Configuration

MIDDLE = range(400, 901)
_NAMES = {FileStatus.UNCHANGED: "planned", FileStatus.CHANGED: "rewritten"}


def main() -> int:
    """Prints, for planned and for rewritten files, how many there are and their medians."""
    spent: dict[Path, float] = defaultdict(float)
    for module, step in ((reading, "index_file"), (engine, "plan_file_in_time")):
        setattr(module, step, _timed(getattr(module, step), spent))
    result = engine.run([Path(sys.argv[1])], Configuration(), write=None, jobs=1)
    found: dict[str, list[tuple[float, int]]] = {name: [] for name in _NAMES.values()}
    for file in result.results:
        lines = file.path.read_bytes().count(b"\n")
        if file.status in _NAMES and lines in MIDDLE and file.path in spent:
            found[_NAMES[file.status]].append((1000 * spent[file.path], lines))
    print(json.dumps({name: _medians(files) for name, files in found.items()}))
    return 0


def _timed(step: Callable[[Any], Any], spent: dict[Path, float]) -> Callable[[Any], Any]:
    def timed(task: Any) -> Any:
        start = time.thread_time()
        result = step(task)
        spent[task.path] += time.thread_time() - start
        return result

    return timed


def _medians(files: list[tuple[float, int]]) -> dict[str, float]:
    if not files:
        return {"files": 0, "ms": 0.0, "lines": 0}
    return {
        "files": len(files),
        "ms": statistics.median(ms for ms, _ in files),
        "lines": statistics.median(lines for _, lines in files),
    }


if __name__ == "__main__":
    sys.exit(main())
