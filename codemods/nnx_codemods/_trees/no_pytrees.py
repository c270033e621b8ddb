"""Why classes that are no pytrees stay so."""

from __future__ import annotations

from nnx_codemods._claims import RuleClaim
from nnx_migrate.analysis.domain.values import Instance, Values, short_name
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.classes.held import classes_held
from nnx_migrate.rewrite.model.context import FileContext


def no_pytrees(context: FileContext, values: Values) -> tuple[Evidence, ...]:
    """What keeps the classes of some objects, and of what these hold, from being pytrees."""
    if not context.stays:
        return ()
    named = {value.class_name for value in values if isinstance(value, Instance)}
    held = named | classes_held(context.evaluator, values)
    return tuple(_evidence(context, name) for name in sorted(held.intersection(context.stays)))


def _evidence(context: FileContext, name: str) -> Evidence:
    located = context.project.class_of(name)
    where = None if located is None else Place(located[0], located[1].line)
    claim = str(RuleClaim.NO_PYTREE.about(name=short_name(name), why=context.stays[name]))
    return Evidence(claim, Proof.PROVED, where)
