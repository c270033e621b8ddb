"""Rewriting a function by LibCST: all else stays byte for byte, and the facts are found."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import libcst as cst
import pytest

from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.ir.build import index_module
from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.analysis.sites.tree import Tree
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.rewrite.libcst.rewrite import function_edits
from nnx_migrate.rewrite.libcst.splice import FunctionText
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.function_rewrite import FunctionFacts, FunctionRewrite
from nnx_migrate.rewrite.text.edits import Edit, Text, apply_edits
from nnx_migrate.sources.configuration import Options
from nnx_migrate.sources.text import decode

ROOT = Path(__file__).parents[2]
FILES = sorted(ROOT.glob("golden/*/*/before*.py"))
Definition = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.Module) -> list[Definition]:
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_identity_leaves_every_function_as_it_is(newline: str) -> None:
    seen = 0
    for file in FILES[:: 1 if newline == "\n" else 5]:
        text = Text(file.read_text().replace("\n", newline))
        for function in functions(ast.parse(text.text)):
            part = FunctionText.cut(text, function, newline, "    ")
            assert part.edits(part.tree.visit(cst.CSTTransformer())) == [], (file, function.name)
            seen += 1
    assert seen > 200


def context_of(code: str) -> FileContext:
    source = decode(Path("train.py"), code.encode())
    project = Project([index_module(source, "train")])
    tree = Tree(parse(source.text), "train", project)
    return FileContext("train.py", Text(source.text), tree, Analysis(project), Options())


def rewritten(context: FileContext, transformer: type[cst.CSTTransformer]) -> list[Edit]:
    """Edits of the first site's function, by a transformer that is given the facts."""
    site = context.finder.sites[0]
    rewrite = FunctionRewrite.around(context, site, transformer)
    assert rewrite is not None
    return function_edits(context, site, rewrite)


class Asking(cst.CSTTransformer):
    """Looks every expression and statement up; what it is told has to be the same code."""

    def __init__(self, facts: FunctionFacts) -> None:
        super().__init__()
        self.facts = facts
        self.found = 0

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.FormattedString) and sys.version_info < (3, 12):
            return False
        if isinstance(node, cst.BaseExpression) and not isinstance(
            node, cst.Name | cst.StarredElement
        ):
            told = self.facts.node(node)
            # What has no expression of its own in `ast`: parts of imports, strings side by side.
            if told is not None:
                code = cst.Module([]).code_for_node(node)
                assert ast.dump(ast.parse(f"({code}\n)", mode="eval").body) == ast.dump(told)
                self.found += 1
            kinds = cst.Call | cst.Attribute | cst.Tuple | cst.GeneratorExp | cst.BinaryOperation
            assert told is not None or not isinstance(node, kinds)
        return True

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        assert isinstance(self.facts.node(original_node), ast.Return)
        return updated_node


CODE = '''\
from flax import nnx


class Trainer:
    @nnx.jit
    def step(
        self, model,
        x,  # the données
    ):
        """Doc."""
        grads = (nnx.grad(lambda m: sum(m(i)for i in (x))))(  model); y = -x ** 2
        if (y[0] > 1 and not grads) or "é" + f"{y}":
            return (grads, y), {"a": [y, *grads], **x}
        return grads
'''


def test_facts_are_those_of_the_code_that_is_asked_about() -> None:
    context = context_of(CODE)
    made: list[Asking] = []

    class Kept(Asking):
        def __init__(self, facts: FunctionFacts) -> None:
            super().__init__(facts)
            made.append(self)

    with pytest.raises(CannotEmit, match="changes nothing"):
        rewritten(context, Kept)
    assert made[0].found > 15


class Losing(cst.CSTTransformer):
    def __init__(self, facts: FunctionFacts) -> None:
        super().__init__()

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        return updated_node.with_changes(whitespace_after_param=cst.SimpleWhitespace(""))

    def leave_Parameters(
        self, original_node: cst.Parameters, updated_node: cst.Parameters
    ) -> cst.Parameters:
        return cst.Parameters([cst.Param(p.name) for p in updated_node.params])


class Renaming(Losing):
    def leave_Parameters(
        self, original_node: cst.Parameters, updated_node: cst.Parameters
    ) -> cst.Parameters:
        return updated_node

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        return updated_node.with_changes(value=cst.Name("found"))


class Refusing(Losing):
    def visit_Return(self, node: cst.Return) -> None:
        raise CannotEmit("not here")


@pytest.mark.parametrize(
    ("transformer", "reason"),
    [
        (Losing, "a comment would be lost: # the données"),
        (Renaming, "would read names that nothing binds: found"),
        (Refusing, "not here"),
    ],
)
def test_what_may_not_be_written_is_refused(
    transformer: type[cst.CSTTransformer], reason: str
) -> None:
    with pytest.raises(CannotEmit, match=reason):
        rewritten(context_of(CODE), transformer)


class Wrapping(cst.CSTTransformer):
    """Puts the last return under an `if`, and names nnx."""

    def __init__(self, facts: FunctionFacts) -> None:
        super().__init__()
        self.facts = facts

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement:
        match self.facts.node(original_node):
            case ast.Return(value=ast.Name()):
                test = cst.parse_expression(f"{self.facts.nnx}.Param is not None")
                return cst.If(test, cst.IndentedBlock([updated_node]))
        return updated_node


@pytest.mark.parametrize("indent", ["  ", "\t", "    "])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_new_lines_look_as_those_of_the_file(indent: str, newline: str) -> None:
    code = CODE.replace("    ", indent).replace("\n", newline)
    context = context_of(code)
    after = apply_edits(code, rewritten(context, Wrapping))
    last = f"{indent * 2}return grads{newline}"
    assert after == code.replace(
        last, f"{indent * 2}if nnx.Param is not None:{newline}{indent * 3}return grads{newline}"
    )


def test_nnx_is_imported_where_it_has_no_name() -> None:
    code = (
        "from flax.nnx import grad\n\n\ndef step(model):\n    g = grad(sum)(model)\n    return g\n"
    )
    after = apply_edits(code, rewritten(context_of(code), Wrapping))
    assert after.startswith("from flax import nnx\nfrom flax.nnx import grad\n")
    assert "    if nnx.Param is not None:\n        return g\n" in after
