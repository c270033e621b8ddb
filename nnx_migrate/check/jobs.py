"""What a worker is told, and what it tells: plain data."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from nnx_migrate.check.branches.sites import Taken
from nnx_migrate.check.compare.forms import NotDone, Observation, Traced, View

Mode = Literal["graph", "tree"]
SideName = Literal["old", "new"]
JobKind = Literal["function", "recorded", "module"]


class Method(enum.StrEnum):
    """How a case is checked."""

    PROVE_OR_RUN = "prove or run"
    RUN = "run"
    PROVE_ON_SHAPES = "prove on shapes"


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """One state of the user's code.

    Args:
        name: "old" or "new".
        root: a folder, or a single program (a file, or a folder with main.py).
        import_roots: folders that its imports start from, inside `root`; none for a program.
        places: folders of the user's that it stands for: what leads there leads here.
        copy_of: the folder that each process makes its own copy of, which `top` is then; None where
            it runs in place.
        given: as the user named it, where that is no path.
        watched: files that differ: of their functions is noted which lines run.
    """

    name: SideName
    root: Path
    import_roots: tuple[Path, ...]
    places: tuple[Path, ...] = ()
    copy_of: Path | None = None
    given: str = ""
    watched: tuple[str, ...] = ()

    @property
    def is_program(self) -> bool:
        """Whether it is one program, imported afresh for each case."""
        return not self.import_roots

    @property
    def top(self) -> Path:
        """Its folder; of a program that is a file, the folder that it lies in."""
        return self.root.parent if self.is_program and not self.root.is_dir() else self.root


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A side in a mode, as it is run."""

    side: Side
    mode: Mode

    @property
    def name(self) -> str:
        """As it is written in reports: old@graph."""
        return f"{self.side.name}@{self.mode}"


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """One case.

    Args:
        name: as it is reported, one of its kind.
        kind: "function": `entry` of the case file `file`; "recorded": the call of that number in
            the recording `file`; "module": the file is run from its first line to its last.
        file: where it is to be found.
        entry: the name or number in it.
        program: the file, relative to each side, that a case file's `program` stands for; "" for
            the side itself, a single program.
    """

    name: str
    kind: JobKind
    file: Path
    entry: str
    program: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Ran:
    """A case that was run.

    Args:
        before: the arguments as they were.
        called: what came of the call.
        jitted: the same under `jax.jit`, the arguments taken apart; why not, else.
        gradient: of the call, by every Param and float input; why not, else.
        files: the files of the project that it imported, relative to the side.
        seconds: how long it all took.
        read: all files that its process has read, relative to the side where they lie in it.
        outside: files that it opened to write to, elsewhere than in its tree.
        lines: those that ran of watched files.
        ways: that conditions in them took inside traced code; why they are not known, else.
    """

    before: Observation
    called: Observation
    jitted: Observation | NotDone
    gradient: Observation | NotDone
    files: tuple[str, ...]
    seconds: float
    read: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    lines: Mapping[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    ways: tuple[Taken, ...] | NotDone = ()


@dataclasses.dataclass(frozen=True, slots=True)
class WasTraced:
    """A case that was traced and not run.

    Args:
        traced: the program; why there is none, else.
        files: as for `Ran`.
        seconds: likewise.
        read: likewise.
        outside: likewise.
        lines: likewise.
        ways: likewise; all that there are.
    """

    traced: Traced | NotDone
    files: tuple[str, ...]
    seconds: float
    read: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    lines: Mapping[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    ways: tuple[Taken, ...] | NotDone = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Widened:
    """A case that was run in float64.

    Args:
        called: what came of it; why not, else.
        gradient: likewise of its gradient.
    """

    called: Observation | NotDone
    gradient: Observation | NotDone


@dataclasses.dataclass(frozen=True, slots=True)
class Probed:
    """The steps that the gradient transformations of a call make.

    Args:
        steps: by path in the arguments or the result.
        missing: of which there are none, and why, likewise.
        invented: by the paths of those that were asked about made-up parameters, for there are no
            others.
    """

    steps: Mapping[str, View]
    missing: Mapping[str, str]
    invented: frozenset[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Costs:
    """What a case costs.

    Args:
        traces: how often Python code was traced in five calls that are alike.
        compile_seconds: to compile the call, taken apart.
        temporary_bytes: that the compiled program needs beside inputs and outputs.
        flops: that it says it does.
        call_microseconds: of a call that is compiled already, the median.
    """

    traces: int
    compile_seconds: float
    temporary_bytes: int
    flops: float
    call_microseconds: float


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """How much a case may take.

    Args:
        seconds: for one of its runs, imports included.
        gigabytes: of memory for its process; 0 for no limit.
        cases: after so many a process starts anew, and with it its memory; 0 for never.
    """

    seconds: float = 120.0
    gigabytes: float = 0.0
    cases: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class WorkerSettings:
    """How a worker process is started.

    Args:
        column: what it runs.
        environment: variables that are set before anything is imported.
        gigabytes: of memory that it may have; 0 for no limit.
        log: the file that takes what the user's code prints.
    """

    column: Column
    environment: Mapping[str, str]
    gigabytes: float
    log: Path
