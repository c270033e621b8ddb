"""Files that are damaged, or stored in ways that few are, and what holds for any bytes."""

from __future__ import annotations

import functools
import random
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.engine.run import run_text
from nnx_migrate.report.patches.patch import render_patch
from nnx_migrate.sources.configuration import Configuration
from tests.fuzzing.programs import program
from tests.fuzzing.promises import wrong_text
from tests.golden.cases import GOLDEN

_TOKENS = re.compile(r"\w+|\s+|[^\w\s]")
_INSERTED = (
    *("(", ")", "[", "]", "{", "}", ":", ";", ",", "=", ":=", "->", "*", "**", "@", "\\\n", "\n"),
    *("#", "# nnx.grad(f)(model)", "'''", '"""', "'", "f'{model(x)!r:>{3}}'", "\f", "\t", "  "),
    *("lambda: ", "await ", "async ", "yield ", "not ", "...", "nnx.", "nnx.jit(", "@nnx.vmap\n"),
    *("match x:\n", "case _:\n", "type T = int\n", "def f[T](x: T) -> T: return x\n", "é", "\x00"),
)
_HEADS = (
    *("# -*- coding: latin-1 -*-\n", "# coding: utf-8\n", "#!/usr/bin/env python\n"),
    *(
        "from __future__ import annotations\n",
        "# type: ignore\n",
        "\f\n",
        "# nnx-migrate: ignore\n",
    ),
)


@functools.cache
def sources() -> tuple[str, ...]:
    """Programs before their migration: the golden ones, and some that are drawn."""
    golden = [path.read_text(encoding="utf-8") for path in sorted(GOLDEN.glob("*/*/before.py"))]
    return (*golden, *(program(seed).text() for seed in range(40)))


def _tokens(text: str, draw: random.Random) -> str:
    """Tokens left out, doubled, swapped, moved or put in."""
    parts = _TOKENS.findall(text)
    for _ in range(draw.choice((1, 1, 1, 2, 4, 12))):
        place, other = draw.randrange(len(parts)), draw.randrange(len(parts))
        match draw.randrange(5):
            case 0:
                parts[place] = ""
            case 1:
                parts[place] *= 2
            case 2:
                parts[place], parts[other] = parts[other], parts[place]
            case 3:
                parts[place] = draw.choice(_INSERTED)
            case _:
                parts.insert(place, draw.choice(_INSERTED))
    return "".join(parts)


def _lines(text: str, draw: random.Random) -> str:
    """Lines left out, doubled, joined, commented or blown up."""
    lines = text.split("\n")
    for _ in range(draw.randrange(1, 4)):
        place = draw.randrange(len(lines))
        match draw.randrange(7):
            case 0:
                del lines[place]
                lines = lines or [""]
            case 1:
                lines.insert(place, lines[place])
            case 2:
                lines[place] += "  # " + draw.choice(("why", "ünï", "日本", "(", "'''"))
            case 3:
                indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
                lines.insert(place, f"{indent}x = 1; y = 2;")
            case 4:
                lines.insert(place, "x = " + "(" * 60 + "1" + ")" * 60)
            case 5:
                lines.insert(place, "y = [" + "1, " * 5000 + "]")
            case _:
                lines[place] = lines[place].replace(", ", ", \\\n        ", 1)
    return "\n".join(lines)


def _stored(text: str, draw: random.Random) -> bytes:
    """The text in some encoding, with some newlines and indentation."""
    if draw.random() < 0.3:
        text = draw.choice(_HEADS) + text
    if draw.random() < 0.2:
        text = re.sub(r"(?m)^( {4})+", lambda found: "\t" * (len(found[0]) // 4), text)
    newline = draw.choice(("\n", "\n", "\n", "\r\n", "\r", "\n\f\n"))
    text = text.replace("\n", newline)
    if draw.random() < 0.2:
        text = text.rstrip()
    encoding = draw.choice(("utf-8", "utf-8", "utf-8", "utf-8-sig", "latin-1", "utf-16"))
    return text.encode(encoding, "replace")


def _bytes(data: bytes, draw: random.Random) -> bytes:
    """Some bytes turned into others, or the end cut off."""
    if draw.random() < 0.5:
        return data[: draw.randrange(len(data) + 1)]
    found = bytearray(data)
    for _ in range(draw.randrange(1, 4)):
        found[draw.randrange(len(found))] = draw.randrange(256)
    return bytes(found)


def damaged(seed: int) -> bytes:
    """A file; the same seed gives the same one."""
    draw = random.Random(seed)
    text = draw.choice(sources())
    ways: tuple[Callable[[str, random.Random], str], ...] = (_tokens, _lines)
    for way in draw.choices(ways, k=draw.randrange(3)):
        text = way(text, draw)
    data = _stored(text, draw)
    return _bytes(data, draw) if data and draw.random() < 0.15 else data


def broken_promises(data: bytes, folder: Path) -> tuple[FileResult, str]:
    """Migrate a file whatever it is, and say which promise does not hold, "" for all do.

    Args:
        data: the file.
        folder: where it would lie; an empty one.
    """
    result = run_text(data, folder / "main.py", Configuration())
    if any(finding.rule == "internal-error" for finding in result.findings):
        return result, f"it crashes: {result.reason}"
    if result.status is FileStatus.CHANGED:
        return result, wrong_text(result)
    if result.after != data:
        return result, f"it is {result.status}, and its bytes are others"
    if result.status is not FileStatus.UNCHANGED and not (result.findings or result.reason):
        return result, f"it is {result.status} without a word"
    return result, ""


def not_applied(result: FileResult) -> str:
    """Whether `git apply` makes of the file what it should be; why not, else.

    Args:
        result: of a file that changes.
    """
    with tempfile.TemporaryDirectory() as home:
        file = Path(home, "main.py")
        file.write_bytes(result.before)
        patch = render_patch([_named(result, file)], Path(home))
        command = ["git", "apply", "--unsafe-paths", "-p1", "-"]
        done = subprocess.run(command, input=patch, cwd=home, capture_output=True, check=False)
        if done.returncode:
            return done.stderr.decode()
        return "" if file.read_bytes() == result.after else "the patch gives something else"


def _named(result: FileResult, path: Path) -> FileResult:
    import dataclasses

    return dataclasses.replace(result, path=path)
