"""Finding the files: one walk, one read a file, and nothing kept of files that never say nnx.

Patterns of a .gitignore are asked about folders and about candidates, never about the other files,
because one question costs as much as reading a small file.
"flax" is not looked for: whoever imports NNX says nnx, and whoever gets it through another file of
the project is found through that file (see `fringe`).

Symbolic links to folders are never followed: what lies in the tree is met by its real path anyway,
and what lies outside is not the caller's to change.
"""

from __future__ import annotations

import dataclasses
import difflib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.sources.documents.kinds import NOTEBOOKS, PAGES, may_hold_python
from nnx_migrate.sources.settings.files import OWN_FILE, PYPROJECT
from nnx_migrate.sources.walk import ignores
from nnx_migrate.sources.walk.ignores import PatternFile
from nnx_migrate.sources.walk.scanning import Listing, TooLarge, read_file, says_nnx, scan

MAX_BYTES = 20 * 1024 * 1024
#: Of a notebook most is images, which cost next to nothing.
MAX_NOTEBOOK_BYTES = 5 * MAX_BYTES

_CONFIGURATIONS = (OWN_FILE, PYPROJECT)

Excludes = Callable[[Path], PatternFile | None]
Pages = Callable[[Path], bool]


@dataclasses.dataclass(frozen=True, slots=True)
class Candidate:
    """A file that says nnx, or that was named.

    Args:
        path: the file as it was named, or as found below a folder that was named.
        data: its bytes.
    """

    path: Path
    data: bytes


@dataclasses.dataclass(frozen=True, slots=True)
class _Link:
    path: str
    target: str


def problem(path: Path | str, status: FileStatus, rule: str, reason: str) -> FileResult:
    """Return the result of a file that was not looked into; it is never left out silently."""
    finding = Finding(rule, 0, 0, Outcome.MANUAL, reason)
    return FileResult(Path(path), status, b"", b"", (finding,), reason)


class Walk:
    """The code below some paths; iterate over it once to get the candidates, in order.

    Args:
        paths: files and folders as named on the command line. A named file is always a candidate.
        excludes: returns the configured patterns that count in an absolute folder.
        already: real paths of files and folders that another walk did.
        jobs: how many processes may read.
        pages: tells whether pages of documentation in an absolute folder are looked at.

    Attributes:
        problems: results of files that could not be looked into; complete after the iteration.
        missing: named paths that do not exist.
        looked_at: how many files were read.
        seen: real paths of the folders walked and the candidates found.
        others: the files that are no candidates, for the fringe.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        excludes: Excludes = lambda folder: None,
        already: Iterable[str] = (),
        jobs: int = 1,
        pages: Pages = lambda folder: False,
    ) -> None:
        self.problems: list[FileResult] = []
        self.missing: list[Path] = []
        self.looked_at = 0
        self.others: list[Listing] = []
        self._jobs = jobs
        self._excludes = excludes
        self._pages = pages
        self._folders: list[str] = []
        self._files: list[str] = []
        self._links: list[_Link] = []
        self.seen = set(already)
        self._sort_out(paths)
        self._trees = [os.path.realpath(folder) for folder in self._folders]

    def __iter__(self) -> Iterator[Candidate]:
        for file in self._files:
            yield from self._named_file(file)
        trees = zip(self._folders, self._trees, strict=True)
        listings = (listing for folder, real in trees for listing in self._walk(folder, real))
        for listing, marked in scan(listings, self._jobs):
            yield from self._candidates(listing, marked)
        for link in self._links:
            yield from self._follow(link)

    def _sort_out(self, paths: Iterable[Path]) -> None:
        for path in dict.fromkeys(os.fspath(path) for path in paths):
            try:
                mode = os.stat(path).st_mode
            except OSError as error:
                self._unreachable(path, error)
                continue
            if stat.S_ISDIR(mode):
                self._folders.append(path)
            elif stat.S_ISREG(mode):
                self._files.append(path)
            else:
                self._skip(path, "special-file", "it is a pipe, socket, or device, not a file")

    def _unreachable(self, path: str, error: OSError) -> None:
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            self.missing.append(Path(path))
            reason = f"there is no such file or folder{did_you_mean(path)}"
            self.problems.append(problem(path, FileStatus.FAILED, "missing-path", reason))
        else:
            self._fail(path, error)

    def _named_file(self, path: str) -> Iterator[Candidate]:
        real = os.path.realpath(path)
        if os.path.islink(path):
            home = os.path.realpath(os.path.dirname(path) or ".")
            if not _inside(real, [home, *self._trees]):
                self._leaves_tree(path, real)
                return
        if real in self.seen:
            return
        self.seen.add(real)
        self.looked_at += 1
        data = self._read(path)
        if data is None:
            return
        if may_hold_python(Path(path), data):
            yield Candidate(Path(path), data)
        else:
            reason = (
                f"its name ends in {Path(path).suffix}, and its first line does not name Python"
            )
            self._skip(path, "other-file", reason)

    def _walk(self, root: str, real_root: str) -> Iterator[Listing]:
        # A named folder is a prefix of what is shown, its real path of what is compared.
        rules = ignores.above(real_root.rstrip("/"), self._excludes(Path(real_root)))
        pending = [(root, real_root.rstrip("/"), rules, self._suffixes(Path(real_root)))]
        while pending:
            shown, real, rules, suffixes = pending.pop()
            if real in self.seen:
                continue
            self.seen.add(real)
            try:
                with os.scandir(shown or ".") as entries:
                    listing = list(entries)
            except OSError as error:
                self._fail(shown, error)
                continue
            folders, names, marks = self._sort_entries(shown, listing, suffixes)
            if "pyvenv.cfg" in marks and real != real_root:
                continue
            if marks & {".gitignore", *_CONFIGURATIONS}:
                rules = rules.entering(real, self._excludes(Path(real)))
                suffixes = self._suffixes(Path(real))
            yield Listing.of(shown, real, names, rules)
            pending.extend(
                (os.path.join(shown, name), f"{real}/{name}", rules, suffixes)
                for name in sorted(folders, reverse=True)
                if not rules.match(f"{real}/{name}", folder=True)
            )

    def _sort_entries(
        self, shown: str, listing: list[os.DirEntry[str]], suffixes: tuple[str, ...]
    ) -> tuple[list[str], list[str], set[str]]:
        folders: list[str] = []
        names: list[str] = []
        marks: set[str] = set()
        for entry in listing:
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                if not ignores.is_alien(name):
                    folders.append(name)
            elif name.endswith(suffixes):
                if entry.is_file(follow_symlinks=False):
                    names.append(name)
                else:
                    self._odd_entry(os.path.join(shown, name), entry)
            elif name in (".gitignore", "pyvenv.cfg", *_CONFIGURATIONS):
                marks.add(name)
            elif entry.is_symlink() and os.path.isdir(entry):  # also where it links to itself
                self._linked_folder(os.path.join(shown, name))
        return folders, sorted(names), marks

    def _suffixes(self, folder: Path) -> tuple[str, ...]:
        return (".py", *NOTEBOOKS, *(PAGES if self._pages(folder) else ()))

    def _candidates(self, listing: Listing, marked: list[str]) -> Iterator[Candidate]:
        self.looked_at += listing.count
        prefix = os.path.join(listing.shown, "")
        for name in marked:
            path, real = prefix + name, f"{listing.real}/{name}"
            if real in self.seen or listing.rules.match(real):
                continue
            data = self._read(path)
            if data is not None:
                self.seen.add(real)
                yield Candidate(Path(path), data)
        if marked:
            silent = [name for name in listing.names if name not in set(marked)]
            listing = Listing.of(listing.shown, listing.real, silent, listing.rules)
        if listing.count:
            self.others.append(listing)

    def _odd_entry(self, path: str, entry: os.DirEntry[str]) -> None:
        if not entry.is_symlink():
            self._skip(path, "special-file", "it is a pipe, socket, or device, not a file")
        elif not os.path.exists(path):
            self._broken_link(path)
        elif os.path.isdir(path):
            self._linked_folder(path)
        else:
            self._links.append(_Link(path, os.path.realpath(path)))

    def _broken_link(self, path: str) -> None:
        try:
            target = os.readlink(path)
        except OSError as error:  # it is gone, too
            self._fail(path, error)
            return
        self._skip(path, "broken-link", f"it links to {target}, which does not exist")

    def _linked_folder(self, path: str) -> None:
        target = os.path.realpath(path)
        if not _inside(target, self._trees):
            self._leaves_tree(path, target)

    def _follow(self, link: _Link) -> Iterator[Candidate]:
        # A target inside the tree was met by its own name, unless that name is not one of Python's.
        if link.target in self.seen:
            return
        inside = _inside(link.target, self._trees)
        if inside and link.target.endswith(self._suffixes(Path(link.target).parent)):
            return
        try:
            regular = stat.S_ISREG(os.stat(link.target).st_mode)
            marked = regular and says_nnx(link.target)
        except OSError as error:
            self._fail(link.path, error)
            return
        if not regular:
            self._skip(link.path, "special-file", "it links to a pipe, socket, or device")
        elif marked:
            self.seen.add(link.target)
            if not inside:
                self._leaves_tree(link.path, link.target)
            elif (data := self._read(link.path)) is not None:
                yield Candidate(Path(link.path), data)

    def _read(self, path: str) -> bytes | None:
        most = MAX_NOTEBOOK_BYTES if path.endswith(NOTEBOOKS) else MAX_BYTES
        try:
            return read_file(path, most)
        except TooLarge as error:
            size, limit = f"{error.size / 1e6:.0f} MB", most // 1024**2
            reason = f"it has {size}, and only files below {limit} MiB are taken"
            self._skip(path, "large-file", reason)
        except OSError as error:
            self._fail(path, error)
        return None

    def _leaves_tree(self, path: str, target: str) -> None:
        reason = f"it links to {target}, outside the named paths; to change it, name the target"
        self._skip(path, "link-out-of-tree", reason)

    def _skip(self, path: str, rule: str, reason: str) -> None:
        self.problems.append(problem(path, FileStatus.SKIPPED, rule, reason))

    def _fail(self, path: str, error: OSError) -> None:
        reason = error.strerror or str(error)
        self.problems.append(problem(path or ".", FileStatus.FAILED, "unreadable-file", reason))


def did_you_mean(path: str) -> str:
    """ "; did you mean ...?" for a path that is not there, or "" where no name is near."""
    folder, name = os.path.split(path.rstrip("/"))
    try:
        # A link that leads nowhere is there, and cannot be read.
        names = [each for each in os.listdir(folder or ".") if each != name]
        near = difflib.get_close_matches(name, names, n=1)
    except OSError:
        return ""
    return f"; did you mean {os.path.join(folder, near[0])}?" if near else ""


def _inside(path: str, trees: Iterable[str]) -> bool:
    return any(path == tree or path.startswith(tree.rstrip("/") + "/") for tree in trees)
