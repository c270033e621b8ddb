"""The index of one file: one walk over its syntax tree, one compact, picklable record."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, Literal

from nnx_migrate.facts import ir
from nnx_migrate.facts.implied import RUNNING, note_implied
from nnx_migrate.facts.lower import (
    IMPORTING,
    LOOKUPS,
    FunctionBuilder,
    callee,
    dotted_path,
    function_key,
    is_new_container,
    looked_up,
    lower_annotation,
    lower_expr,
    named_by_string,
    needed_name,
    parameters_of,
)
from nnx_migrate.facts.parsing import children, parse
from nnx_migrate.facts.transforms import SITE_NAMES, WRAPPERS
from nnx_migrate.sources.text import Source

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def index_module(source: Source, module: str) -> ir.ModuleIndex:
    """Index a file.

    Args:
        source: the decoded file.
        module: its dotted module name ("pkg.models"; "pkg" for `pkg/__init__.py`).

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser or the walk.
    """
    return index_tree(parse(source.text), module, source)


def index_tree(tree: ast.Module, module: str, source: Source) -> ir.ModuleIndex:
    is_package = source.path.name == "__init__.py"
    walker = _Walker(module, is_package)
    walker.walk_body(tree.body)
    functions = {builder.key: builder.build() for builder in walker.functions}
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
        tuple(sorted(walker.paths)),
    )


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
    "getter",
    "overload",
    "override",
    "property",
    "setter",
}


class _Walker:
    """Walks statements in order, keeping the function and the class that it is in."""

    def __init__(self, module: str, is_package: bool) -> None:
        self.module = module
        self.is_package = is_package
        self.function = FunctionBuilder(ir.MODULE_SCOPE, ir.MODULE_SCOPE, 0, None, None)
        self.functions = [self.function]
        self.classes: dict[str, ir.Class] = {}
        self.class_bindings: dict[str, list[ir.Expr]] | None = None
        self.class_key = ""
        self.methods: dict[str, str] = {}
        self.in_comprehension = False
        self.star_imports: list[str] = []
        self.imports: set[str] = set()
        self.exports: frozenset[str] | None = None
        self.words: set[str] = set()
        self.paths: set[str] = set()

    def walk_body(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.walk_statement(statement)

    def walk_statement(self, node: ast.stmt) -> None:
        if node.__class__ in RUNNING:
            note_implied(self.function.implied, node)
        match node:  # the most frequent first: each case that does not match is one more check
            case ast.Assign(targets=targets, value=value):
                self.visit(value)
                for target in targets:
                    self.assign(target, lower_expr(value))
                self.note_exports(targets, value)
            case ast.Expr(value=value):
                self.visit(value)
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
                if value is not None or isinstance(target, ast.Name):
                    self.assign(target, ir.Call(ir.ANNOTATED, parts, (), node.lineno))
            case ast.AugAssign(target=target, value=value):
                self.visit(value)
                self.visit(target)
                self.augment(target, node)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.visit(target)
                    self.write(target, None, "delete")
            case ast.For() | ast.AsyncFor():
                self.visit(node.iter)
                self.assign(node.target, ir.Element(lower_expr(node.iter)))
                self.walk_body(node.body)
                self.walk_body(node.orelse)
            case ast.If(test=test, body=body, orelse=orelse):
                self.visit(test)
                self.walk_guarded(body, needed_name(test))
                self.walk_body(orelse)
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
        function.guard = name or outer
        self.walk_body(body)
        function.guard = outer

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
        self.note_decorated(builder)
        self.enter(builder, node.body)

    def note_decorated(self, builder: FunctionBuilder) -> None:
        """Record `@wrapped` above `def f` as the call `wrapped(f)` that it is."""
        for decorator in builder.decorators:
            named = decorator.func if isinstance(decorator, ir.Call) else decorator
            if ir.last_name(named) not in _KNOWN_DECORATORS:
                given = (ir.FunctionRef(builder.key),)
                self.function.call(ir.Call(decorator, given, (), builder.line))

    def enter(self, builder: FunctionBuilder, body: list[ast.stmt]) -> None:
        outer, outer_class = self.function, self.class_bindings
        outer.nested.append(builder.key)
        self.functions.append(builder)
        self.function, self.class_bindings = builder, None
        self.walk_body(body)
        self.function, self.class_bindings = outer, outer_class

    def walk_lambda(self, node: ast.Lambda) -> None:
        key = function_key(node)
        builder = FunctionBuilder(
            key, "<lambda>", node.lineno, self.function, None, parameters_of(node.args)
        )
        outer, outer_class = self.function, self.class_bindings
        outer.nested.append(key)
        self.functions.append(builder)
        self.function, self.class_bindings = builder, None
        self.visit(node.body)
        builder.returns.append(lower_expr(node.body))
        self.function, self.class_bindings = outer, outer_class

    def walk_class(self, node: ast.ClassDef) -> None:
        for expression in [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]:
            self.visit(expression)
        key = f"{node.name}:{node.lineno}"
        self.bind(node.name, ir.ClassRef(key))
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
            tuple(lower_expr(decorator) for decorator in node.decorator_list),
            methods,
            attributes,
            annotations,
        )

    def walk_import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.imports.add(alias.name)
            if alias.asname:
                self.bind(alias.asname, ir.ImportRef(alias.name))
            else:
                head = alias.name.split(".")[0]
                self.bind(head, ir.ImportRef(head))

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
            return module or ""
        parts = self.module.split(".")
        drop = level - 1 if self.is_package else level
        prefix = parts[: len(parts) - drop] if drop else parts
        return ".".join([*prefix, *([module] if module else [])])

    def bind(self, name: str, value: ir.Expr) -> None:
        if self.class_bindings is not None:
            self.class_bindings.setdefault(name, []).append(self.in_class(value))
            return
        if name in self.function.globals:
            value = ir.Within(self.function.key, value)
            self.function.writes.append(ir.Write(ir.Name(name), value, "outer", 0))
            self.owner_of(name).bind(name, value)
        self.function.bind(name, value, self.in_comprehension)

    def in_class(self, value: ir.Expr) -> ir.Expr:
        """An expression of a class body, with the names that the body has bound by then."""
        bound = self.class_bindings or {}
        match value:
            case ir.Name(id=name) if name in bound:
                return ir.Choice(tuple(bound[name]))
            case ir.Attribute(base=base, name=name):
                return ir.Attribute(self.in_class(base), name)
            case ir.Call(func=func, args=args, keywords=keywords, line=line):
                given = tuple(self.in_class(arg) for arg in args)
                named = tuple((name, self.in_class(arg)) for name, arg in keywords)
                return ir.Call(self.in_class(func), given, named, line)
            case ir.Sequence(elements=elements, is_tuple=is_tuple):
                return ir.Sequence(tuple(self.in_class(e) for e in elements), is_tuple)
            case _:
                return value

    def owner_of(self, name: str) -> FunctionBuilder:
        """The function whose variable a global or nonlocal name is."""
        if name not in self.function.nonlocals or self.function.parent is None:
            return self.functions[0]
        owner: FunctionBuilder | None = self.function.parent
        while owner is not None and owner.parent is not None:
            bound = name in owner.bindings or any(p.name == name for p in owner.parameters)
            if bound and name not in owner.globals:
                return owner
            owner = owner.parent
        return self.function.parent  # bound further down

    def assign(self, target: ast.expr, value: ir.Expr) -> None:
        match target:
            case ast.Name(id=name):
                self.bind(name, value)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                star = next((i for i, e in enumerate(elements) if isinstance(e, ast.Starred)), None)
                for i, element in enumerate(elements):
                    if isinstance(element, ast.Starred):
                        rest = ir.Sequence((ir.Element(value),), is_tuple=False)
                        self.assign(element.value, rest)
                        continue
                    index = i if star is None or i < star else i - len(elements)
                    self.assign(element, ir.Unpacked(value, index))
            case ast.Attribute() | ast.Subscript():
                self.visit(target)
                self.write(target, value, "set")

    def write(self, target: ast.expr, value: ir.Expr | None, how: str) -> None:
        if isinstance(target, ast.Attribute):
            kind: Literal["set", "delete"] = "delete" if how == "delete" else "set"
            self.function.writes.append(ir.Write(lower_expr(target), value, kind, target.lineno))
        elif isinstance(target, ast.Subscript):
            if value is not None and isinstance(target.value, ast.Name):
                self.grow_by_key(target.value.id, value)
            self.function.writes.append(
                ir.Write(
                    lower_expr(target.value),
                    value,
                    _subscript_store(target.slice),
                    target.lineno,
                )
            )

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

    def runs(self, operand: ast.expr, *methods: str) -> None:
        """Take note of methods that syntax runs, as of any others that are looked up."""
        for method in methods:
            self.function.reads[ir.Attribute(lower_expr(operand), method)] = None

    def note_exports(self, targets: list[ast.expr], value: ast.expr) -> None:
        named_all = any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets)
        if named_all and isinstance(value, ast.List | ast.Tuple):
            self.exports = frozenset(
                e.value
                for e in value.elts
                if isinstance(e, ast.Constant) and isinstance(e.value, str)
            )

    def grow(self, call: ir.Call) -> None:
        """`xs.append(v)` makes v an element of xs, wherever xs comes from."""
        if not isinstance(call.func, ir.Attribute):
            return
        added = _added(call.func.name, call)
        if not added:
            return
        grown: ir.Expr = ir.Sequence(added, is_tuple=False)
        target = call.func.base
        if call.func.name in {"update", "setdefault"}:  # others than containers have them too
            if isinstance(target, ir.Name) and self.is_made_here(target.id):
                self.grow_name(target.id, grown)
        elif isinstance(target, ir.Name):
            self.grow_name(target.id, grown)
        elif isinstance(target, ir.Attribute):
            self.function.writes.append(ir.Write(target, grown, "grow", call.line))

    def grow_name(self, name: str, grown: ir.Expr) -> None:
        holder: FunctionBuilder | None = self.function
        while holder is not None and name not in holder.bindings:
            holder = holder.parent
        if holder is self.function:
            holder.bind(name, grown)
        elif holder is not None:
            holder.bind(name, ir.Within(self.function.key, grown))

    def grow_by_key(self, name: str, value: ir.Expr) -> None:
        """`xs[k] = v` where xs is a container that was made here, and no array."""
        if self.is_made_here(name):
            self.grow_name(name, ir.Sequence((value,), is_tuple=False))

    def is_made_here(self, name: str) -> bool:
        """Whether a name is bound to a new container in a scope around."""
        holder: FunctionBuilder | None = self.function
        while holder is not None and name not in holder.bindings:
            holder = holder.parent
        return holder is not None and any(map(is_new_container, holder.bindings[name]))

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

    def visit(self, node: ast.AST | None) -> None:
        """Collect names, calls, lambdas and comprehension variables of an expression."""
        if node is None:
            return
        visit = _VISITS.get(node.__class__)
        if visit is not None:
            visit(self, node)
        else:
            self.visit_children(node)

    def visit_running(self, node: ast.AST) -> None:
        note_implied(self.function.implied, node)
        self.visit_children(node)

    def visit_children(self, node: ast.AST) -> None:
        for child in children(node):
            self.visit(child)

    def visit_name(self, node: ast.Name) -> None:
        self.words.add(node.id)

    def visit_keyword(self, node: ast.keyword) -> None:
        self.words.add(node.arg or "**")
        self.visit(node.value)

    def visit_constant(self, node: ast.Constant) -> None:
        """It names nothing."""

    def visit_attribute(self, node: ast.Attribute) -> None:
        self.note_attribute(node)
        if isinstance(node.ctx, ast.Load):
            self.read(node)
        self.visit(node.value)

    def note_attribute(self, node: ast.Attribute) -> None:
        self.words.add(node.attr)
        if node.attr in SITE_NAMES and (path := dotted_path(node)):
            self.paths.add(path)

    def visit_call(self, node: ast.Call) -> None:
        if callee(node) in LOOKUPS:
            self.note_lookup(node)
        lowered = lower_expr(node)
        assert isinstance(lowered, ir.Call)
        self.function.call(lowered)
        self.grow(lowered)
        if isinstance(node.func, ast.Attribute):
            self.note_attribute(node.func)
            self.visit(node.func.value)
        else:
            self.visit(node.func)
        for argument in node.args:
            self.visit(argument)
        for keyword in node.keywords:
            self.visit_keyword(keyword)

    def note_lookup(self, node: ast.Call) -> None:
        for text in looked_up(node):
            self.words.update(text.split("."))
            if callee(node) in IMPORTING:
                self.imports.add(text)
        if (name := named_by_string(node)) in SITE_NAMES:
            self.paths.add(f"{dotted_path(node.args[0])}.{name}")

    def visit_yield(self, node: ast.Yield) -> None:
        if node.value is not None:
            self.function.yields.append(lower_expr(node.value))
        self.visit(node.value)

    def visit_yield_from(self, node: ast.YieldFrom) -> None:
        note_implied(self.function.implied, node)
        self.function.yields.append(ir.Element(lower_expr(node.value)))
        self.visit(node.value)

    def visit_lambda(self, node: ast.Lambda) -> None:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            self.visit(default)
        self.walk_lambda(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        outer, self.in_comprehension = self.in_comprehension, True
        self.assign(node.target, ir.Element(lower_expr(node.iter)))
        self.in_comprehension = outer
        self.visit_running(node)

    def visit_named(self, node: ast.NamedExpr) -> None:
        self.assign(node.target, lower_expr(node.value))
        self.visit_children(node)


#: What is done at each kind of expression; of all others only the parts are looked at.
_VISITS: Mapping[type[ast.AST], Callable[[_Walker, Any], None]] = {
    **dict.fromkeys(RUNNING, _Walker.visit_running),
    ast.Attribute: _Walker.visit_attribute,
    ast.Call: _Walker.visit_call,
    ast.Constant: _Walker.visit_constant,
    ast.Lambda: _Walker.visit_lambda,
    ast.Name: _Walker.visit_name,
    ast.NamedExpr: _Walker.visit_named,
    ast.Yield: _Walker.visit_yield,
    ast.YieldFrom: _Walker.visit_yield_from,
    ast.comprehension: _Walker.visit_comprehension,
    ast.keyword: _Walker.visit_keyword,
}


def _is_accessor(node: FunctionNode) -> bool:
    """Whether it is a setter or deleter, which adds to the property of the same name."""
    return any(
        isinstance(d, ast.Attribute) and d.attr in {"setter", "deleter", "getter"}
        for d in node.decorator_list
    )


def _added(method: str, call: ir.Call) -> tuple[ir.Expr, ...]:
    """What a method of a container puts into it."""
    if method in {"append", "appendleft", "add"}:
        return call.args[:1]
    if method in {"insert", "setdefault"}:
        return call.args[1:2]
    if method in {"extend", "extendleft", "update"}:
        whole = tuple(ir.Element(arg) for arg in call.args)
        return whole + tuple(value for name, value in call.keywords if name)
    return ()


def _subscript_store(index: ast.expr) -> Literal["item", "key"]:
    """Tell an update of an array in place from one of a container."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    in_place = any(
        isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and part.value is Ellipsis)
        for part in parts
    )
    return "item" if in_place else "key"
