"""States of Variables and nothing else: `nnx.state(m, nnx.Param)`, and the parts of splits."""

from __future__ import annotations

from collections.abc import Sequence

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.flax.transforms import spec
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.passed_on import writes_in
from nnx_migrate.analysis.symbols.program import Binding

_OPTIMIZER = "flax.nnx.Optimizer"
#: What it keeps of what its constructor gets: the filter of its Variables, and the transformation.
_FILTER, _OPTAX = "wrt", "tx"

#: Functions that give a tree of the form of an argument, with the place of it.
_FORM_OF = {
    "jax.tree.map": 1,
    "jax.tree_map": 1,
    "jax.tree_util.tree_map": 1,
    "optax.apply_updates": 0,
    "optax.incremental_update": 0,
}


def holds_variables_alone(
    evaluator: Evaluation,
    scope: Scope,
    state: ir.Expr,
    seen: frozenset[tuple[Scope, str]] = frozenset(),
) -> bool:
    """Whether a State was filtered by types of Variables, so that no bare array is in it.

    Args:
        seen: names that it is asked of already, each with its scope.
    """
    project = evaluator.project
    match state:
        case ir.Name(id=name):
            if (scope, name) in seen:
                return True
            bindings = project.bindings(scope, name)
            return _all_hold(evaluator, bindings, seen | {(scope, name)})
        case ir.Call(func=func, args=(_, *types)) if project.nnx_name(scope, func) == "state":
            return bool(types) and all(_is_variable(evaluator, scope, each) for each in types)
        case ir.Unpacked(base=ir.Call(func=func, args=args), index=index) if (
            project.nnx_name(scope, func) == "split"
        ):
            return 0 < index < len(args) and _is_variable(evaluator, scope, args[index])
        case ir.Unpacked(base=ir.Sequence(elements=parts), index=index) if 0 <= index < len(
            parts
        ) and not any(isinstance(part, ir.Starred) for part in parts):
            return holds_variables_alone(evaluator, scope, parts[index], seen)
        case ir.Unpacked(base=base, index=index) if start := _carried(evaluator, scope, base):
            # What a scan carries keeps its structure.
            if isinstance(start, ir.Sequence) and 0 <= index < len(start.elements):
                return holds_variables_alone(evaluator, scope, start.elements[index], seen)
            return False
        case ir.Call(func=func, args=args, keywords=()) if (
            place := _FORM_OF.get(project.dotted(scope, func) or "")
        ) is not None and place < len(args):
            return holds_variables_alone(evaluator, scope, args[place], seen)
        case _ if start := _carried(evaluator, scope, state):
            return holds_variables_alone(evaluator, scope, start, seen)
        case _:
            part = _before_update(evaluator, scope, state)
            return part is not None and holds_variables_alone(evaluator, *part, seen)


def _all_hold(
    evaluator: Evaluation, bindings: Sequence[Binding], seen: frozenset[tuple[Scope, str]]
) -> bool:
    return bool(bindings) and all(
        isinstance(each, Located) and holds_variables_alone(evaluator, each.scope, each.expr, seen)
        for each in bindings
    )


def _carried(evaluator: Evaluation, scope: Scope, expr: ir.Expr) -> ir.Expr | None:
    """What `jax.lax.scan(f, start, xs)` begins with, of the first thing that it gives."""
    match expr:
        case ir.Unpacked(base=ir.Call(func=func, args=(_, start, *_)), index=0):
            known = spec(evaluator.project.dotted(scope, func))
            return start if known.iterates and known.carries else None
    return None


def _before_update(
    evaluator: Evaluation, scope: Scope, expr: ir.Expr
) -> tuple[Scope, ir.Expr] | None:
    """What has the form of a result of optax: `updates, state = self.tx.update(grads, state)`.

    Each of both has that of what was passed, and so do the fields of a state that is made there:
    `state.ema` that of `params` in `optax.EmaState(count=n, ema=params)`.
    """
    match expr:
        case ir.Unpacked(
            base=ir.Call(func=ir.Attribute(base=tx, name="update"), args=args), index=index
        ) if 0 <= index < 2 and index < len(args):
            return (scope, args[index]) if _is_own_optax(evaluator, scope, tx) else None
        case ir.Attribute(base=base, name=field):
            made = _only_binding(evaluator, scope, base)
            if made is None:
                return None
            before = _before_update(evaluator, made.scope, made.expr)
            state = None if before is None else _only_binding(evaluator, *before)
            return None if state is None else _field(evaluator, state, field)
        case _:
            return None


def _field(evaluator: Evaluation, made: Located, field: str) -> tuple[Scope, ir.Expr] | None:
    """What a state of optax gets for one of its fields, by keyword."""
    match made.expr:
        case ir.Call(func=func, keywords=keywords):
            dotted = evaluator.project.dotted(made.scope, func) or ""
            value = dict(keywords).get(field) if dotted.startswith("optax.") else None
            return None if value is None else (made.scope, value)
        case _:
            return None


def _only_binding(evaluator: Evaluation, scope: Scope, expr: ir.Expr) -> Located | None:
    if not isinstance(expr, ir.Name):
        return None
    match evaluator.project.bindings(scope, expr.id):
        case [Located() as bound]:
            return bound
        case _:
            return None


def _is_variable(evaluator: Evaluation, scope: Scope, expr: ir.Expr) -> bool:
    """Whether a filter lets types of Variables through and nothing else."""
    match expr:
        case ir.Sequence(elements=(_, *_) as types):
            return all(_is_variable(evaluator, scope, each) for each in types)
        case ir.Attribute() if given := _filter_of_own_optimizer(evaluator, scope, expr):
            return _is_variable(evaluator, given.scope, given.expr)
        case _:
            name = evaluator.hierarchy.class_name(scope, expr)
            return name is not None and evaluator.hierarchy.kind(name) == "variable"


def _filter_of_own_optimizer(
    evaluator: Evaluation, scope: Scope, expr: ir.Attribute
) -> Located | None:
    """The filter that a class passes to `nnx.Optimizer.__init__`, where a method reads it."""
    owner = _own_class(evaluator, scope, expr.base)
    if owner is None or expr.name != _FILTER or _is_set(evaluator, owner, _FILTER):
        return None
    hierarchy = evaluator.hierarchy
    inits = {hierarchy.method(each, "__init__") for each in _family(evaluator, owner)}
    init = inits.pop() if len(inits) == 1 else None
    if not isinstance(init, Scope):
        return None
    function = evaluator.project.function(init)
    above = f"{init.module}:{function.owner}"
    if any(isinstance(each, Scope) for each in hierarchy.super_methods(above, "__init__")):
        return None
    given = [dict(call.keywords) for call in function.calls if _is_of_super(call.func)]
    value = given[0].get(_FILTER) if len(given) == 1 else None
    return None if value is None else Located(init, value)


def _is_own_optax(evaluator: Evaluation, scope: Scope, expr: ir.Expr) -> bool:
    """Whether an expression is `self.tx` in a method of such a class."""
    if not isinstance(expr, ir.Attribute) or expr.name != _OPTAX:
        return False
    owner = _own_class(evaluator, scope, expr.base)
    return owner is not None and not _is_set(evaluator, owner, _OPTAX)


def _own_class(evaluator: Evaluation, scope: Scope, expr: ir.Expr) -> str | None:
    """The class of an optimizer of the project, of whose methods an expression is the object."""
    function = evaluator.project.function(scope)
    if function.owner is None or not function.parameters:
        return None
    own = function.parameters[0].name
    if expr != ir.Name(own) or function.bindings.get(own):
        return None
    name = f"{scope.module}:{function.owner}"
    ancestry = evaluator.hierarchy.ancestry(name)
    return name if ancestry.closed and _OPTIMIZER in ancestry.classes else None


def _family(evaluator: Evaluation, owner: str) -> set[str]:
    """A class with those below it."""
    return {owner, *evaluator.hierarchy.descendants(owner)}


def _is_set(evaluator: Evaluation, owner: str, name: str) -> bool:
    """Whether code of the project stores anything under a name in such objects."""
    mentions = evaluator.callers.mentions
    outside = (*mentions.outside_writes(name), *mentions.set_elsewhere(name))
    hierarchy, project = evaluator.hierarchy, evaluator.project
    for each in {
        c for below in _family(evaluator, owner) for c in hierarchy.ancestry(below).classes
    }:
        located = project.class_of(each)
        if located is None:
            continue
        module, record = located
        if name in record.attributes or name in record.methods:
            return True
        functions = (project.function(Scope(module, key)) for key in record.methods.values())
        if any(ir.last_name(w.target) == name for f in functions for w in writes_in(f)):
            return True
    return bool(outside)


def _is_of_super(func: ir.Expr) -> bool:
    """Whether a call is of `super().__init__`."""
    match func:
        case ir.Attribute(base=ir.Call(func=ir.Name("super")), name="__init__"):
            return True
        case _:
            return False
