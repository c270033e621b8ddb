"""Where code takes all Variables of objects, those of an Rngs that they keep among them, or others.

What is filtered by other types does not count; nor does what only makes an object again
(`nnx.merge`), for those that are to leave their object.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_migrate.analysis.domain.containers import any_leaf
from nnx_migrate.analysis.domain.values import Instance, Scope, Value, Values, is_unknown
from nnx_migrate.analysis.flax.transforms import SPLITTERS
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.classes.rngs_readers import Read
from nnx_migrate.rewrite.model.context import FileContext

#: What the Variables of an Rngs are.
_OF_RNGS = "flax.nnx.RngState"
#: Functions of nnx that give the Variables of an object, or change those of each Rngs in it.
_TAKING = SPLITTERS | frozenset(
    {"state", "split", "pop", "variables", "flatten", "to_tree", "iter_graph", "pure", "to_arrays"}
    | {"reseed", "backup_keys", "restore_rngs", "map", "recursive_map"}
    | {"to_linen", "to_linen_class", "ToLinen", "bridge.to_linen", "bridge.ToLinen"}
)
_OPTIMIZERS = frozenset({"Optimizer", "ModelAndOptimizer", "EMA"})
_MAKING = frozenset({"merge", "update"})
_TREES = ("jax.tree.", "jax.tree_util.", "jax.tree_")
#: Functions of jax.numpy that take no keys.
_OF_NUMBERS = frozenset(
    {"abs", "clip", "dot", "exp", "log", "max", "mean", "min", "sqrt", "square", "sum"}
    | {"tensordot", "vdot"}
)
#: Packages that look at no Variables of what they are given.
_BLIND = frozenset(
    {"flax", "jax", "numpy", "optax", "copy", "functools", "typing", "dataclasses", "itertools"}
    | {"builtins", "time", "logging", "contextlib", "warnings", "unittest", "pytest", "tqdm"}
)


class StateReaders:
    """Finds who takes the Variables of objects of some classes.

    Args:
        modules: those that define what is looked for.
        holders: the classes that hold it.
        variable: the class of the Variables that are looked for.
    """

    def __init__(
        self,
        context: FileContext,
        modules: frozenset[str],
        holders: frozenset[str],
        variable: str = _OF_RNGS,
    ) -> None:
        self._context = context
        self._modules = modules
        self._holders = holders
        self._variable = variable
        hierarchy = context.evaluator.hierarchy
        self._above = {each for name in holders for each in hierarchy.ancestry(name).classes}

    def first(self) -> Refusal | None:
        """The first of them, if there is one."""
        return next(self._all(), None)

    def _all(self) -> Iterator[Refusal]:
        for record in self._context.project.modules.values():
            meets = self._context.analysis.imports.in_one_program
            if not any(meets(module, record.module) for module in self._modules):
                continue
            words = _TAKING.union({"tree", "tree_util", "tree_map"}, _OPTIMIZERS)
            if words.intersection(record.words):
                yield from self._in_file(record)
            if self._holders:
                yield from self._given_away(record)

    def _in_file(self, record: ir.ModuleIndex) -> Iterator[Refusal]:
        context = self._context.at(record.module)
        if context is None:
            yield Read.NOT_SEEN.about(path=record.path, attribute="the Variables of its objects")
            return
        for call in context.tree.of_kind(ast.Call):
            name = _name(context, call)
            known = name in _TAKING | _OPTIMIZERS
            if self._by_filter(context, call, name) if known else self._by_tree(context, call):
                yield Read.IN_STATE.about(context.where(call), text=context.text.of(call.func))

    def _by_filter(self, context: FileContext, call: ast.Call, name: str) -> bool:
        if not call.args:  # a decorator of split_rngs, whose function may be given such objects
            return not self._decorates_others(context, call)
        # What is left out, or only merged, is told by the call; what it is given, by all callers.
        if not _takes(context, call, name, self._variable):
            return False
        return self._may_hold(context.values(call.args[0]))

    def _decorates_others(self, context: FileContext, call: ast.Call) -> bool:
        """Whether a call decorates a function that is given no such object."""
        function = context.tree.parents[call]
        if not isinstance(function, ast.FunctionDef) or call not in function.decorator_list:
            return False
        scope = context.tree.scope_of(function)
        given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        return not any(
            self._may_hold(context.evaluator.values(scope, ir.Name(each.arg))) for each in given
        )

    def _by_tree(self, context: FileContext, call: ast.Call) -> bool:
        dotted = context.tree.dotted(call.func) or ""
        if not dotted.startswith(_TREES):
            return False
        reckons = _reckons(context, call)
        if reckons and not self._holders:
            return False
        return any(
            any_leaf(values, self._is_holder) or (is_unknown(values) and not reckons)
            for values in map(context.values, call.args)
        )

    def _given_away(self, record: ir.ModuleIndex) -> Iterator[Refusal]:
        """Objects that other packages are given."""
        project, evaluator = self._context.project, self._context.evaluator
        for key, function in record.functions.items():
            scope = Scope(record.module, key)
            for call in function.calls:
                dotted = project.dotted(scope, call.func) or ""
                head = dotted.partition(".")[0]
                if not dotted or head in _BLIND or head in project.packages:
                    continue
                given = (*call.args, *(value for _, value in call.keywords))
                for each in given:
                    if any_leaf(evaluator.values(scope, each), self._is_holder):
                        place = Place(record.module, call.line)
                        yield Read.GIVEN_AWAY.about(place, text=dotted)

    def _may_hold(self, values: Values) -> bool:
        return is_unknown(values) or any_leaf(values, self._may_be_holder)

    def _may_be_holder(self, value: Value) -> bool:
        unknown = is_unknown(frozenset({value}))
        return unknown or self._is_holder(value)

    def _is_holder(self, value: Value) -> bool:
        return isinstance(value, Instance) and (
            value.class_name in self._holders
            or (value.class_name in self._above and not value.exact)
            or any(any_leaf(frozenset({each}), self._is_holder) for each in value.wraps)
        )


def _name(context: FileContext, call: ast.Call) -> str:
    """The function of nnx that is called, in whichever mode; "" for others."""
    return (context.tree.nnx_name(call.func) or "").removeprefix("compat.")


def _takes(context: FileContext, call: ast.Call, name: str, variable: str) -> bool:
    """Whether a call of such a function may take Variables of a class."""
    if name in _OPTIMIZERS:
        wrt = [each.value for each in call.keywords if each.arg in {"wrt", "only"}]
        return any(lets_through(context, each, variable) for each in (*call.args[2:], *wrt))
    filters = call.args[1:]
    if name in {"state", "pop"}:
        return not filters or any(lets_through(context, each, variable) for each in filters)
    only_merged = variable == _OF_RNGS and name == "split" and _only_merged(context, call)
    return not only_merged


def lets_through(context: FileContext, told: ast.expr, variable: str) -> bool:
    """Whether a filter may let a Variable of a class through, or of one below it."""
    if isinstance(told, ast.Tuple | ast.List):
        return any(lets_through(context, each, variable) for each in told.elts)
    hierarchy = context.evaluator.hierarchy
    name = hierarchy.class_name(context.scope(told), lower_expr(told))
    if name is None or hierarchy.kind(name) != "variable":
        return True
    above = {variable, *hierarchy.ancestry(variable).classes}
    return name in above or variable in hierarchy.ancestry(name).classes


def _reckons(context: FileContext, call: ast.Call) -> bool:
    """Whether a lambda does to each leaf what raises for the key of an Rngs."""
    if not (call.args and isinstance(call.args[0], ast.Lambda)):
        return False
    names = {each.arg for each in call.args[0].args.args}

    def is_leaf(node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in names

    for node in ast.walk(call.args[0].body):
        match node:
            case ast.BinOp(left=left, right=right) if is_leaf(left) or is_leaf(right):
                return True
            case ast.UnaryOp(op=ast.USub(), operand=operand) if is_leaf(operand):
                return True
            case ast.Call(func=func, args=args) if any(map(is_leaf, args)):
                dotted = context.tree.dotted(func) or ""
                if dotted.startswith("jax.numpy.") and dotted.rpartition(".")[2] in _OF_NUMBERS:
                    return True
    return False


def _only_merged(context: FileContext, call: ast.Call) -> bool:
    """Whether the part of a split that has all other Variables only makes objects again."""
    match context.tree.parents[call]:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=value) if value is call:
            pass
        case _:
            return False
    filters = [*call.args[1:]] or [ast.Constant(...)]
    if len(names) != len(filters) + 1:
        return False
    for name, told in zip(names[1:], filters, strict=True):
        if not lets_through(context, told, _OF_RNGS):
            continue
        if not isinstance(name, ast.Name):
            return False
        for load in context.finder.loads(context.scope(name), name.id):
            made = context.tree.parents[load]
            if not isinstance(made, ast.Call) or _name(context, made) not in _MAKING:
                return False
    return True
