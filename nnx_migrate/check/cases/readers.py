"""Functions that are the same in both trees, and may do something else in the new one.

Those that read a module-level value that differs: a constant has no calls, and its readers do. And
in files that were changed, those that apply a transform of nnx: what a migration forgot there is
the same text, and another program after the flip.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.ir.main_guard import is_main_guard
from nnx_migrate.check.cases.touched import Touched, assigned_name, sources_of
from nnx_migrate.check.jobs import Side

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclasses.dataclass
class _Reading:
    """What reads a name in one file."""

    functions: list[str] = dataclasses.field(default_factory=list)
    values: list[str] = dataclasses.field(default_factory=list)
    module: bool = False


def with_readers(old: Side, touched: Sequence[Touched]) -> tuple[Touched, ...]:
    """Adds the functions that read what differs, in any file, and those that a flip may change.

    Args:
        old: the tree that is recorded.
        touched: what differs in it.

    Returns:
        The same, with readers; files of which nothing else differs come behind.
    """
    found = {each.path: _with_transforming(old, each) for each in touched}
    differing = [(each.path, name) for each in touched for name in each.values]
    trees = _trees(old) if differing else {}
    for path, name in differing:
        waiting = [(path, name)]
        known = set(waiting)
        while waiting:
            origin, value = waiting.pop()
            for place, tree in trees.items():
                reading = _reading(tree, _Reads(tree, place, origin, value))
                _add(found, place, reading, (path, name))
                # What is computed from it differs as well.
                more = {(place, name) for name in reading.values} - known
                known |= more
                waiting += sorted(more)
    return tuple(found.values())


def _with_transforming(old: Side, each: Touched) -> Touched:
    try:
        tree = ast.parse((old.root / each.path if old.root.is_dir() else old.root).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return each
    found = _Reading()
    _collect(tree.body, "", _Transforms(tree), found)
    readers = tuple(name for name in found.functions if name not in each.functions)
    return dataclasses.replace(each, readers=readers)


class _Transforms:
    """Where transforms of nnx are applied.

    Args:
        tree: of the file.
    """

    def __init__(self, tree: ast.Module) -> None:
        known = of_nnx(lambda transform: transform.is_site)
        imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        self._known = known
        self._names = {
            each.asname or each.name
            for node in imported
            if (node.module or "").startswith("flax.nnx")
            for each in node.names
            if each.name in known
        }

    def by(self, node: ast.AST) -> bool:
        """Whether code applies one."""
        return any(
            (isinstance(each, ast.Name) and each.id in self._names)
            or (
                isinstance(each, ast.Attribute)
                and each.attr in self._known
                and isinstance(each.value, ast.Name)
                and each.value.id == "nnx"
            )
            for each in ast.walk(node)
        )


def _reading(tree: ast.Module, reads: _Reads) -> _Reading:
    found = _Reading()
    if reads.names or reads.attributes:
        _collect(tree.body, "", reads, found)
    return found


def _add(found: dict[str, Touched], path: str, reading: _Reading, value: tuple[str, str]) -> None:
    if not reading.functions and not reading.module:
        return
    before = found.get(path, Touched(path))
    readers = [name for name in reading.functions if name not in before.functions]
    found[path] = dataclasses.replace(
        before,
        readers=tuple(dict.fromkeys([*before.readers, *readers])),
        module=before.module or (reading.module and path == value[0]),
    )
    # Its readers speak for the value.
    owner = found[value[0]]
    names = [f"{path}:{name}" for name in reading.functions]
    read_by = {**owner.read_by, value[1]: (*owner.read_by.get(value[1], ()), *names)}
    found[value[0]] = dataclasses.replace(owner, read_by=read_by)


def _trees(old: Side) -> dict[str, ast.Module]:
    """The files of a tree, as far as they are Python."""
    single = not old.root.is_dir()
    found = {}
    for path in [old.root.name] if single else sources_of(old.root):
        try:
            file = old.root if single else old.root / path
            found[path] = ast.parse(file.read_bytes())
        except (OSError, SyntaxError, ValueError):
            continue
    return found


class _Reads:
    """By which names a file may read a value.

    Args:
        tree: of the file.
        path: of the file.
        origin: the file that the value is in.
        value: its name there.
    """

    def __init__(self, tree: ast.Module, path: str, origin: str, value: str) -> None:
        self.names = {value} if path == origin else set()
        self.attributes: set[str] = set()
        home = PurePosixPath(origin)
        stem = home.parent.name if home.name == "__init__.py" else home.stem
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                last = (node.module or "").rpartition(".")[2]
                for each in node.names:
                    if each.name in (value, "*") and last in (stem, ""):
                        self.names.add(value if each.name == "*" else each.asname or value)
                    elif each.name == stem:
                        self.attributes.add(value)
            elif isinstance(node, ast.Import) and any(
                each.name.rpartition(".")[2] == stem for each in node.names
            ):
                self.attributes.add(value)

    def by(self, node: ast.AST) -> bool:
        """Whether code reads it."""
        return any(
            (isinstance(each, ast.Name) and each.id in self.names)
            or (isinstance(each, ast.Attribute) and each.attr in self.attributes)
            for each in ast.walk(node)
        )


def _collect(
    body: Sequence[ast.stmt], scope: str, reads: _Reads | _Transforms, found: _Reading
) -> None:
    for statement in body:
        if isinstance(statement, _FUNCTIONS):
            if reads.by(statement):
                found.functions.append(scope + statement.name)
        elif isinstance(statement, ast.ClassDef):
            name = f"{scope}{statement.name}."
            _collect(statement.body, name, reads, found)
            if any(reads.by(each) for each in _of_the_class(statement)):
                # An attribute of a class is what any of its methods may read.
                found.functions += [
                    name + each.name for each in statement.body if isinstance(each, _FUNCTIONS)
                ]
        elif isinstance(statement, (ast.Import, ast.ImportFrom)) or is_main_guard(statement):
            continue
        elif reads.by(statement) and not scope:
            _collect_value(statement, reads, found)


def _of_the_class(statement: ast.ClassDef) -> Iterator[ast.AST]:
    yield from statement.bases
    yield from statement.decorator_list
    yield from (
        each for each in statement.body if not isinstance(each, (*_FUNCTIONS, ast.ClassDef))
    )


def _collect_value(statement: ast.stmt, reads: _Reads | _Transforms, found: _Reading) -> None:
    value = getattr(statement, "value", None)
    name = assigned_name(statement)
    if name and value is not None:
        if reads.by(value):
            found.values.append(name)
    else:
        found.module = True


def is_spoken_for(each: Touched | None, name: str, recorded: set[str]) -> bool:
    """Whether a value has a reader of which there is a call.

    Args:
        each: of the file; None where nothing of it differs.
        name: of the value.
        recorded: "path:function" of what is recorded.
    """
    return each is not None and any(reader in recorded for reader in each.read_by.get(name, ()))
