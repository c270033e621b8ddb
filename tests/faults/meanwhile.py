"""Somebody else works on the tree while a run is under way: at one of its system calls, always the
same, a file is edited, goes, becomes something else, or its folder does.
"""

from __future__ import annotations

import dataclasses
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.faults.battery import COMMAND, FILE

_MINE = b"# mine\n"
#: What is done, in the folder above `src`; `src/pkg/b.py` is the file, and `away` is no part of it.
ACTIONS: Mapping[str, str] = {
    "edited": "printf '# mine\\n' >> src/pkg/b.py",
    "saved as editors do": "{ cat src/pkg/b.py; echo '# mine'; } > .new && mv .new src/pkg/b.py",
    "removed": "rm src/pkg/b.py",
    "a folder": "rm src/pkg/b.py && mkdir src/pkg/b.py",
    "a pipe": "rm src/pkg/b.py && mkfifo src/pkg/b.py",
    "a link to a copy": "ln -sf ../../away/b.py src/pkg/b.py",
    "a link to a device": "ln -sf /dev/zero src/pkg/b.py",
    "a link to itself": "ln -sf b.py src/pkg/b.py",
    "read-only": "chmod a-w src/pkg/b.py",
    "folder removed": "rm -r src/pkg",
    "folder moved": "mv src/pkg src/moved",
    "folder a link to a copy": "mv src/pkg old && ln -s ../away src/pkg",
    "folder a file": "rm -r src/pkg && echo x > src/pkg",
    "tree moved": "mv src elsewhere",
    "settings broken": "echo '[tool.nnx-migrate' > src/pyproject.toml",
    "links removed": "rm src/*.py",
}
#: The moment between the last look at a file and its renaming cannot be closed; "": it never came.
_LOSES = frozenset({"rename", ""})
_COMMANDS = {
    "apply": ("apply", "src", "--jobs", "1"),
    "batch": ("batch", "src", "--out", "out", "--write", "--resume", "--jobs", "1"),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """What somebody does.

    Args:
        what: one of `ACTIONS`.
        at: the number of the system call, from 1.
    """

    what: str
    at: int


class Meanwhile:
    """A tree that is migrated while it changes.

    Args:
        home: a folder that does not exist yet.
        library: what `battery.layer` gave.
        command: "apply" or "batch".
    """

    def __init__(self, home: Path, library: Path, command: str) -> None:
        self._home = home
        self._library = library
        self._arguments = _COMMANDS[command]
        home.mkdir()
        self._restore()
        assert self._run({}).returncode == 0
        self._new = (home / "src" / "pkg" / "b.py").read_bytes()
        self._restore()
        log = home.with_suffix(".log")
        self._run({"FAULT_LOG": str(log)})
        self.calls = [line.split(" ")[0] for line in log.read_text().splitlines()]

    def every_change(self) -> Iterator[Change]:
        """Each change, at each call."""
        for at in range(1, len(self.calls) + 1):
            yield from (Change(what, at) for what in ACTIONS)

    def broken(self, change: Change) -> Iterator[str]:
        """Run while somebody changes the tree: every promise that does not hold."""
        self._restore()
        # In batch runs each process counts its own calls.
        once = "mkdir done 2>/dev/null && echo $FAULT_KIND > done/at"
        once += f" && {{ {ACTIONS[change.what]}; }}"
        action = f"cd {shlex.quote(str(self._home))} && {once}"
        fault = {"FAULT_CALL": "any", "FAULT_AT": str(change.at), "FAULT_RUN": action}
        try:
            ended = self._run(fault)
        except subprocess.TimeoutExpired:
            yield "the run does not end"
            return
        if "Traceback" in ended.stderr or "report this" in ended.stderr:
            yield f"a traceback: {ended.stderr[-900:]}"
        if (self._home / "away" / "b.py").read_bytes() != FILE:
            yield "a file outside of the tree was changed"
        moved = "moved" in change.what or "link to a copy" in change.what
        for path in () if moved else self._home.rglob(".*.nnx-migrate"):
            yield f"left beside the files: {path.name}"
        yield from self._of_the_file(change, ended)
        others = [self._home / "src" / name for name in ("a.py", "z.py")]
        if "settings" in change.what or "links" in change.what or "tree" in change.what:
            return
        if not all(b"nnx.merge" in path.read_bytes() for path in others):
            yield f"the other files were not done: {ended.stderr[-300:]}"

    def _of_the_file(
        self, change: Change, ended: subprocess.CompletedProcess[str]
    ) -> Iterator[str]:
        aside = self._home / "old" / "b.py"
        file = aside if aside.exists() else self._home / "src" / "pkg" / "b.py"
        found = file.read_bytes() if file.is_file() and not file.is_symlink() else None
        mine = change.what in {"edited", "saved as editors do"}
        if mine and found == self._new and self._kind() not in _LOSES:
            yield "an edit was lost"
        if found is not None and found.removesuffix(_MINE) not in (FILE, self._new):
            yield f"half a file: {found!r:.80}"
        if found is not None and found.removesuffix(_MINE) == FILE and ended.returncode == 0:
            yield "a file is as it was, and the exit code is 0"

    def _kind(self) -> str:
        """The kind of call at which it was done, if it was done at all."""
        done = self._home / "done" / "at"
        return done.read_text().strip() if done.exists() else ""

    def _restore(self) -> None:
        for entry in self._home.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        for name in ("src/a.py", "src/pkg/b.py", "src/z.py", "away/b.py"):
            file = self._home / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(FILE)
        (self._home / "src" / "other.py").symlink_to("pkg/b.py")
        (self._home / "src" / "folder").symlink_to("pkg")
        (self._home / "pyproject.toml").write_bytes(b"")

    def _run(self, fault: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FAULT_")}
        if fault:
            watched = {"LD_PRELOAD": str(self._library), "FAULT_ROOT": str(self._home / "src")}
            environment |= {**fault, **watched}
        return subprocess.run(
            [COMMAND, *self._arguments],
            cwd=self._home,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )
