"""Runs on a disk that is really full: a small tmpfs in a mount namespace of its own.

`fillings` starts this module again inside the namespace; what is mounted there nobody else sees.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from nnx_migrate.sources.journal import STATE_VARIABLE
from tests.cli.batches import contents, grow
from tests.faults.battery import COMMAND, FILE

#: More than any run here needs.
_ROOMY = "size=64m,nr_inodes=10000"
_PAGE = 4096
_MANY = 9999
_FULL = re.compile("No space left on device|disk is full|no space is left there")
#: Commands by name, and what lies on the small disk: tree and journal, results, or both.
_COMMANDS = {
    "apply": (("apply", "src"), "both"),
    "batch": (("batch", "src", "--out", "../out", "--write", "--resume", "--jobs", "1"), "both"),
    "batch-tree": (("batch", "src", "--out", "../out", "--write", "--resume"), "tree"),
    "batch-out": (("batch", "src", "--out", "../out", "--write", "--resume"), "out"),
}
NAMES = tuple(_COMMANDS)


@dataclasses.dataclass(frozen=True, slots=True)
class Filling:
    """How a run on a small disk ended.

    Args:
        pages: of 4 kB that were free when it began.
        inodes: that were free, or None for any number.
        full: whether the disk was too small.
        broken: the promises that did not hold.
    """

    pages: int
    inodes: int | None
    full: bool
    broken: list[str]


def namespace() -> list[str] | None:
    """The words that start a command where disks may be mounted; None where nobody may."""
    for words in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            probe = [*words, "mount", "-t", "tmpfs", "none", "/mnt"]
            subprocess.run(probe, check=True, capture_output=True)
            return words
    return None


def fillings(
    home: Path, name: str, sizes: Sequence[tuple[int, int | None]] = ()
) -> tuple[int, list[Filling]]:
    """Run a command on disks that become full at each place.

    Args:
        home: a folder that does not exist yet.
        name: one of `NAMES`.
        sizes: free pages and inodes of each run; without any nothing is run.

    Returns:
        How many pages a run takes that has room, and how the others ended.
    """
    words = namespace()
    assert words is not None
    done = subprocess.run(
        [*words, sys.executable, "-m", __name__, home, name, json.dumps(sizes)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        check=True,
    )
    needed, *ended = map(json.loads, done.stdout.splitlines())
    return needed, [Filling(**each) for each in ended]


def places(needed: int) -> list[tuple[int, int | None]]:
    """Free pages and inodes with which a run fills the disk at each place, or just does not.

    Args:
        needed: pages that are taken by a run which has room; on its way it takes some more.
    """
    return [*((n, None) for n in range(2 * needed + 10)), *((_MANY, n) for n in range(40))]


class _Disk:
    """A tree, the journal and the results of a command, some of them on a disk of their own."""

    def __init__(self, home: Path, name: str) -> None:
        self._arguments, self._small = _COMMANDS[name]
        self.home = home
        for folder in ("tree", "out"):
            (home / folder).mkdir(parents=True)
        place = {"both": home, "tree": home / "tree", "out": home / "out"}[self._small]
        self._mount = place
        subprocess.run(["mount", "-t", "tmpfs", "-o", _ROOMY, "none", place], check=True)
        self.restore()
        self.old = contents(home / "tree" / "src")
        free = self._free()
        ended = self.run()
        assert ended.returncode == 0, ended.stderr
        self.needed = free - self._free()
        self.new = self.found()
        self.results = self._results()

    def restore(self) -> None:
        """Put everything back to the first state."""
        self._resize(_ROOMY)
        for folder in ("tree", "out"):
            with contextlib.suppress(FileNotFoundError):
                for entry in (self.home / folder).iterdir():
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
            (self.home / folder).mkdir(exist_ok=True)
        source = grow(self.home / "tree" / "src", small=8)
        # Its journal takes less room than its copy.
        (source / "large.py").write_bytes(FILE + b"# is kept\n" * 6000)

    def shrink(self, pages: int, inodes: int | None) -> None:
        """Leave only so much free."""
        now = os.statvfs(self._mount)
        # Of no size at all it would be without limit.
        size = max(now.f_blocks - now.f_bfree + pages, 1) * _PAGE
        most = now.f_files if inodes is None else now.f_files - now.f_ffree + inodes
        self._resize(f"size={size},nr_inodes={most}")

    def grow(self) -> None:
        """Make room."""
        self._resize(_ROOMY)

    def run(self) -> subprocess.CompletedProcess[str]:
        """Run the command."""
        return self._command(self._arguments)

    def undo(self) -> subprocess.CompletedProcess[str]:
        """Put back what the last run wrote."""
        return self._command(("undo", "last"))

    def found(self) -> dict[str, bytes]:
        """The files of the tree, whatever their names."""
        source = self.home / "tree" / "src"
        return {
            str(p.relative_to(source)): p.read_bytes() for p in source.rglob("*") if p.is_file()
        }

    def broken(self, pages: int, inodes: int | None, *, undo_first: bool) -> tuple[bool, list[str]]:
        """Run with little room, then with enough: was it too little, and what went wrong."""
        self.restore()
        self.shrink(pages, inodes)
        ended = self.run()
        full = self.found() != self.new or ended.returncode != 0
        return full, [
            *self._promises(ended),
            *(self._undone() if undo_first else self._gone_on_with() if full else ()),
        ]

    def _promises(self, ended: subprocess.CompletedProcess[str]) -> Iterator[str]:
        found, said = self.found(), ended.stderr
        yield from self._halves(found)
        if found != self.new and ended.returncode == 0:
            yield "files are as they were, and the exit code is 0"
        if ended.returncode == 0 and self._results() != self.results:
            yield "results are missing, and the exit code is 0"
        if ended.returncode and _FULL.search(said) is None:
            yield f"it is not told that the disk is full: {said[-300:]}"
        if "Traceback" in said or "bug" in said:
            yield f"a traceback: {said[-600:]}"

    def _halves(self, found: dict[str, bytes]) -> Iterator[str]:
        if strays := sorted(found.keys() - self.old.keys()):
            yield f"left beside the files: {strays}"
        for name, data in self.old.items():
            if found.get(name) not in (data, self.new[name]):
                yield f"{name} is neither old nor new: {found.get(name)!r:.80}"

    def _undone(self) -> Iterator[str]:
        journal = any((self.home / "tree" / ".nnx-migrate").rglob("*.sqlite"))
        if self.found() == self.old or not journal:
            return
        tight = self.undo()
        found = self.found()
        for name, data in self.old.items():
            if found.get(name) not in (data, self.new[name]):
                yield f"undo: {name} is neither old nor new"
        if found != self.old and tight.returncode == 0:
            yield f"undo did not put everything back, and the exit code is 0: {tight.stdout}"
        if "Traceback" in tight.stderr or "bug" in tight.stderr:
            yield f"undo: a traceback: {tight.stderr[-600:]}"
        self.grow()
        again = self.undo()
        if self.found() != self.old:
            yield f"undo with room enough did not put everything back: {again.stdout}"

    def _gone_on_with(self) -> Iterator[str]:
        self.grow()
        again = self.run()
        if again.returncode != 0 or self.found() != self.new:
            yield f"with room enough it does not come to its end: {again.stderr[-600:]}"
        if self._results().keys() != self.results.keys():
            yield "with room enough the results are not those of an undisturbed run"

    def _results(self) -> dict[str, bytes]:
        """What is for people, without what tells the time."""
        out = self.home / "out"
        return {
            str(path.relative_to(out)): path.read_bytes()
            for path in out.rglob("*")
            if path.suffix in {".patch", ".md", ".jsonl"} and path.name != "summary.md"
        }

    def _free(self) -> int:
        return os.statvfs(self._mount).f_bfree

    def _resize(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", self._mount], check=True)

    def _command(self, arguments: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, *arguments],
            cwd=self.home / "tree",
            env={**os.environ, STATE_VARIABLE: str(self.home / "tree" / ".nnx-migrate")},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


def _inside(home: Path, name: str, sizes: list[tuple[int, int | None]]) -> None:
    disk = _Disk(home, name)
    print(disk.needed, flush=True)
    for number, (pages, inodes) in enumerate(sizes):
        full, broken = disk.broken(pages, inodes, undo_first=number % 2 == 1)
        print(json.dumps(dataclasses.asdict(Filling(pages, inodes, full, broken))), flush=True)


if __name__ == "__main__":
    _inside(Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]))
