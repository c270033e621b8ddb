"""What makes a function and its private twin of one that sows."""

from __future__ import annotations

import ast
import dataclasses

import libcst as cst

from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.function_rewrite import FunctionFacts
from nnx_migrate.rewrite.model.sown_plans import SownType
from nnx_migrate.rewrite.style.naming import fresh

_MAX_LINE = 100


@dataclasses.dataclass(frozen=True, slots=True)
class Twin:
    """A function that sows on its first parameter, and what becomes of it.

    Args:
        name: that of the twin.
        parameter: the object that it sows on.
        types: what it sows.
        method: it is one, so that the twin is looked up on the object.
        static: names of arguments that are static, which are passed by keyword.
        indent: that of the lines of its body.
        unit: by how much a block is indented.
    """

    definition: ast.FunctionDef
    name: str
    parameter: str
    types: tuple[SownType, ...]
    method: bool
    static: frozenset[str]
    indent: str
    unit: str


class TwinTransformer(cst.CSTTransformer):
    """Makes the two."""

    def __init__(self, facts: FunctionFacts, twin: Twin) -> None:
        super().__init__()
        self.facts = facts
        self.twin = twin
        self.nnx = facts.nnx
        self._depth = 0

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._depth += 1

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        value = updated_node.value
        if self._depth != 1 or value is None:
            return updated_node
        if isinstance(value, cst.Tuple) and not value.lpar:
            value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        filters = ", ".join(each.source(self.nnx) for each in self.twin.types)
        if len(self.twin.types) > 1:
            filters = f"({filters})"
        popped = f"{self.nnx}.clone({self.nnx}.pop({self.twin.parameter}, {filters}))"
        elements = [cst.Element(value), cst.Element(cst.parse_expression(popped))]
        return updated_node.with_changes(value=cst.Tuple(elements, lpar=[], rpar=[]))

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef | cst.FlattenSentinel[cst.FunctionDef]:
        self._depth -= 1
        if self._depth:
            return updated_node
        body = updated_node.body
        if not isinstance(body, cst.IndentedBlock):
            raise CannotEmit("its body stands behind the colon")
        documented = updated_node.get_docstring() is not None and len(body.body) > 1
        rest = body.body[1:] if documented else body.body
        returns = updated_node.returns
        if returns is not None:
            code = cst.Module([]).code_for_node(returns.annotation)
            pair = cst.parse_expression(f"tuple[{code}, {self.nnx}.State]")
            returns = returns.with_changes(annotation=pair)
        twin = updated_node.with_changes(
            name=cst.Name(self.twin.name), returns=returns, body=body.with_changes(body=rest)
        )
        if self._is_long(twin):
            twin = twin.with_changes(returns=None)
        lines = [cst.parse_statement(line) for line in self._lines(updated_node.params)]
        kept = [*body.body[:1], *lines] if documented else lines
        public = updated_node.with_changes(
            decorators=[],
            lines_after_decorators=[],
            leading_lines=[cst.EmptyLine(indent=False)] * (1 if self.twin.method else 2),
            body=body.with_changes(body=kept),
        )
        return cst.FlattenSentinel([twin, public])

    def _is_long(self, twin: cst.FunctionDef) -> bool:
        """Whether the header of a function is a line that is too long."""
        bare = twin.with_changes(decorators=[], leading_lines=[], lines_after_decorators=[])
        header = cst.Module([]).code_for_node(bare).partition("\n")[0]
        return len(self.twin.indent.expandtabs(4)) - 4 + len(header) > _MAX_LINE

    def _lines(self, parameters: cst.Parameters) -> list[str]:
        named = [p.name.value for p in (*parameters.posonly_params, *parameters.params)]
        only = [p.name.value for p in parameters.kwonly_params]
        places = [place for place, name in enumerate(named) if name in self.twin.static]
        by_place = named[: min(places, default=len(named))]
        passed = by_place[1:] if self.twin.method else list(by_place)
        if isinstance(parameters.star_arg, cst.Param):
            passed.append(f"*{parameters.star_arg.name.value}")
        passed += [f"{name}={name}" for name in (*named[len(by_place) :], *only)]
        if parameters.star_kwarg is not None:
            passed.append(f"**{parameters.star_kwarg.name.value}")
        own = self.twin.parameter
        callee = f"{own}.{self.twin.name}" if self.twin.method else self.twin.name
        result, sown = fresh(["result", "sown"], {*named, *only})
        call = f"{result}, {sown} = {callee}({', '.join(passed)})"
        if len(self.twin.indent.expandtabs(4)) + len(call) > _MAX_LINE:
            inner = "\n".join(f"{self.twin.unit}{each}," for each in passed)
            call = f"{result}, {sown} = {callee}(\n{inner}\n)"
        return [
            call,
            f"{self.nnx}.update({own}, {sown})",
            f"return {result}",
        ]
