"""What methods of containers, and functions of libraries, give."""

from __future__ import annotations

import functools

from nnx_migrate.analysis.callgraph.call_form import mapped as mapped_call
from nnx_migrate.analysis.domain.containers import is_container as is_python_container
from nnx_migrate.analysis.domain.values import (
    Instance,
    Located,
    Scope,
)
from nnx_migrate.analysis.interp.attributes import NAMESPACES
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import is_dict
from nnx_migrate.analysis.points_to.abstract_objects import (
    ALL_TURNS,
    EACH,
    NOTHING,
    Held,
    MadeBy,
    Object,
    attribute,
    either,
    element,
    is_untold,
    known_as,
    mapped,
    together,
    under_keys,
)
from nnx_migrate.analysis.points_to.containers.displays import container, identified, in_turns
from nnx_migrate.analysis.points_to.containers.elements import (
    again,
    at_key,
    spread,
    without,
)
from nnx_migrate.analysis.points_to.containers.literals import literal_of
from nnx_migrate.analysis.points_to.containers.states import (
    copied,
    merged,
    some_state,
    split,
    states_of,
)
from nnx_migrate.analysis.points_to.queries import Objects
from nnx_migrate.analysis.symbols.higher_order import calls_of_fold, turn_of

#: What gives its argument back, or something that holds the same Variables, and where that stands.
SAME = {
    "copy.copy": 0,
    "typing.cast": 1,
    "typing_extensions.cast": 1,
    "contextlib.nullcontext": 0,
    "dataclasses.replace": 0,
    "nnx.data": 0,
    "nnx.view": 0,
    "nnx.variables": 0,
    "nnx.to_flat_state": 0,
}
#: What gives a copy in which that is one object that is one in what is copied.
_COPYING = frozenset({"nnx.clone", "copy.deepcopy", "nnx.to_tree", "nnx.from_tree"})
#: What gives the elements of what it is given, in a container.
_CONTAINERS = ("list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "dict", "filter")
_GATHERING = {*(f"builtins.{name}" for name in _CONTAINERS), "itertools.chain", "itertools.islice"}
#: What gives a list of the same elements that does not change with the one it is given.
_COPIES = frozenset({"builtins.list", "builtins.tuple", "copy.copy"})
_HOW = frozenset({"key", "maxlen", "reverse"})
#: Classes of containers, and what else they are made and filled like.
LIKE = {
    "collections.OrderedDict": "builtins.dict",
    "collections.UserDict": "builtins.dict",
    "collections.UserList": "builtins.list",
    "collections.deque": "builtins.iter",
}
_ONE_OF = frozenset({"builtins.next", "builtins.max", "builtins.min"})
_READING = frozenset({"get", "setdefault"})
_GIVING = frozenset({"get", "pop", "popleft", "popitem", "setdefault"})
_GIVING_ALL = frozenset({"values", "items", "copy"})
#: After these the container has it no longer.
_TAKING_OUT = frozenset({"pop", "popleft", "popitem"})
_NAMED_TUPLES = frozenset({"collections.namedtuple", "typing.NamedTuple"})


def given_by_method(
    objects: Objects, scope: Scope, func: ir.Attribute, call: ir.Call, at: float
) -> Held | None:
    """What a method of a list, a dict or a tuple gives; None for other objects."""
    if func == ir.Attribute(ir.Name("dict"), "fromkeys") and len(call.args) > 1:
        return again(objects.held(scope, call.args[1], at))
    if func.name not in _GIVING | _GIVING_ALL | {"_replace", "replace"}:
        return None
    base = objects.held(scope, func.base, at)
    if func.name in {"_replace", "replace"}:
        values = objects.evaluator.values(scope, func.base)
        trees = (
            isinstance(v, Instance) and objects.hierarchy.is_plain_tree(v.class_name)
            for v in values
        )
        return _with(objects, scope, base, call, at) if any(trees) else None
    if func.name == "copy" and all(
        map(is_python_container, objects.evaluator.values(scope, func.base))
    ):
        return base
    others = [objects.held(scope, each, at) for each in call.args]
    found = None
    if func.name in _READING:
        found = _under_key(objects, scope, base, func.base, call, at)
    if found is not None:
        return either([found, *others])
    turn = f"[{turn_of(call)}]"
    if base.object is not None and is_dict(objects.evaluator.values(scope, func.base)):
        each = known_as(element(base, Located(scope, call)), turn if func.name == "items" else EACH)
        match func.name:
            case "items":
                return Held(None, (("", _row([NOTHING, each])),))
            case "values":
                return Held(None, (("", each),))
    if not base.is_container or not base.parts:
        return None
    if func.name == "items":
        return Held(None, tuple(("", _row([NOTHING, part])) for part in base))
    if func.name in _GIVING_ALL:
        return Held(None, tuple(("", part) for part in base))
    match call.args:
        case (ir.Constant(type="str", text=key), *_) if key:
            return either([at_key(base, key, Located(scope, call)), *others])
    found = element(base, Located(scope, call))
    if func.name in _TAKING_OUT:
        found = without(found, lambda one: ALL_TURNS in one.path)
    return either([found, *others])


def _under_key(
    objects: Objects, scope: Scope, base: Held, of: ir.Expr, call: ir.Call, at: float
) -> Held | None:
    """What a dict gives under a literal; None where it is no literal, or no dict."""
    key = literal_of(objects, scope, call.args[0], at) if call.args else ""
    if not key or base == NOTHING or not is_dict(objects.evaluator.values(scope, of)):
        return None
    names = {name for name, _ in base.parts}
    if base.is_container and "" not in names and key not in names:
        return NOTHING
    found = at_key(base, key, Located(scope, call))
    return identified(objects, scope, found, of, key)


def _with(objects: Objects, scope: Scope, base: Held, call: ir.Call, at: float) -> Held:
    """A tree with other fields."""
    named = {name: objects.held(scope, value, at) for name, value in call.keywords if name}
    if base.object is None:
        return together([("", base), *named.items()])
    parts = {**dict(base.parts), **named}
    return Held(base.object, tuple(parts.items()))


def given_by_library(
    objects: Objects, scope: Scope, call: ir.Call, dotted: str, at: float
) -> Held | None:
    """What a function of a library gives; None for one that is not known here."""
    args = call.args
    here = Located(scope, call)
    held = functools.partial(objects.held, scope, at=at)
    dotted = LIKE.get(dotted, dotted)
    if dotted == "dataclasses.replace" and args:
        return _with(objects, scope, held(args[0]), call, at)
    if dotted in SAME and len(args) > SAME[dotted]:
        return held(args[SAME[dotted]])
    if dotted in _GATHERING:
        named = [(name or "", held(value)) for name, value in call.keywords if name not in _HOW]
        if dotted != "builtins.dict":
            args = _without_dicts(objects, scope, args)
        given = _arguments(objects, scope, args, at)
        if len(given) == 1 and not named and _keeps_places(objects, scope, dotted, args[0]):
            whole = given[0]
            if whole.is_container or whole.object is not None:
                return whole
            return Held(None, spread(whole, here))
        flat = [part for each in given for part in spread(each, here)]
        if dotted == "builtins.dict":
            flat = [
                part
                for _, each in flat
                for part in (spread(each, here) if each.is_container else [("", each)])
            ]
        return together([*flat, *named])
    if dotted == "collections.defaultdict" and args:
        return _with_default(objects, scope, call, at)
    if dotted == "collections.ChainMap":
        return under_keys(_arguments(objects, scope, args, at))
    if dotted in NAMESPACES:
        kept = ((name or "", held(value)) for name, value in call.keywords)
        return Held(Object(MadeBy(scope, call), (), here), tuple(kept), closed=True)
    if dotted == "functools.partial" and args:
        return _partial(objects, scope, call, at)
    if dotted in {"itertools.repeat", "itertools.cycle"} and args:
        return again(held(args[0]))
    if dotted in {"builtins.zip", "builtins.enumerate"}:
        numbers = [NOTHING] if dotted.endswith("enumerate") else []
        args = _without_dicts(objects, scope, args)
        columns = _in_one_turn(objects, scope, args, at, call)
        if not numbers and len(columns) == len(args):
            pairs = zip(args, _arguments(objects, scope, args, at), strict=True)
            return _rows(columns, [each if args.count(a) == 1 else None for a, each in pairs])
        return Held(None, (("", _row(numbers + columns)),))
    if dotted == "itertools.product":
        columns = _in_one_turn(objects, scope, args, at, call)
        return Held(None, (("", _row(columns * 2 if call.keywords else columns)),))
    if dotted in _ONE_OF and args:
        given = _arguments(objects, scope, args, at)
        return element(
            given[0] if len(given) == 1 else together(("", each) for each in given), here
        )
    if dotted == "builtins.map" and len(args) > 1:
        turn = mapped_call(call)
        return in_turns([held(turn)], frozenset({turn}), but_each=True)
    folds = calls_of_fold(dotted, call)
    if folds and dotted == "functools.reduce":
        return held(ir.Choice(folds))
    if folds:
        return in_turns([held(ir.Choice((*folds, *(each.args[0] for each in folds))))], frozenset())
    if dotted == "builtins.getattr" and len(args) > 1:
        if not isinstance(args[1], ir.Constant):
            return element(held(args[0]), here)
        return held(ir.Attribute(args[0], args[1].text)) if args[1].text else NOTHING
    if dotted == "builtins.vars" and args:
        return Held(None, (("", attribute(held(args[0]), "[]", here)),))
    if dotted == "nnx.clone" and _shares_variables(call):
        return held(args[0])
    if dotted in _COPYING and args:
        return mapped(held(args[0]), functools.partial(copied, scope, call))
    if dotted == "nnx.split" and args:
        return split(scope, call, held(args[0]))
    if dotted == "nnx.state" and args:
        return some_state(held(args[0]), args[1:], here)
    if dotted == "nnx.merge" and args and not any(name == "copy" for name, _ in call.keywords):
        states = [held(each) for each in states_of(args)[1:]]
        return merged(states)
    return None


def _shares_variables(clone: ir.Call) -> bool:
    """Whether `nnx.clone(m, variables=v)` may hold the Variables of m: whether v is not True."""
    said = [*clone.args[1:2], *(value for name, value in clone.keywords if name == "variables")]
    return bool(clone.args) and any(each != ir.Constant("other") for each in said)


def copied_name(objects: Objects, scope: Scope, expr: ir.Expr) -> str:
    """The name of the list that an expression makes a copy of; "" where it does not."""
    match expr:
        case ir.Call(func=ir.SLICED, args=(ir.Name(id=name), ir.Constant(text=":"))):
            return name
        case ir.Call(func=ir.Attribute(base=ir.Name(id=name), name="copy"), args=()):
            return "" if is_dict(objects.evaluator.values(scope, ir.Name(name))) else name
        case ir.Call(func=func, args=(ir.Name(id=name),), keywords=()) if (
            library_name(objects, scope, func) in _COPIES
        ):
            return "" if is_dict(objects.evaluator.values(scope, ir.Name(name))) else name
        case _:
            return ""


def _with_default(objects: Objects, scope: Scope, call: ir.Call, at: float) -> Held:
    """A dict that makes what it does not have, for each key another one, or the same for all."""
    factory, *given = call.args
    make = ir.Call(factory, (), (), call.line, call.column)

    def is_new(one: Object) -> bool:
        return one.given_by is not None and one.given_by[1] == make

    filled = together(part for each in given for part in objects.held(scope, each, at).parts)
    named = filled.parts if all(name for name, _ in filled.parts) else ()
    own = Held(Object(MadeBy(scope, call), (), Located(scope, call)), named)
    shared = without(objects.held(scope, make, at), is_new)
    others = together([("", shared)]) if not is_untold(shared) else NOTHING
    return either([own, others, NOTHING if named else filled])


def library_name(objects: Objects, scope: Scope, func: ir.Expr) -> str | None:
    name = objects.project.nnx_name(scope, func)
    if name is not None:
        return f"nnx.{name.removeprefix('compat.')}"
    if isinstance(func, ir.Name) and not objects.project.bindings(scope, func.id):
        return f"builtins.{func.id}"
    return objects.project.dotted(scope, func)


def makes_named_tuple(objects: Objects, scope: Scope, func: ir.Expr) -> bool:
    """Whether a name is bound to `collections.namedtuple(...)`."""
    bindings = objects.project.bindings(scope, func.id) if isinstance(func, ir.Name) else []
    return any(
        isinstance(each, Located)
        and isinstance(each.expr, ir.Call)
        and library_name(objects, each.scope, each.expr.func) in _NAMED_TUPLES
        for each in bindings
    )


def _partial(objects: Objects, scope: Scope, call: ir.Call, at: float) -> Held:
    """A function with arguments, which jax does not look into."""
    function, *args = call.args
    inner = dict(objects.held(scope, function, at).parts)
    given = [*inner.get("args", NOTHING), *container(objects, scope, tuple(args), at)]
    named = [(name or "", objects.held(scope, value, at)) for name, value in call.keywords]
    bound = (
        ("args", together((str(i), each) for i, each in enumerate(given))),
        ("keywords", together([*inner.get("keywords", NOTHING).parts, *named])),
    )
    return Held(Object(MadeBy(scope, call), (), Located(scope, call)), bound, closed=True)


def _in_one_turn(
    objects: Objects, scope: Scope, args: tuple[ir.Expr, ...], at: float, call: ir.Call
) -> list[Held]:
    """An element of each value in a turn of a loop over them: of the same value the same one."""
    turn = f"[{turn_of(call)}]"
    held = _arguments(objects, scope, args, at)
    if len(args) != len(held):  # `zip(*columns)`
        return [element(each, Located(scope, call)) for each in held]
    return [
        identified(objects, scope, element(each, Located(scope, ir.Element(base))), base, turn)
        for each, base in zip(held, args, strict=True)
    ]


def _rows(elements: list[Held], columns: list[Held | None]) -> Held:
    """What a `zip` gives: a row for each place, where one column says what is at which place.

    Args:
        elements: one of each column, the same one in each row.
        columns: what they are of; None where that is more than one column.
    """
    by_place = [
        tuple(column) if column is not None and _says_places(column) else None for column in columns
    ]
    sizes = [len(column) for column in by_place if column is not None]
    if not sizes:
        return together([("", _row(elements))])
    both = list(zip(by_place, elements, strict=True))
    return together(
        (str(i), _row([each if column is None else column[i] for column, each in both]))
        for i in range(min(sizes))
    )


def _says_places(held: Held) -> bool:
    return held.is_container and not is_untold(held) and all(name for name, _ in held.parts)


def _keeps_places(objects: Objects, scope: Scope, dotted: str, given: ir.Expr) -> bool:
    """Whether it makes a container that has the same elements in the same places."""
    if dotted == "builtins.dict":
        return is_dict(objects.evaluator.values(scope, given))
    return dotted in {"builtins.list", "builtins.tuple"}


def _arguments(objects: Objects, scope: Scope, args: tuple[ir.Expr, ...], at: float) -> list[Held]:
    return [part for _, part in container(objects, scope, args, at).parts]


def _without_dicts(
    objects: Objects, scope: Scope, args: tuple[ir.Expr, ...]
) -> tuple[ir.Expr, ...]:
    """What is iterated over, with something plain for each dict, which gives its keys."""
    values = objects.evaluator.values
    return tuple(ir.Computed() if is_dict(values(scope, each)) else each for each in args)


def _row(columns: list[Held]) -> Held:
    return Held(None, tuple((str(i), each) for i, each in enumerate(columns)))
