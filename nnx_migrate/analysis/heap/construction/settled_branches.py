"""What a constructor does not do, by what it is called with: `if use_dropout: self.drop = ...`.

A call that says `use_dropout=False`, or leaves it at its default of False or None, settles which
branches of `__init__` run. What only the others store, the object does not have.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.binding import argument_for
from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.heap.construction.constructor_run import (
    NEVER,
    OF_NUMBERS,
    PLAIN_VALUE,
    ConstructorRun,
)
from nnx_migrate.analysis.heap.construction.factories import Entered, Factories
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.callers_by_name import RunsByName
from nnx_migrate.analysis.symbols.passed_on import writes_in

_NAMES = ir.Name | ir.Attribute
#: Methods by which a class says itself what its objects have under a name.
_ACCESS = ("__getattribute__", "__setattr__")
#: How many parameters a call of a class does not pass.
_SELF = 1


@dataclasses.dataclass(frozen=True, slots=True)
class Settled:
    """A constructor, with what a call passes to it as constants.

    Args:
        given: parameters that get a constant, by the call or by their default.
        during: the function that makes the object and has not ended since; None where that is not
            known.
    """

    init: Scope
    given: frozenset[tuple[str, ir.Constant]]
    during: Scope | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Construction:
    """A call that makes an object of a class of the project.

    Args:
        call: it, and where it stands.
    """

    class_name: str
    settled: Settled | None
    call: Located


class SettledBranches:
    """Says what constructors leave undone, by the calls that make objects."""

    def __init__(self, evaluator: Evaluation) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.hierarchy = evaluator.hierarchy
        self._running: dict[Settled, ConstructorRun] = {}
        self._by_name = RunsByName(evaluator.callers.mentions)
        self._factories = Factories(evaluator)

    def constructions(
        self,
        scope: Scope,
        expr: ir.Expr,
        around: Settled | None = None,
        during: Scope | None = None,
        entered: Entered | None = None,
    ) -> list[Construction]:
        """The calls that make what an expression gives; none where it may come from elsewhere.

        Args:
            around: of an expression of a constructor, how that is called.
            during: the function that uses it, where only what that makes itself is wanted.
            entered: the call that runs the code at `scope`, where that is followed.
        """
        match expr:
            case ir.Call(func=ir.ANNOTATED, args=(_, value)):
                return self.constructions(scope, value, around, during, entered)
            case ir.Call(func=func):
                if during is not None and during != scope:
                    return []
                made = self._factories.passed(scope, func, entered) or Located(scope, func)
                name = self.hierarchy.class_name(made.scope, made.expr)
                if name is None:
                    return self._returned(scope, expr, entered) if during is None else []
                if self.project.class_of(name) is None:
                    return []
                settled = self._settled(scope, expr, name, around, during)
                return [Construction(name, settled, Located(scope, expr))]
            case ir.Name(id=name):
                return list(self._bound(scope, name, around, during, entered))
            case _:
                return []

    def _returned(self, scope: Scope, call: ir.Call, around: Entered | None) -> list[Construction]:
        """The calls that make what a function of the project returns to one of its calls."""
        entered = self._factories.enters(scope, call, around)
        if entered is None:
            return []
        callee = entered.callee.scope
        made: list[Construction] = []
        for returned in self.project.function(callee).returns:
            found = self.constructions(callee, returned, entered=entered)
            if not found:
                return []
            made += found
        return made

    def makes_another(self, made: Construction, scope: Scope, expr: ir.Expr) -> bool:
        """Whether other calls make what a name is bound to."""
        if not isinstance(expr, ir.Name):
            return False
        found = self.constructions(scope, expr)
        return bool(found) and all(each.call != made.call for each in found)

    def _bound(
        self,
        scope: Scope,
        name: str,
        around: Settled | None,
        during: Scope | None,
        entered: Entered | None,
    ) -> Iterator[Construction]:
        """The calls that a name is bound to, if it is bound to nothing else."""
        bindings = self.project.bindings(scope, name)
        made: list[Construction] = []
        for bound in bindings:
            if not isinstance(bound, Located) or not isinstance(bound.expr, ir.Call):
                return
            own = bound.scope == scope
            inside, runs = (around, entered) if own else (None, None)
            found = self.constructions(bound.scope, bound.expr, inside, during, runs)
            if not found:
                return
            made += found
        yield from made

    def _settled(
        self,
        scope: Scope,
        call: ir.Call,
        class_name: str,
        around: Settled | None,
        during: Scope | None,
    ) -> Settled | None:
        """What a call passes to the constructor of a class; None where that is not plain to see."""
        init = self.hierarchy.method(class_name, "__init__")
        if not isinstance(init, Scope) or not self.hierarchy.ancestry(class_name).closed:
            return None
        function = self.project.function(init)
        hidden = any(isinstance(arg, ir.Starred) for arg in call.args)
        hidden |= any(name is None for name, _ in call.keywords)
        if hidden or function.decorators:
            return None
        if self._may_differ(class_name, init):
            return None
        given = set()
        for parameter in function.parameters[_SELF:]:
            if parameter.kind in {"star", "double_star"}:
                continue
            passed = argument_for(function.parameters, parameter, call, _SELF)
            value = parameter.default if passed is None else self._constant(scope, passed, around)
            if isinstance(value, ir.Constant):
                given.add((parameter.name, value))
            elif value is not None and _is_literal(value):
                given.add((parameter.name, PLAIN_VALUE))
        asks_not = any(value in NEVER["true"] for _, value in given)
        during = during if around is None else around.during
        return Settled(init, frozenset(given), during) if asks_not or during else None

    def _constant(self, scope: Scope, passed: ir.Expr, around: Settled | None) -> ir.Expr | None:
        """What is passed, where it is a constant: of a name, what that is in all cases."""
        if not isinstance(passed, ir.Name):
            return passed
        if around is not None and around.init == scope:
            values = self._run(around).constants(passed.id)
            return next(iter(values)) if values is not None and len(values) == 1 else None
        bound = self.project.bindings(scope, passed.id)
        if len(bound) != 1 or not isinstance(bound[0], Located) or bound[0].scope != scope:
            return None
        if scope.function == ir.MODULE_SCOPE and self._is_set_from_outside(scope.module, passed.id):
            return None
        return bound[0].expr if isinstance(bound[0].expr, ir.Constant) else None

    def _is_set_from_outside(self, module: str, name: str) -> bool:
        """Whether a name of a module may be bound by more than its own statements."""
        mentions = self.evaluator.callers.mentions
        stores = itertools.chain(mentions.outside_writes(name), mentions.set_elsewhere(name))
        own = self.project.modules[module]
        return next(stores, None) is not None or own.says(frozenset({"globals", "exec"}))

    def _may_differ(self, class_name: str, init: Scope) -> bool:
        """Whether something else may make the objects, or run the constructor on them again."""
        mentions = self.evaluator.callers.mentions
        if self.hierarchy.method(class_name, "__new__") is not None:
            return True
        if next(mentions.outside_writes("__init__"), None) is not None:
            return True
        calls = mentions.calls_of("__init__")
        return any(self._may_run_again(scope, call.func, init) for scope, call in calls)

    def _may_run_again(self, scope: Scope, func: ir.Expr, init: Scope) -> bool:
        """Whether a call of an `__init__` may be of this one, and of a finished object."""
        base = func.base if isinstance(func, ir.Attribute) else None
        caller = self.project.function(scope)
        begins = caller.name == "__init__" and caller.owner is not None
        if isinstance(base, ir.Call) and base.func == ir.Name("super") and begins:
            return False
        of = None if base is None else self.hierarchy.class_name(scope, base)
        if of is None:
            return True
        if self.hierarchy.method(of, "__init__") != init:
            return False
        own = f"{scope.module}:{caller.owner}"
        return not begins or own == of or of not in self.hierarchy.ancestry(own).classes

    def may_have_run(self, settled: Settled, method: Scope) -> bool:
        """Whether a method may have run on such an object, but for its constructor."""
        return settled.during is None or self._by_name.may_run_during(method, settled.during)

    def runs(self, settled: Settled, line: int) -> bool:
        """Whether what stands at a line of a constructor may run."""
        return self._run(settled).is_live(line)

    def chosen(self, settled: Settled, expr: ir.Expr) -> ir.Expr:
        """An expression of a constructor, with what it chooses, or calls, where that is settled."""
        run = self._run(settled)
        expr = run.chosen(expr)
        if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Name):
            match run.live_bindings(expr.func.id):
                case [ir.Choice() as bound]:
                    func = run.chosen(bound)
                    return (
                        dataclasses.replace(expr, func=func) if isinstance(func, _NAMES) else expr
                    )
        return expr

    def is_plain(self, settled: Settled, expr: ir.Expr) -> bool:
        """Whether an expression of a constructor gives numbers, texts, or None alone."""
        return self._run(settled).is_plain(expr)

    def _run(self, settled: Settled) -> ConstructorRun:
        if settled not in self._running:
            functions = [
                self.project.function(scope) for scope in self.project.within(settled.init)
            ]
            names = [each for each in OF_NUMBERS if self.project.bindings(settled.init, each)]
            stored = functools.partial(self._stored, settled.init)
            run = ConstructorRun(functions, settled.given, frozenset(names), stored)
            self._running[settled] = run
        return self._running[settled]

    def _stored(self, init: Scope, name: str) -> list[ir.Write] | None:
        """What a constructor stores in an attribute of its object; None where others may, too."""
        function = self.project.function(init)
        owner = f"{init.module}:{function.owner}"
        mentions = self.evaluator.callers.mentions
        if next(mentions.outside_writes(name), None) is not None:
            return None
        for each in {*self.hierarchy.ancestry(owner).classes, *self.hierarchy.descendants(owner)}:
            if any(self.hierarchy.method(each, used) is not None for used in (name, *_ACCESS)):
                return None
            if any(stored.scope != init for stored in self.evaluator.stored(each, name)):
                return None
        own = ir.Attribute(ir.Name(function.parameters[0].name), name)
        writes = [write for write in writes_in(function) if write.target == own]
        return writes if all(write.how == "set" for write in writes) else None


def _is_literal(expr: ir.Expr) -> bool:
    """Whether it is a tuple that is written out of constants; a list may get other things later."""
    match expr:
        case ir.Sequence(elements=elements, is_tuple=True):
            return all(isinstance(e, ir.Constant) or _is_literal(e) for e in elements)
        case _:
            return False
