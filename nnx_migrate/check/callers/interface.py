"""Which functions have another interface than before: other parameters, or another result.

That alone says nothing for them. It says that a call of theirs alone cannot show whether they are
right, since their callers were changed with them.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path

from nnx_migrate.check.cases.touched import sources_of
from nnx_migrate.check.compare.verdicts import CaseResult, Verdict
from nnx_migrate.check.jobs import Side

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclasses.dataclass(frozen=True, slots=True)
class Tree:
    """The files of a side.

    Args:
        files: by path, as the cases name them.
        texts: other files that may name functions: notebooks.
        unread: files that are no Python.
    """

    files: Mapping[str, ast.Module]
    texts: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    def definition(self, function: str) -> _Definition | None:
        """Where a function is defined, the last place of several; None where it is not.

        Args:
            function: "path:name".
        """
        path, _, name = function.partition(":")
        found = None
        for scope, node in _definitions(self.files[path].body, "") if path in self.files else ():
            if scope == name:
                found = node
        return found


def tree_of(side: Side, name: str) -> Tree:
    """Reads the files of a side.

    Args:
        side: a folder or a single program.
        name: of the program, as the cases name it.
    """
    if side.root.is_file():
        places = {name: side.root}
    else:
        places = {path: side.root / path for path in sources_of(side.root)}
    files, unread = {}, []
    for path, file in places.items():
        try:
            files[path] = ast.parse(file.read_bytes())
        except (OSError, SyntaxError, ValueError):
            unread.append(path)
    notebooks = [] if side.root.is_file() else [*sources_of(side.root, ".ipynb")]
    texts = [Path(side.root, path).read_text(errors="replace") for path in notebooks]
    return Tree(files, tuple(texts), tuple(unread))


def may_be_its_interface(case: CaseResult) -> bool:
    """Whether all that differs in a case is what is taken and returned, or that it was not taken.

    Args:
        case: of any kind.
    """
    apart = [each for each in case.columns.values() if not each.verdict.passes]
    return bool(apart) and all(
        each.verdict is Verdict.DIFFERENT
        and each.part in ("arguments", "call")
        and each.difference is not None
        and (each.difference.structural or not each.difference.path)
        for each in apart
    )


def has_another_interface(
    case: CaseResult, old: _Definition | None, new: _Definition | None
) -> bool:
    """Whether callers use a function in another way, and nothing else is known to differ.

    Args:
        case: a recorded call of it.
        old: the function before.
        new: the function after.
    """
    if old is None or new is None or not may_be_its_interface(case):
        return False
    if _parameters(old) != _parameters(new):
        # A call that does not fit raises; one that does is compared as ever.
        return True
    found = (each.difference for each in case.columns.values() if not each.verdict.passes)
    return all(each is not None and each.structural for each in found)


def _parameters(function: _Definition) -> list[tuple[str, ...]]:
    """Names and kinds of what a function takes, and which of it has to be given."""
    found = function.args
    bare = len(found.posonlyargs) + len(found.args) - len(found.defaults)
    positional = [each.arg for each in (*found.posonlyargs, *found.args)]
    return [
        tuple(positional),
        tuple(positional[:bare]),
        tuple(each.arg for each in found.posonlyargs),
        tuple(each.arg for each in found.kwonlyargs),
        tuple(str(each is None) for each in found.kw_defaults),
        tuple(each.arg for each in (found.vararg, found.kwarg) if each is not None),
    ]


def _definitions(body: list[ast.stmt], scope: str) -> Iterator[tuple[str, _Definition]]:
    for node in body:
        if isinstance(node, _FUNCTIONS):
            yield scope + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{scope}{node.name}.")
        else:
            for name in ("body", "orelse", "finalbody"):
                yield from _definitions(getattr(node, name, []), scope)
