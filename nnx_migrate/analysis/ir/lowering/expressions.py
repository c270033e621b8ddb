"""From syntax tree to the compact record of `ir`."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.containers.comes_again import comes_again
from nnx_migrate.analysis.ir.lowering.literal_lookups import Lookup, lookup
from nnx_migrate.analysis.ir.lowering.syntax_names import function_key


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
        case ast.Dict(keys=keys, values=values):
            lowered = [(key, lower_expr(value)) for key, value in zip(keys, values, strict=True)]
            held = tuple(each if key is not None else ir.Starred(each) for key, each in lowered)
            return ir.Sequence(held, is_tuple=False, keyed="yes", keys=_texts_of(keys))
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
#: Longer texts are no names.
_LONGEST_TEXT = 100
#: Numbers from here on are no places in a container of Modules.
_LARGEST_PLACE = 1000
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
    """A name that has to be true for a test to be, or "self.flag", or "self.config.flag".

    "" when there is none.
    """
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            names = [name for part in values if (name := needed_name(part))]
            return next((name for name in names if "." not in name), "".join(names[:1]))
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=name):
            base = needed_name(value) if isinstance(value, ast.Attribute | ast.Name) else ""
            return f"{base}.{name}" if base else ""
        case ast.Compare(left=left, ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(True)]):
            return needed_name(left) if isinstance(left, ast.Attribute | ast.Name) else ""
        case _:
            return ""


def _comprehension(
    generators: list[ast.comprehension], each: ast.expr, keyed: ir.Keyed = "no"
) -> ir.Sequence:
    """The elements: one for all, or two where several turns give the same object."""
    element = lower_expr(each)
    elements = (element, element) if comes_again(generators, each) else (element,)
    filtered = len(generators) > 1 or any(each.ifs for each in generators)
    return ir.Sequence(elements, is_tuple=False, each=True, keyed=keyed, filtered=filtered)


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
        return ir.Call(ir.SLICED, (lower_expr(base), *_bounds(index)), (), base.lineno)
    if isinstance(index, ast.Constant) and index.value is Ellipsis:
        return ir.Computed()
    match index:
        case ast.Constant(value=int(number)):
            return ir.Unpacked(lower_expr(base), number)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return ir.Unpacked(lower_expr(base), -number)
    key = literal_key(index)
    return ir.Element(lower_expr(base), key, () if key else computed_place(index))


def computed_place(index: ast.expr) -> tuple[ir.Expr, ...]:
    """The names that a place in a container is computed from, with what: `i + 1`, `f"{name}_a"`.

    Where both are the same, so is the place. Empty where a call or the like is in it.
    """
    match index:
        case ast.Name(id=name):
            return (ir.shared_name(name),)
        case ast.Attribute(value=ast.Name() | ast.Attribute()):
            return (lower_expr(index),)
        case ast.Constant(value=str() | int() as value):
            return (ir.Constant("other", repr(value)),)
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return computed_place(value)
        case ast.JoinedStr(values=[*parts]) | ast.Tuple(elts=[*parts]):
            operator = index.__class__.__name__
        case ast.BinOp(left=left, op=op, right=right):
            parts, operator = [left, right], op.__class__.__name__
        case _:
            return ()
    places = [computed_place(part) for part in parts]
    if not all(places):
        return ()
    return (ir.Constant("other", operator), *(each for place in places for each in place))


def literal_key(index: ast.expr | None) -> str:
    """A literal by which something is found in a dict, as a text; "" of anything else."""
    match index:
        case ast.Constant(value=bool()):
            return ""
        case ast.Constant(value=str(text)) if text[:1].isalnum() or text[:1] == "_":
            return text if len(text) <= _LONGEST_TEXT else ""
        case ast.Constant(value=int(number)):
            return str(number)
        case _:
            return ""


def _texts_of(keys: list[ast.expr | None]) -> tuple[str, ...]:
    """The literals by which the elements of a dict are found; none where one is no literal.

    Of what is unpacked into it, `**other`, it is ir.UNPACKED.
    """
    texts = tuple(ir.UNPACKED if key is None else literal_key(key) for key in keys)
    told = [text for text in texts if text != ir.UNPACKED]
    return texts if all(texts) and len(set(told)) == len(told) else ()


def _bounds(index: ast.Slice) -> tuple[ir.Expr, ...]:
    """The bounds of a slice as a text, where they are literals; nothing otherwise."""
    if index.step is not None:
        return ()
    texts = []
    for bound in (index.lower, index.upper):
        match bound:
            case None:
                texts.append("")
            case ast.Constant(value=int(number)):
                texts.append(str(number))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
                texts.append(str(-number))
            case _:
                return ()
    return (ir.Constant("str", ":".join(texts)),)


_NONE = ir.Constant("none")
_ELLIPSIS = ir.Constant("ellipsis")
_NUMBER = ir.Constant("number")
_FALSE = ir.Constant("number", "False")
_OTHER = ir.Constant("other")


def _constant(value: object) -> ir.Constant:
    if value is None:
        return _NONE
    if isinstance(value, str):
        return ir.Constant("str", value if len(value) <= _LONGEST_TEXT else "")
    if value is Ellipsis:
        return _ELLIPSIS
    if value is False:
        return _FALSE
    if type(value) is int and value < _LARGEST_PLACE:
        return ir.Constant("number", str(value))
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
