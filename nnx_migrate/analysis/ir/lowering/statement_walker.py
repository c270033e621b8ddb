"""The walk over the statements of a file, which takes down its functions and classes."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from nnx_migrate.analysis.flax.transforms import WRAPPERS
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.annotations import (
    Bounds,
    bounded,
    bounded_parameters,
    bounds_of,
    lower_annotation,
    parameters_of,
)
from nnx_migrate.analysis.ir.lowering.certain_pops import CertainPops
from nnx_migrate.analysis.ir.lowering.containers.calls_on_new import calls_on_new_containers
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr, needed_name
from nnx_migrate.analysis.ir.lowering.function_builder import FunctionBuilder
from nnx_migrate.analysis.ir.lowering.functional_classes import functional_class
from nnx_migrate.analysis.ir.lowering.implicit_calls import IN_PLACE, RUNNING, note_implied
from nnx_migrate.analysis.ir.lowering.import_walker import ImportWalker
from nnx_migrate.analysis.ir.lowering.patterns import captured
from nnx_migrate.analysis.ir.lowering.statement_order import (
    blocks_of,
    branches_of,
    certain_removals,
    loop_block,
)
from nnx_migrate.analysis.ir.lowering.syntax_names import function_key

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
#: What is known of them needs no look at what they are given.
_KNOWN_DECORATORS = WRAPPERS | {
    "abstractmethod",
    "cached_property",
    "classmethod",
    "dataclass",
    "getter",
    "overload",
    "override",
    "property",
    "setter",
}


class StatementWalker(ImportWalker):
    """Walks statements in order, keeping the function and the class that it is in."""

    def __init__(self, module: str, is_package: bool, meant: Mapping[str, str]) -> None:
        super().__init__(module, is_package, meant)
        self.classes: dict[str, ir.Class] = {}
        #: Of the type parameters of the definitions around.
        self.bounds: Bounds = {}

    def lowered(self, annotation: ast.expr | None) -> ir.Expr | None:
        """An annotation in the definition that is walked."""
        return bounded(lower_annotation(annotation), self.bounds)

    def walk_body(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.walk_statement(statement)

    def walk_statement(self, node: ast.stmt) -> None:
        if node.lineno == self.line:
            self.function.shared_lines.add(self.line)
        self.line = node.lineno
        self.statement = node
        if node.__class__ in RUNNING:
            note_implied(self.function.implied, node)
        match node:  # the most frequent first: each case that does not match is one more check
            case ast.Assign(targets=targets, value=value):
                self.visit(value)
                made = self.made_class(targets, value) or lower_expr(value)
                for target in targets:
                    self.assign(target, made)
                self.note_exports(targets, value)
            case ast.Expr(value=value):
                self.visit(value)
                if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
                    self.note_exports([value.func.value], value)  # __all__.extend([...])
            case ast.Return(value=value):
                self.visit(value)
                if value is not None:
                    self.function.returns.append(lower_expr(value))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.walk_function(node)
            case ast.ClassDef():
                self.walk_class(node)
            case ast.Import():
                self.walk_import(node)
            case ast.ImportFrom():
                self.walk_import_from(node)
            case ast.AnnAssign(target=target, value=value):
                self.visit(value)
                low = self.lowered(node.annotation) or ir.Computed()
                parts = (low,) if value is None else (low, lower_expr(value))
                self.note_exports([target], value)
                told = ir.Call(ir.ANNOTATED, parts, (), node.lineno)
                if value is not None:
                    self.assign(target, told)
                elif isinstance(target, ast.Name):
                    self.bind(target.id, told, surely=False)
            case ast.AugAssign(target=target, value=value):
                self.visit(value)
                self.visit(target)
                self.note_exports([target], value)
                self.augment(target, node)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.visit(target)
                    self.write(target, None, "delete")
            case ast.For() | ast.AsyncFor():
                self.visit(node.iter)
                self.walk_loop(node)
            case ast.If(test=test, body=body, orelse=orelse):
                if self.function.owner is not None and (orelse or self.function.name == "__init__"):
                    self.function.branches += branches_of(node)
                self.function.conditional.append((node.lineno, node.end_lineno or node.lineno))
                self.visit(test)
                (_, then), (_, otherwise) = blocks_of(node)
                self.walk_guarded(body, needed_name(test), then)
                self.walk_block(orelse, otherwise)
            case ast.While():
                self.walk_loop(node)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self.visit(item.context_expr)
                    self.runs(item.context_expr, "__enter__", "__exit__")
                    if item.optional_vars is not None:
                        manager = lower_expr(item.context_expr)
                        entered = ir.Call(ir.ENTERED, (manager,), (), node.lineno)
                        self.assign(item.optional_vars, entered)
                ((_, block),) = blocks_of(node)
                self.walk_block(node.body, block)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                self.function.globals.update(names)
                if isinstance(node, ast.Nonlocal):
                    self.function.nonlocals.update(names)
            case _:
                self.walk_other(node)

    def walk_guarded(self, body: list[ast.stmt], name: str, block: ir.Block) -> None:
        function, outer = self.function, self.function.guard
        # A parameter says more than an attribute, which must be settled where the object is made.
        function.guard = outer if not name or ("." in name and outer) else name
        self.walk_block(body, block)
        function.guard = outer

    def walk_block(self, body: Sequence[ast.AST], block: ir.Block) -> None:
        """Walk statements that a run may leave out."""
        outer, self.blocks = self.blocks, (*self.blocks, block)
        for statement in body:
            assert isinstance(statement, ast.stmt)
            self.walk_statement(statement)
        self.blocks = outer

    def walk_loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        outer, around = self.blocks, (*self.blocks, loop_block(node))
        (_, turn), (_, otherwise) = blocks_of(node)
        self.blocks = around
        if isinstance(node, ast.While):
            self.visit(node.test)
        else:
            self.blocks = (*around, turn)
            self.assign(node.target, ir.Iterated(lower_expr(node.iter)))
            self.blocks = around
        self.function.loops.append((node.lineno, node.end_lineno or node.lineno))
        self.loops.append(node)
        self.walk_block(node.body, turn)
        self.loops.pop()
        self.walk_block(node.orelse, otherwise)
        self.blocks = outer

    def walk_other(self, node: ast.stmt) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.visit(child)
        for part, block in blocks_of(node):
            match part:
                case [ast.ExceptHandler() as handler]:
                    self.walk_handler(node, handler, block)
                case [ast.match_case() as case]:
                    assert isinstance(node, ast.Match)
                    self.statement = case.pattern
                    self.bind_pattern(case.pattern, lower_expr(node.subject))
                    self.visit(case.guard)
                    self.walk_block(case.body, block)
                case _:
                    self.walk_block(part, block)

    def walk_handler(self, node: ast.stmt, handler: ast.ExceptHandler, block: ir.Block) -> None:
        self.statement = handler
        if handler.name:
            self.bind(handler.name, ir.Constant("other"), surely=False)
        self.visit(handler.type)
        outer = self.unbound
        names = self.without_flax(node, handler)
        self.unbound |= {(self.function.key, name) for name in names}
        self.walk_block(handler.body, block)
        self.unbound = outer

    def bind_pattern(self, pattern: ast.pattern, subject: ir.Expr) -> None:
        """A captured name is the subject, or a part of it where the pattern matches that."""
        for name, part in captured(pattern, subject):
            self.bind(name, part if part == subject else ir.Choice((part, ir.UNSEEN)), surely=False)

    def walk_function(self, node: FunctionNode) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            self.visit(default)
        key = function_key(node)
        owner = None
        if self.class_bindings is None:
            self.bind(node.name, ir.FunctionRef(key))
        else:
            owner = self.class_key
            if not _is_accessor(node):
                self.methods[node.name] = key
        around = self.bounds
        self.bounds = bounds_of(node, around)
        builder = FunctionBuilder(
            key,
            node.name,
            node.lineno,
            self.function,
            owner,
            bounded_parameters(parameters_of(node.args), self.bounds),
            tuple(lower_expr(decorator) for decorator in node.decorator_list),
            self.lowered(node.returns),
        )
        self.note_decorated(builder.decorators, ir.FunctionRef(key), node.lineno)
        self.enter(builder, node.body)
        self.bounds = around

    def note_decorated(
        self, decorators: tuple[ir.Expr, ...], decorated: ir.FunctionRef | ir.ClassRef, line: int
    ) -> None:
        """Record `@wrapped` above a function or a class as the call `wrapped(f)` that it is."""
        for decorator in decorators:
            named = decorator.func if isinstance(decorator, ir.Call) else decorator
            if ir.last_name(named) not in _KNOWN_DECORATORS:
                self.function.call(ir.Call(decorator, (decorated,), (), line))

    def enter(self, builder: FunctionBuilder, body: list[ast.stmt]) -> None:
        around = self.function, self.class_bindings, self.loops, self.blocks
        self.function.nested.append(builder.key)
        self.functions.append(builder)
        self.function, self.class_bindings, self.loops, self.blocks = builder, None, [], ()
        builder.on_new = calls_on_new_containers(body)
        pops = CertainPops()
        for statement in body:
            before = len(builder.calls)
            self.walk_statement(statement)
            pops.note(statement, before, len(builder.calls))
        builder.pops = pops.settled(body)
        if builder.owner is not None and builder.parameters:
            builder.removals = tuple(certain_removals(body, builder.parameters[0].name))
        self.function, self.class_bindings, self.loops, self.blocks = around

    def walk_class(self, node: ast.ClassDef) -> None:
        for expression in [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]:
            self.visit(expression)
        key = f"{node.name}:{node.lineno}"
        self.bind(node.name, ir.ClassRef(key))
        decorators = tuple(lower_expr(decorator) for decorator in node.decorator_list)
        self.note_decorated(decorators, ir.ClassRef(key), node.lineno)
        outer = self.class_bindings, self.class_key, self.methods
        self.class_bindings, self.class_key, self.methods = {}, key, {}
        annotations: dict[str, ir.Expr] = {}
        around, self.bounds = self.bounds, bounds_of(node, self.bounds)
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                annotations[statement.target.id] = (
                    self.lowered(statement.annotation) or ir.Computed()
                )
            self.walk_statement(statement)
        self.bounds = around
        attributes = {name: tuple(values) for name, values in self.class_bindings.items()}
        methods = self.methods
        self.class_bindings, self.class_key, self.methods = outer
        self.classes[key] = ir.Class(
            key,
            node.name,
            node.lineno,
            self.function.key,
            tuple(lower_expr(base) for base in node.bases),
            tuple((k.arg, lower_expr(k.value)) for k in node.keywords),
            decorators,
            methods,
            attributes,
            annotations,
        )

    def made_class(self, targets: list[ast.expr], value: ast.expr) -> ir.ClassRef | None:
        """The class that `State = namedtuple("State", "model k")` makes."""
        match targets:
            case [ast.Name(id=name)]:
                made = functional_class(name, value, self.function.key)
                if made is not None:
                    self.classes[made.key] = made
                    return ir.ClassRef(made.key)
        return None

    def augment(self, target: ast.expr, node: ast.AugAssign) -> None:
        value = self.added_in_turns(node.value)
        if isinstance(target, ast.Attribute):
            self.function.store(
                ir.Write(lower_expr(target), lower_expr(value), "augment", target.lineno)
            )
        elif isinstance(target, ast.Subscript):
            self.write(target, lower_expr(value), "set")
        elif isinstance(target, ast.Name):
            self.runs(target, IN_PLACE[type(node.op)])
            if isinstance(node.op, ast.Add | ast.BitOr):
                self.grow_in_place(target.id, lower_expr(value))
            self.bind(target.id, lower_expr(ast.BinOp(target, node.op, value)))


def _is_accessor(node: FunctionNode) -> bool:
    """Whether it is a setter or deleter, which adds to the property of the same name."""
    return any(
        isinstance(d, ast.Attribute) and d.attr in {"setter", "deleter", "getter"}
        for d in node.decorator_list
    )
