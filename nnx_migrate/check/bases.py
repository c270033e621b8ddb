"""What the processes of a check copy: both sides as they are, the old one after its command ran."""

from __future__ import annotations

import dataclasses
import functools
import shutil
from collections.abc import Sequence
from pathlib import Path

from nnx_migrate.check.cases.touched import Touched
from nnx_migrate.check.copies import Copied, for_process, private_copy
from nnx_migrate.check.jobs import Column, Job, Side
from nnx_migrate.check.matrix import matrix
from nnx_migrate.check.worker.written import OwnTree, State

_NO_DATA = (".py", ".pyc", ".pytest_cache", ".coverage")


@dataclasses.dataclass
class Bases:
    """The private copies of both sides; each is made when it is first asked for.

    Args:
        old: the user's tree before.
        new: the user's tree after.
        folder: takes all copies.
        data: paths that are taken along in any case.
        touched: what differs between the trees.
        written: files that the command wrote, by name, and where they are.
    """

    old: Side
    new: Side
    folder: Path
    data: Sequence[str]
    touched: Sequence[Touched]
    written: dict[str, Path] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def copied(self) -> tuple[Copied, Copied]:
        """The copies of both."""
        return (
            private_copy(self.old, self.folder / "old", self.data, self.new),
            private_copy(self.new, self.folder / "new", self.data, self.old),
        )

    @property
    def left_out(self) -> tuple[str, ...]:
        """What the copies do not have."""
        found = dict.fromkeys(name for each in self.copied for name in each.left_out)
        return tuple(found)

    def columns(self, slot: int = 0) -> tuple[Column, ...]:
        """The columns as processes run them, each in a copy of its own.

        Args:
            slot: tells processes of one column from each other.
        """
        watched = tuple(each.path for each in self.touched)
        old, new = (dataclasses.replace(each.side, watched=watched) for each in self.copied)
        place = self.folder / f"processes-{slot}"
        return tuple(for_process(column, place) for column in matrix(old, new))

    def job(self, job: Job) -> Job:
        """A case as processes are told of it: a case file of the user's tree is that of the copy.

        Args:
            job: as the user knows it.
        """
        for side, copied in zip((self.new, self.old), self.copied[::-1], strict=True):
            if job.kind == "function" and job.file.is_relative_to(side.top):
                file = copied.side.top / job.file.relative_to(side.top)
                return dataclasses.replace(job, file=file) if file.is_file() else job
        return job

    def of_the_user(self, file: str) -> str:
        """A file of the copies as the user knows it.

        Args:
            file: its path; any other stays.
        """
        for side, copied in zip((self.old, self.new), self.copied, strict=True):
            if Path(file).is_relative_to(copied.side.top):
                return str(side.top / Path(file).relative_to(copied.side.top))
        return file

    def state(self) -> State:
        """What the old copy has."""
        top = self.copied[0].side.top
        return OwnTree(top, top).state()

    def carry_over(self, before: State) -> None:
        """Gives the new side what a command wrote on the old one: its cases may read it, too.

        Args:
            before: of `state`, when the command had not run.
        """
        old, new = (each.side.top for each in self.copied)
        after = self.state()
        written = [
            name
            for name in sorted(after)
            if after[name] != before.get(name)
            and not any(part.endswith(_NO_DATA) for part in Path(name).parts)
        ]
        for name in written:
            if (old / name).is_file():
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(old / name, new / name)
                self.written[name] = old / name
            else:
                (new / name).mkdir(parents=True, exist_ok=True)
