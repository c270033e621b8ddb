"""Whatever the program: no crash, Python again, nothing lost, and nothing left to do."""

from __future__ import annotations

import ast
import collections
import io
import random
import sysconfig
import tokenize
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nnx_migrate.core.findings import FileStatus
from nnx_migrate.sources.text import decode
from tests.hazards.running import migrated
from tests.properties.programs import Program, programs

_DONE = {FileStatus.CHANGED, FileStatus.UNCHANGED}
_SETTINGS = settings(
    max_examples=150,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def _comments(text: str) -> collections.Counter[str]:
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return collections.Counter(
        token.string.rstrip()
        for token in tokenize.generate_tokens(io.StringIO(unified).readline)
        if token.type == tokenize.COMMENT
    )


@_SETTINGS
@given(programs())
def test_program_is_migrated_whole(program: Program) -> None:
    result = migrated(program.data)
    assert result.status in _DONE, result.reason
    assert len(result.findings) >= program.sites
    before = decode(result.path, program.data).text
    after = decode(result.path, result.after).text
    ast.parse(after)
    assert _comments(before) <= _comments(after)
    again = migrated(result.after)
    assert again.status in _DONE, again.reason
    assert again.after == result.after


def _library_files() -> list[Path]:
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    small = [path for path in files if path.stat().st_size < 60_000]
    return random.Random(0).sample(small, min(60, len(small)))


@settings(max_examples=60, derandomize=True, deadline=None, database=None)
@given(st.sampled_from(_library_files()))
def test_file_without_nnx_stays(path: Path) -> None:
    data = path.read_bytes()
    result = migrated(data)
    assert result.status is FileStatus.UNCHANGED, result.reason
    assert result.after == data
    assert result.findings == ()


@settings(max_examples=60, derandomize=True, deadline=None, database=None)
@given(st.sampled_from(_library_files()), programs())
def test_code_around_a_program_stays(path: Path, program: Program) -> None:
    around = path.read_bytes()
    text = decode(Path("around.py"), around).text
    if program.data[:3] == b"\xef\xbb\xbf" or b"coding" in around[:200] or "__future__" in text:
        return
    newline = b"\r\n" if b"\r\n" in program.data else b"\r" if b"\r" in program.data else b"\n"
    body = text.replace("\r\n", "\n").replace("\n", newline.decode()).encode()
    data = body + newline + program.data
    result = migrated(data)
    assert result.status in _DONE, result.reason
    assert result.after.startswith(body)
