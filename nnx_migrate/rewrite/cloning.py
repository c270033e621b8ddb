"""A function works on copies of what it is given, so that its updates are discarded as before."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.facts.sites import Site
from nnx_migrate.facts.syntax import FunctionNode
from nnx_migrate.rewrite.arguments import positional_names
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.edits import Edit
from nnx_migrate.rewrite.functions import definition_of, is_owned
from nnx_migrate.rewrite.layout import insert_at_top
from nnx_migrate.rewrite.plan import CannotEmit


def clone_edits(context: FileContext, site: Site, places: Sequence[int], nnx: str) -> list[Edit]:
    """Edits that make the function of a site copy its arguments at `places` first.

    Raises:
        CannotEmit: others use the function too, or its parameters do not show the arguments.
    """
    definition = definition_of(context, site.function)
    if definition is None:
        raise CannotEmit("the function is not defined in this file")
    if site.form == "call" and not is_owned(context, site, definition):
        raise CannotEmit("the function is used in other places too")
    names = positional_names(definition)
    if max(places) >= len(names):
        raise CannotEmit("its parameters do not show the arguments")
    chosen = [names[place] for place in places]
    if isinstance(definition, FunctionNode):
        lines = [f"{name} = {nnx}.clone({name})" for name in chosen]
        return [insert_at_top(context, definition, lines)]
    edits = []
    for name in chosen:
        reads = [
            node
            for node in ast.walk(definition.body)
            if isinstance(node, ast.Name) and node.id == name
        ]
        if len(reads) != 1:
            raise CannotEmit("the lambda reads the argument more than once")
        edits.append(Edit(*context.text.span(reads[0]), f"{nnx}.clone({name})"))
    return edits
