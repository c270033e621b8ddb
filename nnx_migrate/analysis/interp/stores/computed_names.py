"""What an object has under a name that its methods compute: `self.__dict__.update(kw)`, and so on.

What they store is told by the name where that says it: by the keyword that calls pass, the texts
that a loop goes over, or how the name begins.
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    Instance,
    Located,
    ParameterOf,
    Scope,
    Values,
)
from nnx_migrate.analysis.interp.stores.outside import may_be
from nnx_migrate.analysis.interp.string_constants import beginning, literal_names
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project

_BY_NAME = frozenset({"__dict__", "vars", "setattr", "__setattr__"})


#: A call that may store something in a method's own object, and the method.
_Store = tuple[Scope, ir.Call]


def stored_by_computed_name(evaluator: Evaluation, class_name: str, name: str) -> Values:
    """What methods of a class store in its objects under names of which this one may be one."""
    found: Values = NOTHING
    for above in evaluator.hierarchy.ancestry(class_name).classes:
        for scope, call in _stores(evaluator, above):
            found |= _stored(evaluator, scope, call, name)
    return found


def modules_set_by_computed_name(evaluator: Evaluation, class_name: str, name: str) -> Values:
    """Modules that any code puts in the place of another one under a name that it computes.

    `setattr(model, name, Quantized(layer))`, in a loop or a function that is given the name.
    """
    return evaluator.once(
        ("set by a computed name", class_name, name),
        lambda: _set_by_computed_name(evaluator, class_name, name),
    )


def _set_by_computed_name(evaluator: Evaluation, class_name: str, name: str) -> Values:
    hierarchy = evaluator.hierarchy
    found: Values = NOTHING
    mentions = evaluator.callers.mentions
    for scope, call in (*mentions.calls_of("setattr"), *mentions.calls_of("__setattr__")):
        set_by = ir.set_by_name(call)
        if set_by is None or isinstance(set_by[1], ir.Constant):
            continue
        owner = evaluator.values(scope, set_by[0])
        if any(may_be(evaluator, value, class_name) for value in owner):
            stored = _stored(evaluator, scope, call, name)
            found |= frozenset(
                value
                for value in stored
                if isinstance(value, Instance) and hierarchy.kind(value.class_name) == "module"
            )
    return found


def _stores(evaluator: Evaluation, class_name: str) -> tuple[_Store, ...]:
    """The calls by which the methods of a class store by name, found once for all names."""
    known: tuple[_Store, ...] = evaluator.fixpoint.get(
        ("stores by name", class_name),
        lambda: tuple(_found_stores(evaluator, class_name)),
        (),
        lambda found: found,
    )
    return known


def _found_stores(evaluator: Evaluation, class_name: str) -> Iterator[_Store]:
    located = evaluator.project.class_of(class_name)
    if located is None or not evaluator.project.modules[located[0]].says(_BY_NAME):
        return
    for key, function in evaluator.project.methods_of(located[0], located[1].key):
        if function.parameters:
            own = ir.Name(function.parameters[0].name)
            yield from ((Scope(located[0], key), c) for c in function.calls if _stores_in(own, c))


def _stores_in(own: ir.Name, call: ir.Call) -> bool:
    """Whether a call stores something in an object by `setattr`, or by its `__dict__`."""
    if (set_by := ir.set_by_name(call)) is not None and set_by[0] == own:
        return True
    match call.func:
        case ir.Attribute(base=base, name="update"):
            return _is_attributes_of(own, base)
        case _:
            return False


def _stored(evaluator: Evaluation, scope: Scope, call: ir.Call, name: str) -> Values:
    if (set_by := ir.set_by_name(call)) is not None:
        _, key, value = set_by
        if (mapping := items_stored(evaluator.project, scope, key, value)) is not None:
            return _under(evaluator, scope, mapping, name)
        names = literal_names(evaluator, scope, key)
        may_be = name in names if names else name.startswith(beginning(evaluator, scope, key))
        return evaluator.values(scope, value) if may_be else NOTHING
    given = [*call.args, *(value for keyword, value in call.keywords if keyword is None)]
    named = (value for keyword, value in call.keywords if keyword == name)
    found = evaluator.all_of(scope, tuple(named))
    return found.union(*(_under(evaluator, scope, each, name) for each in given))


def items_stored(project: Project, scope: Scope, key: ir.Expr, value: ir.Expr) -> ir.Expr | None:
    """The mapping of `for name, value in mapping.items(): setattr(self, name, value)`."""
    bound: list[ir.Expr] = []
    for each in (key, value):
        found = project.bindings(scope, each.id) if isinstance(each, ir.Name) else []
        if len(found) != 1 or not isinstance(found[0], Located) or found[0].scope != scope:
            return None
        bound.append(found[0].expr)
    match bound:
        case [ir.Unpacked(base=name, index=0), ir.Unpacked(base=held, index=1)] if name == held:
            match held:
                case ir.Iterated(base=ir.Call(func=ir.Attribute(base=mapping, name="items"))):
                    return mapping
    return None


def _is_attributes_of(own: ir.Name, expr: ir.Expr) -> bool:
    """Whether it is `self.__dict__` or `vars(self)`."""
    by_call = isinstance(expr, ir.Call) and expr.func == ir.Name("vars") and expr.args == (own,)
    return by_call or expr == ir.Attribute(own, "__dict__")


def _under(evaluator: Evaluation, scope: Scope, mapping: ir.Expr, name: str) -> Values:
    """What a mapping has under a name: of `**kwargs` what calls pass by that keyword."""
    bindings = evaluator.project.bindings(scope, mapping.id) if isinstance(mapping, ir.Name) else []
    match bindings:
        case [ParameterOf(scope=callee, parameter=ir.Parameter(kind="double_star"))]:
            return evaluator.once(
                ("keyword", callee, name), lambda: _passed_by_keyword(evaluator, callee, name)
            )
        case _:
            return evaluator.values(scope, ir.Element(mapping, name))


def _passed_by_keyword(evaluator: Evaluation, callee: Scope, name: str) -> Values:
    found: Values = NOTHING
    for where, call, _ in evaluator.callers.of(callee):
        for keyword, value in call.keywords:
            if keyword == name:
                found |= evaluator.values(where, value)
            elif keyword is None:
                found |= _under(evaluator, where, value, name)
    return found
