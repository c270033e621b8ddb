"""What every rule owes to a file, however it is written and stored."""

from __future__ import annotations

import ast
import collections
import io
import re
import sys
import tokenize
from collections.abc import Callable

import pytest

from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.sources.text import decode
from tests.hazards.running import migrated, settled
from tests.hazards.sources import HEAD, SOURCES, TAIL

RULES = {rule for hazard in SOURCES.values() for rule in hazard.found}
_LATIN = "# -*- coding: latin-1 -*-\n"


def _latin(text: str) -> bytes:
    """Latin-1, with letters of two bytes in UTF-8 in front of code that is edited."""
    plain = "".join(c if ord(c) < 256 else "o" for c in text)
    shifted = re.sub(r"^( +)(return|grads =|g =) ", r"\1'éü'; \2 ", plain, flags=re.MULTILINE)
    try:
        ast.parse(shifted)
    except SyntaxError:
        shifted = plain
    return (_LATIN + shifted).encode("latin-1")


def _form_feeds(text: str) -> bytes:
    return text.replace("\n\n\n", "\n\f\n\n").encode()


STORED: dict[str, Callable[[str], bytes]] = {
    "as-it-is": str.encode,
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "cr": lambda text: text.replace("\n", "\r").encode(),
    "bom": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "form-feed": _form_feeds,
    "no-final-newline": lambda text: text.removesuffix(TAIL).rstrip("\n").encode(),
    "latin-1": _latin,
}


def _unified(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _comments(text: str) -> collections.Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(_unified(text)).readline)
    return collections.Counter(t.string.rstrip() for t in tokens if t.type == tokenize.COMMENT)


def _strings(text: str) -> collections.Counter[str]:
    return collections.Counter(
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _count(result: FileResult) -> dict[str, int]:
    """Findings of the rules that the sources are for; others may have their say too."""
    rules = (finding.rule for finding in result.findings)
    return dict(collections.Counter(rule for rule in rules if rule in RULES))


@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("name", SOURCES)
def test_file_is_kept(name: str, stored: str) -> None:
    hazard = SOURCES[name]
    data = STORED[stored](hazard.text)
    result = migrated(data)
    assert result.status in {FileStatus.CHANGED, FileStatus.UNCHANGED}, result.reason
    before, after = (decode(result.path, side).text for side in (data, result.after))
    assert _comments(before) - _comments(after) == collections.Counter()
    for string, times in _strings(before).items():
        assert _strings(after)[string] >= min(times, 1) or string == "layers"
    assert _count(result) == {rule: count for rule, count in hazard.found.items() if count}
    newlines = set(re.findall(r"\r\n|\r|\n", before))
    assert set(re.findall(r"\r\n|\r|\n", after)) <= newlines
    assert result.after.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
    assert after.endswith(("\r", "\n")) == before.endswith(("\r", "\n"))
    assert settled(result)


@pytest.mark.parametrize("name", SOURCES)
def test_lines_without_an_edit_are_kept(name: str) -> None:
    text = SOURCES[name].text
    after = migrated(text.encode()).after.decode()
    assert after.endswith(TAIL)
    start = HEAD.index("odd  =")
    if name.startswith("module-gradient-") and HEAD not in text:
        return
    assert HEAD[start:] in after


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters() -> None:
    source = HEAD + (
        "type Loss = nnx.State\n\n\n"
        "def step[T: Net](model: Net, x: T):\n    def loss_fn[S](m: Net, y: S):\n"
        "        return jnp.mean(m(y))\n    return nnx.grad(loss_fn)(model, x)\n\n\n"
        "@nnx.grad\ndef other[T](model: Net, x: T): return jnp.mean(model(x))\n"
    )
    result = migrated(source.encode())
    assert _count(result) == {"module-gradient": 2}
    assert settled(result)


def test_long_file() -> None:
    block = SOURCES["module-gradient-comments-on-every-line"].text.removeprefix(HEAD)
    block = block.removesuffix(TAIL)
    filler = "".join(f"value_{i} = [{i},  {i}]  # {i}\n" for i in range(20_000))
    result = migrated((HEAD + filler + "\n\n" + block).encode())
    assert result.status is FileStatus.CHANGED, result.reason
    assert filler.encode() in result.after
    assert _count(result) == {"module-gradient": 1}
