"""Objects that are made beside what is done with them, so that nobody else has them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_migrate.analysis.domain.containers import any_leaf
from nnx_migrate.analysis.domain.values import Basic, Instance, Value
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.ownership import NotAllSeen


def check_made_here(context: FileContext, model: ast.Name, block: Sequence[ast.stmt]) -> None:
    """The object is made in the block of the call, so that the call runs once for it."""
    made = context.tree.assigned_value(context.tree.scope(model), model.id)
    if made is None or made[1] not in block or not isinstance(made[0], ast.Call):
        raise NotCaptured(SownCause.STAYS_ON_OBJECT.about(name=model.id))
    _check_new(context, model, made[0])
    scope = context.tree.scope(model)
    if scope == context.tree.scope(context.tree.root.body[0]):
        module = context.tree.module
        for other in context.analysis.imports.importers(module):
            raise NotCaptured(NotAllSeen.OTHER_FILE.about(Place(other.module), name=model.id))


def _check_new(context: FileContext, model: ast.Name, made: ast.Call) -> None:
    """No part of an object has another name, by which it may be looked at."""
    for given in (*made.args, *(keyword.value for keyword in made.keywords)):
        given = given.value if isinstance(given, ast.Starred) else given
        if isinstance(given, ast.Call):
            _check_new(context, model, given)
        elif any_leaf(context.values(given), lambda value: _may_be_part(context, value)):
            text = context.text.of(given)
            raise NotCaptured(SownCause.MADE_OF_SEEN.about(name=model.id, text=text))


def _may_be_part(context: FileContext, value: Value) -> bool:
    match value:
        case Instance(class_name=class_name):
            return context.evaluator.hierarchy.kind(class_name) == "module"
        case Basic(sort=sort):
            return sort == "unknown"
        case _:
            return False
