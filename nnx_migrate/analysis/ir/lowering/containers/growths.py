"""What code puts into containers: noted with the name that a container is bound to, or apart.

`xs.append(v)` and `xs[k] = v` are bindings of `xs`, to a list of v, where the file shows that `xs`
is a container. Where it may be one, because a call gives it, or a caller passes it, or an attribute
or another name holds it too, they are `puts`, which count once it is known to be one.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import is_new_container
from nnx_migrate.analysis.ir.lowering.function_builder import FunctionBuilder
from nnx_migrate.analysis.ir.lowering.statement_order import BindingPlace

#: Methods of a container that give its elements, one at a time or in turns.
_GIVING_ONE = frozenset({"get", "setdefault", "pop"})
_GIVING_ALL = frozenset({"items", "values"})


@dataclasses.dataclass(frozen=True, slots=True)
class Growth:
    """What a function puts into what a name is bound to, maybe only further down.

    Args:
        grown: a container of it.
        stands: where.
        surely: whether nothing but a container is grown like that.
    """

    function: FunctionBuilder
    name: str
    grown: ir.Expr
    line: int
    stands: BindingPlace
    surely: bool


def place(growth: Growth, others: frozenset[str] = frozenset()) -> list[Growth]:
    """Note what is put into what a name is bound to, in the scope that binds it.

    Args:
        others: other names of the container that it is noted for already.

    Returns:
        What is put into names that no scope around has bound so far.
    """
    holder = _holder_of(growth)
    if holder is None:
        return [growth]
    name, moved = growth.name, _moved(growth, holder)
    bound = tuple(holder.bindings.get(name, ()))
    if bound and (growth.surely or any(map(is_new_container, bound))):
        here = growth.stands if holder is growth.function else growth.stands._replace(kind="moved")
        holder.bind(name, moved, growth.line, here)
    elif _passes(holder, name) or any(isinstance(each, ir.Call) for each in bound):
        holder.puts.append(ir.Write(ir.Name(name), moved, "grow", growth.line))
    return _place_in_all(holder, growth, bound, others)


def place_elsewhere(growth: Growth) -> list[Growth]:
    """Note it for all that holds the same container, where the name itself says it: `xs += ys`."""
    holder = _holder_of(growth)
    if holder is None:
        return []
    return _place_in_all(holder, growth, tuple(holder.bindings.get(growth.name, ())), frozenset())


def _holder_of(growth: Growth) -> FunctionBuilder | None:
    """The function whose variable the name is, by what is known so far."""
    holder: FunctionBuilder | None = growth.function
    while holder is not None and growth.name not in holder.bindings:
        if _passes(holder, growth.name):
            return holder
        holder = holder.parent
    return holder


def _moved(growth: Growth, holder: FunctionBuilder) -> ir.Expr:
    here = holder is growth.function
    return growth.grown if here else ir.Within(growth.function.key, growth.grown)


def _place_in_all(
    holder: FunctionBuilder, growth: Growth, bound: tuple[ir.Expr, ...], others: frozenset[str]
) -> list[Growth]:
    """Note the same for what else holds the container: `d = self.tables[key]`."""
    if _is_computed(growth.grown):
        return []
    moved, unplaced = _moved(growth, holder), []
    others |= {growth.name}
    for option in dict.fromkeys(option for each in bound for option in _options(each)):
        target, grown = put_in_element(option, moved)
        match target:
            case ir.Name(id=name) if name not in others:
                here = holder is growth.function
                stands = growth.stands if here else growth.stands._replace(kind="moved")
                alias = Growth(holder, name, grown, growth.line, stands, surely=False)
                unplaced += place(alias, others)
            case ir.Attribute():
                in_element = growth.surely and target != option
                how: Literal["grow", "key"] = "key" if in_element else "grow"
                holder.puts.append(ir.Write(target, grown, how, growth.line))
            case ir.ImportRef(target=dotted) if "." in dotted:
                module, _, name = dotted.rpartition(".")
                other = ir.Attribute(ir.ImportRef(module), name)
                holder.puts.append(ir.Write(other, grown, "grow", growth.line))
    return unplaced


def put_in_element(target: ir.Expr, grown: ir.Expr) -> tuple[ir.Expr, ir.Expr]:
    """The container that an expression takes something out of, and what that is put into it.

    `xs[k].append(v)` puts a list of v into `xs`.
    """
    while True:
        match target:
            case (
                ir.Unpacked(
                    base=ir.Iterated(base=ir.Call(func=ir.Attribute(base=base, name=method)))
                )
                | ir.Iterated(base=ir.Call(func=ir.Attribute(base=base, name=method)))
            ) if method in _GIVING_ALL:
                target = base
            case ir.Element(base=base) | ir.Unpacked(base=base):
                target = base
            case ir.Call(func=ir.Attribute(base=base, name=method)) if method in _GIVING_ONE:
                target = base
            case _:
                return target, grown
        grown = ir.Sequence((grown,), is_tuple=False, keyed="maybe")


def _options(bound: ir.Expr) -> tuple[ir.Expr, ...]:
    """What a name is, where that is one of several: `for d in (self.first, self.second)`."""
    match bound:
        case ir.Iterated(base=ir.Sequence(elements=elements, each=False, keyed="no")):
            return elements
        case ir.Choice(options=options):
            return tuple(option for each in options for option in _options(each))
        case _:
            return (bound,)


def _passes(function: FunctionBuilder, name: str) -> bool:
    return any(parameter.name == name for parameter in function.parameters)


def _is_computed(grown: ir.Expr) -> bool:
    """Whether nothing but numbers, texts and arrays is put in."""
    match grown:
        case ir.Sequence(elements=elements):
            return all(map(_is_computed, elements))
        case ir.Within(expr=expr) | ir.Starred(value=expr):
            return _is_computed(expr)
        case _:
            return isinstance(grown, ir.Constant | ir.Computed)
