"""Lossless text: the exact characters of a source file, and the way back to its exact bytes."""

from __future__ import annotations

import dataclasses
import io
import re
import tokenize
from pathlib import Path

_BOM = b"\xef\xbb\xbf"
_NEWLINE = re.compile(rb"\r\n|\r|\n")
# Codecs whose strict decoding loses nothing, so that no second pass has to prove it.
_LOSSLESS = frozenset({"utf-8", "iso-8859-1", "ascii"})


class UndecodableSource(ValueError):
    """The bytes are not the text they claim to be.

    Args:
        reason: why, in words that fit behind "could not be read: ".
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class UnencodableText(ValueError):
    """New text cannot be stored in the encoding that the file declares.

    Args:
        reason: why, in words that fit behind "could not be written: ".
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclasses.dataclass(frozen=True, slots=True)
class Source:
    """One file as it was read.

    Args:
        path: the file, as it was named or found.
        data: its exact bytes.
        text: its exact characters without the byte order mark; newlines and form feeds
            stay as they are.
        encoding: normalised codec name ("utf-8" for files with a byte order mark as well).
        bom: the file starts with a UTF-8 byte order mark.
        stands: of the virtual module of a document, where each line stands: the line of the file,
            and the cell and the line in it, or 0.
        lines: of a text that is not the whole file, the line of the file for each of its lines.
    """

    path: Path
    data: bytes
    text: str
    encoding: str
    bom: bool
    stands: tuple[tuple[int, int, int], ...] = ()
    lines: tuple[int, ...] = ()

    def encode(self, new_text: str) -> bytes:
        """Return the bytes of `new_text` in this file's encoding, byte order mark included.

        Args:
            new_text: the text that shall replace `text`.

        Raises:
            UnencodableText: a character does not exist in the encoding, or the bytes would be read
                back as another text (an edit that moved or removed the encoding declaration).
        """
        if new_text == self.text:
            return self.data
        try:
            data = (_BOM if self.bom else b"") + new_text.encode(self.encoding)
        except UnicodeEncodeError as error:
            missing = ascii(new_text[error.start : error.end])
            raise UnencodableText(f"{missing} does not exist in {self.encoding}") from None
        try:
            unchanged = decode(self.path, data).text == new_text
        except UndecodableSource as error:
            raise UnencodableText(f"the new text would not be readable: {error.reason}") from None
        if not unchanged:
            raise UnencodableText("the new text changes the file's declared encoding")
        return data


def decode(path: Path, data: bytes) -> Source:
    """Decode a source file the way Python does (PEP 263), without touching its newlines.

    Args:
        path: where the bytes come from; only kept, never opened.
        data: the exact bytes of the file.

    Raises:
        UndecodableSource: NUL bytes, an unknown codec, or bytes that are not in the declared
            encoding.
    """
    if b"\0" in data:
        raise UndecodableSource("it holds NUL bytes, so it is binary or UTF-16, not Python source")
    declared = _declared_encoding(data)
    bom = declared == "utf-8-sig"
    encoding = "utf-8" if bom else declared
    body = data[len(_BOM) :] if bom else data
    try:
        text = body.decode(encoding)
        lossless = encoding in _LOSSLESS or text.encode(encoding) == body
    except UnicodeError as error:
        raise UndecodableSource(_reason(error, encoding)) from None
    except LookupError:
        raise UndecodableSource(f"{encoding} is not a text encoding") from None
    if not lossless:
        raise UndecodableSource(f"its bytes would not survive a round trip through {encoding}")
    return Source(path=path, data=data, text=text, encoding=encoding, bom=bom)


def newline_of(text: str) -> str:
    r"""Return the newline that most lines of `text` end with ("\n" when there is none)."""
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=counts.__getitem__)


def _declared_encoding(data: bytes) -> str:
    # detect_encoding ends lines at "\n" only, but Python ends them at a lone "\r" as well.
    head = b"\n".join(_NEWLINE.split(data, maxsplit=2)[:2])
    try:
        return tokenize.detect_encoding(io.BytesIO(head).readline)[0]
    except SyntaxError as error:
        reason = error.msg or "its encoding declaration is not valid"
        if reason.startswith("invalid or missing encoding declaration"):
            reason = "it is not UTF-8 and declares no other encoding"
        raise UndecodableSource(reason) from None


def _reason(error: UnicodeError, encoding: str) -> str:
    if isinstance(error, UnicodeDecodeError):
        line = len(_NEWLINE.findall(error.object[: error.start])) + 1
        byte = error.object[error.start]
        return f"line {line} holds byte 0x{byte:02x}, which is not {encoding}"
    return f"it is not {encoding}"
