"""What a call of a function of a library gives, where that depends on more than its arguments."""

from __future__ import annotations

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.lattice import last_of_pair, partial_of
from nnx_migrate.analysis.callgraph.transformed import transformed, under_capture
from nnx_migrate.analysis.domain.containers import is_container, leaves
from nnx_migrate.analysis.domain.unknown import Unknown, unknown, unknown_by_name
from nnx_migrate.analysis.domain.values import (
    NAMED_AT_RUN_TIME,
    PLAIN,
    ClassValue,
    ContainerValue,
    Instance,
    LibraryValue,
    Scope,
    TupleValue,
    Values,
    union,
)
from nnx_migrate.analysis.flax.names import nnx_name
from nnx_migrate.analysis.flax.transforms import spec
from nnx_migrate.analysis.interp.attributes import NAMESPACES, REPLACE, classes, member
from nnx_migrate.analysis.interp.merge_results import merged
from nnx_migrate.analysis.interp.string_constants import (
    FUNCTIONS_BY_NAME,
    attributes_beginning,
    beginning,
    literal_names,
    methods_by_any_name,
    stored_by_any_name,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import (
    TREE_LEAVES,
    elements_of,
    is_transform,
    iterated_of,
    library_result,
)
from nnx_migrate.analysis.library.solver_settings import MAKING_SETTINGS
from nnx_migrate.analysis.symbols.higher_order import TAKERS, Taker, implied_calls
from nnx_migrate.analysis.symbols.library_names import canonical

#: Functions that give what a text names.
_NAMING = frozenset({"importlib.import_module"}) | {
    f"builtins.{name}" for name in ("__import__", "eval", "globals", "locals")
}
_OF_CONTAINER = "<container>."
#: What `functools.wraps(f)` is, which gives what it is called on.
_SAME = "<given>"


def called_library(evaluator: Evaluation, scope: Scope, call: ir.Call, dotted: str) -> Values:
    """What a call of the library's function of that dotted name gives."""
    name = nnx_name(dotted)
    known = spec(name or dotted)
    if known.collects and call.args:
        return under_capture(evaluator, scope, call)
    if dotted.startswith(_OF_CONTAINER):
        return _of_container(evaluator, scope, call, dotted.removeprefix(_OF_CONTAINER))
    if dotted == "builtins.dict":
        return _dict(evaluator, scope, call)
    if dotted == "collections.defaultdict" and call.args:
        return _defaultdict(evaluator, scope, call)
    if dotted == "builtins.getattr" and len(call.args) > 1:
        return _getattr(evaluator, scope, call)
    if dotted in TREE_LEAVES and any(name == "is_leaf" for name, _ in call.keywords):
        return frozenset({ContainerValue(leaves(evaluator.all_of(scope, call.args[:1])))})
    if dotted == "builtins.type" and len(call.args) == 1:
        held = [v for v in evaluator.values(scope, call.args[0]) if isinstance(v, Instance)]
        return union(classes(evaluator, v) for v in held) or unknown(Unknown.RESULT_OF_TYPE)
    if dotted == "builtins.type" and len(call.args) == 3:
        return _class_made(evaluator, scope, call)
    if dotted == REPLACE and isinstance(call.func, ir.Attribute):
        return evaluator.values(scope, call.func.base)
    if dotted == "dataclasses.replace" and call.args:
        return evaluator.values(scope, call.args[0])
    if dotted in _NAMING:
        return unknown_by_name(ir.last_name(call.func))
    if dotted == "functools.wraps":
        return frozenset({LibraryValue(_SAME)})
    if dotted in {_SAME, "functools.update_wrapper", "enum.member", "enum.nonmember"}:
        return evaluator.all_of(scope, call.args[:1])
    if dotted in NAMESPACES:
        named = evaluator.all_of(scope, tuple(value for _, value in call.keywords))
        return frozenset({Instance(dotted, wraps=named, origin="a namespace")})
    if dotted in MAKING_SETTINGS:
        given = (*call.args, *(value for _, value in call.keywords))
        plain = evaluator.all_of(scope, given) <= PLAIN
        return PLAIN if plain else unknown(Unknown.RESULT, name=dotted)
    if is_transform(dotted):
        return transformed(evaluator, scope, call, dotted)
    carried = known.carried
    if carried is not None and carried < len(call.args):
        return evaluator.values(scope, call.args[carried])
    taker = TAKERS.get(canonical(dotted))
    if taker is not None and taker.gives:
        return given_by(evaluator, scope, call, taker)
    if name == "merge" and call.args:
        return merged(evaluator, scope, call.args[0])
    given = call.args
    if name is not None and not given:  # nnx.clone(node=model)
        given = tuple(value for keyword, value in call.keywords if keyword == "node")
    return library_result(dotted, name, [evaluator.values(scope, arg) for arg in given])


def given_by(evaluator: Evaluation, scope: Scope, call: ir.Call, taker: Taker) -> Values:
    """What a function of a library gives that calls, or binds, what it is given."""
    if taker.gives == "elements":
        return evaluator.all_of(scope, call.args[taker.start :])
    made = tuple(implied_calls(call, taker))
    if taker.gives != "function":
        found = evaluator.all_of(scope, made)
        if taker.passes == "folded":
            found |= union(evaluator.values(scope, each.args[0]) for each in made if each.args)
        return found if taker.gives == "result" else frozenset({ContainerValue(found)})
    functions = [(v, each) for each in made for v in evaluator.values(scope, each.func)]
    if ir.last_name(call.func) in {"lower", "trace", "callback"}:
        return frozenset(value for value, _ in functions)
    if not taker.leading:
        functions = [(evaluator.hierarchy.run_by_call(value), each) for value, each in functions]
    return union(
        partial_of(value, len(each.args) - taker.leading, _names(each)) for value, each in functions
    )


def _names(call: ir.Call) -> frozenset[str]:
    return frozenset(name or "**" for name, _ in call.keywords)


def _of_container(evaluator: Evaluation, scope: Scope, call: ir.Call, name: str) -> Values:
    """What a method of a list, a dict or a tuple gives."""
    if not isinstance(call.func, ir.Attribute):
        return unknown(Unknown.RESULT, name=f"{name}()")
    bases = evaluator.values(scope, call.func.base)
    held = frozenset(filter(is_container, bases))
    element = union(map(elements_of, held))
    if name in {"get", "pop", "popleft", "setdefault", "result"}:
        return element | evaluator.all_of(scope, call.args[1:])
    if name == "items":
        return frozenset({ContainerValue(frozenset({TupleValue((PLAIN, element))}))})
    if name == "popitem":
        return frozenset({TupleValue((PLAIN, element))})
    if name == "values":
        return frozenset({ContainerValue(element)}) if held else held
    if name in {"copy", "union"}:
        return held
    if name == "__iter__":
        return frozenset({ContainerValue(iterated_of(held))})
    return PLAIN


def _dict(evaluator: Evaluation, scope: Scope, call: ir.Call) -> Values:
    pairs = [
        last_of_pair(value)
        for given in call.args
        for value in evaluator.values(scope, ir.Element(given))
    ]
    named = evaluator.all_of(scope, tuple(value for _, value in call.keywords))
    return frozenset({ContainerValue(named.union(*pairs), keyed="yes")})


def _defaultdict(evaluator: Evaluation, scope: Scope, call: ir.Call) -> Values:
    """A dict of what its factory makes, and of what it is filled with."""
    factory, *given = call.args
    made = evaluator.values(scope, ir.Call(factory, (), (), call.line, call.column))
    filled = _dict(evaluator, scope, ir.Call(call.func, tuple(given), call.keywords, call.line))
    held = made.union(*map(elements_of, filled))
    return frozenset({ContainerValue(held, keyed="yes")})


def _class_made(evaluator: Evaluation, scope: Scope, call: ir.Call) -> Values:
    """What `type(name, bases, body)` gives: a class like one of its bases, or more than that."""
    _, bases, body = call.args
    held = evaluator.values(scope, ir.Element(bases))
    found = frozenset(value for value in held if isinstance(value, ClassValue))
    empty = isinstance(body, ir.Sequence) and not body.elements
    alone = empty and len(found) == len(held) == 1
    return found if alone else found | unknown(Unknown.RESULT_OF_TYPE)


def _getattr(evaluator: Evaluation, scope: Scope, call: ir.Call) -> Values:
    """`getattr(x, name, default)` is an attribute of one of the names in sight, or the default.

    Where the names are not in sight, what is stored under such names is among it.
    """
    target, name, *default = call.args
    names = literal_names(evaluator, scope, name)
    if names is not None:
        attributes = tuple(ir.Attribute(target, each) for each in sorted(names))
        return evaluator.all_of(scope, attributes) | evaluator.all_of(scope, tuple(default))
    library = evaluator.project.dotted(scope, target)
    if library in FUNCTIONS_BY_NAME:
        by_name = LibraryValue(f"{library}.{NAMED_AT_RUN_TIME}")
        return frozenset({by_name}) | evaluator.all_of(scope, tuple(default))
    held = evaluator.values(scope, target)
    objects = [value for value in held if isinstance(value, Instance)]
    start = beginning(evaluator, scope, name)
    named = [attributes_beginning(evaluator, each, start) for each in objects]
    if objects and len(objects) == len(held) and not default and None not in named:
        found = union(stored_by_any_name(evaluator, each) for each in objects)
        for each, texts in zip(objects, named, strict=True):
            found |= union(member(evaluator, each, text) for text in sorted(texts or ()))
        if found:
            return found
    parts = [_by_any_name(evaluator.joined, each) for each in objects]
    if objects and len(objects) == len(held):
        return union(parts) | unknown(Unknown.RESULT_OF_GETATTR)
    return union(parts) | unknown_by_name("getattr")


def _by_any_name(evaluator: Evaluation, instance: Instance) -> Values:
    """What an object has under names that are not in sight: its methods, and what these compute.

    That is all that a class of the project has, so each object is gone through once for all calls.
    """
    return evaluator.once(
        ("by any name", instance),
        lambda: stored_by_any_name(evaluator, instance).union(
            *(
                member(evaluator, instance, each)
                for each in methods_by_any_name(evaluator, instance)
            )
        ),
    )
