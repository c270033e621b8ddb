"""Makes the trees of files that the benchmarks run on, from what is installed on this machine.

    python -m benchmarks.corpus FOLDER [--files 20000] [--nnx-from PATH ...]

Files come from the installed packages, the standard library, and those of other Pythons that are
installed beside this one; further files that use NNX from folders or sdists that are named. They
keep their place in their package, and every file ends in a comment that no other file has.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import random
import shutil
import sys
import sysconfig
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

SEED = 20_000
NNX_SHARE = 0.02
_WORD = b"nnx"
_MIDDLE = range(400, 901)  # lines of the files that stand for the median file of about 600
# Folders that migration tools leave out of a walk; their files are wanted here.
_LEFT_OUT = frozenset(
    {"build", "dist", "env", "node_modules", "site-packages", "venv", "__pypackages__"}
)


@dataclasses.dataclass(frozen=True, slots=True)
class Source:
    """A file to put into a tree.

    Args:
        place: where it goes below the root of the tree.
        data: its bytes.
    """

    place: PurePosixPath
    data: bytes


@dataclasses.dataclass(frozen=True, slots=True)
class Selection:
    """The files of a tree: those that never say nnx, and those that do."""

    plain: tuple[Source, ...]
    nnx: tuple[Source, ...]

    @property
    def files(self) -> int:
        """How many files there are."""
        return len(self.plain) + len(self.nnx)

    @property
    def size(self) -> int:
        """How many bytes they have together."""
        return sum(len(source.data) for source in (*self.plain, *self.nnx))

    def thinned(self, factor: int) -> Selection:
        """Every factor-th file by size, so that the sizes are distributed as they were."""
        return Selection(_thinned(self.plain, factor), _thinned(self.nnx, factor))


@dataclasses.dataclass(frozen=True, slots=True)
class Pool:
    """All distinct files that were found, shuffled in the same way in every run."""

    plain: tuple[Source, ...]
    nnx: tuple[Source, ...]

    def select(self, files: int, nnx_share: float) -> Selection:
        """Takes files, nnx_share of which say nnx; repeats files when there are too few.

        Raises:
            ValueError: there is nothing to take from.
        """
        nnx = round(files * nnx_share)
        return Selection(_take(self.plain, files - nnx), _take(self.nnx, nnx))


def gather(nnx_from: Iterable[Path] = ()) -> Pool:
    """Finds the files.

    Args:
        nnx_from: folders, or sdists as .tar.gz, with further files that use NNX.

    Raises:
        OSError: a folder or sdist that was named cannot be read.
    """
    plain: dict[bytes, Source] = {}
    nnx: dict[bytes, Source] = {}
    for number, folder in enumerate(_installed()):
        for source in _folder(folder, f"installed{number}"):
            found = nnx if _WORD in source.data else plain
            found.setdefault(_digest(source.data), source)
    for number, path in enumerate(nnx_from):
        extra = _folder if path.is_dir() else _archive
        for source in extra(path, f"extra{number}"):
            if _WORD in source.data:
                nnx.setdefault(_digest(source.data), source)
    return Pool(_shuffled(plain.values()), _shuffled(nnx.values()))


def write(selection: Selection, root: Path) -> None:
    """Writes the files of a selection below root, which must not exist yet.

    Raises:
        OSError: root exists, or cannot be written.
    """
    root.mkdir(parents=True)
    for number, source in enumerate((*selection.plain, *selection.nnx)):
        target = root / source.place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.data + b"\n# file %d of the corpus\n" % number)


def cached(selection: Selection, root: Path) -> Path:
    """Writes a selection unless the very same files are there already; returns root."""
    fingerprint = hashlib.blake2b()
    for source in (*selection.plain, *selection.nnx):
        fingerprint.update(f"{source.place} {len(source.data)}\n".encode())
        fingerprint.update(_digest(source.data))
    mark = root.with_name(f"{root.name}.fingerprint")
    if not root.exists() or not mark.exists() or mark.read_text() != fingerprint.hexdigest():
        shutil.rmtree(root, ignore_errors=True)
        write(selection, root)
        mark.write_text(fingerprint.hexdigest())
    return root


def write_trees(pool: Pool, folder: Path, files: int) -> dict[str, dict[str, int]]:
    """Writes the trees below folder that the benchmarks need, and says what is in them.

    plain: files that never say nnx. mixed: as many, 2% of which do. tenth, fiftieth: mixed,
    thinned. middle: all files that say nnx and have about 600 lines. one: a single short file.

    Raises:
        OSError: a file cannot be written.
        ValueError: there are no files to make the trees from.
    """
    mixed = pool.select(files, NNX_SHARE)
    middle = [source for source in pool.nnx if source.data.count(b"\n") in _MIDDLE]
    trees = {
        "plain": pool.select(files, 0),
        "mixed": mixed,
        "tenth": mixed.thinned(10),
        "fiftieth": mixed.thinned(50),
        "middle": Selection((), tuple(middle)),
        "one": Selection((Source(PurePosixPath("one.py"), b"x = 1\n"),), ()),
    }
    for name, selection in trees.items():
        cached(selection, folder / name)
    return {
        name: {"files": tree.files, "nnx": len(tree.nnx), "bytes": tree.size}
        for name, tree in trees.items()
    }


def _installed() -> Iterator[Path]:
    here = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib")}
    beside = Path(sys.base_prefix).resolve().parent.glob("*/lib/python*")
    yield from sorted(here | {folder.resolve() for folder in beside if folder.is_dir()})


def _folder(folder: Path, label: str) -> Iterator[Source]:
    for current, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(current, name)
            if name.endswith(".py") and path.is_file():
                relative = PurePosixPath(path.relative_to(folder).as_posix())
                yield Source(_place(label, relative), path.read_bytes())


def _archive(archive: Path, label: str) -> Iterator[Source]:
    with tarfile.open(archive) as members:
        for member in members:
            content = members.extractfile(member) if member.name.endswith(".py") else None
            if content is not None:
                yield Source(_place(label, PurePosixPath(member.name)), content.read())


def _place(label: str, relative: PurePosixPath) -> PurePosixPath:
    parts = (
        f"x{part}" if part in _LEFT_OUT or part.startswith(".") else part for part in relative.parts
    )
    return PurePosixPath(label, *parts)


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _shuffled(sources: Iterable[Source]) -> tuple[Source, ...]:
    ordered = sorted(sources, key=lambda source: source.place)
    random.Random(SEED).shuffle(ordered)
    return tuple(ordered)


def _take(sources: Sequence[Source], count: int) -> tuple[Source, ...]:
    if count and not sources:
        raise ValueError("no such file is installed to make a corpus from")
    repeated = []
    for number in range(count):
        source = sources[number % len(sources)]
        again = number // len(sources)
        place = PurePosixPath(f"again{again}", source.place) if again else source.place
        repeated.append(Source(place, source.data))
    return tuple(repeated)


def _thinned(sources: Sequence[Source], factor: int) -> tuple[Source, ...]:
    by_size = sorted(sources, key=lambda source: (len(source.data), source.place))
    return tuple(by_size[factor // 2 :: factor])


def main() -> int:
    """Writes the trees and prints what is in them as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--nnx-from", type=Path, nargs="*", default=[])
    arguments = parser.parse_args()
    trees = write_trees(gather(arguments.nnx_from), arguments.folder, arguments.files)
    print(json.dumps(trees))
    return 0


if __name__ == "__main__":
    sys.exit(main())
