"""Trees that nobody would make on purpose, and what a run over them has to leave as it is."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.faults.battery import COMMAND, FILE

#: Larger than what is taken, and stored as a hole.
HUGE = 1 << 30


@dataclasses.dataclass(frozen=True, slots=True)
class Told:
    """A run over a tree: exit code, what it said, seconds, and the most memory in MB."""

    code: int
    said: str
    seconds: float
    megabytes: float


def make(root: Path) -> dict[str, str]:
    """Build a tree of oddities.

    Args:
        root: a folder that does not exist yet.

    Returns:
        Path in the tree, as it is printed -> what a run says of it, "" for nothing.
    """
    root.mkdir()
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "far.py").write_bytes(FILE)
    (root / "good.py").write_bytes(FILE)
    (root / "loop").symlink_to(root)
    (root / "folder.py").mkdir()
    (root / "folder.py" / "inner.py").write_bytes(FILE)
    (root / "self.py").symlink_to("self.py")
    (root / "one.py").symlink_to("two.py")
    (root / "two.py").symlink_to("one.py")
    (root / "gone.py").symlink_to("nothing.py")
    (root / "away.py").symlink_to(outside / "far.py")
    (root / "away").symlink_to(outside)
    (root / "device.py").symlink_to("/dev/zero")
    os.mkfifo(root / "pipe.py")
    with contextlib.suppress(PermissionError):  # only root makes devices
        os.mknod(root / "null.py", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    with socket.socket(socket.AF_UNIX) as listening, contextlib.chdir(root):
        listening.bind("socket.py")
    (root / "two\nlines.py").write_bytes(FILE)
    (root / "-rf.py").write_bytes(FILE)
    (root / "--help.py").write_bytes(FILE)
    with open(os.path.join(os.fsencode(root), b"bytes\xff.py"), "wb") as file:
        file.write(FILE)
    (root / ("x" * 252 + ".py")).write_bytes(FILE)
    (root / ("語" * 84 + ".py")).write_bytes(FILE)
    os.link(root / "good.py", root / "hard.py")
    with open(root / "huge.py", "wb") as file:
        file.write(b"from flax import nnx\n")
        file.truncate(HUGE)
    deep = root
    with contextlib.chdir(root):
        for _ in range(120):
            os.mkdir("d")
            os.chdir("d")
            deep /= "d"
        Path("deep.py").write_bytes(FILE)
    (root / "empty.py").write_bytes(b"")
    return {
        "good.py": "module-gradient: rewritten",
        "hard.py": "module-gradient: rewritten",
        "folder.py/inner.py": "module-gradient: rewritten",
        "self.py": "",
        "gone.py": "broken-link: skipped",
        "away.py": "link-out-of-tree: skipped",
        "away": "link-out-of-tree: skipped",
        "device.py": "special-file: skipped",
        "pipe.py": "special-file: skipped",
        "socket.py": "special-file: skipped",
        "two\\nlines.py": "module-gradient: rewritten",
        "-rf.py": "module-gradient: rewritten",
        "--help.py": "module-gradient: rewritten",
        "bytes\\udcff.py": "module-gradient: rewritten",
        "x" * 252 + ".py": "module-gradient: rewritten",
        "語" * 84 + ".py": "module-gradient: rewritten",
        "huge.py": "large-file: skipped",
        "d/" * 120 + "deep.py": "module-gradient: rewritten",
    }


# A process is never said to have had less memory than the one that started it: a small one does.
_MEASURED = """\
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code if code >= 0 else 128 - code)
"""


def run(folder: Path, *arguments: str, megabytes: int = 0, seconds: float = 300) -> Told:
    """Run the command in a folder.

    Args:
        folder: where.
        arguments: of the command.
        megabytes: of memory that it may have; 0 for any.
        seconds: it may take.
    """

    def limit() -> None:
        if megabytes:
            resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))

    started = time.monotonic()
    peak = folder.parent / "peak"
    with open(folder.parent / "said", "wb+") as said:
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", _MEASURED, peak, COMMAND, *arguments],
            cwd=folder,
            stdout=said,
            stderr=said,
            preexec_fn=limit,
            start_new_session=True,
        )
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise TimeoutError("the run does not end") from None
        said.seek(0)
        text = said.read().decode("utf-8", "surrogateescape")
    return Told(code, text, time.monotonic() - started, int(peak.read_text()) / 1024)


def many(root: Path, count: int, *, nnx: int = 0) -> None:
    """Build a tree of tiny files, a thousand to a folder.

    Args:
        root: a folder that does not exist yet.
        count: of files.
        nnx: how many of them have something to change.
    """
    every = count // nnx if nnx else count + 1
    for number in range(count):
        folder = root / f"p{number // 1000}"
        if number % 1000 == 0:
            folder.mkdir(parents=True)
        data = FILE if number % every == 0 and nnx else b"x = 1\n"
        with open(os.path.join(folder, f"m{number}.py"), "wb") as file:
            file.write(data)


def changed(root: Path) -> Iterator[Path]:
    """The files of a tree that a run has changed."""
    for path in sorted(root.rglob("*.py")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size < HUGE:
            data = path.read_bytes()
            if b"nnx.merge" in data:
                yield path
