"""How long a run takes, as a sum of what its parts take; fitted to runs that were measured.

CPU seconds of a run with one job:  start + scan * files + work * nnx files.
Wall seconds on N nodes of K processors:

    start + join + scan * files                          one process finds the files
    + keep * nnx files                                   and keeps and tells what comes back
    + work * nnx files / (N * K * efficiency)            all of them read and plan
    + sent * nnx files / bandwidth                       what is known reaches each node once
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

#: Seconds until the workers of a cluster have started: measured on a local one.
JOIN = 6.0
#: Bytes of what is known of a file with nnx, packed, and of a network of 10 Gbit/s in a second.
SENT, BANDWIDTH = 10_000, 1.25e9


@dataclasses.dataclass(frozen=True, slots=True)
class Model:
    """Seconds.

    Args:
        start: of a run over nothing.
        scan: for each file.
        work: for each file that says nnx, in whoever reads and plans it.
        keep: for each such file, in the process that hands them out.
        efficiency: of the second processor.
    """

    start: float
    scan: float
    work: float
    keep: float
    efficiency: float

    def cpu(self, files: float, nnx: float) -> float:
        """CPU seconds with one job."""
        return self.start + self.scan * files + (self.work + self.keep) * nnx

    def wall(self, files: float, nnx: float, nodes: int, processors: int) -> float:
        """Wall seconds on a cluster."""
        workers = nodes * processors * self.efficiency
        found = self.start + JOIN + self.scan * files
        return found + self.keep * nnx + self.work * nnx / workers + SENT * nnx / BANDWIDTH


def fitted(measured: Sequence[Mapping[str, Any]], processors: int, without: int = 0) -> Model:
    """The model that is nearest to what was measured, relative to each run.

    Args:
        measured: commands on trees.
        processors: of the machine.
        without: leave out trees with so many files or more.
    """
    rows = [each for each in measured if not without or each["files"] < without]
    start, scan, both = _solved([each for each in rows if each["name"] == "batch, 1 job"])
    _, _, keep = _solved([each for each in rows if each["name"] == "batch again"])
    one = {_tree(each): each for each in rows if each["name"] == "batch, 1 job"}
    two = [each for each in rows if each["name"] == f"batch, {processors} jobs"]
    largest = max(two, key=lambda each: float(each["nnx"]))
    speedup = one[_tree(largest)]["sample"]["wall"] / largest["sample"]["wall"]
    return Model(start, scan, max(both - keep, 0.0), keep, speedup / processors)


def _solved(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float, float]:
    seconds = np.array([each["sample"]["cpu"] for each in rows])
    terms = np.array([[1.0, each["files"], each["nnx"]] for each in rows])
    found, *_ = np.linalg.lstsq(terms / seconds[:, None], np.ones(len(rows)), rcond=None)
    start, scan, work = (max(float(each), 0.0) for each in found)
    return start, scan, work


def _tree(each: Mapping[str, Any]) -> tuple[int, int]:
    return each["files"], each["nnx"]
