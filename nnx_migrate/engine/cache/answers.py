"""What is known of files already, by their content and by all that an answer depends on.

Two SQLite files: facts of files, and results of planned ones. An answer is on disk before a run
goes on, so a run that is killed is continued by asking for the same again. Nothing has to be
invalidated: with another file, option, rule or version the question is another one.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.engine.cache.fingerprint import digest_of_parts, program_digest
from nnx_migrate.engine.cache.store import OnShelf, Shelf, packed, unpacked
from nnx_migrate.engine.discover import Digest, Indexed, IndexTask, index_file
from nnx_migrate.engine.discover import packed as packed_index
from nnx_migrate.engine.failures import TOO_LITTLE_MEMORY, TOO_SLOW, quarantined
from nnx_migrate.engine.plan_file import PlanTask
from nnx_migrate.engine.projects.assign import PlacedIndex, Projects
from nnx_migrate.sources.configuration import Options
from nnx_migrate.sources.imports.installed import Environments
from nnx_migrate.sources.imports.module_names import home_of, name_in_home
from nnx_migrate.sources.walk.scanning import digest_of, read_file

#: Results that tell of the moment more than of the file.
_OF_THE_MOMENT = frozenset(
    {"changed-file", "internal-error", "unreadable-file", "unwritable-file"}
    | {TOO_LITTLE_MEMORY, TOO_SLOW}
)


class IndexMemory:
    """The facts of files that were looked at before.

    Args:
        shelf: of this run.
        elsewhere: of other runs, which are only read.
        shared: others write to the shelf and take things from it meanwhile.
    """

    def __init__(
        self, shelf: Shelf, elsewhere: Sequence[Shelf] = (), *, shared: bool = False
    ) -> None:
        self._shelf = shelf
        self._shelves = (shelf, *elsewhere)
        self._shared = shared

    def find(self, task: IndexTask, *, given_up: bool) -> Indexed | None:
        """What is known of a file, without its facts: those stay on disk until they are needed.

        Args:
            task: the file.
            given_up: whether that a run has given up on it counts as known.
        """
        key = self.key_of(task)
        for shelf in self._shelves:
            head = shelf.find(key, "head")
            if head is not None:
                indexed: Indexed = unpacked(shelf.file, head)
                if indexed.failure is not None and quarantined(indexed.failure) and not given_up:
                    continue
                return dataclasses.replace(
                    self._on_shelf(indexed, shelf, key, task), wanted=task.wanted
                )
        return None

    def keep(self, tasks: Sequence[tuple[IndexTask, Indexed]]) -> list[Indexed]:
        """Keep what was found out, and return it as `find` would."""
        rows, answers = [], []
        for task, indexed in tasks:
            if not _lasting(indexed.failure):
                answers.append(indexed)
                continue
            key = self.key_of(task)
            body = indexed.index.packed().record if indexed.index is not None else b""
            assert isinstance(body, bytes)
            answers.append(self._on_shelf(indexed, self._shelf, key, task))
            rows.append((key, packed(answers[-1]), body))
        self._shelf.keep(rows)
        return answers

    def key_of(self, task: IndexTask) -> bytes:
        """What the facts of a file depend on."""
        place = task.place
        parts = (str(task.path), str(place.root), place.module, repr(place.meant), task.unpin)
        encoded = (part.encode(errors="surrogateescape") for part in parts)
        return digest_of_parts((program_digest(), task.digest(), *encoded))

    def _on_shelf(self, indexed: Indexed, shelf: Shelf, key: bytes, task: IndexTask) -> Indexed:
        if indexed.index is None:
            return indexed
        record = OnShelf(shelf.file, key)
        if self._shared:
            record = OnShelfOrAnew(shelf.file, key, without_bytes(task))
        index = dataclasses.replace(indexed.index, record=record)
        return dataclasses.replace(indexed, index=index)


@dataclasses.dataclass(frozen=True, slots=True)
class OnShelfOrAnew(OnShelf):
    """The same on a shelf from which it may be gone: then the file is looked at again.

    Args:
        task: gives the index.
    """

    task: IndexTask

    def load(self) -> bytes:
        """Get it."""
        try:
            return OnShelf.load(self)
        except OSError:
            index = packed_index(index_file(self.task)).index
            if index is None or not isinstance(index.record, bytes):
                raise OSError(
                    f"{self.task.path} changed during the run; run nnx-migrate again"
                ) from None
            return index.record


class PlanMemory:
    """The results of files that were planned before.

    Args:
        shelf: of this run.
        projects: what is known of all files; each index in it lies on a shelf.
        wanted: the files that may change.
        elsewhere: shelves of other runs, which are only read.
    """

    def __init__(
        self,
        shelf: Shelf,
        projects: Projects,
        wanted: Sequence[PlanTask],
        elsewhere: Sequence[Shelf] = (),
    ) -> None:
        self._shelf = shelf
        self._shelves = (shelf, *elsewhere)
        self._projects = projects
        self._told: dict[int, tuple[Options, bytes]] = {}
        self._environments = Environments()
        self._options = {task.path: self._deciding(task.options) for task in wanted}
        observed = projects.facts
        self._observed = b"" if observed is None else observed.digest().encode()
        # Once a group: its digest is asked for by each of its files.
        self._facts = functools.cache(self._facts_of)
        self._homes: dict[tuple[Path, Path], Path] = {}
        self._said: dict[Path, bytes] = {}
        self._keys: dict[int, tuple[PlanTask, tuple[bytes, bytes]]] = {}

    def find(self, task: PlanTask, *, given_up: bool) -> FileResult | None:
        """The result of a file.

        Args:
            task: the file.
            given_up: whether that a run has given up on it counts as a result.
        """
        for key in self.keys_of(task):
            for shelf in self._shelves:
                body = shelf.find(key, "body")
                if body is not None:
                    result = _of_text(unpacked(shelf.file, body), task)
                    if result is not None and (given_up or not quarantined(result)):
                        return result
        return None

    def knows(self, task: PlanTask) -> bool:
        """Whether there is a result of a file."""
        return any(shelf.knows(key) for key in self.keys_of(task) for shelf in self._shelves)

    def keep(self, planned: Iterable[tuple[PlanTask, FileResult]]) -> None:
        """Keep results, all of them or none."""
        self._shelf.keep(
            (self._key_for(task, result), b"", packed(result))
            for task, result in planned
            if _lasting(result)
        )

    def keys_of(self, task: PlanTask) -> tuple[bytes, bytes]:
        """What the result of a file depends on: all files that are known with it, too.

        The first is that of its bytes, the second that of all texts which differ from it in
        remarks alone.
        """
        known = self._keys.get(id(task))
        if known is None or known[0] is not task:
            known = self._keys[id(task)] = task, self._keys_of(task)
        return known[1]

    def _key_for(self, task: PlanTask, result: FileResult) -> bytes:
        """Where nothing is edited, remarks are all the same; examples in docstrings are none."""
        alike = result.status is FileStatus.UNCHANGED and not task.options.docs
        return self.keys_of(task)[alike]

    def _keys_of(self, task: PlanTask) -> tuple[bytes, bytes]:
        facts = self._facts(self._projects.group(task.path))
        parts = (
            facts,
            os.fsencode(task.path),
            os.fsencode(self._name(task.path)),
            self._deciding(task.options),
        )
        said = self._said[task.path]
        return digest_of_parts((*parts, task.digest)), digest_of_parts((*parts, b"", said))

    def _name(self, path: Path) -> str:
        """What its readers know a file by; its home is that of all beside it."""
        real = Path(os.path.realpath(path))
        beside = real.parent, path.parent
        if beside not in self._homes:
            self._homes[beside] = home_of(path)
        return name_in_home(real, self._homes[beside])

    def _deciding(self, options: Options) -> bytes:
        """What decides of options, once for all files that share them."""
        told = self._told.get(id(options))
        if told is None:
            told = self._told[id(options)] = options, repr(self._parts(options)).encode()
        return told[1]

    def _parts(self, options: Options) -> tuple[object, ...]:
        installed = ""
        if options.follow_installed:
            installed = self._environments.of(options.python).state
        return (*_deciding(options), installed)

    def _facts_of(self, group: int) -> bytes:
        parts = [program_digest(), self._observed]
        for index in self._projects.members(group):
            said = self._said[index.path] = _said(index)
            parts += [said, self._options.get(index.path, b"")]
        return digest_of_parts(parts)


def without_bytes(task: IndexTask) -> IndexTask:
    """The same task for who reads the file itself."""
    return dataclasses.replace(task, data=Digest(task.digest()))


def _said(index: PlacedIndex) -> bytes:
    # Of the moment, so on no shelf: nothing that was planned with it may be found again.
    return index.said if isinstance(index.record, OnShelf) else os.urandom(16)


def _of_text(result: FileResult, task: PlanTask) -> FileResult | None:
    """A result that may have been kept for a text with other remarks."""
    if result.status is not FileStatus.UNCHANGED or digest_of(result.before) == task.digest:
        return result
    try:
        data = read_file(task.path) if task.data is None else task.data
    except OSError:
        return None
    same = digest_of(data) == task.digest
    return dataclasses.replace(result, before=data, after=data) if same else None


def _lasting(result: FileResult | None) -> bool:
    rules = {finding.rule for finding in result.findings} if result is not None else set()
    return rules.isdisjoint(_OF_THE_MOMENT)


def _deciding(options: Options) -> tuple[object, ...]:
    """What of the options decides a result, in an order that is the same in every process."""
    select = sorted(options.select) if options.select is not None else None
    rest = dataclasses.replace(
        options,
        select=None,
        ignore=frozenset(),
        allow=frozenset(),
        jobs=None,
        timeout=0,
        exclude=(),
    )
    return select, sorted(options.ignore), sorted(options.allow), rest
