"""What makes a function and its private twin of one that sows."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_migrate.rewrite.model.function_rewrite import FunctionFacts
from nnx_migrate.rewrite.model.sown_plans import SownType
from nnx_migrate.rewrite.style.naming import fresh


@dataclasses.dataclass(frozen=True, slots=True)
class Twin:
    """A function that sows on a parameter, and what becomes of it.

    Args:
        name: that of the twin.
        parameter: the object that it sows on.
        types: what it sows.
        renewed: it puts new Variables in the place of what it has sown before.
        method: it is one, so that the twin is looked up on the object.
        static: names of arguments that are static, which are passed by keyword.
        in_pair: the State joins the second one of a pair that the function returns.
        options: new source text of options, by the places of the decorators that have them.
        indent: that of the lines of its body.
        unit: by how much a block is indented.
        width: of a line that is not too long.
    """

    definition: ast.FunctionDef
    name: str
    parameter: str
    types: tuple[SownType, ...]
    renewed: bool
    method: bool
    static: frozenset[str]
    in_pair: bool
    options: Mapping[int, Mapping[str, str]]
    indent: str
    unit: str
    width: int


def _block(suite: cst.BaseSuite) -> cst.IndentedBlock:
    """What stands behind a colon, on a line of its own."""
    assert isinstance(suite, cst.SimpleStatementSuite)
    line = cst.SimpleStatementLine(suite.body, trailing_whitespace=suite.trailing_whitespace)
    return cst.IndentedBlock([line])


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
        if not self.twin.in_pair:
            return updated_node.with_changes(value=self._with_popped(value, enclosed=False))
        assert isinstance(value, cst.Tuple)
        carry, outputs = value.elements
        both = outputs.with_changes(value=self._with_popped(outputs.value, enclosed=True))
        return updated_node.with_changes(value=value.with_changes(elements=[carry, both]))

    def _with_popped(self, value: cst.BaseExpression, *, enclosed: bool) -> cst.Tuple:
        """A pair of a value and of what is popped."""
        if isinstance(value, cst.Tuple) and not value.lpar:
            value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        popped = cst.parse_expression(f"{self.nnx}.clone({self._pop})")
        elements = [cst.Element(value), cst.Element(popped)]
        if enclosed:
            return cst.Tuple(elements)
        return cst.Tuple(elements, lpar=[], rpar=[])

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef | cst.FlattenSentinel[cst.FunctionDef]:
        self._depth -= 1
        if self._depth:
            return updated_node
        body = updated_node.body
        documented = updated_node.get_docstring() is not None and len(body.body) > 1
        block = body if isinstance(body, cst.IndentedBlock) else _block(body)
        rest = block.with_changes(body=block.body[1:]) if documented else block
        twin = updated_node.with_changes(
            name=cst.Name(self.twin.name),
            returns=self._returns(updated_node.returns),
            decorators=[*self._decorators(updated_node.decorators)],
            body=rest,
        )
        if self._is_long(twin):
            twin = twin.with_changes(returns=None)
        lines: list[cst.BaseStatement] = [
            cst.parse_statement(line) for line in self._lines(updated_node.params)
        ]
        if documented:
            lines = [*block.body[:1], *lines]
        local = self.twin.method or len(self.twin.indent) > len(self.twin.unit)
        public = updated_node.with_changes(
            decorators=[],
            lines_after_decorators=[],
            leading_lines=[cst.EmptyLine(indent=False)] * (1 if local else 2),
            body=block.with_changes(body=lines),
        )
        return cst.FlattenSentinel([twin, public])

    def _returns(self, returns: cst.Annotation | None) -> cst.Annotation | None:
        """What the twin is annotated to return."""
        if returns is None:
            return None
        annotation = returns.annotation
        if not self.twin.in_pair:
            return returns.with_changes(annotation=self._pair(annotation))
        if isinstance(annotation, cst.Subscript) and len(annotation.slice) == 2:
            first, second = annotation.slice
            if isinstance(second.slice, cst.Index):
                index = second.slice.with_changes(value=self._pair(second.slice.value))
                slices = [first, second.with_changes(slice=index)]
                return returns.with_changes(annotation=annotation.with_changes(slice=slices))
        return None

    def _pair(self, annotation: cst.BaseExpression) -> cst.BaseExpression:
        code = cst.Module([]).code_for_node(annotation)
        return cst.parse_expression(f"tuple[{code}, {self.nnx}.State]")

    def _decorators(self, decorators: Sequence[cst.Decorator]) -> Iterator[cst.Decorator]:
        """Those of the twin, with their new options."""
        for place, decorator in enumerate(decorators):
            options = self.twin.options.get(place, {})
            call = decorator.decorator
            if not options:
                yield decorator
                continue
            if not isinstance(call, cst.Call):
                raise NotCaptured(SownCause.DECORATOR_OPTIONS)
            arguments = [
                each.with_changes(value=cst.parse_expression(options[each.keyword.value]))
                if each.keyword is not None and each.keyword.value in options
                else each
                for each in call.args
            ]
            if all(one is other for one, other in zip(arguments, call.args, strict=True)):
                raise NotCaptured(SownCause.DECORATOR_OPTIONS)
            yield decorator.with_changes(decorator=call.with_changes(args=arguments))

    def _is_long(self, twin: cst.FunctionDef) -> bool:
        """Whether the header of a function is a line that is too long."""
        bare = twin.with_changes(decorators=[], leading_lines=[], lines_after_decorators=[])
        header = cst.Module([]).code_for_node(bare).partition("\n")[0]
        return len(self.twin.indent.expandtabs(4)) - 4 + len(header) > self.twin.width

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
        result, outputs, sown = fresh(["result", "outputs", "sown"], {*named, *only})
        bound = f"{result}, ({outputs}, {sown})" if self.twin.in_pair else f"{result}, {sown}"
        call = f"{bound} = {callee}({', '.join(passed)})"
        if len(self.twin.indent.expandtabs(4)) + len(call) > self.twin.width:
            inner = "\n".join(f"{self.twin.unit}{each}," for each in passed)
            call = f"{bound} = {callee}(\n{inner}\n)"
        returned = f"{result}, {outputs}" if self.twin.in_pair else result
        gone = [f"{self._pop}  # new ones take their place"] if self.twin.renewed else []
        return [call, *gone, f"{self.nnx}.update({own}, {sown})", f"return {returned}"]

    @property
    def _pop(self) -> str:
        filters = ", ".join(each.source(self.nnx) for each in self.twin.types)
        if len(self.twin.types) > 1:
            filters = f"({filters})"
        return f"{self.nnx}.pop({self.twin.parameter}, {filters})"
