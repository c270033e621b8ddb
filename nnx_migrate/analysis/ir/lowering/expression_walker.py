"""What the expressions of a file call, read and bind, taken down while the file is walked."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from nnx_migrate.analysis.flax.transforms import AS_VALUE, COMPUTED, SITE_NAMES
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.annotations import parameters_of
from nnx_migrate.analysis.ir.lowering.bindings import Bindings
from nnx_migrate.analysis.ir.lowering.certain_pops import CertainPops
from nnx_migrate.analysis.ir.lowering.expressions import (
    is_new_container,
    lower_call,
    lower_expr,
)
from nnx_migrate.analysis.ir.lowering.function_builder import FunctionBuilder
from nnx_migrate.analysis.ir.lowering.implicit_calls import RUNNING, note_implied
from nnx_migrate.analysis.ir.lowering.literal_lookups import (
    IMPORTING,
    LOOKUPS,
    is_computed_lookup,
    looked_up,
    lookup,
    named_by_string,
)
from nnx_migrate.analysis.ir.lowering.syntax_names import callee, dotted_path, function_key
from nnx_migrate.analysis.ir.parse import children


class ExpressionWalker(Bindings):
    """Walks expressions, with the functions that stand in them."""

    def __init__(self) -> None:
        super().__init__()
        self.imports: set[str] = set()
        self.words: set[str] = set()
        self.paths: set[str] = set()
        self.values: set[str] = set()

    def visit(self, node: ast.AST | None) -> None:
        """Collect names, calls, lambdas and comprehension variables of an expression."""
        if node is None:
            return
        visit = _VISITS.get(node.__class__)
        if visit is not None:
            visit(self, node)
        else:
            self.visit_children(node)

    def visit_children(self, node: ast.AST) -> None:
        for child in children(node):
            self.visit(child)

    def visit_running(self, node: ast.AST) -> None:
        note_implied(self.function.implied, node)
        self.visit_children(node)

    def visit_name(self, node: ast.Name) -> None:
        self.words.add(node.id)
        self.values.add(node.id)

    def visit_base(self, node: ast.expr) -> None:
        """Visit what something is an attribute of, which goes on as no value by that."""
        if isinstance(node, ast.Name):
            self.words.add(node.id)
        elif isinstance(node, ast.Attribute):
            self.visit_attribute(node, is_base=True)
        else:
            self.visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        self.words.add(node.arg or "**")
        self.visit(node.value)

    def visit_constant(self, node: ast.Constant) -> None:
        """It names nothing."""

    def visit_attribute(self, node: ast.Attribute, is_base: bool = False) -> None:
        self.note_attribute(node)
        if isinstance(node.ctx, ast.Load):
            self.read(node)
        if not is_base and node.attr == _NNX:
            self.values.add(dotted_path(node))
        if node.attr in _HOLDING:
            self.visit(node.value)
        else:
            self.visit_base(node.value)

    def note_attribute(self, node: ast.Attribute) -> None:
        self.words.add(node.attr)
        if node.attr in SITE_NAMES:
            self.note_path(lower_expr(node))

    def note_path(self, expr: ir.Expr) -> None:
        if path := ir.path_of(expr):
            self.paths.add(path)

    def visit_subscript(self, node: ast.Subscript) -> None:
        self.note_found(node)
        self.visit_running(node)

    def note_found(self, node: ast.Call | ast.Subscript) -> None:
        """Take down what is found by a literal text, as what is named."""
        found = lookup(node)
        if found is None:
            return
        self.words.update(found.path)
        if found.base is None:
            self.imports.update({found.module} - {""})
        elif found.caller is not None and (path := ir.path_of(lower_expr(found.base))):
            self.paths.add(f"{path}.{found.path[0]}")
        elif found.path[-1] in SITE_NAMES:
            self.note_path(lower_expr(node))

    def visit_call(self, node: ast.Call) -> None:
        if callee(node) in LOOKUPS:
            self.note_lookup(node)
        elif callee(node) in _RUNNING_TEXT:
            self.note_text(node)
        self.note_found(node)
        lowered = lower_expr(node)
        if not isinstance(lowered, ir.Call):
            lowered = lower_call(node)
        self.function.call(self.of_class(lowered), node)
        self.grow(lowered, node)
        if isinstance(node.func, ast.Attribute):
            self.note_attribute(node.func)
            if node.func.attr in _HOLDING:
                self.visit(node.func.value)
            else:
                self.visit_base(node.func.value)
        else:
            self.visit(node.func)
        for argument in node.args:
            self.visit(argument)
        for keyword in node.keywords:
            self.visit_keyword(keyword)

    def note_text(self, node: ast.Call) -> None:
        """Take down what `exec("nnx.jit(f)")` may name."""
        for argument in node.args[:1]:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                self.values.update(_NAME.findall(argument.value))

    def note_lookup(self, node: ast.Call) -> None:
        if callee(node) in IMPORTING and lookup(node) is None:
            self.paths.add(f"flax.nnx.{AS_VALUE}")  # it may be that
        for text in looked_up(node):
            self.words.update(text.split("."))
            if callee(node) in IMPORTING:
                self.imports.add(text)
        if named_by_string(node) in SITE_NAMES:
            self.note_path(lower_call(node))
        if is_computed_lookup(node) and (path := dotted_path(node.args[0])):
            self.paths.add(f"{path}.{COMPUTED}")
        match node:
            case ast.Call(func=ast.Name(id="setattr"), args=[target, key, value]) if not isinstance(
                key, ast.Constant
            ):
                stored = ir.Write(lower_expr(target), lower_expr(value), "key", node.lineno)
                self.note_repeated(stored, value)

    def visit_yield(self, node: ast.Yield) -> None:
        if node.value is not None:
            self.function.yields += self.put_in_turns(lower_expr(node.value), node.value)
        self.visit(node.value)

    def visit_yield_from(self, node: ast.YieldFrom) -> None:
        note_implied(self.function.implied, node)
        self.function.yields.append(ir.Iterated(lower_expr(node.value)))
        self.visit(node.value)

    def visit_lambda(self, node: ast.Lambda) -> None:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            self.visit(default)
        self.walk_lambda(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        outer, self.in_comprehension = self.in_comprehension, True
        self.assign(node.target, ir.Iterated(lower_expr(node.iter)))
        self.in_comprehension = outer
        self.visit_running(node)

    def visit_named(self, node: ast.NamedExpr) -> None:
        outer, self.within_line = self.within_line, True
        self.assign(node.target, lower_expr(node.value))
        self.within_line = outer
        self.visit_children(node)

    def walk_lambda(self, node: ast.Lambda) -> None:
        key = function_key(node)
        builder = FunctionBuilder(
            key, "<lambda>", node.lineno, self.function, None, parameters_of(node.args)
        )
        around = self.function, self.class_bindings, self.loops, self.blocks
        self.function.nested.append(key)
        self.functions.append(builder)
        self.function, self.class_bindings, self.loops, self.blocks = builder, None, [], ()
        self.visit(node.body)
        builder.returns.append(lower_expr(node.body))
        pops = CertainPops()
        pops.note_lambda(node.body, len(builder.calls))
        builder.pops = pops.settled(())
        self.function, self.class_bindings, self.loops, self.blocks = around

    def assign(self, target: ast.expr, value: ir.Expr) -> None:
        match target:
            case ast.Name(id=name):
                self.bind(name, value)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                star = next((i for i, e in enumerate(elements) if isinstance(e, ast.Starred)), None)
                for i, element in enumerate(elements):
                    if isinstance(element, ast.Starred):
                        bounds = ir.Constant("str", f"{i}:{i + 1 - len(elements) or ''}")
                        part = ir.Call(ir.SLICED, (value, bounds), (), element.lineno)
                        rest = ir.Sequence((ir.Starred(part),), is_tuple=False)
                        self.assign(element.value, rest)
                        continue
                    index = i if star is None or i < star else i - len(elements)
                    self.assign(element, _unpacked(value, index, len(elements)))
            case ast.Attribute() | ast.Subscript():
                self.visit(target)
                self.write(target, value, "set")

    def read(self, node: ast.Attribute) -> None:
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name):
            bound = self.functions[0].bindings.get(root.id, ())
            if bound and all(isinstance(value, ir.ImportRef) for value in bound):
                return
        lowered = lower_expr(node)
        assert isinstance(lowered, ir.Attribute)
        self.function.reads[lowered] = None


def _unpacked(value: ir.Expr, index: int, targets: int) -> ir.Expr:
    """One of several values that are bound at once; of `xs, ys = {}, []` the container itself."""
    match value:
        case ir.Sequence(elements=elements, keyed="no", each=False) if len(
            elements
        ) == targets and is_new_container(elements[index]):
            if not any(isinstance(each, ir.Starred) for each in elements):
                return elements[index]
    return ir.Unpacked(value, index)


#: What is done at each kind of expression; of all others only the parts are looked at.
#: The last name of the module whose functions count.
_NNX = "nnx"
_NAME = re.compile(r"\w+")
_RUNNING_TEXT = frozenset({"eval", "exec"})
#: What gives any attribute of a module.
_HOLDING = frozenset({"__dict__", "__getattribute__"})
_VISITS: Mapping[type[ast.AST], Callable[[ExpressionWalker, Any], None]] = {
    **dict.fromkeys(RUNNING, ExpressionWalker.visit_running),
    ast.Attribute: ExpressionWalker.visit_attribute,
    ast.Call: ExpressionWalker.visit_call,
    ast.Constant: ExpressionWalker.visit_constant,
    ast.Lambda: ExpressionWalker.visit_lambda,
    ast.Name: ExpressionWalker.visit_name,
    ast.Subscript: ExpressionWalker.visit_subscript,
    ast.NamedExpr: ExpressionWalker.visit_named,
    ast.Yield: ExpressionWalker.visit_yield,
    ast.YieldFrom: ExpressionWalker.visit_yield_from,
    ast.comprehension: ExpressionWalker.visit_comprehension,
    ast.keyword: ExpressionWalker.visit_keyword,
}
