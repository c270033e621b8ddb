"""Moves every module to the package that `scripts/moves.txt` names: files, imports, dotted names.

    python scripts/move_modules.py --check   # modules that the list lacks, or has for nothing
    python scripts/move_modules.py           # moves; then: ruff check --fix, ruff format, mypy

Run it in a clean checkout: nothing but names and places changes. A branch that was begun before is
brought over by running it on the branch's tip as well, and taking the difference of the two trees.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_LIST = Path(__file__).with_name("moves.txt")
_TOPS = {"nnx_migrate": Path("nnx_migrate"), "nnx_codemods": Path("codemods/nnx_codemods")}
#: Packages of which the modules stay where they are.
_STAY = (
    "nnx_migrate.check.proof.",
    "nnx_migrate.check.recording.",
    "nnx_migrate.report.html.",
    "nnx_migrate.sources.documents.",
)
_FOLDERS = {"tests/unit/facts": "tests/unit/analysis"}
_DATA = {"nnx_migrate/facts/flax_layers.json": "nnx_migrate/analysis/flax/flax_layers.json"}
_TEXTS = {".cfg", ".md", ".py", ".sh", ".toml", ".yaml", ".yml"}
_DOTTED = re.compile(r"\b(?:nnx_migrate|nnx_codemods)(?:\.\w+)+")


def read_moves() -> tuple[dict[str, str], dict[str, str]]:
    """New dotted names by old ones, and what each new package holds."""
    moves: dict[str, str] = {}
    packages: dict[str, str] = {}
    package = ""
    for line in _LIST.read_text(encoding="utf-8").splitlines():
        if head := re.fullmatch(r"\[([\w.]+)\] ?(.*)", line):
            package = head[1]
            packages[package] = head[2]
        elif move := re.fullmatch(r" +([\w.]+) -> (\w+)", line):
            moves[move[1]] = f"{package}.{move[2]}"
    return moves, packages


def modules() -> dict[str, Path]:
    """The file of every module, by its dotted name."""
    found = {}
    for top, folder in _TOPS.items():
        for file in folder.rglob("*.py"):
            parts = (top, *file.relative_to(folder).with_suffix("").parts)
            found[".".join(parts)] = file
    return found


def unmapped(moves: Mapping[str, str]) -> list[str]:
    """What the list lacks, and what it has of modules that are not there."""
    there = modules()
    rules = {n for n in there if re.fullmatch(r"nnx_codemods\.[a-z]\w*", n)}
    free = {n for n in there if n.endswith(("__init__", "__main__")) or n.startswith(_STAY)}
    evidence = {"nnx_codemods._evidence"}
    lacking = sorted(there.keys() - moves.keys() - rules - free - evidence)
    return [
        *(f"not in the list: {name}" for name in lacking),
        *(f"no such module: {name}" for name in sorted(moves.keys() - there.keys())),
    ]


def _file_of(name: str) -> str:
    top, _, rest = name.partition(".")
    return f"{_TOPS[top].as_posix()}/{rest.replace('.', '/')}.py"


def _renamed(moves: Mapping[str, str], name: str) -> str:
    parts = name.split(".")
    for count in range(len(parts), 1, -1):
        head = ".".join(parts[:count])
        if head in moves:
            return ".".join([moves[head], *parts[count:]])
    return name


def _module_imports(text: str, moves: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """A text with a mark for each `from package import module`, and what the marks stand for."""
    lines = text.splitlines(keepends=True)
    marks: dict[str, str] = {}
    nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom) and n.module]
    for node in sorted(nodes, key=lambda n: n.lineno, reverse=True):
        moving = [a for a in node.names if f"{node.module}.{a.name}" in moves]
        if not moving or node.level:
            continue
        rest = [ast.unparse(a) for a in node.names if a not in moving]
        new = [f"from {node.module} import {', '.join(rest)}"] if rest else []
        new = [_DOTTED.sub(lambda found: _renamed(moves, found[0]), each) for each in new]
        for alias in moving:
            package, _, name = moves[f"{node.module}.{alias.name}"].rpartition(".")
            wanted = alias.asname or alias.name
            bound = "" if wanted == name else f" as {wanted}"
            new.append(f"from {package} import {name}{bound}")
        mark = f"@@{len(marks)}@@"
        marks[mark] = ("\n" + " " * node.col_offset).join(new)
        start, end = node.lineno - 1, node.end_lineno or node.lineno
        head = lines[start].encode()[: node.col_offset].decode()
        tail = lines[end - 1].encode()[node.end_col_offset :].decode()
        lines[start:end] = [head + mark + tail]
    return "".join(lines), marks


def _rewritten(path: Path, text: str, moves: Mapping[str, str]) -> str:
    marks: dict[str, str] = {}
    if path.suffix == ".py":
        text, marks = _module_imports(text, moves)
    text = _DOTTED.sub(lambda found: _renamed(moves, found[0]), text)
    for old, new in ({_file_of(a): _file_of(b) for a, b in moves.items()} | _DATA).items():
        text = re.sub(rf"(?<![\w/]){re.escape(old)}\b", new, text)
    for old, new in _FOLDERS.items():
        text = text.replace(old.replace("/", "."), new.replace("/", ".")).replace(old, new)
    for mark, new in marks.items():
        text = text.replace(mark, new)
    return text


def _move(old: str, new: str) -> None:
    Path(new).parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "mv", old, new], check=True)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only compare the list and the tree")
    options = parser.parse_args()
    moves, packages = read_moves()
    missing = unmapped(moves)
    print(*missing, sep="\n" if missing else "")
    if options.check or missing:
        return int(bool(missing))
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout
    own = {_LIST.name, Path(__file__).name}
    for path in map(Path, listed.splitlines()):
        if path.suffix in _TEXTS and path.parts[0] != "golden" and path.name not in own:
            before = path.read_text(encoding="utf-8", errors="surrogateescape")
            after = _rewritten(path, before, moves)
            if after != before:
                path.write_text(after, encoding="utf-8", errors="surrogateescape")
    # In two steps: `engine.py` makes room for `engine/run.py`.
    for old in moves:
        _move(_file_of(old), f"{_file_of(old)}.moving")
    for old, new in {
        **{f"{_file_of(a)}.moving": _file_of(b) for a, b in moves.items()},
        **_DATA,
    }.items():
        _move(old, new)
    _move("nnx_migrate/facts/__init__.py", "nnx_migrate/analysis/__init__.py")
    for package, holds in packages.items():
        place = Path(_file_of(package)).with_suffix("") / "__init__.py"
        if not place.exists():
            place.write_text(f'"""{holds}"""\n', encoding="utf-8")
            subprocess.run(["git", "add", str(place)], check=True)
    for old, new in _FOLDERS.items():
        _move(old, new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
