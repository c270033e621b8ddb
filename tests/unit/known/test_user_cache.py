"""What `apply` keeps between runs changes nothing but their time."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import stat
from pathlib import Path

import pytest

from nnx_migrate.core.totals import RunResult
from nnx_migrate.engine import run as engine
from nnx_migrate.engine.cache import user_cache
from nnx_migrate.engine.cache.user_cache import CACHE_VARIABLE, forget_answers
from nnx_migrate.engine.plan_file import PlanTask, plan_file_in_time
from nnx_migrate.sources.configuration import Configuration

_GOLDEN = Path(__file__).parents[3] / "golden" / "sown-intermediates"
_VMAP = "from flax import nnx\n\nrun = nnx.vmap(lambda model, x: model(x))\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv(CACHE_VARIABLE, str(folder))
    return folder


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were planned, and not known."""
    names: list[str] = []

    def counted(task: PlanTask):  # type: ignore[no-untyped-def]
        names.append(task.path.name)
        return plan_file_in_time(task)

    monkeypatch.setattr(engine, "plan_file_in_time", counted)
    return names


def grow(folder: Path) -> Path:
    """Two projects: one whose files import each other, and one of a file."""
    for case in ("other-file", "other-file-kept"):
        before = _GOLDEN / case / "before"
        for file in before.rglob("*.py"):
            place = folder / "src" / case / file.relative_to(before)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())
        (folder / "src" / case / "pyproject.toml").touch()
    alone = folder / "src" / "alone" / "alone.py"
    alone.parent.mkdir()
    alone.write_text(_VMAP)
    return folder / "src"


def run(src: Path, *, cached: bool = True, **flags: object) -> RunResult:
    return engine.run([src], Configuration(flags), write=None, cached=cached)


def test_a_second_run_is_answered_by_the_first(
    tmp_path: Path, cache: Path, planned: list[str]
) -> None:
    src = grow(tmp_path)
    fresh = run(src, cached=False)
    planned.clear()
    assert run(src) == fresh
    assert planned
    planned.clear()
    assert run(src) == fresh
    assert planned == []


def test_an_edit_costs_what_is_known_with_the_file(
    tmp_path: Path, cache: Path, planned: list[str]
) -> None:
    src = grow(tmp_path)
    run(src)
    planned.clear()
    (src / "alone" / "alone.py").write_text(_VMAP + "more = nnx.Linear\n")
    run(src)
    assert planned == ["alone.py"]


_REMARKS = {
    "a comment at the end": (f"{_VMAP}# again\n", f"{_VMAP}\n# and again\n"),
    "a comment behind code": (f"{_VMAP}x = '#'  # one\n", f"{_VMAP}x = '#'\n"),
    "a comment for a line without": (f"# one\n{_VMAP}", f"\n{_VMAP}"),
    "a docstring": (
        f'"""One text."""\n{_VMAP}',
        f'"""Another \'text\'. # still"""  # and this\n{_VMAP}',
    ),
}


@pytest.mark.parametrize("case", _REMARKS)
def test_remarks_leave_the_other_files_known(
    tmp_path: Path, cache: Path, planned: list[str], case: str
) -> None:
    src = grow(tmp_path)
    (src / "alone" / "other.py").write_text("import alone  # of nnx\n\nalone.run(2)\n")
    for text in _REMARKS[case]:
        planned.clear()
        (src / "alone" / "alone.py").write_text(text)
        assert run(src) == run(src, cached=False)
    assert planned.count("other.py") == 1  # by the run without answers


def test_remarks_of_a_file_that_stays_as_it_is_cost_nothing(
    tmp_path: Path, cache: Path, planned: list[str]
) -> None:
    src = grow(tmp_path)
    file = src / "alone" / "alone.py"
    file.write_text("from flax import nnx\n\nmodel = nnx.Linear  # one\n")
    run(src)
    planned.clear()
    file.write_text("from flax import nnx\n\nmodel = nnx.Linear  # two\n")
    found = run(src)
    assert planned == []
    assert found == run(src, cached=False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1\n", "# one\nx = 1\n"),
        ("x = '# one'\n", "x = '# two'\n"),
        ("x = f'{1} # one'\n", "x = f'{1} # two'\n"),
        ('x = """\n# one\n"""\n', 'x = """\n# two\n"""\n'),
        ("x = 1  # nnx-migrate: ignore\n", "x = 1\n"),
    ],
)
def test_what_is_no_remark_is_known_anew(
    tmp_path: Path, cache: Path, planned: list[str], before: str, after: str
) -> None:
    src = grow(tmp_path)
    file = src / "alone" / "alone.py"
    file.write_text(f"from flax import nnx\n{before}")
    run(src)
    planned.clear()
    file.write_text(f"from flax import nnx\n{after}")
    run(src)
    assert planned == ["alone.py"]


def test_without_a_cache_nothing_is_kept(tmp_path: Path, cache: Path, planned: list[str]) -> None:
    src = grow(tmp_path)
    run(src, cached=False)
    first = len(planned)
    run(src, cached=False)
    assert (len(planned), cache.exists()) == (2 * first, False)


def test_another_program_or_option_finds_all_anew(
    tmp_path: Path, cache: Path, planned: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    src = grow(tmp_path)
    run(src)
    first = len(planned)
    run(src, unsafe=True)
    assert len(planned) == 2 * first
    monkeypatch.setattr("nnx_migrate.engine.cache.answers.program_digest", lambda: b"another")
    run(src)
    assert len(planned) == 3 * first


@pytest.mark.parametrize("seed", range(6))
def test_what_a_disk_has_changed_is_found_anew(tmp_path: Path, cache: Path, seed: int) -> None:
    src = grow(tmp_path)
    fresh = run(src)
    drawn = random.Random(seed)
    for name in ("index.sqlite", "plans.sqlite"):
        data = bytearray((cache / name).read_bytes())
        start = 0 if seed % 2 else 4096
        for _ in range(60):
            data[drawn.randrange(start, len(data))] ^= 1 << drawn.randrange(8)
        (cache / name).write_bytes(data)
    (src / "alone" / "alone.py").write_text(_VMAP + "# again\n")
    assert run(src) == run(src, cached=False)
    assert run(src) == run(src, cached=False)
    (src / "alone" / "alone.py").write_text(_VMAP)
    assert run(src) == fresh


@pytest.mark.parametrize(
    ("name", "part"),
    [("index.sqlite", "head"), ("index.sqlite", "body"), ("plans.sqlite", "body")],
)
def test_the_answer_to_another_question_is_not_taken(
    tmp_path: Path, cache: Path, name: str, part: str
) -> None:
    src = grow(tmp_path)
    fresh = run(src)
    # As a damaged index of SQLite does: each key leads to what was kept under another.
    with contextlib.closing(sqlite3.connect(cache / name)) as database, database:
        keys, kept = zip(*database.execute(f"SELECT key, {part} FROM answers"), strict=True)
        rows = zip((*kept[1:], kept[0]), keys, strict=True)
        database.executemany(f"UPDATE answers SET {part} = ? WHERE key = ?", rows)
    if name == "index.sqlite":
        (cache / "plans.sqlite").unlink()
    (src / "alone" / "alone.py").write_text(_VMAP + "# again\n")
    assert run(src) == run(src, cached=False)
    (src / "alone" / "alone.py").write_text(_VMAP)
    assert run(src) == fresh


def test_nobody_else_can_look_into_it(tmp_path: Path, cache: Path) -> None:
    cache.mkdir(mode=0o777)
    cache.chmod(0o777)
    run(grow(tmp_path))
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in cache.iterdir()} == {0o600}


def test_a_folder_of_another_user_is_not_used(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.mkdir()
    src = grow(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert run(src) == run(src, cached=False)
    assert list(cache.iterdir()) == []


def test_a_link_in_its_place_is_not_followed(tmp_path: Path, cache: Path) -> None:
    src = grow(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"")
    cache.mkdir()
    (cache / "plans.sqlite").symlink_to(elsewhere)
    assert run(src) == run(src, cached=False)
    assert elsewhere.read_bytes() == b""


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path: Path, cache: Path) -> None:
    cache.write_text("a file")
    src = grow(tmp_path)
    assert run(src) == run(src, cached=False)


def test_it_does_not_grow_without_end(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_cache, "MOST_BYTES", 64 * 1024)
    src = grow(tmp_path)
    drawn = random.Random(1)
    for _ in range(12):
        noise = "".join(drawn.choice("abcdefgh") for _ in range(20_000))
        (src / "alone" / "alone.py").write_text(f"{_VMAP}# {noise}\n")
        run(src)
    sizes = [file.stat().st_size for file in cache.iterdir()]
    assert max(sizes) <= 64 * 1024


def test_what_was_kept_can_be_removed(tmp_path: Path, cache: Path, planned: list[str]) -> None:
    src = grow(tmp_path)
    assert forget_answers() == 0
    run(src)
    (cache / "of the user").touch()
    assert forget_answers() > 0
    assert [file.name for file in cache.iterdir()] == ["of the user"]
    planned.clear()
    run(src)
    assert planned
