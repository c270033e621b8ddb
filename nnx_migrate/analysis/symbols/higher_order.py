"""Functions of libraries that call what they are given, and the calls that they so make."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Literal

from nnx_migrate.analysis.flax.transform_spec import TransformSpec
from nnx_migrate.analysis.flax.transforms import SPECS, dotted
from nnx_migrate.analysis.ir import nodes as ir

#: What stands in front of the name of a method that objects of many classes have.
METHOD = "<any>."


@dataclasses.dataclass(frozen=True, slots=True)
class Taker:
    """How a function of a library calls one that it is given.

    Args:
        functions: where the functions stand: places of arguments, or a keyword.
        passes: what they are called with: the further arguments ("rest"), the elements of these
            ("each"), those of an element as arguments ("unpacked"), what is folded with an element
            ("folded"), the elements of the first argument ("elements"), what `args=` lists
            ("listed"), what trees hold ("leaves"); "receiver": what the method is an attribute of
            is called itself.
        start: where begins what they are called with.
        leading: how many parameters they have in front of that.
        gives: what comes back: nothing that matters, what they give ("result"), a container of that
            ("results"), of their arguments ("elements"), or them ("function").
    """

    functions: tuple[int | str, ...] = (0,)
    passes: Literal[
        "rest", "each", "unpacked", "folded", "elements", "listed", "receiver", "leaves"
    ] = "rest"
    start: int = 1
    leading: int = 0
    gives: Literal["", "result", "results", "elements", "function"] = ""


def _taken(known: TransformSpec) -> Taker | None:
    """How a transform that is given what it calls the function with does so."""
    if known.binds:
        return _BINDING
    if known.operands is not None:
        flow = known.operands
        return Taker(flow.functions, start=flow.start, leading=flow.leading)
    return Taker() if known.calls_at_once and not known.iterates else None


_BINDING = Taker(gives="function")
_CALLING = Taker(gives="result")
_SUBMITTING = Taker(gives="results")
_MAPPING = Taker(passes="each", gives="results")
_CHOOSING = Taker(passes="each", gives="elements")
_BY_KEY = Taker(("key",), "elements", 0)
_STARTING = Taker(("target",), "listed")
_RECEIVED = Taker((), "receiver", 0, gives="function")
#: By absolute dotted names, "flax.nnx.X" for nnx whether or not it is of `compat`.
TAKERS: Mapping[str, Taker] = {
    "functools.partial": _BINDING,
    "functools.partialmethod": Taker(leading=1, gives="function"),
    "jax.tree_util.Partial": _BINDING,
    "types.MethodType": _BINDING,
    "builtins.map": _MAPPING,
    "builtins.filter": _CHOOSING,
    "itertools.filterfalse": _CHOOSING,
    "itertools.takewhile": _CHOOSING,
    "itertools.dropwhile": _CHOOSING,
    "itertools.starmap": Taker(passes="unpacked", gives="results"),
    "itertools.accumulate": Taker((1, "func"), "folded", 0, gives="results"),
    "functools.reduce": Taker((0,), "folded", gives="result"),
    "itertools.groupby": Taker((1, "key"), "elements", 0),
    "builtins.sorted": _BY_KEY,
    "builtins.min": _BY_KEY,
    "builtins.max": _BY_KEY,
    f"{METHOD}sort": Taker(("key",), "elements", 0),
    "operator.call": _CALLING,
    "asyncio.to_thread": _CALLING,
    "atexit.register": Taker(),
    "threading.Thread": _STARTING,
    "multiprocessing.Process": _STARTING,
    "threading.Timer": Taker((1, "function"), "listed"),
    "jax.debug.callback": Taker(),
    f"{METHOD}submit": _SUBMITTING,
    f"{METHOD}map": _MAPPING,
    f"{METHOD}starmap": Taker(passes="unpacked", gives="results"),
    f"{METHOD}apply_async": Taker(passes="listed", gives="results"),
    f"{METHOD}run_in_executor": Taker((1,), start=2, gives="result"),
    f"{METHOD}callback": Taker(gives="function"),
    f"{METHOD}call_soon": Taker(),
    f"{METHOD}call_later": Taker((1,), start=2),
    # Of what nnx.jit and jax.jit give, and of every function.
    f"{METHOD}lower": _RECEIVED,
    f"{METHOD}trace": _RECEIVED,
    f"{METHOD}__call__": Taker((), "receiver", 0, gives="result"),
    f"{METHOD}__get__": _RECEIVED,
    **{dotted(known): taken for known in SPECS.values() if (taken := _taken(known)) is not None},
    # What they hold comes leaf by leaf; objects of nnx are given whole.
    "jax.tree.map": Taker(passes="leaves"),
    "jax.tree_map": Taker(passes="leaves"),
}
_BY_LAST: dict[str, list[tuple[str, Taker]]] = {}
for _dotted, _taker in TAKERS.items():
    _BY_LAST.setdefault(_dotted.rpartition(".")[2], []).append((_dotted, _taker))
#: The last names of all of them.
TAKER_NAMES = frozenset(_BY_LAST)


def takers_named(name: str) -> list[tuple[str, Taker]]:
    """Those of a last name, each with its dotted name."""
    return _BY_LAST.get(name, [])


#: Begins what stands for a turn of a loop.
TURN = "turn:"


def turn_of(call: ir.Call) -> str:
    """The turn of a loop over what a call gives."""
    return f"{TURN}{call.line}:{call.column}"


def implied_calls(call: ir.Call, taker: Taker) -> Iterator[ir.Call]:
    """The calls that a function of a library makes of the functions that it is given."""
    if taker.passes == "receiver":
        if isinstance(call.func, ir.Attribute):
            args = call.args[:1] if call.func.name == "__get__" else call.args
            yield ir.Call(call.func.base, args, call.keywords, call.line)
        return
    for function in _functions(call, taker):
        args, keywords = _given(call, taker, function)
        yield ir.Call(function, (ir.UNSEEN,) * taker.leading + args, keywords, call.line)


def calls_of_fold(dotted: str, call: ir.Call) -> tuple[ir.Call, ...]:
    """The calls of what is passed to `reduce` or `accumulate`; none where it is another function.

    Args:
        dotted: the name of what is called.
        call: of that.
    """
    taker = TAKERS.get(dotted)
    if taker is None or taker.passes != "folded":
        return ()
    return tuple(implied_calls(call, taker))


def _functions(call: ir.Call, taker: Taker) -> Iterator[ir.Expr]:
    for place in taker.functions:
        found = [value for keyword, value in call.keywords if keyword == place]
        if isinstance(place, int):
            found += call.args[place : place + 1]
        for each in found:
            yield from each.elements if isinstance(each, ir.Sequence) else (each,)


def _given(
    call: ir.Call, taker: Taker, function: ir.Expr
) -> tuple[tuple[ir.Expr, ...], tuple[tuple[str | None, ir.Expr], ...]]:
    rest = call.args[taker.start :]
    match taker.passes:
        case "each":
            turn = ir.Constant("other", turn_of(call))  # of one list given twice the same element
            return tuple(ir.Element(each, index=(turn,)) for each in rest), ()
        case "unpacked":
            return tuple(ir.Starred(ir.Element(each)) for each in rest[:1]), ()
        case "folded":
            elements = tuple(ir.Element(each) for each in rest[:1])
            known = set(_functions(call, taker))
            first = tuple(each for each in rest[1:] if each not in known)
            first += tuple(value for keyword, value in call.keywords if keyword == "initial")
            # Behind what it begins with comes what the function gives, and no element.
            again = (ir.Call(function, (*first, *elements), (), call.line),) if first else elements
            return (ir.Choice((*first, *again)), *elements), ()
        case "elements":
            own = isinstance(call.func, ir.Attribute) and call.func.name == "sort"
            held = (call.func.base,) if own and isinstance(call.func, ir.Attribute) else rest
            if len(held) > 1 and call.func != ir.Attribute(ir.Name("itertools"), "groupby"):
                return (ir.Choice(held),), ()
            return tuple(ir.Element(each) for each in held[:1]), ()
        case "listed":
            listed = [value for keyword, value in call.keywords if keyword == "args"]
            listed += rest[:1] if not listed else []
            return tuple(ir.Starred(each) for each in listed), ()
        case "leaves":
            # With `is_leaf` what stands in containers comes for itself, and comes whole.
            kept = tuple(pair for pair in call.keywords if pair[0] != "is_leaf")
            apart = len(kept) < len(call.keywords)
            given = tuple(ir.Choice((e, ir.Element(e))) for e in rest) if apart else rest
            return given, kept
        case _:
            return rest, call.keywords
