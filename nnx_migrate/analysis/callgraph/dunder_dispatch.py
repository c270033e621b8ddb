"""Which methods of classes of the project syntax, and functions of the library, run on objects."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    Instance,
    Located,
    Scope,
    Value,
    Values,
    union,
)
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.implicit_calls import ARITHMETIC, METHODS, NO_OBJECT
from nnx_migrate.analysis.library.return_model import elements_of
from nnx_migrate.analysis.symbols.program import Project

#: What operators pass to methods.
_Operands = Mapping[Scope, Sequence[Located]]
_NO_OPERANDS: _Operands = {}


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """A method that may run.

    Args:
        operand: the object that it is looked for on.
        methods: names of it; the first runs that the class has.
        given: what it is called with.
    """

    operand: ir.Expr
    methods: tuple[str, ...]
    given: ir.Expr = NO_OBJECT


def runs_in(project: Project, function: ir.Function) -> Iterator[Run]:
    """The methods that the syntax of a function may run, as far as classes of the run have them."""
    for first, operands in function.implied:
        if first in project.running:
            for left, right in zip(operands[::2], operands[1::2], strict=True):
                yield from _runs(project, first, left, right)


def methods_implied(evaluator: Evaluation, scope: Scope) -> Iterator[Scope]:
    """The methods that the syntax of a function may run, each for each object that has it."""
    for run in runs_in(evaluator.project, evaluator.project.function(scope)):
        for value in in_order(evaluator.values(scope, run.operand)):
            yield from methods_run(evaluator, value, run.methods)


def runs_of_library(project: Project, dotted: str, call: ir.Call) -> Iterator[Run]:
    """The methods that a function of the library may run on what it is given."""
    if dotted in _ELEMENTS and call.args:
        element = ir.Element(call.args[0])
        for first in _ELEMENTS[dotted]:
            yield from _runs(project, first, element, element)
    if dotted.startswith(_ARRAYS):
        for argument in call.args:
            listed = argument.elements if isinstance(argument, ir.Sequence) else (argument,)
            for each in listed:
                yield from _runs(project, "__jax_array__", each, NO_OBJECT)
                yield from _runs(project, "__array__", each, NO_OBJECT)
    if dotted.startswith("operator."):
        first = f"__{dotted.removeprefix('operator.').strip('_')}__"
        if first in METHODS and call.args:
            yield from _runs(project, first, call.args[0], (*call.args, NO_OBJECT)[1])
    for first in _CALLED.get(dotted, ()):
        for argument in call.args:
            yield from _runs(project, first, argument, NO_OBJECT)


def runs_of_name(project: Project, call: ir.Call) -> Iterator[Run]:
    """What `stack.enter_context(manager)` runs."""
    if ir.last_name(call.func) in _ENTERING:
        for argument in call.args:
            for first in ("__enter__", "__exit__"):
                yield from _runs(project, first, argument, NO_OBJECT)


def _runs(project: Project, first: str, left: ir.Expr, right: ir.Expr) -> Iterator[Run]:
    of_left, of_right = METHODS[first]
    for operand, names, given in ((left, of_left, right), (right, of_right, left)):
        if operand != NO_OBJECT and not project.special.isdisjoint(names):
            yield Run(operand, names, given)
    if first == "__iter__" and left != NO_OBJECT and "__next__" in project.special:
        iterator = ir.Call(ir.Attribute(left, "__iter__"), (), (), 0)
        yield from (Run(each, ("__next__",)) for each in (iterator, left))


def methods_run(evaluator: Evaluation, value: Value, names: tuple[str, ...]) -> tuple[Scope, ...]:
    """Of each class that an object can be of, the first of these methods that it has."""
    if not isinstance(value, Instance):
        return ()
    return evaluator.hierarchy.first_methods.of(evaluator.hierarchy, value, names)


def operands_passed(
    evaluator: Evaluation, method: Scope, function: ir.Function
) -> Sequence[Located]:
    """What operators pass for the second parameter of a method of arithmetic."""
    if function.owner is None or function.name not in ARITHMETIC:
        return ()
    # Each operator of the project is looked at once for all methods of a name.
    passed: _Operands = evaluator.fixpoint.get(
        ("operands", function.name),
        lambda: _operands(evaluator, function.name),
        _NO_OPERANDS,
        lambda found: found,
        join=_together,
    )
    return passed.get(method, ())


def _together(one: _Operands, other: _Operands) -> _Operands:
    return {
        method: tuple(dict.fromkeys((*one.get(method, ()), *other.get(method, ()))))
        for method in (*one, *(each for each in other if each not in one))
    }


def _operands(evaluator: Evaluation, name: str) -> _Operands:
    """The methods of a name that operators run, each with what they pass for its parameter."""
    found: dict[Scope, list[Located]] = collections.defaultdict(list)
    for first, sides in METHODS.items():
        for side, names in enumerate(sides):
            for scope, pair in evaluator.callers.mentions.implied(first) if name in names else ():
                operand, given = pair[side], pair[1 - side]
                held = evaluator.values(scope, operand)
                for method in {m for v in held for m in methods_run(evaluator, v, (name,))}:
                    found[method].append(Located(scope, given))
    return {method: tuple(passed) for method, passed in found.items()}


def lookups_run(evaluator: Evaluation, value: Instance, name: str) -> Iterator[Scope]:
    """The methods of its class that run where an attribute of an object is looked up."""
    if "__getattribute__" in evaluator.project.special:
        yield from methods_run(evaluator, value, ("__getattribute__",))
    if "__getattr__" not in evaluator.project.special:
        return
    # Few classes have one, and names are computed that may be hundreds.
    if methods := methods_run(evaluator, value, ("__getattr__",)):
        classes = evaluator.hierarchy.ancestry(value.class_name).classes
        has = any(evaluator.stored(each, name) for each in classes)
        if not has and evaluator.hierarchy.method(value.class_name, name) is None:
            yield from methods


def descriptors_run(evaluator: Evaluation, value: Instance, name: str) -> Iterator[Scope]:
    """The methods of an object in the body of its class that run where it is looked up."""
    if "__get__" not in evaluator.project.special:
        return
    for class_name in evaluator.hierarchy.ancestry(value.class_name).classes:
        located = evaluator.project.class_of(class_name)
        if located is not None:
            scope = Scope(located[0], located[1].scope)
            for expr in located[1].attributes.get(name, ()):
                for held in evaluator.values(scope, expr):
                    yield from methods_run(evaluator, held, ("__get__",))


def element_values(evaluator: Evaluation, value: Value) -> Values:
    """What an element of an object is, where its class says so; nothing where it does not."""
    if not _has_class_of_run(value):
        return NOTHING
    found = _returned_by(evaluator, value, "__getitem__")
    reached = {value}
    pending = [value]
    while pending:  # classes may give each other as their iterators
        given = _returned_by(evaluator, pending.pop(), "__iter__") - reached
        reached |= given
        for iterator in given:
            found |= _of_iterator(evaluator, iterator)
        pending += given
    return found or _returned_by(evaluator, value, "__next__")


def _of_iterator(evaluator: Evaluation, iterator: Value) -> Values:
    """What an iterator gives of itself, and not through an iterator of its own."""
    own = _returned_by(evaluator, iterator, "__getitem__")
    own = own or _returned_by(evaluator, iterator, "__next__")
    if own or _returned_by(evaluator, iterator, "__iter__") - {iterator}:
        return own
    return elements_of(iterator)


def _returned_by(evaluator: Evaluation, value: Value, name: str) -> Values:
    """What a special method of an object gives; nothing where no class of the run has one."""
    if name not in evaluator.project.special or not _has_class_of_run(value):
        return NOTHING
    return union(map(evaluator.returned, methods_run(evaluator, value, (name,))))


def elements(evaluator: Evaluation, value: Value) -> Values:
    """What indexing a value, or iterating over it, gives."""
    return element_values(evaluator, value) or elements_of(value)


def arithmetic_runs(project: Project, operands: Sequence[ir.Expr]) -> Iterator[Run]:
    """The methods that an operator, whichever it is, may run on its operands."""
    for name in project.arithmetic:
        for operand, given in zip(operands, reversed(operands), strict=True):
            yield Run(operand, (name,), given if len(operands) > 1 else NO_OBJECT)


def arithmetic_values(evaluator: Evaluation, operands: Iterable[Values]) -> Values:
    """What operators of the project's own classes give for these operands; nothing without one."""
    if not evaluator.project.arithmetic:
        return NOTHING
    hierarchy = evaluator.hierarchy
    methods: set[Scope] = set()
    for value in union(operands):
        if isinstance(value, Instance) and _has_class_of_run(value):
            methods |= hierarchy.first_methods.by_operators(hierarchy, value)
    in_order = sorted(methods, key=lambda method: (method.module, method.function))
    return union(map(evaluator.returned, in_order))


def _has_class_of_run(value: Value) -> bool:
    return isinstance(value, Instance) and ":" in value.class_name


#: Functions that run a method of each argument.
_CALLED: Mapping[str, tuple[str, ...]] = {
    **{
        f"builtins.{name}": ("__iter__",)
        for name in (
            "all",
            "any",
            "dict",
            "enumerate",
            "filter",
            "frozenset",
            "iter",
            "list",
            "map",
            "max",
            "min",
            "set",
            "sorted",
            "sum",
            "tuple",
            "zip",
        )
    },
    **{
        f"builtins.{name}": (f"__{name}__",)
        for name in (
            "abs",
            "bytes",
            "complex",
            "dir",
            "float",
            "format",
            "hash",
            "int",
            "len",
            "repr",
            "reversed",
            "round",
            "str",
        )
    },
    "builtins.next": ("__next__",),
    "builtins.aiter": ("__aiter__",),
    "builtins.print": ("__str__",),
    "builtins.bool": ("__bool__",),
    "copy.copy": ("__copy__",),
    "copy.deepcopy": ("__deepcopy__",),
}
#: Functions that run methods of what their first argument holds.
_ELEMENTS: Mapping[str, tuple[str, ...]] = {
    "builtins.sum": ("__add__",),
    "builtins.max": ("__lt__",),
    "builtins.min": ("__lt__",),
    "builtins.sorted": ("__lt__",),
}
#: Functions of these take what says how it becomes an array.
_ARRAYS = ("jax.numpy.", "numpy.", "jax.nn.", "jax.lax.")
_ENTERING = frozenset({"enter_context", "enter_async_context"})
