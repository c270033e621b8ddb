"""Objects that jax takes for trees: what they share, each place has a copy of its own there."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_codemods._rngs.keepers import Keeper, Plain
from nnx_codemods._rngs.refusal import NotLifted, RngsCause
from nnx_migrate.analysis.domain.values import FunctionValue, Scope, Value, Values, is_unknown
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.flax.transforms import JAX_SITES
from nnx_migrate.analysis.heap.retention import arguments_of
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.classes.held import classes_held
from nnx_migrate.rewrite.model.context import FileContext

_OF_TREES = ("jax.tree.", "jax.tree_util.", "jax.tree_", "jax.device_put")


def check_never_given_to_jax(context: FileContext, keeper: Keeper, owner: Plain) -> None:
    """No function of jax gets an object that holds parts, nor one that may call a method of it.

    Raises:
        NotLifted: one does, or may.
    """
    uses = _UsesByJax(context, keeper, owner)
    for record in context.project.modules.values():
        meets = context.analysis.imports.in_one_program(context.tree.module, record.module)
        if not meets or "jax" not in record.words:
            continue
        for key, function in record.functions.items():
            for call in function.calls:
                if uses.gets_parts(Scope(record.module, key), call):
                    place = Place(record.module, call.line)
                    text = ir.last_name(call.func)
                    raise NotLifted(RngsCause.GIVEN_TO_JAX.about(place, text=text))


class _UsesByJax:
    """Finds calls by which jax may get the parts of an owner."""

    def __init__(self, context: FileContext, keeper: Keeper, owner: Plain) -> None:
        self._context = context
        self._keeper = keeper
        self._methods = {method.name for method in owner.methods}
        self._looked_at: set[Scope] = set()

    def gets_parts(self, scope: Scope, call: ir.Call) -> bool:
        """Whether a call may give jax an object that holds parts."""
        dotted = self._context.project.dotted(scope, call.func) or ""
        given = [self._context.evaluator.values(scope, each) for each in arguments_of(call)]
        if dotted.startswith(_OF_TREES):
            return any(self._holds(each) or is_unknown(each) for each in given)
        if dotted in JAX_SITES:
            functions = [value for values in given for value in in_order(values)]
        else:
            called = in_order(self._context.evaluator.values(scope, call.func))
            functions = [value for value in called if _is_of_jax(value)]
            if not functions:
                return False
        return any(map(self._holds, given)) or any(map(self._may_call, functions))

    def _holds(self, values: Values) -> bool:
        return self._keeper.of.name in classes_held(self._context.evaluator, values)

    def _may_call(self, function: Value) -> bool:
        """Whether a function may call a method of what it is given, which nobody knows."""
        if not isinstance(function, FunctionValue) or function.scope in self._looked_at:
            return False
        self._looked_at.add(function.scope)
        names = frozenset(
            each.name
            for each in self._context.project.function(function.scope).parameters
            if is_unknown(self._context.evaluator.values(function.scope, ir.Name(each.name)))
        )
        return bool(names) and any(
            self._is_of_owner(names, call) or self._hands_on(scope, names, call)
            for scope in self._within(function.scope)
            for call in self._context.project.function(scope).calls
        )

    def _within(self, scope: Scope) -> Iterator[Scope]:
        """A function, and those that are defined in it."""
        yield scope
        for key in self._context.project.function(scope).nested:
            yield from self._within(Scope(scope.module, key))

    def _is_of_owner(self, names: frozenset[str], call: ir.Call) -> bool:
        """Whether it calls one of these names, or a method of it that an owner has, too."""
        match call.func:
            case ir.Name(id=name):
                return name in names
            case ir.Attribute(base=ir.Name(id=name), name=method):
                return name in names and method in self._methods
            case ir.Attribute(base=ir.Attribute()):
                return any(ir.root_name(call.func) == ir.Name(name) for name in names)
        return False

    def _hands_on(self, scope: Scope, names: frozenset[str], call: ir.Call) -> bool:
        """Whether it gives one of these to a function that may call a method of it."""
        if not any(isinstance(each, ir.Name) and each.id in names for each in arguments_of(call)):
            return False
        return any(map(self._may_call, in_order(self._context.evaluator.values(scope, call.func))))


def _is_of_jax(value: Value) -> bool:
    return isinstance(value, FunctionValue) and not JAX_SITES.isdisjoint(value.transforms)
