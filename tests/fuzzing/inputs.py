"""Damaged inputs that are no source: journals, kept answers, plans, settings, patterns, manifests.

Each reader gets the bytes of a good file with damage drawn from a seed, and may give an answer, or
the one error that it declares; anything else breaks a promise.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from nnx_migrate.batch.state import State
from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.core.totals import RunResult, count
from nnx_migrate.engine.cache.store import Shelf, packed, unpacked
from nnx_migrate.report.patches.folder import strangers_in
from nnx_migrate.report.patches.owners import owners_in
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.journal import Journal, NoJournal, runs_of
from nnx_migrate.sources.walk.ignores import read_patterns
from nnx_migrate.sources.write import Replacement

_SETTINGS = b"""\
[tool.nnx-migrate]
select = ["module-gradient"]
exclude = ["docs/**", "a[!b]*"]
jobs = 2
timeout = 20

[[tool.nnx-migrate.overrides]]
paths = ["legacy/**"]
ignore = ["state-axes"]

[tool.nnx-migrate.check]
cases = ["cases.py"]
"""
_IGNORES = b"build/\n!build/keep.py\n/a/**/b\n*.py[co]\n\\#x\n*a*b*c*\n"
_OWNERS = (
    b"* @all\n/src/ @team/a someone@example.org # no owner @here\n[Section][2] @s\ndocs/*.md\n"
)
_MANIFEST = b'{"tool": {"name": "nnx-migrate"}, "patches": [{"patch": "1.patch", "text": "1.md"}]}'


@dataclasses.dataclass(frozen=True, slots=True)
class Input:
    """A file that a run reads beside sources.

    Args:
        file: it is damaged in place.
        good: its bytes.
        read: reads it, as a run does.
        declared: what reading may raise.
    """

    file: Path
    good: bytes
    read: Callable[[], object]
    declared: tuple[type[Exception], ...]


def inputs(home: Path) -> dict[str, Input]:
    """Good inputs of every kind in an empty folder, by name."""
    return {
        "journals": _journal(home / "journal"),
        "answers": _answers(home / "answers"),
        "plans": _plan(home / "plan"),
        "settings": _text(
            home / "settings" / "pyproject.toml",
            _SETTINGS,
            lambda file: Configuration({}).options_for(file.with_name("a.py")),
        ),
        "ignores": _text(
            home / "ignores" / ".gitignore",
            _IGNORES,
            lambda file: (
                (found := read_patterns(str(file.parent), file.name))
                and found.verdict(f"{file.parent}/build/a.py")
            ),
        ),
        "owners": _text(
            home / "owners" / "CODEOWNERS",
            _OWNERS,
            lambda file: owners_in(file.parent)("src/a.py"),
        ),
        "manifests": _text(
            home / "patches" / "manifest.json", _MANIFEST, lambda file: strangers_in(file.parent)
        ),
    }


def broken(name: str, each: Input, seeds: range) -> Iterator[str]:
    """Damage an input in as many ways as there are seeds, and tell what broke a promise."""
    for seed in seeds:
        draw = random.Random(f"{name} {seed}")
        each.file.write_bytes(damaged(each.good, draw))
        try:
            each.read()
        except each.declared:
            continue
        except Exception as error:
            yield f"{name} {seed}: {type(error).__name__}: {error}"
    each.file.write_bytes(each.good)


def damaged(data: bytes, draw: random.Random) -> bytes:
    """Bytes with drawn damage: changed, cut out, doubled, cut off, or put in."""
    found = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8))):
        at = draw.randrange(len(found) + 1)
        length = draw.choice((1, 1, 4, 100))
        match draw.randrange(6):
            case 0:
                found[at : at + 1] = bytes([draw.randrange(256)])
            case 1:
                del found[at : at + length]
            case 2:
                found[at:at] = found[at : at + length]
            case 3:
                del found[at:]
            case 4:
                found[at:at] = draw.choice((b"\0", b"\xff\xfe", b"[", b'"', b"**/", b"-1", b"\n"))
            case _:
                found[at : at + length] = draw.randbytes(length)
    return bytes(found)


def _text(file: Path, good: bytes, read: Callable[[Path], object]) -> Input:
    file.parent.mkdir(parents=True)
    file.write_bytes(good)
    return Input(file, good, lambda: read(file), (ConfigError,))


def _journal(home: Path) -> Input:
    home.mkdir(parents=True)
    (home / "a.py").write_bytes(b"0")
    Journal(home, "apply").write(Replacement(home / "a.py", b"0", b"1"))
    (run,) = runs_of(home)

    def read() -> None:
        for each in runs_of(home):
            if not each.damage:
                each.entries()

    return Input(run.file, run.file.read_bytes(), read, (NoJournal,))


def _answers(home: Path) -> Input:
    home.mkdir(parents=True)
    file = home / "plans.sqlite"
    shelf = Shelf(file)
    shelf.keep([(b"key", b"head", packed(_result()))])
    shelf.close()

    def read() -> None:
        kept = Shelf(file)
        try:
            body = kept.find(b"key", "body")
            if body is not None:
                unpacked(file, body)
        finally:
            kept.close()
            for beside in ("-wal", "-shm", "-journal"):
                file.with_name(file.name + beside).unlink(missing_ok=True)

    return Input(file, file.read_bytes(), read, (ConfigError,))


def _plan(home: Path) -> Input:
    home.mkdir(parents=True)
    file = home / "state.sqlite"
    state = State(file)
    state.begin("{}")
    results = (_result(),)
    state.settle(RunResult(results, count(results, 1)), "20990101-000000-000000")

    def read() -> None:
        kept = State(file)
        standing = kept.standing()
        if standing is not None:
            kept.settled()
        kept.history()

    return Input(file, file.read_bytes(), read, (ConfigError,))


def _result() -> FileResult:
    finding = Finding("state-axes", 1, 1, Outcome.PINNED, "kept in graph mode")
    return FileResult(Path("a.py"), FileStatus.CHANGED, b"old" * 20, b"new" * 20, (finding,))
