"""Where the result of a gradient goes: to code that sees its type, or only to what sees leaves."""

from __future__ import annotations

import ast
import dataclasses

from nnx_migrate.analysis.callgraph.lattice import is_library_container
from nnx_migrate.analysis.domain.containers import is_container
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    NOTHING,
    PLAIN,
    FunctionValue,
    Instance,
    LibraryValue,
    Located,
    Scope,
    Value,
    Values,
    is_unknown,
)
from nnx_migrate.analysis.interp.attributes import member
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.library.return_model import elements_of
from nnx_migrate.analysis.sites.find import SiteFinder
from nnx_migrate.analysis.sites.optimizer_updates import takes_gradients
from nnx_migrate.analysis.sites.tree import FunctionNode, Tree

#: What an nnx.State is asked for by these names is the State's own.
STATE_METHODS = frozenset(
    {
        "clear",
        "filter",
        "flat_state",
        "from_flat_path",
        "get",
        "items",
        "keys",
        "map",
        "merge",
        "pop",
        "popitem",
        "raw_mapping",
        "replace_by_pure_dict",
        "setdefault",
        "split",
        "to_pure_dict",
        "update",
        "values",
    }
)
#: What gives the leaves of its one argument, or a number for them all.
_OF_LEAVES = frozenset({"jax.tree.leaves", "jax.tree_util.tree_leaves", "jax.tree_leaves"}) | {
    "jax.tree.all",
    "jax.tree_util.tree_all",
    "optax.global_norm",
    "optax.tree.norm",
    "optax.tree_utils.tree_l2_norm",
    "optax.tree_utils.tree_norm",
}
#: What calls its first argument on the leaves of its second.
_OVER_LEAVES = frozenset({"jax.tree.map", "jax.tree_util.tree_map", "jax.tree_map"})
_FOLDING = frozenset({"jax.tree.reduce", "jax.tree_util.tree_reduce"})
_EXPECTING = frozenset({"raises", "suppress", "assertRaises", "assertRaisesRegex"})


@dataclasses.dataclass(frozen=True, slots=True)
class GradientReaders:
    """Follows gradients of a Module that holds nothing but Params.

    They are a State in graph mode and a Module in tree mode, of the same leaves in the same order.
    `optimizer.update`, functions of leaves, and `grads.layer.kernel` do the same with both
    (docs/semantics.md: GRD-3).

    Args:
        models: what the Module can be; nothing where that says nothing about the gradients.
        arrays: arrays may lie in it outside of Variables.
        followed: names that are being looked at already.
    """

    tree: Tree
    finder: SiteFinder
    evaluator: Evaluator
    models: Values
    arrays: bool = True
    followed: frozenset[tuple[Scope, str]] = frozenset()

    def see_leaves_only(self, call: ast.Call, with_value: bool) -> bool:
        """Whether nobody sees the type of the gradients that a call returns.

        Args:
            call: the call of the gradient function.
            with_value: it returns (value, gradients).
        """
        return self._in_pair(call) if with_value else self._is_blind(call)

    def _in_pair(self, pair: ast.expr) -> bool:
        match self.tree.parents.get(pair):
            case ast.Assign(targets=[ast.Tuple(elts=[_, target])]):
                return self._is_blind_name(target)
            case ast.Subscript(slice=ast.Constant(value=0), ctx=ast.Load()):
                return True
            case ast.Subscript(slice=ast.Constant(value=1), ctx=ast.Load()) as gradients:
                return self._is_blind(gradients)
            case ast.Expr():
                return True
            case _:
                return False

    def _is_blind(self, node: ast.expr) -> bool:
        """Whether the code around an expression that gives gradients does not see their type."""
        match self.tree.parents.get(node):
            case ast.Assign(targets=[target]):
                return self._is_blind_name(target)
            case ast.Call() as call if node in call.args:
                return self._is_blind_call(call, node)
            case ast.keyword() as keyword:
                around = self.tree.parents.get(keyword)
                return isinstance(around, ast.Call) and self._is_update(around, node)
            case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
                return True
            case ast.Attribute():
                return self._leads_to_variable(node)
            case ast.Expr():
                return True
            case _:
                return False

    def _is_blind_name(self, target: ast.expr) -> bool:
        if not isinstance(target, ast.Name):
            return False
        scope = self.tree.scope(target)
        bindings = self.evaluator.project.bindings(scope, target.id)
        in_class = any(isinstance(a, ast.ClassDef) for a in self._within(target))
        if in_class or not all(isinstance(b, Located) and b.scope == scope for b in bindings):
            return False
        if (scope, target.id) in self.followed:
            return True
        also = dataclasses.replace(self, followed=self.followed | {(scope, target.id)})
        loads = self.finder.loads(scope, target.id)
        # What nothing reads here may be read by those that import the module.
        hidden = bool(loads) or scope.function != ir.MODULE_SCOPE
        return hidden and all(map(also._is_blind, loads)) and not self._is_augmented(target)

    def _is_augmented(self, target: ast.Name) -> bool:
        return any(
            isinstance(node, ast.AugAssign | ast.Delete)
            and any(
                isinstance(n, ast.Name) and n.id == target.id for n in ast.iter_child_nodes(node)
            )
            for node in self.tree.nodes
        )

    def _is_blind_call(self, call: ast.Call, node: ast.expr) -> bool:
        if self._is_update(call, node):
            return True
        dotted = self.tree.dotted(call.func)
        if call.keywords or dotted is None:
            return self._asks_presence(call, node)
        if dotted in _OF_LEAVES:
            return len(call.args) == 1
        if dotted in _FOLDING:
            return call.args.index(node) == 1
        if dotted in _OVER_LEAVES:
            return len(call.args) == 2 and call.args[1] is node and self._is_blind(call)
        return False

    def _is_update(self, call: ast.Call, node: ast.expr) -> bool:
        return takes_gradients(self.tree, self.evaluator, call, node)

    def _asks_presence(self, call: ast.Call, gradients: ast.expr) -> bool:
        """Whether it is of `not hasattr(grads, "bias") or grads.bias is None`.

        Of an attribute that is None a Module has it, where a State has nothing: both say so.
        """
        match call:
            case ast.Call(
                func=ast.Name(id="hasattr"),
                args=[ast.Name(id=held), ast.Constant(value=str() as name)],
                keywords=[],
            ) if self.tree.dotted(call.func) is None and name not in STATE_METHODS:
                pass
            case _:
                return False
        test: ast.expr = call
        around = self.tree.parents[call]
        absent = isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not)
        if isinstance(around, ast.UnaryOp) and absent:
            test, around = around, self.tree.parents[around]
        joins, same = (ast.Or, ast.Is) if absent else (ast.And, ast.IsNot)
        if not isinstance(around, ast.BoolOp) or not isinstance(around.op, joins):
            return False
        match around.values[around.values.index(test) + 1 :]:
            case [
                ast.Compare(
                    left=ast.Attribute(value=ast.Name(id=read), attr=attribute),
                    ops=[operator],
                    comparators=[ast.Constant(value=None)],
                ),
                *_,
            ] if read == held and attribute == name and isinstance(operator, same):
                return bool(self.models) and all(self._has_none_for(m, name) for m in self.models)
            case _:
                return False

    def _has_none_for(self, model: Value, name: str) -> bool:
        """Whether what an object has under a name is a Variable or None, if it has it."""
        if not isinstance(model, Instance) or self._is_method(model, name):
            return False
        if not all(map(self._is_variable, member(self.evaluator, model, name) - PLAIN)):
            return False
        hierarchy = self.evaluator.hierarchy
        above = [hierarchy.ancestry(each) for each in hierarchy.classes_of(model)]
        stored = [
            each
            for name_of in {name_of for each in above for name_of in each.classes}
            for each in self.evaluator.stored(name_of, name)
        ]
        return all(each.closed for each in above) and all(
            _is_none(each.expr) or PLAIN.isdisjoint(self.evaluator.values(each.scope, each.expr))
            for each in stored
        )

    def _leads_to_variable(self, gradients: ast.expr) -> bool:
        """Whether `grads.layer.kernel` is a Variable of the Module, so that both have it."""
        if any(map(_expects_exceptions, self._within(gradients))):
            return False  # a State without it raises, where a Module may have None
        held, node = self.models, self.tree.parents.get(gradients)
        while held and not is_unknown(held):
            match node:
                case ast.Attribute(attr=name, ctx=ast.Load()) if name not in STATE_METHODS:
                    held = self._members(held, name)
                case ast.Subscript(slice=ast.Constant(value=int() | str()), ctx=ast.Load()):
                    held = _elements(held)
                case _:
                    return False
            if not self.arrays:
                held -= ARRAY
            if held and all(map(self._is_variable, held)):
                return True
            assert node is not None
            node = self.tree.parents.get(node)
        return False

    def _members(self, held: Values, name: str) -> Values:
        """What is stored under a name in each of some Modules; nothing where it is a method."""
        found: Values = NOTHING
        for value in held:
            if not isinstance(value, Instance) or self._is_method(value, name):
                return NOTHING
            found |= member(self.evaluator, value, name)
        return found

    def _is_method(self, instance: Instance, name: str) -> bool:
        hierarchy = self.evaluator.hierarchy
        classes = (instance.class_name, *hierarchy.descendants(instance.class_name))
        return any(isinstance(hierarchy.method(each, name), Scope) for each in classes)

    def _is_variable(self, value: Value) -> bool:
        if not isinstance(value, Instance):
            return False
        return self.evaluator.hierarchy.kind(value.class_name) == "variable"

    def _within(self, node: ast.AST) -> list[ast.AST]:
        """What stands around a node, up to the function that it is in."""
        found = []
        for parent in self.tree.ancestors(node):
            if isinstance(parent, FunctionNode | ast.Lambda):
                break
            found.append(parent)
        return found


def _elements(held: Values) -> Values:
    """What is in some containers; functions among it have no place in a State."""
    if not all(is_container(value) or is_library_container(value) for value in held):
        return NOTHING
    found = frozenset[Value]().union(*map(elements_of, held))
    return frozenset(v for v in found if not isinstance(v, FunctionValue | LibraryValue))


def _is_none(stored: ir.Expr) -> bool:
    match stored:
        case ir.Call(func=ir.ANNOTATED, args=(_, value)):
            return _is_none(value)
        case _:
            return stored == ir.Constant("none")


def _expects_exceptions(node: ast.AST) -> bool:
    if isinstance(node, ast.Try | ast.TryStar):
        return bool(node.handlers)
    if not isinstance(node, ast.With):
        return False
    heads = (item.context_expr for item in node.items)
    return any(isinstance(head, ast.Call) and _last_name(head.func) in _EXPECTING for head in heads)


def _last_name(func: ast.expr) -> str:
    return ir.last_name(lower_expr(func))
