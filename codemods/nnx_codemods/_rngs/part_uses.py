"""Where the parts of a Module go that its constructor makes: to calls, and nowhere else."""

from __future__ import annotations

import ast
import dataclasses

from nnx_codemods._rngs.keepers import Keeper, Plain, is_bound_anew, own_name
from nnx_codemods._rngs.refusal import RngsCause, not_lifted
from nnx_migrate.analysis.domain.values import Instance
from nnx_migrate.rewrite.model.context import FileContext

#: Functions that give back what is in a container, with the name that each has in builtins.
_THROUGH = frozenset({"list", "tuple", "reversed"})


@dataclasses.dataclass(frozen=True, slots=True)
class MethodCall:
    """A call of a method of a part.

    Args:
        method: its name, "__call__" where the part itself is called.
        within: the method of the owner, or of the class itself, that has the call.
    """

    call: ast.Call
    method: str
    within: ast.FunctionDef


class PartUses:
    """Follows what an owner keeps under some attributes to the calls of its parts.

    Args:
        keeper: the class of the parts.
        owner: the class that makes them.
    """

    def __init__(self, context: FileContext, keeper: Keeper, owner: Plain) -> None:
        self.context = context
        self.keeper = keeper
        self.owner = owner
        self.methods = {method.name for method in keeper.of.methods}
        self.calls: list[MethodCall] = []

    def follow_attribute(self, attribute: str, made: frozenset[ast.AST]) -> None:
        """Follow all that the owner reads of an attribute.

        Args:
            made: the statements and calls that store parts there.

        Raises:
            NotLifted: something else is stored there, or a part is more than called.
        """
        for method in self.owner.methods:
            own = own_name(method)
            for node in ast.walk(method):
                if not isinstance(node, ast.Attribute) or node.attr != attribute:
                    continue
                if not isinstance(node.value, ast.Name) or node.value.id != own:
                    continue  # of another object: looked at where all of these are
                if is_bound_anew(method, own):
                    raise not_lifted(self.context, node, RngsCause.NAME_BOUND_ANEW.about(name=own))
                if isinstance(node.ctx, ast.Load):
                    if not made.isdisjoint(self.context.tree.ancestors(node)):
                        continue
                    self._part_or_parts(node)
                elif not self._sets_empty(node) and self.context.tree.parents[node] not in made:
                    raise not_lifted(
                        self.context, node, RngsCause.SET_TO_OTHER.about(attribute=attribute)
                    )

    def _sets_empty(self, node: ast.Attribute) -> bool:
        """Whether an attribute is set to an empty list, which parts are appended to."""
        match self.context.tree.parents[node]:
            case ast.Assign(targets=[_], value=ast.List(elts=[])):
                return True
            case ast.Assign(targets=[_], value=ast.Call(func=func, args=args, keywords=[])):
                empty = not args or (isinstance(args[0], ast.List) and not args[0].elts)
                return empty and self.context.tree.nnx_name(func) == "List"
        return False

    def _part_or_parts(self, node: ast.expr) -> None:
        if self._is_part(node):
            self._part(node)
        else:
            self._parts(node)

    def _is_part(self, node: ast.expr) -> bool:
        values = self.context.values(node)
        return bool(values) and all(
            isinstance(v, Instance)
            and v.class_name == self.keeper.of.name
            and not (v.partial or v.probable)
            for v in values
        )

    def _part(self, node: ast.expr) -> None:
        """A part is called, or one of its attributes read."""
        if not self._is_part(node):
            raise not_lifted(self.context, node, RngsCause.NOT_ALL_KNOWN.about())
        parent = self.context.tree.parents[node]
        match parent:
            case ast.Call(func=func) if func is node:
                self._called(parent, "__call__")
            case ast.Attribute(attr=name, ctx=ast.Load()) if name != self.keeper.attribute:
                call = self.context.tree.parents[parent]
                if name in self.methods:
                    if not isinstance(call, ast.Call) or call.func is not parent:
                        raise not_lifted(
                            self.context, parent, RngsCause.METHOD_MORE_THAN_CALLED.about(name=name)
                        )
                    self._called(call, name)
            case _:
                raise not_lifted(
                    self.context,
                    node,
                    RngsCause.PART_MORE_THAN_CALLED.about(name=self.keeper.of.node.name),
                )

    def _called(self, call: ast.Call, method: str) -> None:
        within = self.context.tree.function_around(call)
        while within is not None and self.context.tree.class_around(within) is None:
            within = self.context.tree.function_around(within)
        if not isinstance(within, ast.FunctionDef):
            raise not_lifted(self.context, call, RngsCause.OUTSIDE_OF_METHOD.about())
        self.calls.append(MethodCall(call, method, within))

    def _parts(self, node: ast.expr) -> None:
        """A container of parts is gone through, or one of them taken."""
        parent = self.context.tree.parents[node]
        match parent:
            case ast.Subscript(value=value, slice=ast.Slice()) if value is node:
                self._parts(parent)
            case ast.Subscript(value=value, ctx=ast.Load()) if value is node:
                self._part(parent)
            case (
                ast.For(iter=source, target=target) | ast.comprehension(iter=source, target=target)
            ) if source is node:
                self._target(target)
            case ast.Call(func=ast.Name(id="len"), args=[_]):
                pass
            case ast.Call(func=ast.Name(id=name), args=[_], keywords=[]) if name in _THROUGH:
                self._parts(parent)
            case ast.Call(func=ast.Name(id="enumerate" | "zip" as name)) if node in parent.args:
                self._in_step(parent, parent.args.index(node) + (name == "enumerate"))
            case _:
                raise not_lifted(self.context, node, RngsCause.MORE_THAN_GONE_THROUGH.about())

    def _in_step(self, call: ast.Call, place: int) -> None:
        """The parts are gone through with numbers, or with something else."""
        match self.context.tree.parents[call]:
            case (
                ast.For(iter=source, target=ast.Tuple(elts=targets))
                | ast.comprehension(iter=source, target=ast.Tuple(elts=targets))
            ) if source is call and place < len(targets):
                self._target(targets[place])
            case _:
                raise not_lifted(self.context, call, RngsCause.MORE_THAN_GONE_THROUGH.about())

    def _target(self, target: ast.expr) -> None:
        if not isinstance(target, ast.Name):
            raise not_lifted(self.context, target, RngsCause.TAKEN_APART.about())
        for load in self.context.finder.loads(self.context.scope(target), target.id):
            self._part(load)
