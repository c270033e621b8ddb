"""What calls of a function pass in the place of a value, in terms of the code that calls it."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.records import record
from nnx_migrate.analysis.points_to.abstract_objects import NOTHING, Held, Variable
from nnx_migrate.analysis.points_to.call_results import in_terms_of
from nnx_migrate.analysis.points_to.object_finder import ObjectFinder
from nnx_migrate.analysis.points_to.passed.closures import as_made
from nnx_migrate.analysis.points_to.passed.nodes import PassedNodes
from nnx_migrate.analysis.points_to.repeated_objects import objects


@record
class PassedByCall:
    """What a call passes.

    Args:
        scope: where it stands.
        line: its line.
        whole: what it passes in the place of a value.
        own: the same of the object of which the first function on the way is a method; None where
            that does not matter.
    """

    scope: Scope
    line: int
    whole: Held
    own: Held | None


class PassedCalls:
    """Puts what calls pass in the place of parameters in values."""

    def __init__(self, evaluator: Evaluator, objects: ObjectFinder, nodes: PassedNodes) -> None:
        self._evaluator = evaluator
        self._objects = objects
        self._nodes = nodes

    def of(self, scope: Scope, whole: Held, own: Held | None = None) -> Iterator[PassedByCall]:
        """What each call of a function passes; nothing where no parameter of it is in a value.

        Args:
            own: the object of which the first function on the way is a method.
        """
        given = (each.object.root for each in objects(whole))
        parent = self._evaluator.project.function(scope).parent or ir.MODULE_SCOPE
        outer = Scope(scope.module, parent)
        if not any(_is_parameter(root, scope) or _is_parameter(root, outer) for root in given):
            return
        asks_own = own is not None or self._nodes.holds_first(scope, whole)
        callers = self._evaluator.callers
        for where, call, value in (*callers.of(scope), *callers.implied(scope)):
            at = call.line
            first = {}
            if value.bound:
                first[0] = self._nodes.own_object(where, call, at) if asks_own else NOTHING
            instead = functools.partial(
                in_terms_of,
                self._objects,
                scope,
                call=call,
                first=first,
                via=(where, call),
                at=at,
                bound=value.partial_args,
            )
            own_there = None if own is None else instead(own)
            told = as_made(self._evaluator, self._objects, scope, where, call, instead(whole))
            yield PassedByCall(where, at, told, own_there)


def _is_parameter(root: object, scope: Scope) -> bool:
    return isinstance(root, Variable) and root.scope == scope and not root.version
