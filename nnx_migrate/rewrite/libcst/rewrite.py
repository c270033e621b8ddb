"""A `FunctionRewrite` carried out: cut, transformed, put back by lines, passed by the gate."""

from __future__ import annotations

import ast
import functools
import sys

import libcst as cst

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.gate.checks import Gate, Refused
from nnx_migrate.rewrite.gate.untouched_nodes import Version
from nnx_migrate.rewrite.libcst.splice import FunctionText
from nnx_migrate.rewrite.model.causes import FunctionCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.function_rewrite import FunctionRewrite
from nnx_migrate.rewrite.style.spelling import Spelling
from nnx_migrate.rewrite.text.edits import Edit, Text

#: Before Python 3.12 what stands in an f-string had other places than in the file.
_PLACED_IN_STRINGS = sys.version_info >= (3, 12)


def function_edits(context: FileContext, site: Site, rewrite: FunctionRewrite) -> list[Edit]:
    """The edits that rewrite a function as its transformer says.

    Args:
        context: of the file.
        site: for which it is done.
        rewrite: the function and its transformer.

    Raises:
        CannotEmit: LibCST cannot read it, nothing is changed, or the gate refuses the result.
    """
    function = FunctionText.cut(
        context.text, rewrite.function, context.newline, context.indent_unit
    )
    facts = _Facts(context, site, rewrite.function, function)
    edits = function.edits(function.tree.visit(rewrite.transformer(facts)))
    if not edits:
        raise CannotEmit(FunctionCause.CHANGES_NOTHING)
    edits += facts.import_edits
    version = Version(context.text, context.tree.root)
    try:
        Gate(version).changed(version, sorted(edits))
    except Refused as refused:
        raise CannotEmit(refused.refusal) from None
    return edits


class _Facts:
    """What a transformer may ask (`FunctionFacts`)."""

    def __init__(
        self,
        context: FileContext,
        site: Site,
        definition: ast.FunctionDef | ast.AsyncFunctionDef,
        function: FunctionText,
    ) -> None:
        self._context = context
        self._site = site
        self._definition = definition
        self._function = function
        self.import_edits: tuple[Edit, ...] = ()

    @property
    def nnx(self) -> str:
        spelling = Spelling.at(self._context, self._site.reference)
        self.import_edits = spelling.import_edits
        return spelling.nnx

    def node(self, node: cst.CSTNode) -> ast.AST | None:
        span = self._spans.get(node)
        if span is None:
            return None
        if isinstance(node, cst.BaseStatement | cst.BaseSmallStatement):
            return self._statements.get(span[0])
        return self._expressions.get(span) if isinstance(node, cst.BaseExpression) else None

    @functools.cached_property
    def _spans(self) -> dict[cst.CSTNode, tuple[int, int]]:
        return self._function.spans()

    @functools.cached_property
    def _statements(self) -> dict[int, ast.stmt]:
        text = self._context.text
        nodes = ast.walk(self._definition)
        return {text.span(node)[0]: node for node in nodes if isinstance(node, ast.stmt)}

    @functools.cached_property
    def _expressions(self) -> dict[tuple[int, int], ast.expr]:
        text = self._context.text
        found: dict[tuple[int, int], ast.expr] = {}
        todo: list[ast.AST] = [self._definition]
        for node in todo:  # grows while it is walked, outer nodes first
            if isinstance(node, ast.expr):
                found.setdefault(text.span(node), node)
            if isinstance(node, ast.GeneratorExp):
                found.setdefault(_without_parentheses(text, node), node)
            if _PLACED_IN_STRINGS or not isinstance(node, ast.JoinedStr):
                todo += ast.iter_child_nodes(node)
        return found


def _without_parentheses(text: Text, node: ast.GeneratorExp) -> tuple[int, int]:
    """The span of a lone argument, which has those of the call for its own in `ast` alone."""
    start, end = text.span(node)
    inner = text.text[start + 1 : end - 1]
    return start + 1 + len(inner) - len(inner.lstrip()), start + 1 + len(inner.rstrip())
