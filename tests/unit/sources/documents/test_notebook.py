"""Notebooks become one module, and only what changes is written back."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.sources.documents.document import CannotPlace, Document
from nnx_migrate.sources.documents.notebook import read_notebook
from nnx_migrate.sources.text import UndecodableSource
from tests.unit.sources.documents.notebooks import code, notebook, text, written

PATH = Path("n.ipynb")


def read(content: dict[str, Any], **style: Any) -> Document:
    return read_notebook(PATH, written(content, **style))


def changed(document: Document, old: str, new: str) -> bytes:
    virtual = document.source.text
    assert virtual.count(old) == 1
    return document.with_text(virtual.replace(old, new))


CELLS = [
    text("# Grüße\n"),
    code("a = 1\nb = 'é\\t\"'", id="x1"),
    code(""),
    code("c = 2", outputs=[{"output_type": "stream", "text": ["\u001b[1m\u2028ü\n"], "n": 1e400}]),
]
STYLES: list[dict[str, Any]] = [
    {},
    {"indent": None},
    {"indent": None, "separators": (",", ":")},
    {"indent": "\t"},
    {"indent": 4, "ensure_ascii": True},
    {"sort_keys": True},
]


@pytest.mark.parametrize("style", STYLES)
def test_what_does_not_change_stays_byte_for_byte(style: dict[str, Any]) -> None:
    content = notebook(*CELLS)
    after = changed(read(content, **style), "c = 2\n", "c = 3\nd = 'ö'\n")
    expected = json.loads(json.dumps(content))
    expected["cells"][3]["source"] = ["c = 3\n", "d = 'ö'"]
    if style.get("indent", 1) is None:  # nothing shows how a list of several lines is laid out
        assert json.loads(after) == expected
        assert after.replace(b'"c = 3\\n", "d = \'\xc3\xb6\'"', b'"c = 2"') == written(
            content, **style
        ) or style.get("separators")
    else:
        assert after == written(expected, **style)


@pytest.mark.parametrize("as_list", [True, False])
def test_a_source_is_a_text_or_a_list(as_list: bool) -> None:
    source = "a = 1\n\nb = 2\n"
    content = notebook({**code(source), **({} if as_list else {"source": source})})
    after = json.loads(changed(read(content), "b = 2\n", "b = 3\nc = 4\n"))
    expected = "a = 1\n\nb = 3\nc = 4\n"
    assert after["cells"][0]["source"] == (expected.splitlines(True) if as_list else expected)


def test_lines_keep_the_way_they_are_written() -> None:
    raw = (
        rb'{"cells": [{"cell_type": "code", "source": ["a = \"\u00e9\/\"\r\n", "b = 1\r\n",'
        rb' "c = 2"]}], "nbformat": 4}'
    )
    after = changed(read_notebook(PATH, raw), "b = 1\n", "b = 'é'\nx = 1\n")
    new = b'"b = \'\\u00e9\'\\r\\n", "x = 1\\r\\n"'
    assert after == raw.replace(rb'"b = 1\r\n"', new)


def test_strings_cut_in_the_middle_of_a_line_are_read() -> None:
    document = read(notebook(code(["a = ", "1\nb", " = 2"])))
    assert document.blocks[0].code == ("a = 1", "b = 2")
    after = json.loads(changed(document, "b = 2\n", "b = 3\n"))
    assert "".join(after["cells"][0]["source"]) == "a = 1\nb = 3"


def test_worksheets_of_nbformat_3_are_read() -> None:
    cell = {"cell_type": "code", "input": ["a = 1\n", "b = 2"], "language": "python"}
    content = {"worksheets": [{"cells": [text("x"), cell]}], "nbformat": 3}
    after = json.loads(changed(read(content), "b = 2\n", "b = 3\n"))
    assert after["worksheets"][0]["cells"][1]["input"] == ["a = 1\n", "b = 3"]


def test_a_byte_order_mark_stays() -> None:
    data = b"\xef\xbb\xbf" + written(notebook(code("a = 1")))
    after = changed(read_notebook(PATH, data), "a = 1\n", "a = 2\n")
    assert after == data.replace(b"a = 1", b"a = 2")


def test_places_are_those_of_the_cell_and_of_the_file() -> None:
    data = written(notebook(text("x"), code("%time a = 1\nb = '\\t'; c = 3")))
    document = read_notebook(PATH, data)
    line = document.source.text.split("\n").index("b = '\\t'; c = 3") + 1
    place = document.place(line)
    assert (place.cell, place.cell_line) == (2, 2)
    raw = data.decode().split("\n")[place.line - 1]
    assert "c = 3" in raw
    assert document.columns(line, 11) == (raw.index("c = 3") + 1, 11)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "a value was expected|{ was expected"),
        (b"[]", "{ was expected"),
        (b'{"cells": 1}', r"\[ was expected"),
        (b'{"cells": [}', "a value was expected"),
        (b'{"cells": [{"cell_type": "code"}]}', "cell 1 has no source"),
        (b'{"cells": [{"cell_type": "code", "source": 3}]}', "neither a text nor a list"),
        (b'{"cells": []} x', "something follows its end"),
        (b'{"cells": [] "x"', "a comma or } was expected"),
        (b"{}", "it has no cells"),
        (b'{"cells": []', "a comma or } was expected"),
        (b'{"cells": [{"cell_type": "code", "source": "\n"}]}', "control character"),
        (b'{"cells": ' + b"[" * 100_000, "too deep|value was expected"),
        (b"\xff\xfe{\0", "not UTF-8"),
        (b'{"cells": [], "metadata": {"kernelspec": {"language": "R"}}}', "a notebook of r"),
    ],
)
def test_what_is_no_notebook_is_said(data: bytes, reason: str) -> None:
    with pytest.raises(UndecodableSource, match=reason):
        read_notebook(PATH, data)


def test_a_cell_that_cannot_be_read_is_left_and_the_others_are_read() -> None:
    document = read(notebook(code("a = 1"), code("def f(:\n  return nnx"), code("b = 2")))
    (unread,) = document.unread
    assert (unread.place.cell, unread.mentions_nnx) == (2, True)
    assert "b = 2" in document.source.text
    assert json.loads(changed(document, "b = 2\n", "b = 3\n"))["cells"][2]["source"] == ["b = 3"]


def test_names_of_a_cell_that_cannot_be_read_count_as_used() -> None:
    document = read(notebook(code("step(model) where")))
    assert "__ipython__(model, step, where)" in document.source.text


def test_edits_across_cells_are_refused() -> None:
    document = read(notebook(code("a = 1"), code("b = 2"), code("c")))
    virtual = document.source.text
    mark = next(line for line in virtual.split("\n") if line.startswith("#") and "1" in line)
    for edited in (
        virtual.replace(f"{mark}\n", ""),
        virtual.replace(mark, f"  {mark}"),
        virtual.replace(mark, f"{mark}\n{mark}"),
        "x = 1\n" + virtual,
        virtual.replace("c\n", "c\nx = 1\n"),  # the value of c is shown
    ):
        assert document.refuses(edited)
        with pytest.raises(CannotPlace):
            document.with_text(edited)
    assert not document.refuses(virtual.replace("c\n", "x = 1\nc\n"))


def test_large_outputs_cost_little() -> None:
    image = {"output_type": "display_data", "data": {"image/png": "A" * 20_000_000}}
    data = written(notebook(code("a = 1", outputs=[image])))
    start = time.perf_counter()
    json.loads(data)
    loads = time.perf_counter() - start
    start = time.perf_counter()
    read_notebook(PATH, data)
    assert time.perf_counter() - start < 20 * loads + 0.5
