"""How this file writes `nnx`, and the import to add where it has no name for it."""

from __future__ import annotations

import ast
import dataclasses

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.rewrite.model.causes import LayoutCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.text.edits import Edit


@dataclasses.dataclass(frozen=True, slots=True)
class Spelling:
    """The source text that stands for flax.nnx at a place ("nnx", "flax.nnx", "nn").

    Args:
        import_edits: what must be inserted to make it so.
    """

    nnx: str
    import_edits: tuple[Edit, ...] = ()

    @classmethod
    def at(cls, context: FileContext, reference: ast.expr) -> Spelling:
        """The spelling to use near a reference to something of nnx.

        Raises:
            CannotEmit: nnx has no name there, and none can be given to it.
        """
        if isinstance(reference, ast.Attribute):
            head = reference.value
            if context.tree.dotted(head) == "flax.nnx":
                return cls(context.text.of(head))
        scope = context.tree.scope(reference)
        for name in ("nnx", "nn"):
            if context.project.dotted(scope, ir.Name(name)) == "flax.nnx":
                return cls(name)
        if context.project.bindings(scope, "nnx"):
            raise CannotEmit(LayoutCause.NNX_NAME_TAKEN)
        return cls("nnx", (_import_edit(context),))


def _import_edit(context: FileContext) -> Edit:
    """Add `from flax import nnx` above the import that the file has from flax.nnx."""
    for node in context.tree.root.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("flax"):
            start = context.text.line_start(node.lineno)
            if context.text.span(node)[0] == start:
                return Edit(start, start, f"from flax import nnx{context.newline}")
    raise CannotEmit(LayoutCause.NO_FLAX_IMPORT)


def replaced_by(context: FileContext, reference: ast.expr, dotted: str) -> list[Edit]:
    """Replace a reference by a name of the standard library, as the file would write it.

    Args:
        dotted: "functools.partial".

    Raises:
        CannotEmit: the module is not imported, and its name stands for something else.
    """
    module, _, name = dotted.rpartition(".")
    scope = context.tree.scope(reference)
    span = context.text.span(reference)
    if context.project.dotted(scope, ir.Name(name)) == dotted:
        return [Edit(*span, name)]
    if context.project.dotted(scope, ir.Name(module)) == module:
        return [Edit(*span, dotted)]
    if module in context.taken_names(context.tree.root):
        raise CannotEmit(LayoutCause.MODULE_NAME_TAKEN.about(module=module))
    for node in context.tree.root.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            start = context.text.line_start(node.lineno)
            future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
            if not future and context.text.span(node)[0] == start:
                return [
                    Edit(start, start, f"import {module}{context.newline}"),
                    Edit(*span, dotted),
                ]
    raise CannotEmit(LayoutCause.NO_IMPORT.about(module=module))
