"""From syntax tree to the compact record of `ir`."""

from __future__ import annotations

import ast
import dataclasses
from typing import Literal

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.literal_lookups import IMPORTING, Lookup, lookup

#: Functions that find a module or an attribute by a text.
LOOKUPS = IMPORTING | {"getattr", "attrgetter", "methodcaller", "setattr", "hasattr", "patch"}


def lower_expr(node: ast.expr | None) -> ir.Expr:
    """Reduce an expression; lambdas become references by the key that `function_key` gives them."""
    match node:  # the most frequent first: each case that does not match is one more check
        case ast.Name(id=name):
            return ir.shared_name(name)
        case ast.Attribute():
            return _attribute(node)
        case ast.Constant(value=value):
            return _constant(value)
        case ast.Call():
            found = lookup(node)
            return lower_call(node) if found is None else _looked_up(found, node)
        case None:
            return _constant(None)
        case ast.Subscript():
            return _subscript(node)
        case ast.Starred(value=value):
            return ir.Starred(lower_expr(value))
        case ast.Tuple(elts=elements):
            return ir.Sequence(tuple(lower_expr(e) for e in elements), is_tuple=True)
        case ast.List(elts=elements) | ast.Set(elts=elements):
            return ir.Sequence(tuple(lower_expr(e) for e in elements), is_tuple=False)
        case ast.Dict(values=values):
            return ir.Sequence(tuple(map(lower_expr, values)), is_tuple=False, keyed="yes")
        case ast.ListComp(elt=each) | ast.SetComp(elt=each) | ast.GeneratorExp(elt=each):
            return _comprehension(node.generators, each)
        case ast.DictComp(generators=generators, value=each):
            return _comprehension(generators, each, keyed="yes")
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ir.Choice((lower_expr(body), lower_expr(orelse)), needed_name(test))
        case ast.BoolOp(values=values):
            return ir.Choice(tuple(lower_expr(v) for v in values))
        case ast.NamedExpr(value=value) | ast.Await(value=value):
            return lower_expr(value)
        case ast.Lambda():
            return ir.FunctionRef(function_key(node))
        case ast.BinOp(left=left, op=op, right=right):
            if isinstance(op, ast.BitOr | ast.Mult | ast.Add):
                return ir.Computed((lower_expr(left), lower_expr(right)))
            return _operated(node.left, node.right)
        case ast.JoinedStr(values=[ast.Constant(value=str()) as head, *_]):
            return ir.Computed((lower_expr(head),))  # like "block" + str(i)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=operand):
            return _operated(operand)
        case ast.UnaryOp(op=ast.Not()):
            return _NUMBER
        case ast.Compare(ops=ops) if all(isinstance(op, _ALWAYS_BOOL) for op in ops):
            return _NUMBER
        case ast.Yield() | ast.YieldFrom():
            return ir.UNSEEN
        case _:
            return ir.Computed()


_OBJECTS = ir.Name | ir.Attribute | ir.Call | ir.Element | ir.Unpacked
#: Comparisons that give True or False, whatever they compare.
_ALWAYS_BOOL = ast.Is | ast.IsNot | ast.In | ast.NotIn


def _operated(*operands: ast.expr) -> ir.Expr:
    """The value of an operator that containers do not have: an array, or what a class gives."""
    if any(isinstance(each, ast.Constant) for each in operands):
        return ir.Computed()
    lowered = tuple(map(lower_expr, operands))
    if not all(isinstance(each, _OBJECTS) for each in lowered):
        return ir.Computed()
    return ir.Call(ir.OPERATED, lowered, (), 0)


def needed_name(test: ast.expr) -> str:
    """A name that has to be true for a test to be, or "self.flag"; "" when there is none."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            names = [name for part in values if (name := needed_name(part))]
            return next((name for name in names if "." not in name), "".join(names[:1]))
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=base), attr=name):
            return f"{base}.{name}"
        case _:
            return ""


def _comprehension(
    generators: list[ast.comprehension], each: ast.expr, keyed: ir.Keyed = "no"
) -> ir.Sequence:
    """The elements: one for all, or two where it is the same object each time."""
    element = lower_expr(each)
    targets = {n.id for g in generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    root = each
    while isinstance(root, ast.Attribute):
        root = root.value
    same = isinstance(root, ast.Name) and root.id not in targets
    elements = (element, element) if same else (element,)
    return ir.Sequence(elements, is_tuple=False, each=True, keyed=keyed)


def _attribute(node: ast.Attribute) -> ir.Attribute:
    # Kept on the node, as calls are: of `a.b.c` each part is asked for by itself.
    known: ir.Attribute | None = getattr(node, "nnx_migrate_lowered", None)
    if known is None:
        known = ir.shared_attribute(lower_expr(node.value), node.attr)
        node.nnx_migrate_lowered = known  # type: ignore[attr-defined]
    return known


def _looked_up(found: Lookup, node: ast.expr) -> ir.Expr:
    """A lookup by a text as what it finds."""
    if found.base is None and not found.module:
        return ir.Within(ir.MODULE_SCOPE, ir.shared_name(found.path[0]))
    expr = ir.ImportRef(found.module) if found.base is None else lower_expr(found.base)
    for name in found.path:
        expr = ir.shared_attribute(expr, name)
    if found.caller is None:
        return expr
    call = lower_call(found.caller)
    return ir.Call(expr, call.args[1:], call.keywords, node.lineno, node.col_offset)


def lower_call(node: ast.Call) -> ir.Call:
    """A call as the call that it is, though it look up something by a text."""
    # Kept on the node: a call in a call in a call is asked for by itself and in all around it.
    known: ir.Call | None = getattr(node, "nnx_migrate_lowered", None)
    if known is None:
        known = ir.Call(
            lower_expr(node.func),
            tuple([lower_expr(arg) for arg in node.args]),
            tuple([pair for keyword in node.keywords for pair in _passed_by_name(keyword)]),
            node.lineno,
            node.col_offset,
        )
        node.nnx_migrate_lowered = known  # type: ignore[attr-defined]
    return known


def _passed_by_name(keyword: ast.keyword) -> list[tuple[str | None, ir.Expr]]:
    """What one keyword passes; `**{"f": m}` is the same as `f=m`."""
    if keyword.arg is None and isinstance(keyword.value, ast.Dict):
        names = [key.value if isinstance(key, ast.Constant) else None for key in keyword.value.keys]
        values = keyword.value.values
        if all(isinstance(name, str) for name in names):
            return [(str(n), lower_expr(v)) for n, v in zip(names, values, strict=True)]
    return [(keyword.arg, lower_expr(keyword.value))]


def _subscript(node: ast.Subscript) -> ir.Expr:
    known: ir.Expr | None = getattr(node, "nnx_migrate_lowered", None)
    if known is None:
        found = lookup(node)
        known = _part(node.value, node.slice) if found is None else _looked_up(found, node)
        node.nnx_migrate_lowered = known  # type: ignore[attr-defined]
    return known


def _part(base: ast.expr, index: ast.expr) -> ir.Expr:
    if isinstance(index, ast.Slice):
        return ir.Call(ir.SLICED, (lower_expr(base),), (), base.lineno)
    if isinstance(index, ast.Constant) and index.value is Ellipsis:
        return ir.Computed()
    if isinstance(index, ast.Constant) and isinstance(index.value, int):
        return ir.Unpacked(lower_expr(base), index.value)
    return ir.Element(lower_expr(base))


_NONE = ir.Constant("none")
_ELLIPSIS = ir.Constant("ellipsis")
_NUMBER = ir.Constant("number")
_FALSE = ir.Constant("number", "False")
_OTHER = ir.Constant("other")


def _constant(value: object) -> ir.Constant:
    if value is None:
        return _NONE
    if isinstance(value, str):
        return ir.Constant("str", value if len(value) <= 100 else "")
    if value is Ellipsis:
        return _ELLIPSIS
    if value is False:
        return _FALSE
    if isinstance(value, int | float | complex):
        return _NUMBER
    return _OTHER


_CONTAINERS = frozenset(
    {"list", "dict", "set", "defaultdict", "OrderedDict", "deque", "List", "Dict"}
)


def is_new_container(expr: ir.Expr) -> bool:
    """Whether an expression makes a list, a dict or the like."""
    match expr:
        case ir.Sequence(is_tuple=False):
            return True
        case ir.Call(func=ir.ANNOTATED, args=(_, held)) | ir.Within(expr=held):
            return is_new_container(held)
        case ir.Call(func=ir.Name(id=name) | ir.Attribute(name=name)):
            return name in _CONTAINERS
        case ir.Computed(operands=(made, grown)):  # [None] * n, xs += [..]
            return is_new_container(made) or is_new_container(grown)
        case _:
            return False


def dotted_path(node: ast.AST | None) -> str:
    """ "a.b.c" for a name or attributes of one, "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (head := dotted_path(node.value)):
        return f"{head}.{node.attr}"
    return ""


def named_by_string(node: ast.AST) -> str:
    """`name` of `getattr(value, "name")`, with a default or none; "" of anything else."""
    match node:
        case ast.Call(
            func=ast.Name(id="getattr"),
            args=[_, ast.Constant(value=str(name))] | [_, ast.Constant(value=str(name)), _],
            keywords=[],
        ):
            return name
    return ""


def is_computed_lookup(node: ast.Call) -> bool:
    """Whether it is `getattr(value, name)` with a name that is no literal."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, name] | [_, name, _], keywords=[]):
            return not isinstance(name, ast.Constant)
    return False


def looked_up(node: ast.Call) -> tuple[str, ...]:
    """The texts by which a call finds attributes or modules.

    So `getattr(m, "f")`, `import_module("m")`.
    """
    if callee(node) not in LOOKUPS:
        return ()
    texts = (arg.value for arg in node.args if isinstance(arg, ast.Constant))
    return tuple(text for text in texts if isinstance(text, str) and text)


def callee(node: ast.Call) -> str:
    """The last name of what a call calls; "" for none."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def function_key(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> str:
    """The key of a function: its name and place, so that equal names do not meet."""
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    return f"{name}:{node.lineno}:{node.col_offset}"


def parameters_of(args: ast.arguments) -> tuple[ir.Parameter, ...]:
    positional = [*args.posonlyargs, *args.args]
    padding: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults))
    result = [
        _parameter(arg, "positional", default)
        for arg, default in zip(positional, [*padding, *args.defaults], strict=True)
    ]
    if args.vararg:
        result.append(_parameter(args.vararg, "star", None))
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        result.append(_parameter(arg, "keyword", default))
    if args.kwarg:
        result.append(_parameter(args.kwarg, "double_star", None))
    return tuple(result)


def _parameter(
    arg: ast.arg,
    kind: Literal["positional", "keyword", "star", "double_star"],
    default: ast.expr | None,
) -> ir.Parameter:
    return ir.Parameter(
        arg.arg,
        kind,
        lower_annotation(arg.annotation),
        None if default is None else lower_expr(default),
    )


def lower_annotation(node: ast.expr | None) -> ir.Expr | None:
    """Reduce an annotation; strings are parsed, `X | None` and `Optional[X]` keep their options."""
    if node is None:
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return lower_annotation(ast.parse(node.value.strip(), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ir.Computed()
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        left, right = lower_annotation(node.left), lower_annotation(node.right)
        return ir.Choice(tuple(side for side in (left, right) if side is not None))
    if isinstance(node, ast.Subscript):
        return _lower_generic(node)
    return lower_expr(node)


def _lower_generic(node: ast.Subscript) -> ir.Expr:
    head = node.value.attr if isinstance(node.value, ast.Attribute) else None
    head = node.value.id if isinstance(node.value, ast.Name) else head
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    options = tuple(low for item in inner if (low := lower_annotation(item)) is not None)
    if head in {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired"}:
        return ir.Choice(options[:1] if head == "Annotated" else options)
    if dotted_path(node.value) in {"nnx.Data", "nnx.Static", "nnx.data", "nnx.static"}:
        return ir.Choice(options)
    if head in {"tuple", "Tuple"}:
        return ir.Call(ir.Name("<tuple annotation>"), options, (), node.lineno)
    if head in {"list", "List", "Sequence", "Iterable"}:
        return ir.Call(ir.Name("<container annotation>"), options[-1:], (), node.lineno)
    if head in {"dict", "Dict", "Mapping"}:
        return ir.Call(ir.Name("<dict annotation>"), options[-1:], (), node.lineno)
    return lower_expr(node.value)


@dataclasses.dataclass(slots=True)
class FunctionBuilder:
    """A function under construction while its body is being walked."""

    key: str
    name: str
    line: int
    parent: FunctionBuilder | None
    owner: str | None
    parameters: tuple[ir.Parameter, ...] = ()
    decorators: tuple[ir.Expr, ...] = ()
    return_annotation: ir.Expr | None = None
    bindings: dict[str, list[ir.Expr]] = dataclasses.field(default_factory=dict)
    lines: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    loops: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    globals: set[str] = dataclasses.field(default_factory=set)
    nonlocals: set[str] = dataclasses.field(default_factory=set)
    returns: list[ir.Expr] = dataclasses.field(default_factory=list)
    yields: list[ir.Expr] = dataclasses.field(default_factory=list)
    writes: list[ir.Write] = dataclasses.field(default_factory=list)
    calls: list[ir.Call] = dataclasses.field(default_factory=list)
    nested: list[str] = dataclasses.field(default_factory=list)
    reads: dict[ir.Attribute, None] = dataclasses.field(default_factory=dict)
    loose: set[str] = dataclasses.field(default_factory=set)
    guard: str = ""
    guards: dict[int, str] = dataclasses.field(default_factory=dict)
    implied: dict[str, list[ir.Expr]] = dataclasses.field(default_factory=dict)
    repeated: list[ir.Write] = dataclasses.field(default_factory=list)
    pops: tuple[tuple[int, ir.Call], ...] = ()
    in_order: dict[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    branches: list[ir.Branch] = dataclasses.field(default_factory=list)

    def call(self, call: ir.Call) -> None:
        """Take note of a call, and of the name that has to be true where it is made."""
        if self.guard:
            self.guards[len(self.calls)] = self.guard
        self.calls.append(call)

    def bind(
        self, name: str, value: ir.Expr, in_comprehension: bool = False, line: int = 0
    ) -> None:
        if in_comprehension and name not in self.bindings:
            self.loose.add(name)
        elif not in_comprehension:
            self.loose.discard(name)
        self.bindings.setdefault(name, []).append(value)
        self.lines.setdefault(name, []).append(line)

    def build(self) -> ir.Function:
        return ir.Function(
            self.key,
            self.name,
            self.line,
            self.parent.key if self.parent else None,
            self.owner,
            self.parameters,
            self.decorators,
            self.return_annotation,
            {name: tuple(values) for name, values in self.bindings.items()},
            frozenset(self.globals),
            tuple(self.returns),
            tuple(self.yields),
            tuple(self.writes),
            tuple(self.calls),
            tuple(self.nested),
            tuple(self.reads),
            frozenset(self.loose),
            tuple(self.guards.items()),
            tuple((method, tuple(on)) for method, on in self.implied.items()),
            tuple(self.repeated),
            {name: tuple(lines) for name, lines in self.lines.items()},
            tuple(self.loops),
            self.pops,
            self.in_order,
            tuple(self.branches),
        )
