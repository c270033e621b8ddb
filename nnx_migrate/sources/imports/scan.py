"""What a file imports and which classes it derives, read off its bytes without parsing it.

The scan jumps from one "import" to the next, which takes 1/10 of the time of a pattern tried on
every line. It may see an import in a docstring, which costs one file parsed in vain, and misses one
behind a semicolon.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

_LIST = rb"(?:[^\r\n;#\\]|\\\r?\n)+"
_FROM = rb"from[ \t]+(?P<dots>\.*)[ \t]*(?P<module>[^\s;#(]*)[ \t]*\bimport\b"
_MODULES = rb"import[ \t]+(?P<modules>" + _LIST + rb")"
_NAMES = rb"[ \t]*(?:\((?P<group>[^)]*)\)|(?P<names>" + _LIST + rb"))"
_IMPORT = re.compile(rb"[ \t]*(?:" + _FROM + _NAMES + rb"|" + _MODULES + rb")")
_SOURCE = re.compile(rb"[ \t]*(?:" + _FROM + rb"|" + _MODULES + rb")")
_WORD = re.compile(rb"import[ \t(*\\]")
_CLASS = re.compile(rb"class[ \t]+(\w+)[ \t]*(?:\[[^\]]*\])?\(([^)]*)\)")
_COMMENT = re.compile(rb"#[^\n]*")
_LEADING_NAME = re.compile(rb"\s*(\w+)")


@dataclasses.dataclass(frozen=True, slots=True)
class Import:
    """One imported name.

    Args:
        module: absolute dotted name of the module.
        name: what is taken out of it; None for the module itself, "*" for everything.
        bound: the name that it gets here.
    """

    module: str
    name: str | None
    bound: str


@dataclasses.dataclass(frozen=True, slots=True)
class Written:
    """One imported name as it is written.

    Args:
        dots: how many stand in front of the module; 0 for an absolute import.
        module: what is behind them.
        name: what is taken out of it; None for the module itself, "*" for everything.
        bound: the name that it gets here.
    """

    dots: int
    module: str
    name: str | None
    bound: str

    @property
    def parts(self) -> list[str]:
        """The names on the way to it, behind the dots."""
        parts = self.module.split(".") if self.module else []
        return parts if self.name in (None, "*") else [*parts, str(self.name)]


#: The names by which imports mean themselves.
_LITERALLY: Mapping[str, str] = MappingProxyType({})


def scan_imports(
    data: bytes, module: str, package: bool, meant: Mapping[str, str] = _LITERALLY
) -> Iterator[Import]:
    """Yield what the file imports, with relative imports resolved.

    Args:
        data: the bytes of the file.
        module: its dotted name.
        package: it is an `__init__.py`.
        meant: first names of absolute imports -> the dotted names that they stand for here.
    """
    for each in written_imports(data):
        if each.dots:
            source = _absolute(each.dots, each.module, module, package)
        else:
            source = translated(each.module, meant)
        yield Import(source, each.name, each.bound)


# Bytes say the same each time; the steps that look for importers ask one after the other.
@functools.lru_cache(maxsize=8)
def written_imports(data: bytes) -> tuple[Written, ...]:
    """What the file with these bytes imports, as it says so; it is asked several times in turn."""
    return tuple(_written_imports(data))


def _written_imports(data: bytes) -> Iterator[Written]:
    for match in _import_lines(data, _IMPORT):
        if match["modules"] is not None:
            for name, bound in _names(match["modules"]):
                yield Written(0, name, None, bound.split(".")[0])
            continue
        source = match["module"].decode(errors="replace")
        for name, bound in _names(match["group"] or match["names"] or b""):
            yield Written(len(match["dots"]), source, name, bound)


def imported_modules(data: bytes) -> set[tuple[int, str]]:
    """Return the modules that the file imports, or imports something from, as it names them.

    Args:
        data: the bytes of the file.

    Returns:
        The number of dots, and what is behind them.
    """
    modules: set[tuple[int, str]] = set()
    for match in _import_lines(data, _SOURCE):
        if match["modules"] is not None:
            modules.update((0, name) for name, _ in _names(match["modules"]))
        else:
            modules.add((len(match["dots"]), match["module"].decode(errors="replace")))
    return modules


def translated(dotted: str, meant: Mapping[str, str]) -> str:
    """Put what is meant in place of the first name of a dotted one.

    Args:
        dotted: as an absolute import has it.
        meant: first names -> the dotted names that they stand for.
    """
    head, dot, rest = dotted.partition(".")
    return f"{meant[head]}{dot}{rest}" if head in meant else dotted


def scan_classes(data: bytes) -> Iterator[tuple[str, list[str]]]:
    """Yield each class of the file with the leading names of what it derives from."""
    for match in _CLASS.finditer(data):
        bases = [_LEADING_NAME.match(base) for base in match[2].split(b",")]
        yield match[1].decode(), [base[1].decode() for base in bases if base]


def _import_lines(data: bytes, pattern: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
    for word in _WORD.finditer(data):
        at = word.start()
        newline = data.rfind(b"\n", 0, at) + 1
        start = max(newline, data.rfind(b"\r", newline, at) + 1)
        match = pattern.match(data, start)
        if match is not None and match.end() > at:
            yield match


def _names(listing: bytes) -> Iterator[tuple[str, str]]:
    for item in _COMMENT.sub(b"", listing).replace(b"\\", b" ").split(b","):
        words = item.decode(errors="replace").split()
        if words:
            yield words[0], words[2] if len(words) == 3 and words[1] == "as" else words[0]


def _absolute(dots: int, source: str, module: str, package: bool) -> str:
    parts = module.split(".")
    parts = parts[: len(parts) - dots + (1 if package else 0)]
    return ".".join([*parts, source] if source else parts)
