"""Functions that make objects: what a call of one returns, with what that call passes to it."""

from __future__ import annotations

import dataclasses

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.binding import argument_for, hides_arguments, leading
from nnx_migrate.analysis.domain.values import FunctionValue, Located, ParameterOf, Scope
from nnx_migrate.analysis.ir import nodes as ir

#: How many calls are followed, one within the other.
_MOST_ENTERED = 4


@dataclasses.dataclass(frozen=True, slots=True)
class Entered:
    """A call of a function of the project, which is followed to what it returns.

    Args:
        around: the call that is followed already, where this one stands in what that runs.
    """

    callee: FunctionValue
    call: Located
    around: Entered | None = None

    @property
    def depth(self) -> int:
        return 1 if self.around is None else 1 + self.around.depth


class Factories:
    """Follows calls of functions that do no more than what their body says."""

    def __init__(self, evaluator: Evaluation) -> None:
        self._evaluator = evaluator
        self._project = evaluator.project

    def enters(self, scope: Scope, call: ir.Call, around: Entered | None) -> Entered | None:
        """What a call runs, where that is one function of the project; None where it is not.

        Args:
            around: the call that runs the code at `scope`, where one is followed.
        """
        func = self.passed(scope, call.func, around)
        if func is None or (around is not None and around.depth == _MOST_ENTERED):
            return None
        match list(self._evaluator.values(func.scope, func.expr)):
            case [FunctionValue(scope=callee, transforms=(), bound=False) as value]:
                function = self._project.function(callee)
                if function.owner or function.decorators or function.yields:
                    return None
                return Entered(value, Located(scope, call), around) if function.returns else None
            case _:
                return None

    def passed(self, scope: Scope, expr: ir.Expr, around: Entered | None) -> Located | None:
        """What stands for an expression: of a parameter, what the call that is followed passes.

        Returns:
            None where that is not plain to see.
        """
        while isinstance(expr, ir.Name):
            match self._project.bindings(scope, expr.id):
                case [ParameterOf(parameter=parameter) as bound]:
                    if around is None or bound.scope != around.callee.scope:
                        return None
                case _:
                    break
            value = self._argument(parameter, around)
            if value is None:
                return None
            scope, expr, around = around.call.scope, value, around.around
        return Located(scope, expr)

    def _argument(self, parameter: ir.Parameter, entered: Entered) -> ir.Expr | None:
        call = entered.call.expr
        if not isinstance(call, ir.Call) or hides_arguments(call) or entered.callee.bound_keywords:
            return None
        parameters = self._project.function(entered.callee.scope).parameters
        return argument_for(parameters, parameter, call, leading(entered.callee))
