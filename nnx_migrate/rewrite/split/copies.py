"""A function works on copies of what it is given, so that its updates are discarded as before."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.rewrite.model.causes import SplitCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.functions import definition_of, is_owned
from nnx_migrate.rewrite.split.arguments import positional_names
from nnx_migrate.rewrite.style.layout import insert_at_top
from nnx_migrate.rewrite.text.edits import Edit

#: Without it a reader would take the copy out.
_WHY = "# each iteration updates its own copy"


def clone_edits(context: FileContext, site: Site, places: Sequence[int], nnx: str) -> list[Edit]:
    """Edits that make the function of a site copy its arguments at `places` first.

    Raises:
        CannotEmit: others use the function too, or its parameters do not show the arguments.
    """
    definition = definition_of(context, site.function)
    if definition is None:
        raise CannotEmit(SplitCause.NOT_IN_FILE)
    if site.form == "call" and not is_owned(context, site, definition):
        raise CannotEmit(SplitCause.USED_ELSEWHERE)
    names = positional_names(definition)
    if max(places) >= len(names):
        raise CannotEmit(SplitCause.ARGUMENTS_NOT_SHOWN)
    chosen = [names[place] for place in places]
    if isinstance(definition, FunctionNode):
        lines = [f"{name} = {nnx}.clone({name})  {_WHY}" for name in chosen]
        return [insert_at_top(context, definition, lines)]
    edits = []
    for name in chosen:
        reads = [
            node
            for node in ast.walk(definition.body)
            if isinstance(node, ast.Name) and node.id == name
        ]
        if len(reads) != 1:
            raise CannotEmit(SplitCause.LAMBDA_READS_TWICE)
        edits.append(Edit(*context.text.span(reads[0]), f"{nnx}.clone({name})"))
    return edits


def works_on_copy(
    context: FileContext,
    site: Site,
    name: str,
    copies: frozenset[str] = frozenset({"clone"}),
) -> bool:
    """Whether the function of a site uses its parameter `name` only to copy it.

    Args:
        copies: nnx functions that count as copies. `view` shares the Variables of the original.

    Returns:
        True for `m = nnx.clone(m)` before all else that reads it, and where it is read in
        `nnx.clone(m)` alone. False when the definition is not in this file.
    """
    definition = definition_of(context, site.function)
    if definition is None:
        return False
    body = definition.body if isinstance(definition.body, list) else [definition.body]
    for statement in body:
        reads = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == name]
        if not all(_is_copied(context, read, copies) for read in reads if _is_load(read)):
            return False
        if any(not _is_load(read) for read in reads):
            return isinstance(statement, ast.Assign) and any(map(_is_load, reads))
    return True


def _is_load(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _is_copied(context: FileContext, read: ast.Name, copies: frozenset[str]) -> bool:
    call = context.tree.parents.get(read)
    if not isinstance(call, ast.Call) or call.args[:1] != [read] or len(call.args) != 1:
        return False
    copied = context.tree.nnx_name(call.func)
    if copied is None or copied.removeprefix("compat.") not in copies:
        return False
    return copied == "view" or not call.keywords
