"""What the names of a file are bound to, taken down while the file is walked."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Literal

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.containers.comes_again import comes_again_in_loop
from nnx_migrate.analysis.ir.lowering.containers.growths import (
    Growth,
    place,
    place_elsewhere,
    put_in_element,
)
from nnx_migrate.analysis.ir.lowering.expressions import (
    is_new_container,
    literal_key,
    lower_expr,
)
from nnx_migrate.analysis.ir.lowering.function_builder import FunctionBuilder
from nnx_migrate.analysis.ir.lowering.statement_order import BindingPlace, Blocks


class Bindings:
    """The function and the class that a walk is in, and what is bound and stored there."""

    def __init__(self) -> None:
        self.function = FunctionBuilder(ir.MODULE_SCOPE, ir.MODULE_SCOPE, 0, None, None)
        self.functions = [self.function]
        self.class_bindings: dict[str, list[ir.Expr]] | None = None
        self.class_key = ""
        self.methods: dict[str, str] = {}
        self.in_comprehension = False
        #: Whether what is bound is bound by `:=`.
        self.within_line = False
        self.line = 0
        #: The statement that is walked, or the part of one, and what stands around it.
        self.statement: ast.AST = ast.Pass()
        self.blocks: Blocks = ()
        #: Names of functions that are bound where Flax is not installed, and so never.
        self.unbound: frozenset[tuple[str, str]] = frozenset()
        self.loops: list[ast.For | ast.AsyncFor | ast.While] = []
        self._unplaced: list[Growth] = []

    def bind(self, name: str, value: ir.Expr, *, surely: bool = True) -> None:
        """Bind a name of the function or the class.

        Args:
            surely: whether nothing is left of what it was bound to.
        """
        if self.class_bindings is not None:
            self.class_bindings.setdefault(name, []).append(self.in_class(value))
            return
        if (self.function.key, name) in self.unbound:
            return
        if name in self.function.globals:
            value = ir.Within(self.function.key, value)
            self.function.store(ir.Write(ir.Name(name), value, "outer", 0))
            moved = BindingPlace(self.statement, (), "moved")
            self.owner_of(name).bind(name, value, self.line, moved)
        early = self.within_line or self.in_comprehension
        place = BindingPlace(
            self.statement, self.blocks, "early" if early else "sure" if surely else "maybe"
        )
        self.function.bind(name, value, self.line, place, self.in_comprehension)

    def in_class(self, value: ir.Expr) -> ir.Expr:
        """An expression of a class body, with the names that the body has bound by then."""
        bound = self.class_bindings or {}
        return _with_names(value, {name: ir.Choice(tuple(each)) for name, each in bound.items()})

    def of_class(self, call: ir.Call) -> ir.Call:
        """A call in a class body, where what that has bound by then are attributes of the class."""
        if self.class_bindings is None:
            return call
        own = ir.ClassRef(self.class_key)
        bound = (*self.class_bindings, *self.methods)
        found = _with_names(call, {name: ir.Attribute(own, name) for name in bound})
        assert isinstance(found, ir.Call)
        return found

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

    def write(self, target: ast.expr, value: ir.Expr | None, how: str) -> None:
        if isinstance(target, ast.Attribute):
            kind: Literal["set", "delete"] = "delete" if how == "delete" else "set"
            self.function.store(ir.Write(lower_expr(target), value, kind, target.lineno))
        elif isinstance(target, ast.Subscript):
            how_stored, key = _subscript_store(target.slice), literal_key(target.slice)
            if value is not None:
                self.grow_by_subscript(target, value, key)
            base, renews = lower_expr(target.value), self.renews(target, value)
            write = ir.Write(base, value, how_stored, target.lineno, key, renews)
            self.function.store(write)
            if how_stored == "key" and not isinstance(target.slice, ast.Constant):
                self.note_repeated(write, self.stored_code())

    def stored_code(self) -> ast.expr | None:
        """What the statement stores."""
        match self.statement:
            case ast.Assign(value=value) | ast.AnnAssign(value=value):
                return value
            case _:
                return None

    def renews(self, target: ast.Subscript, value: ir.Expr | None) -> bool:
        """Whether an element is replaced by what is made of it, and of no other one."""
        base, elements = lower_expr(target.value), {lower_expr(target)}
        match self.loops[-1:]:
            case [ast.For(target=ast.Tuple(elts=[index, element]), iter=ast.Call() as items)]:
                known = ast.unparse(items) == _turns_of(target.value, items)
                if known and ast.unparse(index) == ast.unparse(target.slice):
                    elements.add(lower_expr(element))
        if value is None or value in elements:
            return False
        parts = list(ir.parts_of(value))
        made_of = [part for part in parts if part in elements]
        of_container = [part for part in made_of if isinstance(part, ir.Element | ir.Unpacked)]
        return bool(made_of) and parts.count(base) == len(of_container)

    def note_repeated(self, write: ir.Write, code: ast.expr | None) -> None:
        """Take note of a store under another key in each turn of a loop, of the same object."""
        if write.value is None:
            return
        if self.gives_again(code):
            self.function.repeated.append(dataclasses.replace(write, value=_again(write.value)))
        elif len(self.each_turn(write.value)) > 1:
            self.function.repeated.append(write)

    def put_in_turns(self, value: ir.Expr, code: ast.expr | None) -> tuple[ir.Expr, ...]:
        """What all turns of a loop put into a container, or yield.

        Args:
            value: what one turn puts in.
            code: the expression that gives it; None where there is none.
        """
        return (ir.Starred(_again(value)),) if self.gives_again(code) else self.each_turn(value)

    def gives_again(self, code: ast.expr | None) -> bool:
        """Whether an expression gives one object in several turns of the loop around."""
        return code is not None and bool(self.loops) and comes_again_in_loop(self.loops[-1], code)

    def each_turn(self, value: ir.Expr) -> tuple[ir.Expr, ...]:
        """What a loop gives somewhere: one for all turns, or two where it is the same each time."""
        parts = value.options if isinstance(value, ir.Choice) else (value,)
        roots = [part if isinstance(part, ir.Name) else ir.root_name(part) for part in parts]
        again = any(root is not None and self.is_from_outside(root) for root in roots)
        return (value, value) if again else (value,)

    def added_in_turns(self, value: ast.expr) -> ast.expr:
        """A list that `+=` adds, as a comprehension where several turns of a loop have the same."""
        match value:
            case ast.List(elts=[each]) if self.gives_again(each):
                several = ast.comprehension(ast.Name("_"), ast.Name("_"), [], 0)
                return ast.ListComp(each, [several])
            case _:
                return value

    def is_from_outside(self, name: ir.Name) -> bool:
        """Whether a name means the same in all turns of the loop around."""
        return bool(self.loops) and not any(
            node.id == name.id and isinstance(node.ctx, ast.Store)
            for node in ast.walk(self.loops[-1])
            if isinstance(node, ast.Name)
        )

    def runs(self, operand: ast.expr, *methods: str) -> None:
        """Take note of methods that syntax runs, as of any others that are looked up."""
        for method in methods:
            self.function.reads[ir.Attribute(lower_expr(operand), method)] = None

    def grow(self, call: ir.Call, node: ast.Call) -> None:
        """`xs.append(v)` makes v an element of xs, wherever xs comes from."""
        if not isinstance(call.func, ir.Attribute):
            return
        added = _added(call.func.name, call)
        if not added:
            return
        codes = _codes_of(call.func.name, call, node, added)
        turns = tuple(
            each
            for value, code in zip(added, codes, strict=True)
            for each in self.put_in_turns(value, code)
        )
        by_key = call.func.name in _PUTTING_BY_KEY
        grown: ir.Expr = ir.Sequence(turns, is_tuple=False, keyed="maybe" if by_key else "no")
        if call.func.name in _NAMING_KEY and (key := _literal(call.args[0])):
            grown = ir.Sequence(added, is_tuple=False, keyed="maybe", keys=(key,))
        target, grown = put_in_element(call.func.base, grown)
        # Others than containers have the methods that put by a key, and elements of any kind.
        surely = not by_key and target == call.func.base
        if isinstance(target, ir.Name):
            self.grow_name(target.id, grown, surely=surely)
        elif isinstance(target, ir.Attribute):
            in_element = target != call.func.base
            write = ir.Write(target, grown, "key" if in_element else "grow", call.line)
            if surely:
                self.function.store(write)
            else:
                self.function.puts.append(write)

    def grow_name(self, name: str, grown: ir.Expr, *, surely: bool) -> None:
        if self.class_bindings is not None and name in self.class_bindings:
            bound = self.class_bindings[name]
            if surely or any(map(is_new_container, bound)):
                bound.append(self.in_class(grown))
            return
        self._unplaced += place(self.growth(name, grown, surely=surely))

    def grow_in_place(self, name: str, value: ir.Expr) -> None:
        """`xs += ys` where xs may be another name of a container."""
        grown = ir.Sequence((ir.Starred(value),), is_tuple=False)
        self._unplaced += place_elsewhere(self.growth(name, grown, surely=False))

    def growth(self, name: str, grown: ir.Expr, *, surely: bool) -> Growth:
        stands = BindingPlace(self.statement, self.blocks, "maybe")
        return Growth(self.function, name, grown, self.line, stands, surely)

    def place_growths(self) -> None:
        """Take down what functions put into what a name was bound to only further down."""
        for each in self._unplaced:
            place(each)

    def grow_by_subscript(self, target: ast.Subscript, value: ir.Expr, key: str) -> None:
        """`xs[k] = v`, `xs[a:b] = vs` and `xs[k][i] = v` where xs is a container, and no array."""
        in_place = isinstance(target.slice, ast.Slice)
        stored = (ir.Starred(value),) if in_place else (value,)
        # Under a literal, each turn of a loop stores in the same place.
        code = None if in_place else self.stored_code()
        elements = stored if key else self.put_in_turns(*stored, code)
        grown: ir.Expr = ir.Sequence(
            elements, False, keyed="no" if in_place else "maybe", keys=(key,) if key else ()
        )
        container = lower_expr(target.value)
        holder, grown = put_in_element(container, grown)
        if isinstance(holder, ir.Name):
            self.grow_name(holder.id, grown, surely=False)
        elif isinstance(holder, ir.Attribute) and (in_place or holder != container):
            self.function.puts.append(ir.Write(holder, grown, "grow", target.lineno))


def _again(value: ir.Expr) -> ir.Expr:
    """All that turns give which give something more than once, as a comprehension has it."""
    return ir.Sequence((value, value), is_tuple=False, each=True)


def _turns_of(container: ast.expr, items: ast.Call) -> str:
    """The call that gives the places of a container with its elements, spelled as another one."""
    text = ast.unparse(container)
    return f"enumerate({text})" if isinstance(items.func, ast.Name) else f"{text}.items()"


def _literal(key: ir.Expr) -> str:
    """A text or a number by which something is found in a dict; "" of anything else."""
    match key:
        case ir.Constant(type="str" | "number", text=text) if text[:1].isalnum() or text[:1] == "_":
            return text if text != "False" else ""
        case _:
            return ""


#: Methods that put an argument in, by its place.
_PLACES = {"append": 0, "appendleft": 0, "add": 0, "insert": 1, "setdefault": 1, "__setitem__": 1}
#: Methods that put something under a key, and those that get the key first.
_PUTTING_BY_KEY = frozenset({"update", "setdefault", "__setitem__"})
_NAMING_KEY = frozenset({"setdefault", "__setitem__"})


def _added(method: str, call: ir.Call) -> tuple[ir.Expr, ...]:
    """What a method of a container puts into it."""
    if method in _PLACES:
        return call.args[_PLACES[method] :][:1]
    if method in {"extend", "extendleft"}:
        return tuple(part for arg in call.args for part in _elements_of(arg))
    if method == "update":
        named = tuple(value if name else ir.Starred(value) for name, value in call.keywords)
        return tuple(part for arg in call.args for part in _values_of(arg, call)) + named
    return ()


def _codes_of(
    method: str, call: ir.Call, node: ast.Call, added: Sequence[ir.Expr]
) -> Sequence[ast.expr | None]:
    """The code of what a method puts into a container, where it is put in as it is."""
    if method in _PLACES and len(node.args) == len(call.args):
        return [node.args[_PLACES[method]] for _ in added]
    match node.args:
        case [ast.List(elts=parts) | ast.Tuple(elts=parts)] if len(parts) == len(added):
            return parts
    return [None for _ in added]


def _values_of(given: ir.Expr, call: ir.Call) -> tuple[ir.Expr, ...]:
    """What a dict is updated with: of pairs, such as `zip(names, layers)`, the last of each."""
    pairs = isinstance(given, ir.Call) or (isinstance(given, ir.Sequence) and given.keyed == "no")
    if not pairs:
        return _elements_of(given)
    return (ir.Starred(ir.Call(ir.Name("dict"), (given,), (), call.line, call.column)),)


def _elements_of(container: ir.Expr) -> tuple[ir.Expr, ...]:
    """All that is in a display, a comprehension or anything else."""
    if not isinstance(container, ir.Sequence) or container.keyed != "no" or container.each:
        return (ir.Starred(container),)
    return container.elements


def _subscript_store(index: ast.expr) -> Literal["item", "key"]:
    """Tell an update of an array in place from one of a container."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    in_place = any(
        isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and part.value is Ellipsis)
        for part in parts
    )
    return "item" if in_place else "key"


def _with_names(value: ir.Expr, bound: Mapping[str, ir.Expr]) -> ir.Expr:
    """An expression with something in the place of some of its names."""
    match value:
        case ir.Name(id=name):
            return bound.get(name, value)
        case ir.Attribute(base=base, name=name):
            return ir.Attribute(_with_names(base, bound), name)
        case ir.Call(func=func, args=args, keywords=keywords, line=line, column=column):
            given = tuple(_with_names(arg, bound) for arg in args)
            named = tuple((name, _with_names(arg, bound)) for name, arg in keywords)
            return ir.Call(_with_names(func, bound), given, named, line, column)
        case ir.Sequence(elements=elements):
            parts = tuple(_with_names(each, bound) for each in elements)
            return dataclasses.replace(value, elements=parts)
        case _:
            return value
