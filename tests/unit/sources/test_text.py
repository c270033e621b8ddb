"""Text goes out byte for byte as it came in, or is refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnx_migrate.sources.text import UndecodableSource, UnencodableText, decode, newline_of

PATH = Path("some.py")


@pytest.mark.parametrize(
    ("data", "text", "encoding", "bom"),
    [
        (b"x = 1\n", "x = 1\n", "utf-8", False),
        (b"", "", "utf-8", False),
        (b"\xef\xbb\xbfx = 1\r\n", "x = 1\r\n", "utf-8", True),
        (b"# coding: latin-1\n'\xe9'\n", "# coding: latin-1\n'é'\n", "iso-8859-1", False),
        (b"#!/x\n# vim: set fileencoding=cp1252 :\n\x80", None, "cp1252", False),
        (b"# coding: latin-1\r\xe9\r", "# coding: latin-1\ré\r", "iso-8859-1", False),
        (b"a\r\nb\nc\rd\x0ce", "a\r\nb\nc\rd\x0ce", "utf-8", False),
        ("# coding: shift_jis\n'日本'\n".encode("shift_jis"), None, "shift_jis", False),
    ],
)
def test_decodes_as_python_does(data: bytes, text: str | None, encoding: str, bom: bool) -> None:
    source = decode(PATH, data)
    assert (source.encoding, source.bom) == (encoding, bom)
    assert text is None or source.text == text
    edited = source.encode(source.text + "y = 2\n")
    assert edited == data + b"y = 2\n"
    assert source.encode(source.text) == data


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = '\xe9'\n", "it is not UTF-8 and declares no other encoding"),
        (b"a\nb\nx = '\xe9'\n", "line 3 holds byte 0xe9, which is not utf-8"),
        (b"# coding: no-such-codec\n", "unknown encoding: no-such-codec"),
        (b"# coding: rot13\n", "rot13 is not a text encoding"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "encoding problem: utf-8"),
        (b"x = 1\0\n", "it holds NUL bytes, so it is binary or UTF-16, not Python source"),
        ("x = 1".encode("utf-16"), "it holds NUL bytes"),
        (b"# coding: utf-16\nxy\n", "would not survive a round trip"),
    ],
)
def test_refuses_what_is_not_text(data: bytes, reason: str) -> None:
    with pytest.raises(UndecodableSource) as caught:
        decode(PATH, data)
    assert reason in caught.value.reason


def test_refuses_new_text_that_the_encoding_cannot_hold() -> None:
    source = decode(PATH, b"# coding: latin-1\nx = 1\n")
    with pytest.raises(UnencodableText, match="does not exist in iso-8859-1"):
        source.encode("# coding: latin-1\nx = '\N{SNOWMAN}'\n")


def test_refuses_new_text_that_loses_the_encoding_declaration() -> None:
    source = decode(PATH, b"# coding: latin-1\nx = '\xe9'\n")
    with pytest.raises(UnencodableText):
        source.encode("import os\n\n\n# coding: latin-1\nx = 'é'\n")


@given(st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_every_utf8_text_survives(text: str) -> None:
    data = b"#\n#\n" + text.encode()
    source = decode(PATH, data)
    assert source.encode(source.text) == data
    assert source.text == "#\n#\n" + text


@pytest.mark.parametrize(
    ("text", "newline"),
    [("", "\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\rb\rc\n", "\r"), ("a\nb\r\n", "\n"), ("x", "\n")],
)
def test_dominant_newline(text: str, newline: str) -> None:
    assert newline_of(text) == newline
