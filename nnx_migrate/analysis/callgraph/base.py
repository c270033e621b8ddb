"""The questions that the evaluation of expressions asks of itself, in circles too.

What a call gives depends on what is returned, that on parameters, those on the calls of a function.
Each question is answered once; which modules know the answers, `evaluate.py` says.
"""

from __future__ import annotations

import abc
import weakref
from collections.abc import Callable, Hashable

from nnx_migrate.analysis.callgraph.call_sites import Callers
from nnx_migrate.analysis.callgraph.lattice import grown, limited, unsettled
from nnx_migrate.analysis.callgraph.transparent_decorators import TransparentDecorators
from nnx_migrate.analysis.domain.fixpoint import UNKNOWN, Fixpoint, Lasts
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    PLAIN,
    FunctionValue,
    Instance,
    Located,
    Scope,
    Values,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.analysis.symbols.program import Project


class Evaluation(abc.ABC):
    """What is asked of the evaluation of a project's expressions, with what it remembers.

    Args:
        project: the files.
        before: the evaluation of `project.before`.
        lasting: gives those of its answers that still hold.
    """

    def __init__(
        self,
        project: Project,
        before: Evaluation | None = None,
        lasting: Lasts | None = None,
    ) -> None:
        self.project = project
        classes, callers = (before.hierarchy, before.callers) if before else (None, None)
        self.hierarchy: Hierarchy = Hierarchy(project, classes)
        # Not in a circle, so that all of it is gone as soon as nobody asks any more.
        self.callers: Callers = Callers(project, weakref.proxy(self), callers)
        self.transparent = TransparentDecorators(project)
        self.fixpoint = Fixpoint(lasting)
        self._known = self.fixpoint.known
        #: Functions with their decorators, which are asked for in every round of every circle.
        self.defined: dict[Scope, FunctionValue] = {}
        #: The same as attributes of objects, but for properties.
        self.bound: dict[Scope, Values] = {}
        #: What sets of values become as answers: few sets are found, and many times.
        self._limited: dict[Values, Values] = {}

    def values(self, scope: Scope, expr: ir.Expr) -> Values:
        """The values that `expr` can have in `scope`; an empty set while it is being computed."""
        if isinstance(expr, ir.Constant):
            return PLAIN
        key = scope, expr
        known: object = self._known.get(key)
        if isinstance(known, frozenset):
            return known
        if known is not None and (found := self.fixpoint.found(known)) is not UNKNOWN:
            answer: Values = found
            return answer
        return self.once(key, lambda: self._values(scope, expr))

    def parameter(self, scope: Scope, parameter: ir.Parameter) -> Values:
        """What a parameter can be: from its annotation, or else from every call in the project."""
        key = "parameter", scope, parameter.name
        return self.once(key, lambda: self._parameter(scope, parameter))

    def returned(self, scope: Scope) -> Values:
        """What a function returns, from its return statements, else from its annotation."""
        return self.once(("returned", scope), lambda: self._returned(scope))

    def once(self, key: Hashable, compute: Callable[[], Values]) -> Values:
        """Values that are found once, in circles too, and are of bounded size."""
        return self.fixpoint.get(
            key, lambda: self._answer(compute()), NOTHING, unsettled, join=grown
        )

    @abc.abstractmethod
    def returned_to(self, scope: Scope, call: ir.Call, callee: FunctionValue) -> Values:
        """What a function returns to a call, as far as what that passes decides about it."""

    def _answer(self, found: Values) -> Values:
        """What is found as an answer, of bounded size."""
        known = self._limited.get(found)
        if known is None:
            known = self._limited[found] = limited(found)
        return known

    def all_of(self, scope: Scope, expressions: tuple[ir.Expr, ...]) -> Values:
        """The values that any of some expressions can have."""
        return NOTHING.union(*(self.values(scope, each) for each in expressions))

    @property
    @abc.abstractmethod
    def joined(self) -> Evaluation:
        """The evaluation to which each parameter is what all calls pass for it."""

    @abc.abstractmethod
    def stored(self, class_name: str, name: str) -> list[Located]:
        """Every value that the class's own methods store in `self.<name>`, or its body does."""

    @abc.abstractmethod
    def put(self, class_name: str, name: str) -> list[Located]:
        """What they put into what they store there, where that may be a container."""

    @abc.abstractmethod
    def storing(self, instance: Instance, name: str) -> tuple[str, ...]:
        """The classes, of those an object may be of, that may say what it has under a name."""

    @abc.abstractmethod
    def declared(self, instance: Instance, name: str) -> Values:
        """What the annotation of an attribute allows; nothing without one."""

    @abc.abstractmethod
    def _values(self, scope: Scope, expr: ir.Expr) -> Values: ...

    @abc.abstractmethod
    def _parameter(self, scope: Scope, parameter: ir.Parameter) -> Values: ...

    @abc.abstractmethod
    def _returned(self, scope: Scope) -> Values: ...
