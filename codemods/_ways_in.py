"""The calls that run a function, where all of them stand in the file at hand."""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
from collections.abc import Iterator, Mapping

from codemods._forward import NotCaptured
from nnx_migrate.facts import ir
from nnx_migrate.facts.evaluate import CAPTURED
from nnx_migrate.facts.lower import lower_expr
from nnx_migrate.facts.syntax import AnyFunction
from nnx_migrate.facts.transforms import WRAPPERS
from nnx_migrate.facts.values import (
    ARRAY,
    PLAIN,
    STATE,
    Basic,
    FunctionValue,
    Instance,
    LibraryValue,
    Located,
    Scope,
    Value,
    Values,
    is_unknown,
)
from nnx_migrate.rewrite.context import FileContext

#: What may be given an object that can be called, and does not call it.
_NOT_CALLING = frozenset(
    [
        "capture",
        "clone",
        "eval",
        "graphdef",
        "pop",
        "split",
        "state",
        "train",
        "update",
        "variables",
    ]
)
_MAKING = frozenset(["Optimizer"])
_LOOKING = frozenset(f"builtins.{name}" for name in ("id", "isinstance", "len", "print", "repr"))


@dataclasses.dataclass(frozen=True, slots=True)
class Way:
    """A call of a function.

    Args:
        given: what it passes for the parameter in question.
        captured: what is called is under `nnx.capture`.
        sole: it can run no other function.
    """

    call: ast.Call
    given: ast.expr
    captured: bool
    sole: bool


def check_alone(context: FileContext, name: str, called: str = "") -> str:
    """No other file runs what this one defines; what nothing shows is assumed if that is allowed.

    Args:
        name: what it is, as people call it.
        called: the name by which it would have to be called; empty when any call may run it.

    Returns:
        What is assumed, in words.

    Raises:
        NotCaptured: another file may.
    """
    module = context.tree.module
    for other in context.project.modules.values():
        if other.module == module or not {called, "**"} & {"", *other.words}:
            continue
        if module in context.analysis.imports.of(other.module):
            raise NotCaptured(f"{name} may be run from {other.path} too")
    packaged = "." in module or context.project.modules[module].is_package
    if not packaged or name.startswith("_"):
        return ""
    reason = f"code outside of the project may run {name}"
    if context.options.unsafe:
        return reason
    raise NotCaptured(reason)


def ways_in(context: FileContext, function: AnyFunction, parameter: str) -> tuple[Way, ...]:
    """All calls of a function of the file.

    Raises:
        NotCaptured: not all of them are to be seen, or one does not show what it passes.
    """
    scope = context.tree.scope_of(function)
    calls = _calls(context)
    name = getattr(function, "name", "")
    for line in calls.unseen.get(name, []) if name else []:
        raise NotCaptured(f"what line {line} runs is not known")
    if name == "__call__" or isinstance(function, ast.Lambda):
        for line in calls.unseen.get("", []):
            raise NotCaptured(f"what line {line} runs is not known")
    for line in calls.handed_on.get(scope, []):
        raise NotCaptured(f"line {line} hands {name or 'a lambda'} on")
    found = tuple(
        Way(
            call,
            _given(context, scope, call, value, parameter),
            _is_captured(value),
            {run.scope for run in _run(context, context.values(call.func))} == {scope},
        )
        for call, value in calls.of.get(scope, [])
    )
    if not found:
        raise NotCaptured(f"no call of {name or 'a lambda'} is to be seen")
    return found


def is_under_capture(context: FileContext, function: AnyFunction) -> bool:
    """Whether a decorator, or the call around it, puts a function under capture."""
    around = context.tree.parents[function]
    heads = [d.func for d in getattr(function, "decorator_list", []) if isinstance(d, ast.Call)]
    if isinstance(around, ast.Call) and around.args[:1] == [function]:
        heads.append(around.func)
    return any(context.tree.nnx_name(head) == "capture" for head in heads)


def _is_captured(value: FunctionValue) -> bool:
    return any(transform.startswith(CAPTURED) for transform in value.transforms)


def _given(
    context: FileContext, scope: Scope, call: ast.Call, value: FunctionValue, parameter: str
) -> ast.expr:
    """What a call passes for a parameter."""
    names = [p.name for p in context.project.function(scope).parameters if p.kind == "positional"]
    if parameter not in names or value.partial_args or value.bound_keywords:
        raise NotCaptured(f"what line {call.lineno} passes for {parameter} is not clear")
    place = names.index(parameter) - (1 if value.bound else 0)
    if place < 0:
        return _own_object(context, call)
    if any(isinstance(arg, ast.Starred) for arg in call.args[: place + 1]):
        raise NotCaptured(f"what line {call.lineno} passes for {parameter} is not clear")
    if place < len(call.args):
        return call.args[place]
    for keyword in call.keywords:
        if keyword.arg == parameter:
            return keyword.value
    raise NotCaptured(f"what line {call.lineno} passes for {parameter} is not clear")


def _own_object(context: FileContext, call: ast.Call) -> ast.expr:
    """The object that a method is called of."""
    func = call.func
    if isinstance(func, ast.Call) and context.tree.nnx_name(func.func) == "capture" and func.args:
        func = func.args[0]  # nnx.capture(model, T)(x)
    if any(isinstance(v, Instance) for v in context.values(func)):
        return func
    if not isinstance(func, ast.Attribute):
        raise NotCaptured(f"of what line {call.lineno} calls a method is not clear")
    owner = func.value
    if (
        isinstance(owner, ast.Call)
        and isinstance(owner.func, ast.Name)
        and owner.func.id == "super"
    ):
        around = context.tree.function_around(call)
        if owner.args or not isinstance(around, ast.FunctionDef) or not around.args.args:
            raise NotCaptured(f"of what line {call.lineno} calls a method is not clear")
        return ast.copy_location(ast.Name(around.args.args[0].arg, ast.Load()), owner)
    return owner


@dataclasses.dataclass(frozen=True, slots=True)
class _Calls:
    """The calls of a file.

    Args:
        of: by the function that they run.
        unseen: lines of calls of what is not known, by the last name of that; "" for what may be
            an object that is called, or a function without a name.
        handed_on: lines where a function, or an object whose call it is, goes somewhere else.
    """

    of: Mapping[Scope, list[tuple[ast.Call, FunctionValue]]]
    unseen: Mapping[str, list[int]]
    handed_on: Mapping[Scope, list[int]]


@functools.lru_cache(maxsize=2)
def _calls(context: FileContext) -> _Calls:
    found: dict[Scope, list[tuple[ast.Call, FunctionValue]]] = collections.defaultdict(list)
    unseen: dict[str, list[int]] = collections.defaultdict(list)
    handed_on: dict[Scope, list[int]] = collections.defaultdict(list)
    attributes = (node for node in context.tree.nodes if isinstance(node, ast.Attribute))
    stored = {node.attr for node in attributes if isinstance(node.ctx, ast.Store)}
    for node in context.tree.nodes:
        if isinstance(node, ast.Call):
            values = context.values(node.func)
            for value in _run(context, values):
                found[value.scope].append((node, value))
            func = lower_expr(node.func)
            if is_unknown(values) and not _is_transformed(context, context.scope(node), func):
                unseen[_last_name(node.func)].append(node.lineno)
                if not isinstance(node.func, ast.Attribute) or node.func.attr in stored:
                    unseen[""].append(node.lineno)
            for value in _kept(context, values, node):
                handed_on[value.scope].append(node.lineno)
        elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
            for value in _passed_on(context, node):
                handed_on[value.scope].append(node.lineno)
    return _Calls(found, unseen, handed_on)


def _is_transformed(context: FileContext, scope: Scope, func: ir.Expr) -> bool:
    """Whether what is called is what a transform gave.

    What it runs is what the transform was given, and that is looked at there.
    """
    if isinstance(func, ir.Name):
        bound = context.project.bindings(scope, func.id)
        return bool(bound) and all(
            isinstance(b, Located)
            and isinstance(b.expr, ir.Call)
            and _is_transformed(context, b.scope, b.expr)
            for b in bound
        )
    if not isinstance(func, ir.Call):
        return False
    values = context.evaluator.values(scope, func.func)
    transforms = all(
        isinstance(value, LibraryValue) and value.dotted.rpartition(".")[2] in WRAPPERS
        for value in values
    )
    return (bool(values) and transforms) or _is_transformed(context, scope, func.func)


def _run(context: FileContext, values: Values) -> Iterator[FunctionValue]:
    """The functions of the project that run when one of these is called."""
    for value in values:
        if isinstance(value, FunctionValue):
            yield value
        elif isinstance(value, Instance):
            yield from _call_methods(context, value)


def _call_methods(context: FileContext, instance: Instance) -> Iterator[FunctionValue]:
    hierarchy = context.evaluator.hierarchy
    for class_name in context.analysis.effects.classes_of(instance):
        method = hierarchy.method(class_name, "__call__")
        if isinstance(method, Scope):
            yield FunctionValue(method, method.function, bound=True)


def _kept(context: FileContext, callee: Values, call: ast.Call) -> Iterator[FunctionValue]:
    """What may be called by what a call gives it to, where that is none of the project's own."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if callee and all(_does_not_call(context, value) for value in callee):
        return
    for argument in given:
        argument = argument.value if isinstance(argument, ast.Starred) else argument
        if isinstance(argument, ast.Name | ast.Attribute | ast.Subscript):
            for value in context.values(argument):
                if isinstance(value, Instance):
                    yield from _call_methods(context, value)


def _does_not_call(context: FileContext, value: Value) -> bool:
    if isinstance(value, LibraryValue):
        short = value.dotted.removeprefix("flax.nnx.")
        held = value.dotted.startswith("<container>.")
        return held or short in _NOT_CALLING or value.dotted in _LOOKING
    if isinstance(value, Instance):
        return context.evaluator.hierarchy.kind(value.class_name) in {"module", "optimizer"}
    name = getattr(value, "class_name", "")
    if name.startswith("flax.nnx."):
        return name.removeprefix("flax.nnx.") in _MAKING
    return not isinstance(value, Basic) or value in ARRAY | PLAIN | STATE


def _passed_on(context: FileContext, node: ast.Attribute | ast.Name) -> Iterator[FunctionValue]:
    """The functions that an expression gives to something other than a call of them."""
    parent = context.tree.parents[node]
    if isinstance(parent, ast.Attribute):
        return
    if isinstance(parent, ast.Call):
        captured = parent.args[:1] == [node] and context.tree.nnx_name(parent.func) == "capture"
        if parent.func is node or captured:
            return
    for value in context.values(node):
        if isinstance(value, FunctionValue):
            yield value


def _last_name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
