"""Codemods that change nothing: what LibCST's own runner costs at least."""

from __future__ import annotations

import libcst
from libcst.codemod import CodemodCommand, VisitorBasedCodemodCommand


class ParseOnlyCommand(CodemodCommand):
    """Hands back the tree as it was parsed."""

    DESCRIPTION = "Changes nothing and visits nothing."

    def transform_module_impl(self, tree: libcst.Module) -> libcst.Module:
        """Returns tree."""
        return tree


class NoopCommand(VisitorBasedCodemodCommand):
    """Visits every node, as codemods do."""

    DESCRIPTION = "Changes nothing."
