"""The installed command, run while one of its system calls fails, and what is left on disk."""

from __future__ import annotations

import dataclasses
import errno
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from nnx_migrate.sources.journal import STATE_VARIABLE

COMMAND = Path(sys.executable).with_name("nnx-migrate")
_SOURCE = Path(__file__).with_name("faulty.c")
#: What each kind of call is known to fail with.
ERRORS: Mapping[str, tuple[int, ...]] = {
    "open": (errno.EACCES, errno.EMFILE, errno.EIO, errno.EROFS, errno.ENOSPC, errno.EINTR),
    "read": (errno.EIO, errno.EINTR),
    "write": (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EINTR),
    "sync": (errno.EIO, errno.ENOSPC),
    "rename": (errno.EACCES, errno.EXDEV, errno.EIO, errno.ENOSPC),
    "stat": (errno.EACCES, errno.EIO),
    "unlink": (errno.EPERM, errno.EROFS),
    "mkdir": (errno.EACCES, errno.ENOSPC),
    "chmod": (errno.EPERM,),
    "list": (errno.EACCES, errno.EIO),
}
FILE = b"""\
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.norm = nnx.BatchNorm(2, rngs=rngs)


def gradients(model: Net, x):
    return nnx.grad(lambda model: jnp.mean(model.norm(x)))(model)
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong in a run.

    Args:
        call: the kind of system call.
        at: which one of the run, from 1.
        error: its errno, or
        signal: what the process gets before the call, or
        short: whether a read or write does half of what it is asked for.
        on: and all that follow.
    """

    call: str
    at: int
    error: int = 0
    signal: int = 0
    short: bool = False
    on: bool = False

    def environment(self) -> dict[str, str]:
        """The variables that cause it."""
        found = {"FAULT_CALL": self.call, "FAULT_AT": str(self.at)}
        if self.error:
            found["FAULT_ERRNO"] = str(self.error)
        if self.signal:
            found["FAULT_SIGNAL"] = str(self.signal)
        if self.short:
            found["FAULT_SHORT"] = "1"
        if self.on:
            found["FAULT_ON"] = "1"
        return found

    def __str__(self) -> str:
        what = errno.errorcode.get(self.error, "") or f"signal {self.signal}"
        what = "half of it" if self.short else what
        return f"{self.call} {self.at}{' and on' if self.on else ''}: {what}"


@dataclasses.dataclass(frozen=True, slots=True)
class Ended:
    """A run that is over: its exit code, and what it printed."""

    code: int
    said: str


def layer(folder: Path) -> Path:
    """Compile what comes between the command and the system.

    Args:
        folder: takes the library.

    Raises:
        FileNotFoundError: there is no C compiler.
    """
    library = folder / "faulty.so"
    if not library.exists():
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise FileNotFoundError("cc")
        made = folder / f"faulty.{os.getpid()}.so"
        options = ["-O1", "-shared", "-fPIC", "-o", str(made), str(_SOURCE), "-ldl"]
        subprocess.run([compiler, *options], check=True)
        made.rename(library)
    return library


#: What a batch run is told, the first time and when it is to go on.
BATCH = ("batch", "src", "--out", "out", "--write", "--resume")


class Bench:
    """A project that is migrated again and again, each time from its first state.

    Args:
        home: a folder for the project.
        library: what `layer` gave.
        files: how many it has.
        arguments: of the command.
        jobs: worker processes.
    """

    def __init__(
        self,
        home: Path,
        library: Path | None = None,
        files: int = 3,
        arguments: tuple[str, ...] = ("apply", "src"),
        jobs: int = 1,
    ) -> None:
        self.home = home
        self.source = home / "src"
        self.source.mkdir(parents=True, exist_ok=True)
        (home / "pyproject.toml").write_bytes(b"")
        self._library = library
        self._arguments = (*arguments, "--jobs", str(jobs))
        self.old = {f"file{n}.py": FILE + b"# %d\r\n" % n for n in range(files)}
        self.restore()
        clean = self.run()
        assert clean.code == 0, clean.said
        self.new = self.contents()
        assert all(self.new[name] != data for name, data in self.old.items())

    def restore(self) -> None:
        """Put everything back to the first state."""
        for kept in (".nnx-migrate", "out"):
            shutil.rmtree(self.home / kept, ignore_errors=True)
        for path in self.source.iterdir():
            if path.name not in self.old:
                path.unlink()
        for name, data in self.old.items():
            if not (self.source / name).exists() or (self.source / name).read_bytes() != data:
                (self.source / name).write_bytes(data)

    def contents(self) -> dict[str, bytes]:
        """The files of the project, whatever their names."""
        return {path.name: path.read_bytes() for path in self.source.iterdir()}

    def calls(self) -> Counter[str]:
        """How many calls of each kind a run makes that nothing goes wrong in."""
        log = self.home.with_suffix(".log")
        log.unlink(missing_ok=True)
        self.restore()
        self.run({"FAULT_LOG": str(log)})
        return Counter(line.split(" ")[0] for line in log.read_text().splitlines())

    def run(self, fault: Fault | Mapping[str, str] | None = None) -> Ended:
        """Run the command, once."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FAULT_")}
        if fault is not None:
            environment |= fault.environment() if isinstance(fault, Fault) else fault
            environment |= {"LD_PRELOAD": str(self._library), "FAULT_ROOT": str(self.home)}
        return self._command(self._arguments, environment)

    def undo(self) -> Ended:
        """Put back what the last run wrote."""
        return self._command(("undo", "last"), dict(os.environ))

    def _command(self, arguments: tuple[str, ...], environment: dict[str, str]) -> Ended:
        environment[STATE_VARIABLE] = str(self.home / ".nnx-migrate")
        done = subprocess.run(
            [COMMAND, *arguments],
            cwd=self.home,
            env=environment,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Ended(done.returncode, done.stderr.decode() + done.stdout.decode())

    def broken(self, fault: Fault) -> Iterator[str]:
        """Run with a fault, then without, then put back: every promise that does not hold.

        Args:
            fault: what goes wrong in the first run.
        """
        self.restore()
        ended = self.run(fault)
        found = self.contents()
        yield from self._halves(found)
        strays = found.keys() - self.old.keys()
        killed = ended.code < 0
        if strays and not killed and fault.call != "unlink":
            yield f"left beside the files: {sorted(strays)}"
        complete = all(found.get(name) == data for name, data in self.new.items())
        if not complete and ended.code == 0:
            yield "files are as they were, and the exit code is 0"
        if not complete and not killed and not ended.said.strip():
            yield "files are as they were, and not a word why"
        if "Traceback" in ended.said:
            yield f"a traceback: {ended.said.strip().splitlines()[-2:]}"
        journal = list((self.home / ".nnx-migrate" / "runs").rglob("*.sqlite"))
        if found != self.old and set(found) == set(self.old) and not journal:
            yield "files are changed, and no journal is there"
        yield from self._afterwards(found, undo_first=fault.at % 2 == 0)

    def _afterwards(self, found: Mapping[str, bytes], *, undo_first: bool) -> Iterator[str]:
        touched = any(found.get(name) != data for name, data in self.old.items())
        if touched and undo_first:
            undone = self.undo()
            if self.contents() != self.old:
                yield f"undo did not put everything back: {undone.said}"
            return
        again = self.run()
        if again.code != 0:
            yield f"the next run does not end well: {again.said}"
        if self.contents() != self.new:
            extra = sorted(self.contents().keys() - self.new.keys())
            yield f"the next run does not bring it to its end (there is also {extra})"

    def _halves(self, found: Mapping[str, bytes]) -> Iterator[str]:
        for name, data in self.old.items():
            if found.get(name) not in (data, self.new[name]):
                yield f"{name} is neither old nor new: {found.get(name)!r:.80}"


def every_fault(calls: Counter[str]) -> Iterator[Fault]:
    """Each kind of call failing in each way, at each place."""
    for call, errors in ERRORS.items():
        for at in range(1, calls[call] + 1):
            yield from (Fault(call, at, error) for error in errors)
            if call in {"read", "write"}:
                yield Fault(call, at, short=True)
            if call in {"write", "sync"}:
                yield Fault(call, at, errno.ENOSPC, on=True)


def every_signal(calls: Counter[str], signals: tuple[int, ...]) -> Iterator[Fault]:
    """Each signal at each call of any kind."""
    for at in range(1, calls.total() + 1):
        yield from (Fault("any", at, signal=signal) for signal in signals)
