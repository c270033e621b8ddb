"""One patch for all changed files, byte for byte what `apply` writes, as `git apply` wants it.

Lines are split at "\\n" only and bytes are carried through difflib as latin-1 characters, so
carriage returns, form feeds, byte order marks and any encoding reach the patch unharmed.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from nnx_migrate.core.findings import FileResult
from nnx_migrate.sources.imports.module_names import repository_of

Opcode = tuple[str, int, int, int, int]
_Found = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]
#: Files of so many lines are compared by all of them, in half a second at the very most.
_EXACT = 1_500
_ESCAPES = {
    ord("\a"): "\\a",
    ord("\b"): "\\b",
    ord("\t"): "\\t",
    ord("\n"): "\\n",
    ord("\v"): "\\v",
    ord("\f"): "\\f",
    ord("\r"): "\\r",
    ord('"'): '\\"',
    ord("\\"): "\\\\",
}


def render_patch(results: Iterable[FileResult], root: Path) -> bytes:
    """Return the unified diff of every result whose bytes change.

    Args:
        results: files with their bytes before and after.
        root: absolute folder that the names in the patch are relative to.
    """
    return b"".join(render_file(result, root) for result in results)


def render_file(result: FileResult, root: Path) -> bytes:
    """Return the patch of one file; b"" when its bytes do not change."""
    return render_change(patched_name(result.path, root), result.before, result.after)


def render_change(name: str, old: bytes, new: bytes) -> bytes:
    """Return the patch from one version of a file to another; b"" when they are the same.

    Args:
        name: the file's name in the patch, with "/".
        old: the bytes that the patch is for.
        new: the bytes that it makes of them.
    """
    if old == new:
        return b""
    before, after = patch_lines(old), patch_lines(new)
    groups = hunk_opcodes(before, after)
    lines = [f"--- {quote('a/' + name)}", f"+++ {quote('b/' + name)}"]
    header = "".join(f"{line}\n" for line in lines).encode()
    return header + "".join(_hunks(groups, before, after)).encode("latin-1")


def patch_root(paths: Iterable[Path]) -> Path:
    """Return the folder that patch names start from: the repository around all paths, or the cwd.

    Args:
        paths: the files in the patch, absolute or relative to the current folder.
    """
    here = Path.cwd()
    roots = {repository_of(path) for path in paths}
    if len(roots) == 1 and (root := roots.pop()) is not None:
        return root
    return here


def quote(name: str) -> str:
    """Return a file name the way git writes it in a patch.

    Args:
        name: the name with its a/ or b/ prefix; bytes outside UTF-8 as surrogate escapes.
    """
    data = os.fsencode(name)
    if all(32 <= byte < 127 and byte not in _ESCAPES for byte in data):
        # git ends an unquoted name at a tab, so that a name with spaces stays whole.
        return f"{name}\t" if " " in name else name
    return '"' + "".join(_escaped(byte) for byte in data) + '"'


def _escaped(byte: int) -> str:
    if byte in _ESCAPES:
        return _ESCAPES[byte]
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def patched_name(path: Path, root: Path) -> str:
    """The name of a file in a patch, from the root."""
    # The link to a file is not the file: git patches what lies at the target's own name.
    real = os.path.realpath(path)
    relative = os.path.relpath(real, os.path.realpath(root))
    return relative.replace(os.sep, "/")


def hunk_opcodes(before: list[str], after: list[str]) -> list[list[Opcode]]:
    """The hunks of a patch with three lines of context, as difflib describes them."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if len(before) > _EXACT:
        matcher = _LookedThrough(before, after)
    return list(matcher.get_grouped_opcodes(3))


class _LookedThrough(difflib.SequenceMatcher[str]):
    """Passes over lines that are frequent in a long file, such as a lone bracket, but for those
    that would seem to change then: it looks again at each span that is replaced."""

    def __init__(self, before: list[str], after: list[str]) -> None:
        super().__init__(None, before, after)
        self._before = before
        self._after = after

    def get_opcodes(self) -> list[_Found]:
        """What is replaced, removed and put in, and what stays between."""
        return list(self._looked_through())

    def _looked_through(self) -> Iterator[_Found]:
        i = j = 0
        for tag, i1, i2, j1, j2 in super().get_opcodes():
            inner: list[_Found] = [(tag, 0, i2 - i1, 0, j2 - j1)]
            if tag == "replace" and max(i2 - i1, j2 - j1) <= _EXACT:
                spans = self._before[i1:i2], self._after[j1:j2]
                inner = difflib.SequenceMatcher(None, *spans, autojunk=False).get_opcodes()
            for name, a1, a2, b1, b2 in inner:
                if name == "equal":
                    continue
                if (i, j) != (i1 + a1, j1 + b1):
                    yield "equal", i, i1 + a1, j, j1 + b1
                i, j = i1 + a2, j1 + b2
                yield name, i1 + a1, i, j1 + b1, j
        if (i, j) != (len(self._before), len(self._after)):
            yield "equal", i, len(self._before), j, len(self._after)


def patch_lines(data: bytes) -> list[str]:
    """The lines of a file as git sees them, bytes as latin-1."""
    lines = data.decode("latin-1").split("\n")
    ends = [f"{line}\n" for line in lines[:-1]]
    return [*ends, lines[-1]] if lines[-1] else ends


def _hunks(groups: list[list[Opcode]], before: list[str], after: list[str]) -> Iterator[str]:
    for group in groups:
        first, last = group[0], group[-1]
        old, new = _range(first[1], last[2]), _range(first[3], last[4])
        yield f"@@ -{old} +{new} @@\n"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (_line(" ", line) for line in before[i1:i2])
                continue
            yield from (_line("-", line) for line in before[i1:i2])
            yield from (_line("+", line) for line in after[j1:j2])


def _range(start: int, stop: int) -> str:
    length = stop - start
    # An empty range names the line before it, as in the output of diff.
    beginning = start + 1 if length else start
    return str(beginning) if length == 1 else f"{beginning},{length}"


def _line(mark: str, line: str) -> str:
    return (
        f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"
    )
