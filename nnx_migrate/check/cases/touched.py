"""Which functions a migration touched: what a recording has to watch."""

from __future__ import annotations

import ast
import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nnx_migrate.analysis.ir.main_guard import is_main_guard
from nnx_migrate.check.jobs import Job, Side

_NOT_SOURCES = frozenset({"__pycache__", "venv", "node_modules", "site-packages"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclasses.dataclass(frozen=True, slots=True)
class Touched:
    """What differs in one file.

    Args:
        path: relative to the trees; for single programs the name of the old one.
        functions: qualified names of the outermost functions and methods that differ or are gone,
            in the order of the file.
        values: module-level names that another value is assigned to.
        module: other code differs that runs when the file is imported.
        guarded: code under `if __name__ == "__main__":` differs.
        problem: why the file cannot be compared; "" where it can.
        readers: functions that are the same, and read a value that differs.
        read_by: value -> "path:function" of the functions that read it, in any file.
    """

    path: str
    functions: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    module: bool = False
    guarded: bool = False
    problem: str = ""
    readers: tuple[str, ...] = ()
    read_by: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)

    @property
    def called(self) -> tuple[str, ...]:
        """The functions that a recording looks at."""
        return self.functions + self.readers

    @property
    def watched(self) -> tuple[str, ...]:
        """All that a recording looks at."""
        return self.called + self.values

    @property
    def remarks(self) -> Iterator[str]:
        """What differs here and is no case."""
        if self.problem:
            yield f"{self.path} cannot be compared: {self.problem}"
        if self.guarded:
            block = 'the block under `if __name__ == "__main__":`'
            yield f"{self.path}: {block} differs, and only what it calls is checked"


def touched_functions(old: Side, new: Side) -> tuple[Touched, ...]:
    """Compares two trees.

    Args:
        old: the tree before the migration.
        new: the tree after it.

    Returns:
        The files in both whose code differs, or of which one does not parse; comments and layout
        do not count.
    """
    found = []
    for path, before, after in _pairs(old.root, new.root):
        try:
            contents = before.read_bytes(), after.read_bytes()
            if contents[0] == contents[1]:
                continue
            parts = [_parts(ast.parse(text)) for text in contents]
        except (OSError, SyntaxError, ValueError) as error:
            found.append(Touched(path, problem=f"{type(error).__name__}: {error}"[:300]))
            continue
        touched = _difference(path, *parts)
        if touched.functions or touched.values or touched.module or touched.guarded:
            found.append(touched)
    return tuple(found)


def module_jobs(touched: Sequence[Touched]) -> tuple[Job, ...]:
    """The cases that run a file from its first line to its last.

    Args:
        touched: a file is such a case where code differs that runs at import.
    """
    return tuple(
        Job(each.path, "module", Path(each.path), each.path) for each in touched if each.module
    )


def sources_of(root: Path, suffix: str = ".py") -> Iterator[str]:
    """The files of a tree that are its own, in order.

    Args:
        root: the tree, a folder.
        suffix: of their names.

    Yields:
        Their paths relative to it; nothing of hidden folders and of environments.
    """
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(n for n in folders if not n.startswith(".") and n not in _NOT_SOURCES)
        for name in sorted(files):
            if name.endswith(suffix) and not name.startswith("."):
                yield Path(folder, name).relative_to(root).as_posix()


def every_name(tree: ast.Module) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The outermost functions and methods of a module, and the names that it assigns to.

    Args:
        tree: the module.
    """
    parts = _parts(tree)
    return tuple(parts.functions), tuple(parts.values)


def _pairs(old: Path, new: Path) -> Iterator[tuple[str, Path, Path]]:
    if not old.is_dir():
        yield old.name, old, new
        return
    for path in sorted(sources_of(old)):
        if (new / path).is_file():
            yield path, old / path, new / path


@dataclasses.dataclass
class _Parts:
    """A module taken apart; each part is a text that is equal or not."""

    functions: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    classes: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    values: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    imports: dict[str, str] = dataclasses.field(default_factory=dict)
    rest: list[str] = dataclasses.field(default_factory=list)
    guarded: list[str] = dataclasses.field(default_factory=list)


def _parts(tree: ast.Module) -> _Parts:
    parts = _Parts()
    _collect(tree.body, "", parts.rest, parts)
    return parts


def _collect(body: Sequence[ast.stmt], scope: str, rest: list[str], parts: _Parts) -> None:
    for statement in body:
        if isinstance(statement, _FUNCTIONS):
            parts.functions.setdefault(scope + statement.name, []).append(ast.dump(statement))
        elif isinstance(statement, ast.ClassDef):
            name = scope + statement.name
            shell = parts.classes.setdefault(name, [])
            shell.append(_without_bodies(statement))
            _collect(statement.body, f"{name}.", shell, parts)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            parts.imports.update(_imported(statement))
        elif not scope and is_main_guard(statement):
            parts.guarded.append(ast.dump(statement))
        elif not scope and (name := assigned_name(statement)):
            parts.values.setdefault(name, []).append(ast.dump(statement))
        elif blocks := list(_blocks(statement)):
            rest.append(_without_bodies(statement))
            for block in blocks:
                _collect(block, scope, rest, parts)
        else:
            rest.append(ast.dump(statement))


def assigned_name(statement: ast.stmt) -> str:
    """The name that a statement assigns to, "" where it is no assignment to a single name.

    Args:
        statement: any.
    """
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target = statement.target
    else:
        return ""
    return target.id if isinstance(target, ast.Name) else ""


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    holders: list[ast.AST] = [statement]
    holders += getattr(statement, "handlers", []) + getattr(statement, "cases", [])
    for holder in holders:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(holder, name, None)
            if isinstance(block, list) and block:
                yield block


def _without_bodies(statement: ast.stmt) -> str:
    blocks = ("body", "orelse", "finalbody", "handlers", "cases")
    heads = [type(statement).__name__]
    for name, field in ast.iter_fields(statement):
        if name in blocks:
            continue
        nodes = field if isinstance(field, list) else [field]
        heads += [ast.dump(node) if isinstance(node, ast.AST) else repr(node) for node in nodes]
    # What a handler catches and what a case matches decides as much as what is in it.
    for holder in getattr(statement, "handlers", []) + getattr(statement, "cases", []):
        heads += [ast.dump(v) for k, v in ast.iter_fields(holder) if isinstance(v, ast.AST)]
    return "\n".join(heads)


def _imported(statement: ast.Import | ast.ImportFrom) -> dict[str, str]:
    origin = (
        "" if isinstance(statement, ast.Import) else f"{'.' * statement.level}{statement.module}:"
    )
    return {name.asname or name.name: origin + name.name for name in statement.names}


def _difference(path: str, old: _Parts, new: _Parts) -> Touched:
    common = old.classes.keys() & new.classes.keys()
    reshaped = {name for name in common if old.classes[name] != new.classes[name]}
    for name in common:
        if _methods(old, name) != _methods(new, name):
            # A method that comes or goes hides or uncovers the one of a base class.
            reshaped.add(name)
    functions = tuple(
        name
        for name, texts in old.functions.items()
        if texts != new.functions.get(name) or name.rpartition(".")[0] in reshaped
    )
    values = tuple(
        name for name, texts in old.values.items() if texts != new.values.get(name, texts)
    )
    rebound = [
        name for name, origin in old.imports.items() if new.imports.get(name, origin) != origin
    ]
    bare = [name for name in reshaped if not _methods(old, name)]
    return Touched(
        path,
        functions,
        values,
        module=bool(old.rest != new.rest or rebound or bare),
        guarded=old.guarded != new.guarded,
    )


def _methods(parts: _Parts, cls: str) -> set[str]:
    return {name for name in parts.functions if name.rpartition(".")[0] == cls}
