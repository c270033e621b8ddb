"""A function that two sites would write alike, one behind the other, is written once."""

from __future__ import annotations

import ast
import dataclasses
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import names_in
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.style.layout import first_line
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.sources.bound_names import binds

_LINE_END = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
#: What stands between two cells of a notebook, or two blocks of a page.
_BOUNDARY = re.compile(r"^#=", re.MULTILINE)


def written_once(
    context: FileContext, site: Site, edits: Sequence[Edit], taken: Iterable[Edit]
) -> tuple[list[Edit], list[Edit]]:
    """The edits of a site without functions that another one has in front of it, and its edits.

    Two calls of `nnx.vmap(dot, in_axes=axes)(weights, x)` need one function over States: it stands
    in the same block, and nothing in between gives one of its names another meaning.
    """
    inserted = {each.replacement: each for each in taken if each.start == each.end}
    left: list[Edit] = []
    used: list[Edit] = []
    for edit in edits:
        before = inserted.get(edit.replacement) if edit.start == edit.end else None
        functions = _functions_in(edit) if before is not None else []
        if before is not None and functions and _last(context, site, before, edit, functions):
            left.append(_without(edit, functions))
            used.append(before)
        else:
            left.append(edit)
    return left, used


def _functions_in(edit: Edit) -> list[ast.FunctionDef]:
    """The functions that an edit inserts beside other statements."""
    try:
        tree = ast.parse(textwrap.dedent(edit.replacement))
    except SyntaxError:
        return []
    found = [each for each in tree.body if isinstance(each, ast.FunctionDef)]
    return found if len(found) < len(tree.body) else []


def _without(edit: Edit, functions: Sequence[ast.FunctionDef]) -> Edit:
    """The edit with none of its functions, nor the blank lines around them."""
    lines = _LINE_END.split(edit.replacement)
    taken = {n for f in functions for n in range(f.lineno, (f.end_lineno or f.lineno) + 1)}
    left = [each for n, each in enumerate(lines, 1) if n not in taken and each.strip()]
    return dataclasses.replace(edit, replacement="".join(left))


def _last(
    context: FileContext,
    site: Site,
    before: Edit,
    edit: Edit,
    functions: Sequence[ast.FunctionDef],
) -> bool:
    """Whether what the first edit writes is there, and the same, where the second one stands."""
    first, second = _statement_at(context, before.start), _statement_at(context, edit.start)
    if first is None or second is None:
        return False
    block = context.tree.block_of(first)
    if second not in block or block.index(first) >= block.index(second):
        return False
    if _BOUNDARY.search(context.text.text, before.start, edit.start):
        return False
    # Other sites may write a function of that name.
    if not all(_is_alike(each, site) for each in _sites_between(context, before, edit)):
        return False
    names = {name for each in functions for name in _read_by(each)}
    between = block[block.index(first) : block.index(second)]
    return not any(binds(node, names) for each in between for node in ast.walk(each))


def _read_by(function: ast.FunctionDef) -> set[str]:
    """The names of a function that it does not bind itself, with its own."""
    own = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
    return names_in(function) - own | {function.name}


def _statement_at(context: FileContext, start: int) -> ast.stmt | None:
    """The statement in front of which an edit inserts lines."""
    for node in context.tree.nodes:
        if isinstance(node, ast.stmt) and context.text.line_start(first_line(node)) == start:
            return node
    return None


def _sites_between(context: FileContext, before: Edit, edit: Edit) -> Iterator[Site]:
    for each in context.finder.sites:
        if before.start <= context.text.span(each.reference)[0] < edit.start:
            yield each


def _is_alike(one: Site, other: Site) -> bool:
    """Whether two sites transform the same, and pass the same."""
    return _shape(one) == _shape(other)


def _shape(site: Site) -> tuple[str, ...]:
    return ast.dump(site.node), *(ast.dump(use) for use in site.uses)
