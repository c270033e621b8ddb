"""A function that returns a model and its State returns the model, and callers take the State."""

from __future__ import annotations

from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import StateOutside
from nnx_migrate.rewrite.split.unused_bindings import removal
from nnx_migrate.rewrite.text.edits import Edit


def state_outside_edits(context: FileContext, plan: StateOutside, nnx: str) -> list[Edit]:
    """The edits in the function and at each call of it."""
    text = context.text
    edits = [Edit(*text.span(plan.returned), plan.model)]
    if plan.unread is not None:
        edits += removal(context, plan.unread)
    for use, model, state in plan.uses:
        target = use.targets[0]
        edits.append(Edit(*text.span(target), model.id))
        end = text.span(use)[1]
        taken = f"{state.id} = {nnx}.state({', '.join((model.id, *plan.filters))})"
        indent = text.indent_of_line(use.lineno)
        edits.append(Edit(end, end, f"{context.newline}{indent}{taken}"))
    return edits
