"""An edit that a rule writes itself: a LibCST transformer over one function."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import libcst as cst

    from nnx_migrate.analysis.sites.site import Site
    from nnx_migrate.rewrite.model.context import FileContext


class FunctionFacts(Protocol):
    """What a transformer may ask about the function that it rewrites."""

    @property
    def nnx(self) -> str:
        """How the function writes `flax.nnx` ("nnx"); asked for, it is imported where it is not.

        Raises:
            CannotEmit: it has no name there, and none can be given to it.
        """

    def node(self, node: cst.CSTNode) -> ast.AST | None:
        """The syntax tree node that an expression or a statement of the function is.

        Analyses speak of these: `facts.node(call) is site.node`, `context.values(...)`. None for
        what is none (a comment, an argument), and for what a transformer has made or changed.

        Args:
            node: as it was parsed: the `original_node` of a transformer.
        """


@dataclasses.dataclass(frozen=True, slots=True)
class FunctionRewrite:
    """What a `cst.CSTTransformer` makes of one function, its decorators included.

    The lines that come out the same stay as they are, byte for byte, and the gate looks at the
    result: what the transformer does not keep (a comment) or leaves unbound pins the site.

    Args:
        function: the definition.
        transformer: makes the transformer, once the function is rewritten.
    """

    function: ast.FunctionDef | ast.AsyncFunctionDef
    transformer: Callable[[FunctionFacts], cst.CSTTransformer]

    @classmethod
    def around(
        cls,
        context: FileContext,
        site: Site,
        transformer: Callable[[FunctionFacts], cst.CSTTransformer],
    ) -> FunctionRewrite | None:
        """A rewrite of the innermost definition around a site; None where there is none.

        Args:
            context: of the file.
            site: where the rule is asked.
            transformer: makes the transformer.
        """
        for node in context.tree.ancestors(site.node):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                return cls(node, transformer)
        return None
