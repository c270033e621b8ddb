"""Which files of a run have to be known together, by what they import.

The files below one top-level name (a package, or the scripts of a folder) are known together, and
so are those that import each other, over any number of steps and in both directions: who calls a
function stands in the files that import it. What nothing connects cannot meet in one program, so a
monorepo of many projects takes the memory of the largest.

Flax's own source connects nothing: all files import it, and to them it is a library.
"""

from __future__ import annotations

import dataclasses
import itertools
import operator
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

#: The files below one name: the folder that imports start from, and a package in it, or "" for
#: what lies in the folder itself.
_Cluster = tuple[Path, str]


@dataclasses.dataclass(frozen=True, slots=True)
class Imports:
    """What one file imports.

    Args:
        root: the folder that its imports start from.
        module: its dotted name.
        is_package: it is an `__init__.py`.
        targets: the dotted names, relative ones resolved.
    """

    root: Path
    module: str
    is_package: bool
    targets: tuple[str, ...]


def _is_flax(module: str) -> bool:
    return module == "flax" or module.startswith("flax.")


def connected(files: Sequence[Imports]) -> list[int]:
    """Give each file the number of the group that it has to be known with."""
    clusters = [_cluster(file) for file in files]
    providers: dict[str, set[_Cluster]] = defaultdict(set)
    for file, cluster in zip(files, clusters, strict=True):
        if not _is_flax(file.module):
            providers[file.module.split(".", 1)[0]].add(cluster)
    links = _Links()
    for file, cluster in zip(files, clusters, strict=True):
        if not _is_flax(file.module):
            for provided in _resolved(file, providers):
                links.join(cluster, provided)
    numbers: dict[_Cluster, int] = {}
    return [numbers.setdefault(links.leader(cluster), len(numbers)) for cluster in clusters]


def _cluster(file: Imports) -> _Cluster:
    head, _, below = file.module.partition(".")
    return file.root, head if below or file.is_package else ""


def _resolved(file: Imports, providers: dict[str, set[_Cluster]]) -> Iterator[_Cluster]:
    for target in dict.fromkeys(file.targets):
        parts = target.split(".")
        for i, head in enumerate(parts):
            # Without `__init__.py`, a package's name is in the path alone.
            found = [
                cluster
                for cluster in providers.get(head, ())
                if i == 0 or cluster[0].parts[-i:] == tuple(parts[:i])
            ]
            if found:
                yield from _nearest(file.root, found)
                break


def _nearest(root: Path, clusters: Sequence[_Cluster]) -> list[_Cluster]:
    """Of the folders that provide a name the file's own, else those with most of its path."""
    if own := [cluster for cluster in clusters if cluster[0] == root]:
        return own
    shared = [_shared(root.parts, cluster[0].parts) for cluster in clusters]
    most = max(shared)
    return [cluster for cluster, parts in zip(clusters, shared, strict=True) if parts == most]


def _shared(path: tuple[str, ...], other: tuple[str, ...]) -> int:
    return sum(1 for _ in itertools.takewhile(bool, map(operator.eq, path, other)))


class _Links:
    """Sets that grow together."""

    def __init__(self) -> None:
        self._above: dict[_Cluster, _Cluster] = {}

    def leader(self, cluster: _Cluster) -> _Cluster:
        while (above := self._above.get(cluster, cluster)) != cluster:
            self._above[cluster] = self._above.get(above, above)
            cluster = above
        return cluster

    def join(self, one: _Cluster, other: _Cluster) -> None:
        self._above[self.leader(one)] = self.leader(other)
