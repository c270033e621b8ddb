"""What a file offers those that import it: after most edits the same, but for where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.reaching_definitions import at_line, reaching

_PLACE = re.compile(r":\d+")


def interface(record: ir.ModuleIndex) -> list[object]:
    """What decides what names mean that lead to a file: two of equal ones mean the same.

    These are the names of the file with what they stand for, its functions with what they can be
    given, and its classes. Left out are bodies, what calls give, and lines, which stand in the keys
    of functions and classes too.
    """
    module = record.functions[ir.MODULE_SCOPE]
    return [
        (record.is_package, record.star_imports, record.meant),
        (module.loose, _order(record, module), list(_bound(module, module.bindings))),
        [list(_of_function(each)) for each in record.functions.values()],
        [list(_of_class(each)) for each in record.classes.values()],
    ]


def stands_where(record: ir.ModuleIndex) -> object:
    """What a file offers, and where: of two of equal ones, names mean the very same things."""
    return list(record.functions), list(record.classes), interface(record)


def _order(record: ir.ModuleIndex, module: ir.Function) -> list[object]:
    """Which of several bindings of a name reach the place where the bases of a class are named."""
    places = [at_line(each.line - 0.5) for each in record.classes.values()]
    return [
        (name, [reaching(definitions, place) for place in places])
        for name, definitions in module.definitions.items()
    ]


def _bound(function: ir.Function, names: Iterable[str]) -> Iterator[object]:
    for name in names:
        yield name, [_meant(value) for value in function.bindings.get(name, ())]


def _of_function(function: ir.Function) -> Iterator[object]:
    yield from (function.name, _moved(function.parent or ""), _moved(function.owner or ""))
    yield [(each.name, each.kind) for each in function.parameters]
    yield from _bound(function, sorted(function.globals))


def _of_class(each: ir.Class) -> Iterator[object]:
    yield from (each.name, _moved(each.scope), list(each.methods), list(each.annotations))
    yield [_meant(base) for base in each.bases]


def _moved(key: str) -> str:
    return _PLACE.sub("", key)


def _meant(value: ir.Expr) -> object:
    """What a value says of what it stands for: of most nothing but that it is no name."""
    match value:
        case ir.FunctionRef(key=key) | ir.ClassRef(key=key):
            return type(value), _moved(key)
        case ir.Within(key=key, expr=inner):
            return _moved(key), _meant(inner)
        case ir.Attribute(base=base, name=name):
            return _meant(base), name
        case ir.Element(base=base) | ir.Unpacked(base=base):
            return ir.Element, _meant(base)
        case ir.Call(func=ir.Name(id="getattr"), args=(base, name, *_)):
            return "getattr", _meant(base), _meant(name)
        case ir.Call(func=func, args=(name, base)):  # `NewType("Name", Class)`
            return ir.Call, _meant(func), _meant(name), _meant(base)
        case ir.Name() | ir.ImportRef() | ir.Constant():
            return value
        case _:
            return type(value)
