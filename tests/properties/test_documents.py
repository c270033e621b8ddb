"""Documents made at random: what is not changed keeps its bytes, what is changed is read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from nnx_migrate.sources.documents.document import CannotPlace, Document, kept_lines
from nnx_migrate.sources.documents.kinds import read_document

STATEMENTS = st.sampled_from(
    [
        "a = nnx.f(1)",
        "if a:\n    b = 2\n\n    c = 'é\\t\"'",
        "def f(x):\n  return x  # \u2028 note",
        '"""\n%no magic\n"""',
        "d = [\n  1,\n]",
        "a",
        "",
        "# alone",
    ]
)
MAGICS = st.sampled_from(["%magic x", "!ls {a}", "x?", "y = !ls \\\n  -l", "%time a = f(1)"])
BROKEN = st.sampled_from(["nnx (", "def", "  a = 1", "%%bash\nrm nnx", "\x00", "\ud800"])
NOISE = st.text(st.characters(blacklist_categories=["Cs"]), max_size=20)
CELLS = st.one_of(st.lists(st.one_of(STATEMENTS, MAGICS), max_size=4).map("\n".join), BROKEN, NOISE)
STYLES: list[dict[str, Any]] = [
    {"indent": 1},
    {"indent": None},
    {"separators": (",", ":")},
    {"indent": "\t"},
]
NEW = st.sampled_from(["z = 1", "with a:\n  z = 'ü'", "z = f(\n  2)"])


@st.composite
def notebooks(draw: st.DrawFn) -> bytes:
    cells: list[dict[str, Any]] = []
    for source in draw(st.lists(CELLS, min_size=1, max_size=5)):
        end = draw(st.sampled_from(["", "\n"]))
        written: str | list[str] = source + end
        if draw(st.booleans()):
            written = (source + end).splitlines(keepends=True)
            if draw(st.booleans()):
                written = [part for line in written for part in (line[:2], line[2:])]
        kind = draw(st.sampled_from(["code", "code", "markdown"]))
        cells.append({"cell_type": kind, "metadata": {"n": draw(NOISE)}, "source": written})
    style = draw(st.sampled_from(STYLES))
    content = {"cells": cells, "nbformat": 4, "outputs": draw(NOISE)}
    text = json.dumps(content, ensure_ascii=draw(st.booleans()), **style)
    return text.encode("utf-8", "backslashreplace") + draw(st.sampled_from([b"", b"\n", b"\r\n"]))


@st.composite
def pages(draw: st.DrawFn) -> bytes:
    parts = []
    for block in draw(st.lists(CELLS, max_size=5)):
        lead = draw(st.sampled_from(["", "   ", "> ", "- "]))
        fence = draw(st.sampled_from(["```", "~~~~", "`````"]))
        language = draw(st.sampled_from(["python", "{code-cell} ipython3", "py", "bash", ""]))
        rest = lead.replace("-", " ")
        lines = "\n".join(f"{rest}{line}" for line in block.split("\n"))
        parts.append(f"{draw(NOISE)}\n\n{lead}{fence}{language}\n{lines}\n{rest}{fence}\n")
    text = "\n".join(parts).replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return text.encode("utf-8", "backslashreplace")


def check(path: Path, data: bytes, new: str) -> None:
    document = read_document(path, data)
    text = document.source.text
    assert document.with_text(text) == data
    for number, block in enumerate(document.blocks):
        start, end = block.span
        assert len(block.places) == len(block.code)
        try:
            edited = _with_block(document, number, [*block.code, *new.split("\n")])
            after = document.with_text(edited)
        except CannotPlace:
            continue
        assert after.startswith(document.raw[:start].encode())
        assert after.endswith(document.raw[end:].encode())
        again = read_document(path, after)
        assert document.reads_as(edited, again)
        if again.source.text == edited and not again.refuses(text):
            assert document.reads_as(text, read_document(path, again.with_text(text)))


def _with_block(document: Document, number: int, lines: list[str]) -> str:
    """The virtual text with other lines in one block."""
    virtual = document.source.text.split("\n")
    first = 2 + sum(1 + len(block.code) for block in document.blocks[:number])
    stop = first + len(document.blocks[number].code)
    return "\n".join([*virtual[:first], *lines, *virtual[stop:]])


@given(notebooks(), NEW)
@settings(deadline=None, max_examples=200)
def test_notebooks(data: bytes, new: str) -> None:
    check(Path("a.ipynb"), data, new)


@given(pages(), NEW)
@settings(deadline=None, max_examples=200)
def test_pages(data: bytes, new: str) -> None:
    check(Path("a.md"), data, new)


@given(st.binary(max_size=200), st.sampled_from(["a.ipynb", "a.md", "a.rst"]))
@settings(deadline=None, max_examples=100)
def test_no_bytes_break_the_readers(data: bytes, name: str) -> None:
    try:
        document = read_document(Path(name), data)
    except ValueError:
        return
    assert document.with_text(document.source.text) == data


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_kept_lines_are_the_same_and_in_order(old: list[str], new: list[str]) -> None:
    kept = kept_lines(old, new)
    assert len(kept) == len(new)
    found = [at for at in kept if at is not None]
    assert found == sorted(set(found))
    assert all(old[at] == line for at, line in zip(kept, new, strict=True) if at is not None)
