import ast

import libcst as cst
from libcst.helpers import parse_template_statement

from nnx_migrate.rewrite.model.function_rewrite import FunctionFacts


class NameReturned(cst.CSTTransformer):
    """Binds what a statement returns to a name first."""

    def __init__(self, facts: FunctionFacts, statement: ast.stmt, name: str) -> None:
        super().__init__()
        self.facts = facts
        self.statement = statement
        self.name = cst.Name(name)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        if self.facts.node(original_node) is not self.statement:
            return updated_node
        returned = cst.ensure_type(updated_node.body[0], cst.Return)
        value = cst.ensure_type(returned.value, cst.Call)
        bound = parse_template_statement("{name} = {value}", name=self.name, value=value)
        named = updated_node.with_changes(body=[returned.with_changes(value=self.name)])
        return cst.FlattenSentinel(
            [
                bound.with_changes(leading_lines=updated_node.leading_lines),
                named.with_changes(leading_lines=()),
            ]
        )
