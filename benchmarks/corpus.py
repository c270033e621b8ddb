"""Makes the trees of files that the benchmarks run on, from what is installed on this machine.

    python -m benchmarks.corpus FOLDER [--files 20000] [--nnx-from PATH ...]

Files that never say nnx come from the installed packages, the standard library, and those of other
Pythons that are installed beside this one. Projects that use NNX are folders or sdists that are
named, or else the installed flax; they are taken whole, so that their imports lead somewhere.
Every file keeps its place, and ends in a comment that no other file has.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import itertools
import json
import os
import random
import shutil
import sys
import sysconfig
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

SEED = 20_000
NNX_SHARE = 0.02
_WORD = b"nnx"
# Taking whole projects cannot meet the share exactly.
_TOLERANCE = 1.1
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

    @property
    def says_nnx(self) -> bool:
        """Whether it is one of those that the tool has to look into."""
        return _WORD in self.data

    def below(self, folder: str) -> Source:
        """The same file in a folder of that name."""
        return Source(PurePosixPath(folder, self.place), self.data)


Tree = tuple[Source, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Pool:
    """All distinct files that were found.

    Args:
        plain: those that never say nnx, shuffled in the same way in every run.
        projects: whole projects that use NNX.
    """

    plain: Tree
    projects: tuple[Tree, ...]

    def select(self, files: int, nnx_files: int) -> Tree:
        """Takes projects with about nnx_files files that say nnx, and plain files to go with them.

        There are a few files more than asked for, because every folder of plain files is made a
        package: else each would be importable by its bare name from the whole tree. Projects are
        repeated when there are too few; so are plain files.

        Raises:
            ValueError: there is nothing to take from.
        """
        taken = self._projects_with(nnx_files) if nnx_files else []
        missing = max(0, files - len(taken))
        if missing and not self.plain:
            raise ValueError("no file is installed to make a corpus from")
        rounds = range(missing // max(1, len(self.plain)) + 1)
        repeated = (s if r == 0 else s.below(f"again{r}") for r in rounds for s in self.plain)
        plain = list(itertools.islice(repeated, missing))
        return (*plain, *_missing_packages(plain), *taken)

    def _projects_with(self, nnx_files: int) -> list[Source]:
        counted = [(sum(source.says_nnx for source in p), p) for p in self.projects]
        counted = [(count, project) for count, project in counted if count]
        if not counted:
            raise ValueError("no project that uses NNX was found")
        most = max(nnx_files * _TOLERANCE, min(count for count, _ in counted))
        taken: list[Source] = []
        found = 0
        for number in itertools.count():
            before = found
            for count, project in counted:
                if found + count <= most:
                    found += count
                    taken += [s.below(f"round{number}") if number else s for s in project]
            if found == before:
                break
        return taken


def gather(nnx_from: Iterable[Path] = ()) -> Pool:
    """Finds the files.

    Args:
        nnx_from: folders, or sdists as .tar.gz, each a project that uses NNX.

    Raises:
        OSError: a folder or sdist that was named cannot be read.
    """
    plain: dict[bytes, Source] = {}
    flax: list[Source] = []
    for number, folder in enumerate(_installed()):
        for source in _folder(folder, f"installed{number}"):
            if not source.says_nnx:
                plain.setdefault(hashlib.blake2b(source.data).digest(), source)
            if "flax" in source.place.parts[:3]:
                flax.append(source.below("project"))
    projects = [
        tuple((_folder if path.is_dir() else _archive)(path, f"project{number}"))
        for number, path in enumerate(nnx_from)
    ]
    ordered = sorted(plain.values(), key=lambda source: source.place)
    random.Random(SEED).shuffle(ordered)
    return Pool(tuple(ordered), tuple(projects or [tuple(flax)]))


def write(tree: Iterable[Source], root: Path) -> None:
    """Writes a tree below root, which must not exist yet.

    Raises:
        OSError: root exists, or cannot be written.
    """
    root.mkdir(parents=True)
    for number, source in enumerate(tree):
        target = root / source.place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.data + b"\n# file %d of the corpus\n" % number)


def cached(tree: Tree, root: Path) -> None:
    """Writes a tree unless the very same files are there already."""
    fingerprint = hashlib.blake2b()
    for source in tree:
        fingerprint.update(f"{source.place} {len(source.data)}\n".encode())
        fingerprint.update(hashlib.blake2b(source.data).digest())
    mark = root.with_name(f"{root.name}.fingerprint")
    if not root.exists() or not mark.exists() or mark.read_text() != fingerprint.hexdigest():
        shutil.rmtree(root, ignore_errors=True)
        write(tree, root)
        mark.write_text(fingerprint.hexdigest())


def write_trees(pool: Pool, folder: Path, files: int) -> dict[str, dict[str, int]]:
    """Writes the trees below folder that the benchmarks need, and says what is in them.

    plain: files that never say nnx. mixed: as many, 2% of which do. small: a tenth of that. grown:
    ten copies of small side by side. fiftieth: mixed, every fiftieth file by size. one: a single
    short file.

    Raises:
        OSError: a file cannot be written.
        ValueError: there are no files to make the trees from.
    """
    mixed = pool.select(files, round(files * NNX_SHARE))
    small = pool.select(files // 10, round(files // 10 * NNX_SHARE))
    trees = {
        "plain": pool.select(files, 0),
        "mixed": mixed,
        "small": small,
        "grown": tuple(source.below(f"copy{n}") for n in range(10) for source in small),
        "fiftieth": thinned(mixed, 50),
        "one": (Source(PurePosixPath("one.py"), b"x = 1\n"),),
    }
    for name, tree in trees.items():
        cached(tree, folder / name)
    return {
        name: {
            "files": len(tree),
            "nnx": sum(source.says_nnx for source in tree),
            "bytes": sum(len(source.data) for source in tree),
        }
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
        f"x_{part.lstrip('.').replace('-', '_')}"
        if part in _LEFT_OUT or part.startswith(".")
        else part
        for part in relative.parts
    )
    return PurePosixPath(label, *parts)


def _missing_packages(plain: Iterable[Source]) -> Iterator[Source]:
    places = {source.place for source in plain}
    folders = {parent for place in places for parent in place.parents if parent.parts}
    for folder in sorted(folders):
        if folder / "__init__.py" not in places:
            yield Source(folder / "__init__.py", b"")


def thinned(tree: Tree, factor: int) -> Tree:
    """Every file of so many, by size."""
    by_size = sorted(tree, key=lambda source: (len(source.data), source.place))
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
