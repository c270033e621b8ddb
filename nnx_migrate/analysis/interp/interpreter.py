"""What an expression evaluates to: demand-driven, over all modules, without running anything."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.call_context import (
    Passed,
    decisive_parameters,
    may_recur,
    names_of_parameters,
    passed_by,
)
from nnx_migrate.analysis.callgraph.dunder_dispatch import (
    arithmetic_values,
    element_values,
)
from nnx_migrate.analysis.callgraph.lattice import item_of, operator_result
from nnx_migrate.analysis.callgraph.transformed import defined
from nnx_migrate.analysis.domain.fixpoint import Lasts
from nnx_migrate.analysis.domain.unknown import Unknown, unknown
from nnx_migrate.analysis.domain.values import (
    PLAIN,
    STATE,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    Located,
    Scope,
    TupleValue,
    Values,
    is_unknown,
    scope_around,
    union,
)
from nnx_migrate.analysis.interp.annotations import annotated_at
from nnx_migrate.analysis.interp.attributes import (
    attribute_values,
    field_values,
    is_of_sown,
)
from nnx_migrate.analysis.interp.calls import call_values
from nnx_migrate.analysis.interp.containers.dict_items import items_of, put_by_name
from nnx_migrate.analysis.interp.names import imported, named
from nnx_migrate.analysis.interp.parameters import parameter_values
from nnx_migrate.analysis.interp.stores.fields import ClassAttributes, names_stored_outside
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.mentioned_names import names_in
from nnx_migrate.analysis.library.return_model import dicts
from nnx_migrate.analysis.symbols.program import Project

#: Through so many functions calls are told apart.
_MOST_ENTERED = 3


class Evaluator(Evaluation):
    """Evaluates expressions of a project to sets of abstract values.

    Every answer covers all assignments of a name in its scope, whatever their order, and all calls
    of a function that the project holds.
    """

    def __init__(
        self, project: Project, before: Evaluator | None = None, lasting: Lasts | None = None
    ) -> None:
        super().__init__(project, before, lasting)
        self._attributes = ClassAttributes(self.hierarchy, self.callers.mentions)
        self._names_of_parameters: dict[Scope, Mapping[str, frozenset[str]]] = {}
        self._decisive: dict[Scope, frozenset[str]] = {}
        self._recursive: dict[Scope, bool] = {}
        #: The functions that it is in, each with what a call passes.
        self.entered: frozenset[Scope] = frozenset()

    def _values(self, scope: Scope, expr: ir.Expr) -> Values:
        match expr:
            case ir.Name(id=name):
                return named(self, scope, name)
            case ir.Attribute():
                return attribute_values(self, scope, expr)
            case ir.Call():
                return call_values(self, scope, expr)
            case ir.Iterated(base=base):
                held = self.values(scope, base)
                keyed = dicts(held)
                found = union(field_values(self, v) or items_of(self, v) for v in held - keyed)
                return found | PLAIN if keyed else found
            case ir.Element(base=base) | ir.Starred(value=base):
                held = self.values(scope, base)
                if held == STATE and is_of_sown(self, base):
                    return unknown(Unknown.HELD_BY_VARIABLE)
                return union(
                    frozenset({v})
                    if isinstance(v, ClassValue) and self.hierarchy.is_generic(v.class_name)
                    else field_values(self, v) or items_of(self, v)
                    for v in held
                )
            case ir.Unpacked(base=base, index=index):
                held = self.values(scope, base)
                if held == STATE and is_of_sown(self, base):
                    return unknown(Unknown.HELD_BY_VARIABLE)
                return union(
                    element_values(self, v)
                    or field_values(self, v, index)
                    or item_of(v, index) | put_by_name(self, v)
                    for v in held
                )
            case ir.Sequence(elements=parts, is_tuple=is_tuple):
                if is_tuple and not any(isinstance(part, ir.Starred) for part in parts):
                    return frozenset({TupleValue(tuple(self.values(scope, p) for p in parts))})
                return frozenset({ContainerValue(self.all_of(scope, parts), expr.keyed)})
            case ir.Choice(options=options):
                return self.all_of(scope, options)
            case ir.Constant():
                return PLAIN
            case ir.FunctionRef(key=key):
                return frozenset({defined(self, Scope(scope.module, key))})
            case ir.ClassRef(key=key):
                return frozenset({ClassValue(f"{scope.module}:{key}")})
            case ir.ImportRef(target=target):
                return imported(self, target)
            case ir.Computed(operands=operands):
                combined = [self.values(scope, operand) for operand in operands]
                return arithmetic_values(self, combined) or operator_result(combined)
            case ir.Within(key=key, expr=inner):
                return self.values(Scope(scope.module, key), inner)

    def _parameter(self, scope: Scope, parameter: ir.Parameter) -> Values:
        return parameter_values(self, scope, parameter)

    def _returned(self, scope: Scope) -> Values:
        function, unguessed = self.project.function(scope), self.fixpoint.unguessed
        found = self.all_of(scope, function.returns)
        if function.yields:
            found = frozenset({ContainerValue(self.all_of(scope, function.yields))})
        elif not found and self.fixpoint.unguessed != unguessed:
            return found
        found = found - PLAIN if len(found) > 1 else found
        if (not found or is_unknown(found)) and function.return_annotation is not None:
            around = scope_around(scope, function)
            annotation = function.return_annotation
            declared = annotated_at(self.hierarchy, around, annotation, function.line)
            found = declared if not is_unknown(declared) else found
        return found if function.returns else found or PLAIN

    def returned_to(self, scope: Scope, call: ir.Call, callee: FunctionValue) -> Values:
        within = self.entered | {callee.scope}
        if len(within) == len(self.entered) or len(within) > _MOST_ENTERED:
            return self.returned(callee.scope)
        passed = passed_by(self, scope, call, callee, self.decisive(callee.scope))
        if not passed or self._recurs(callee.scope):
            return self.returned(callee.scope)
        unguessed = self.fixpoint.unguessed
        found = CalledWith(self, callee.scope, passed).given()
        if not is_unknown(found) or (not found and self.fixpoint.unguessed != unguessed):
            return found
        return self.returned(callee.scope)

    def decisive(self, scope: Scope) -> frozenset[str]:
        """The parameters that decide what a function returns."""
        known = self._decisive.get(scope)
        if known is None:
            known = self._decisive[scope] = decisive_parameters(self.project.function(scope))
        return known

    def _recurs(self, scope: Scope) -> bool:
        known = self._recursive.get(scope)
        if known is None:
            known = self._recursive[scope] = may_recur(self, scope)
        return known

    def names_of_parameters(self, scope: Scope) -> Mapping[str, frozenset[str]]:
        """The names of a function that hold what is made of its parameters, with these."""
        known = self._names_of_parameters.get(scope)
        if known is None:
            known = names_of_parameters(self.project.function(scope))
            self._names_of_parameters[scope] = known
        return known

    def stored(self, class_name: str, name: str) -> list[Located]:
        return self._attributes.stored(class_name, name)

    def put(self, class_name: str, name: str) -> list[Located]:
        return self._attributes.put(class_name, name)

    def storing(self, instance: Instance, name: str) -> tuple[str, ...]:
        return self._attributes.storing(instance, name)

    def declared(self, instance: Instance, name: str) -> Values:
        return self._attributes.declared(instance, name)

    @property
    def joined(self) -> Evaluator:
        return self

    @functools.cached_property
    def _stored_outside(self) -> Mapping[str, set[str]]:
        return names_stored_outside(self)

    def names_stored_outside(self, class_name: str) -> set[str]:
        """Attributes that other code stores in instances of the class, or of those above it."""
        related = {*self.hierarchy.ancestry(class_name).classes, class_name}
        related.update(self.hierarchy.descendants(class_name))
        return set().union(*(self._stored_outside.get(name, ()) for name in related))


class CalledWith(Evaluator):
    """An evaluator to which parameters of one function are what a call passes for them.

    So what it gives is told apart by callers. All else has the answers that are kept for everyone.

    Args:
        around: the evaluator of that call.
        scope: the function.
        passed: some of its parameters.
    """

    def __init__(self, around: Evaluator, scope: Scope, passed: Passed) -> None:
        # It is made for each call that is told apart, and answers with all that is kept already.
        vars(self).update(vars(around))
        self._joined: Evaluator = around.joined
        self.entered = around.entered | {scope}
        self._scope = scope
        self._function = around.project.function(scope)
        self._passed = passed
        names = self.names_of_parameters(scope)
        told = {name for name, _ in passed}
        self._told = frozenset(name for name, rests in names.items() if not told.isdisjoint(rests))

    @property
    def joined(self) -> Evaluator:
        return self._joined

    def given(self) -> Values:
        """What the function returns."""
        return self._kept("returned", lambda: self._without_plain(self._function.returns))

    def values(self, scope: Scope, expr: ir.Expr) -> Values:
        if scope != self._scope or self._told.isdisjoint(names_in([expr])):
            return self._joined.values(scope, expr)
        return self._kept(expr, lambda: self._values(scope, expr))

    def parameter(self, scope: Scope, parameter: ir.Parameter) -> Values:
        if scope == self._scope:
            for name, values in self._passed:
                if name == parameter.name:
                    return values
        return self._joined.parameter(scope, parameter)

    def names_stored_outside(self, class_name: str) -> set[str]:
        return self._joined.names_stored_outside(class_name)

    def _without_plain(self, returns: tuple[ir.Expr, ...]) -> Values:
        found = self.all_of(self._scope, returns)
        return found - PLAIN if len(found) > 1 else found

    def _kept(self, asked: Hashable, compute: Callable[[], Values]) -> Values:
        key = self.entered, self._scope, self._passed, asked
        return self.once(key, compute)
