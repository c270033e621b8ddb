"""The index of one file: one walk over its syntax tree, one compact, picklable record."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from nnx_migrate.analysis.flax.transforms import AS_VALUE, WRAPPERS
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.certain_pops import CertainPops
from nnx_migrate.analysis.ir.functional_classes import functional_class
from nnx_migrate.analysis.ir.implicit_calls import RUNNING, note_implied
from nnx_migrate.analysis.ir.lower_expressions import (
    FunctionBuilder,
    function_key,
    lower_annotation,
    lower_expr,
    needed_name,
    parameters_of,
)
from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.analysis.ir.statement_order import binding_order, branches_of
from nnx_migrate.analysis.ir.visitor import ExpressionWalker
from nnx_migrate.sources.imports.scan import translated
from nnx_migrate.sources.text import Source

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
#: First names of absolute imports, with the dotted names that they stand for in a file.
Meant = tuple[tuple[str, str], ...]


def index_module(source: Source, module: str, meant: Meant = ()) -> ir.ModuleIndex:
    """Index a file.

    Args:
        source: the decoded file.
        module: its dotted module name ("pkg.models"; "pkg" for `pkg/__init__.py`).
        meant: what its imports stand for, where that is not what they say.

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser or the walk.
    """
    return index_tree(parse(source.text), module, source, meant)


def index_tree(tree: ast.Module, module: str, source: Source, meant: Meant = ()) -> ir.ModuleIndex:
    is_package = source.path.name == "__init__.py"
    walker = _Walker(module, is_package, dict(meant))
    walker.walk_body(tree.body)
    walker.function.in_order = binding_order(tree.body, walker.function.bindings)
    functions = {builder.key: builder.build() for builder in walker.functions}
    paths = walker.paths | {f"{name}.{AS_VALUE}" for name in _modules_as_values(walker, functions)}
    return ir.ModuleIndex(
        module,
        str(source.path),
        is_package,
        functions,
        walker.classes,
        tuple(walker.star_imports),
        tuple(sorted(walker.imports)),
        walker.exports,
        tuple(sorted(walker.words)),
        tuple(sorted(paths)),
        source.stands,
        meant,
        source.lines,
    )


def _modules_as_values(walker: _Walker, functions: Mapping[str, ir.Function]) -> Iterator[str]:
    """The names that stand for a module `nnx` and are more than the base of an attribute."""
    for path in walker.values:
        if "." in path:
            yield path
            continue
        bound = (function.bindings.get(path, ()) for function in functions.values())
        if any(
            isinstance(each, ir.ImportRef) and each.target.rpartition(".")[2] == "nnx"
            for values in bound
            for each in values
        ):
            yield path


_IN_PLACE: Mapping[type[ast.operator], str] = {
    ast.Add: "__iadd__",
    ast.Sub: "__isub__",
    ast.Mult: "__imul__",
    ast.MatMult: "__imatmul__",
    ast.Div: "__itruediv__",
    ast.FloorDiv: "__ifloordiv__",
    ast.Mod: "__imod__",
    ast.Pow: "__ipow__",
    ast.LShift: "__ilshift__",
    ast.RShift: "__irshift__",
    ast.BitOr: "__ior__",
    ast.BitXor: "__ixor__",
    ast.BitAnd: "__iand__",
}
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


class _Walker(ExpressionWalker):
    """Walks statements in order, keeping the function and the class that it is in."""

    def __init__(self, module: str, is_package: bool, meant: Mapping[str, str]) -> None:
        super().__init__()
        self.meant = meant
        self.module = module
        self.is_package = is_package
        self.classes: dict[str, ir.Class] = {}
        self.class_key = ""
        self.methods: dict[str, str] = {}
        self.star_imports: list[str] = []
        self.exports: frozenset[str] = frozenset()

    def walk_body(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.walk_statement(statement)

    def walk_statement(self, node: ast.stmt) -> None:
        self.line = node.lineno
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
                low = lower_annotation(node.annotation) or ir.Computed()
                parts = (low,) if value is None else (low, lower_expr(value))
                self.note_exports([target], value)
                if value is not None or isinstance(target, ast.Name):
                    self.assign(target, ir.Call(ir.ANNOTATED, parts, (), node.lineno))
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
                self.assign(node.target, ir.Iterated(lower_expr(node.iter)))
                self.walk_loop(node)
            case ast.If(test=test, body=body, orelse=orelse):
                if self.function.owner is not None and (orelse or self.function.name == "__init__"):
                    self.function.branches += branches_of(node)
                self.visit(test)
                self.walk_guarded(body, needed_name(test))
                self.walk_body(orelse)
            case ast.While():
                self.visit(node.test)
                self.walk_loop(node)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self.visit(item.context_expr)
                    self.runs(item.context_expr, "__enter__", "__exit__")
                    if item.optional_vars is not None:
                        manager = lower_expr(item.context_expr)
                        entered = ir.Call(ir.ENTERED, (manager,), (), node.lineno)
                        self.assign(item.optional_vars, entered)
                self.walk_body(node.body)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                self.function.globals.update(names)
                if isinstance(node, ast.Nonlocal):
                    self.function.nonlocals.update(names)
            case _:
                self.walk_other(node)

    def walk_guarded(self, body: list[ast.stmt], name: str) -> None:
        function, outer = self.function, self.function.guard
        # A parameter says more than an attribute, which must be settled where the object is made.
        function.guard = outer if not name or ("." in name and outer) else name
        self.walk_body(body)
        function.guard = outer

    def walk_loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        self.loops.append(node)
        self.function.loops.append((node.lineno, node.end_lineno or node.lineno))
        self.walk_body(node.body)
        self.loops.pop()
        self.walk_body(node.orelse)

    def walk_other(self, node: ast.stmt) -> None:
        for child in ast.iter_child_nodes(node):
            match child:
                case ast.expr():
                    self.visit(child)
                case ast.stmt():
                    self.walk_statement(child)
                case ast.ExceptHandler():
                    if child.name:
                        self.bind(child.name, ir.Constant("other"))
                    self.visit(child.type)
                    self.walk_body(child.body)
                case ast.match_case():
                    assert isinstance(node, ast.Match)
                    self.bind_pattern(child.pattern, lower_expr(node.subject))
                    self.visit(child.guard)
                    self.walk_body(child.body)

    def bind_pattern(self, pattern: ast.pattern, subject: ir.Expr) -> None:
        """A captured name is the subject, or something in it, however deep."""
        for node in ast.walk(pattern):
            name = getattr(node, "name", None) or getattr(node, "rest", None)
            if isinstance(name, str):
                part = ir.Element(subject) if node is not pattern else subject
                self.bind(name, ir.Choice((part, ir.UNSEEN)) if node is not pattern else part)

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
        builder = FunctionBuilder(
            key,
            node.name,
            node.lineno,
            self.function,
            owner,
            parameters_of(node.args),
            tuple(lower_expr(decorator) for decorator in node.decorator_list),
            lower_annotation(node.returns),
        )
        self.note_decorated(builder.decorators, ir.FunctionRef(key), node.lineno)
        self.enter(builder, node.body)

    def note_decorated(
        self, decorators: tuple[ir.Expr, ...], decorated: ir.FunctionRef | ir.ClassRef, line: int
    ) -> None:
        """Record `@wrapped` above a function or a class as the call `wrapped(f)` that it is."""
        for decorator in decorators:
            named = decorator.func if isinstance(decorator, ir.Call) else decorator
            if ir.last_name(named) not in _KNOWN_DECORATORS:
                self.function.call(ir.Call(decorator, (decorated,), (), line))

    def enter(self, builder: FunctionBuilder, body: list[ast.stmt]) -> None:
        outer, outer_class, outer_loops = self.function, self.class_bindings, self.loops
        outer.nested.append(builder.key)
        self.functions.append(builder)
        self.function, self.class_bindings, self.loops = builder, None, []
        pops = CertainPops()
        for statement in body:
            before = len(builder.calls)
            self.walk_statement(statement)
            pops.note(statement, before, len(builder.calls))
        builder.pops = pops.settled(body)
        self.function, self.class_bindings, self.loops = outer, outer_class, outer_loops

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
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                annotations[statement.target.id] = (
                    lower_annotation(statement.annotation) or ir.Computed()
                )
            self.walk_statement(statement)
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

    def walk_import(self, node: ast.Import) -> None:
        for alias in node.names:
            target = translated(alias.name, self.meant)
            self.imports.add(target)
            if alias.asname:
                self.bind(alias.asname, ir.ImportRef(target))
            else:
                head = alias.name.split(".")[0]
                self.bind(head, ir.ImportRef(translated(head, self.meant)))

    def walk_import_from(self, node: ast.ImportFrom) -> None:
        base = self.absolute(node.module, node.level)
        for alias in node.names:
            self.words.add(alias.name)
            if alias.name == "*":
                self.imports.add(base)
                self.star_imports.append(base)
            else:
                target = f"{base}.{alias.name}" if base else alias.name
                self.imports.add(target)
                self.bind(alias.asname or alias.name, ir.ImportRef(target))

    def absolute(self, module: str | None, level: int) -> str:
        if level == 0:
            return translated(module or "", self.meant)
        parts = self.module.split(".")
        drop = level - 1 if self.is_package else level
        prefix = parts[: len(parts) - drop] if drop else parts
        return ".".join([*prefix, *([module] if module else [])])

    def augment(self, target: ast.expr, node: ast.AugAssign) -> None:
        value = node.value
        if isinstance(target, ast.Attribute):
            self.function.writes.append(
                ir.Write(lower_expr(target), lower_expr(value), "augment", target.lineno)
            )
        elif isinstance(target, ast.Subscript):
            self.write(target, lower_expr(value), "set")
        elif isinstance(target, ast.Name):
            self.runs(target, _IN_PLACE[type(node.op)])
            self.bind(target.id, lower_expr(ast.BinOp(target, node.op, value)))

    def note_exports(self, targets: list[ast.expr], value: ast.expr | None) -> None:
        if value is not None and any(
            isinstance(t, ast.Name) and t.id == "__all__" for t in targets
        ):
            self.exports |= _texts(value)


def _texts(value: ast.expr) -> frozenset[str]:
    """The texts in an expression that gives names; with "*" where it computes others."""
    nodes = list(ast.walk(value))
    found = {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    computed = any(isinstance(node, ast.ListComp | ast.GeneratorExp) for node in nodes)
    return frozenset(found | {ir.ALL_NAMES} if computed else found)


def _is_accessor(node: FunctionNode) -> bool:
    """Whether it is a setter or deleter, which adds to the property of the same name."""
    return any(
        isinstance(d, ast.Attribute) and d.attr in {"setter", "deleter", "getter"}
        for d in node.decorator_list
    )
