"""Where functions go as values: what is made from them, and what that is bound to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.flax.transforms import NNX_TRANSFORMS, WRAPPERS
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.records import record


@record
class PassedOn:
    """A value that is made from a function, and what becomes of it.

    Args:
        site: where that happens.
        source: the function as it is named there; a call stands for what it returns.
        variable: the name that the value is bound to in `site`, or
        attribute: the attribute that it is stored in, or
        parameter: the parameter that it is the default of, and of which function, or
        call, place: the call that it is passed to, and its index or keyword; with none of these,
            it is returned.
    """

    site: Scope
    source: ir.Name | ir.Attribute | ir.Call
    variable: str = ""
    attribute: str = ""
    parameter: tuple[str, Scope] | None = None
    call: ir.Call | None = None
    place: int | str = 0


def kept_in(
    records: Iterable[ir.ModuleIndex], defined: frozenset[str], wraps: frozenset[str]
) -> frozenset[str]:
    """The names of attributes that functions and classes of such names are stored in."""
    found: set[str] = set()
    for index in records:
        for key, function in index.functions.items():
            here = Scope(index.module, key)
            for write in writes_in(function):
                target, value = write.target, write.value
                if not isinstance(target, ir.Attribute) or value is None or target.name in found:
                    continue
                wrapped = isinstance(value, ir.Call) and (
                    ir.last_name(value.func) in NNX_TRANSFORMS | wraps
                )
                made = _made_from(here, value, defined.__contains__, wraps)
                # Not what functions give, or each attribute that holds an object would be one.
                if wrapped or any(not isinstance(source, ir.Call) for _, source in made):
                    found.add(target.name)
    return frozenset(found)


def passed_on_in(
    scope: Scope, function: ir.Function, is_function: Callable[[str], bool], wraps: frozenset[str]
) -> Iterator[PassedOn]:
    """What a function does with functions.

    Args:
        is_function: whether something of that name may be one, or a lambda of that key.
    """
    for name, values in function.bindings.items():
        for value in values:
            for site, source in _made_from(scope, value, is_function, wraps):
                yield PassedOn(site, source, variable=name)
    for write in writes_in(function):
        if write.value is not None and isinstance(write.target, ir.Attribute):
            for site, source in _made_from(scope, write.value, is_function, wraps):
                yield PassedOn(site, source, attribute=write.target.name)
    around = Scope(scope.module, function.parent or ir.MODULE_SCOPE)
    for parameter in function.parameters:
        if parameter.default is not None:
            for site, source in _made_from(around, parameter.default, is_function, wraps):
                yield PassedOn(site, source, parameter=(parameter.name, scope))
    for returned in (*function.returns, *function.yields):
        for site, source in _made_from(scope, returned, is_function, wraps):
            yield PassedOn(site, source)
    for call in function.calls:
        for i, argument in enumerate(call.args):
            for site, source in _made_from(scope, argument, is_function, wraps):
                yield PassedOn(site, source, call=call, place=i)
        for keyword, argument in call.keywords:
            for site, source in _made_from(scope, argument, is_function, wraps) if keyword else ():
                yield PassedOn(site, source, call=call, place=keyword or "")


def passed_on_in_class(
    module: str, record: ir.Class, is_function: Callable[[str], bool], wraps: frozenset[str]
) -> Iterator[PassedOn]:
    """What the body of a class binds to its names."""
    scope = Scope(module, record.scope)
    for attribute, values in record.attributes.items():
        for value in values:
            for site, source in _made_from(scope, value, is_function, wraps):
                yield PassedOn(site, source, attribute=attribute)


def passed_out_of(
    outer: Scope,
    function: ir.Function,
    inner: str,
    is_function: Callable[[str], bool],
    wraps: frozenset[str],
) -> Iterator[PassedOn]:
    """What a function inside of another puts into a container, or a name, of the outer one."""
    for name, values in function.bindings.items():
        for value in values:
            if isinstance(value, ir.Within) and value.key == inner:
                for site, source in _made_from(outer, value, is_function, wraps):
                    yield PassedOn(site, source, variable=name)


def _made_from(
    here: Scope, value: ir.Expr, is_function: Callable[[str], bool], wraps: frozenset[str]
) -> Iterator[tuple[Scope, ir.Name | ir.Attribute | ir.Call]]:
    """What a value is made from: `f`, `nnx.jit(f)`, `(f, g)`, an element of `fs`, `make()`."""
    match value:
        case ir.Name(id=name) | ir.Attribute(name=name):
            if is_function(name):
                yield here, value
        case ir.FunctionRef(key=key):
            if is_function(key):
                yield here, ir.Name(key)
        case ir.Call(func=ir.ENTERED, args=(manager,)):
            if is_function("__enter__"):
                yield here, ir.Call(ir.Attribute(manager, "__enter__"), (), (), 0)
            yield from _made_from(here, manager, is_function, wraps)
        case ir.Call(func=ir.ANNOTATED, args=(_, held)):
            yield from _made_from(here, held, is_function, wraps)
        case ir.Call(func=ir.Attribute(base=base, name=name), args=given) if name in _GIVING:
            yield from _made_from(here, base, is_function, wraps)
            for each in given[1:]:
                yield from _made_from(here, each, is_function, wraps)
            if is_function(name):
                yield here, value
        case ir.Call(func=func, args=given, keywords=named) if (
            ir.last_name(func) in _PASSING or ir.last_name(func) in wraps
        ):
            applied = ir.last_name(func) in WRAPPERS or ir.last_name(func) in wraps
            for each in (*given, *(held for _, held in named)):
                for site, source in _made_from(here, each, is_function, wraps):
                    # Most of what functions give, and containers are made of, are no functions.
                    if applied or not isinstance(source, ir.Call):
                        yield site, source
            if is_function(ir.last_name(func)) and isinstance(func, ir.Name | ir.Attribute):
                yield here, value
        case ir.Call(func=ir.Name(id=name) | ir.Attribute(name=name)):
            if is_function(name):
                yield here, value
        case ir.ImportRef(target=target):
            module, _, name = target.rpartition(".")
            if is_function(name):
                yield here, ir.Attribute(ir.ImportRef(module), name)
        case ir.Choice(options=parts) | ir.Sequence(elements=parts):
            for part in parts:
                yield from _made_from(here, part, is_function, wraps)
        case ir.Unpacked(base=base) | ir.Element(base=base) | ir.Starred(value=base):
            yield from _made_from(here, base, is_function, wraps)
        case ir.Within(key=key, expr=inner):
            yield from _made_from(Scope(here.module, key), inner, is_function, wraps)


#: Methods whose result is what they are called on, or something in it.
_GIVING = frozenset(
    {"items", "values", "get", "setdefault", "lower", "trace", "compile", "__get__"}
)


#: Functions that give what they are given, or something that holds it.
_PASSING = WRAPPERS | {
    "ChainMap",
    "MethodType",
    "MappingProxyType",
    "OrderedDict",
    "SimpleNamespace",
    "chain",
    "cycle",
    "defaultdict",
    "deque",
    "dict",
    "enumerate",
    "filter",
    "frozenset",
    "from_iterable",
    "islice",
    "iter",
    "list",
    "map",
    "next",
    "nullcontext",
    "partialmethod",
    "reversed",
    "set",
    "sorted",
    "tuple",
    "update_wrapper",
    "zip",
}


def callees(func: ir.Expr) -> Iterator[ir.Name | ir.Attribute]:
    """What a call may call: `f` of `f(x)`, both `nnx.jit` and `f` of `nnx.jit(f)(x)`, `t[0](x)`."""
    match func:
        case ir.Element(base=base) | ir.Unpacked(base=base):
            yield from callees(base)
        case ir.Name() | ir.Attribute():
            yield func
        case ir.Within(expr=inner):  # globals()["f"](x)
            yield from callees(inner)
        case ir.Call(func=inner, args=args):
            yield from callees(inner)
            if isinstance(inner, ir.Attribute) and inner.name in _GIVING:
                yield from callees(inner.base)  # step.lower(x).compile()(x)
            for arg in args[:1]:
                yield from callees(arg)


def called_names(func: ir.Expr) -> Iterator[str]:
    """The last names of what a call may call, and the keys of lambdas."""
    match func:
        case ir.FunctionRef(key=key):
            yield key
        case ir.Call(func=inner, args=(first, *_)):
            yield from called_names(inner)
            yield from called_names(first)
        case ir.Element(base=base) | ir.Unpacked(base=base):
            yield from called_names(base)
        case ir.Sequence(elements=parts) | ir.Choice(options=parts):
            for part in parts:
                yield from called_names(part)
        case _:
            yield from map(ir.last_name, callees(func))


def writes_in(function: ir.Function) -> Iterator[ir.Write]:
    """The stores of a function, those by `setattr` with a literal name included."""
    yield from function.writes
    yield from function.set_by_name
