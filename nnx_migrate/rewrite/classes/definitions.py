"""The class definitions of a file, each by what it is called over the whole project."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.rewrite.model.context import FileContext


def defined_classes(context: FileContext) -> Iterator[tuple[str, ast.ClassDef]]:
    """The classes of a file by their names in the project, without those that others replace."""
    hierarchy = context.evaluator.hierarchy
    for node in context.tree.of_kind(ast.ClassDef):
        name = hierarchy.class_name(context.scope(node), ir.Name(node.name))
        located = context.project.class_of(name) if name else None
        if name and located and located[1].line == node.lineno:
            yield name, node
