"""Values that are certainly among those of an expression, found without asking the evaluator.

Whether a name of a file stands for nothing but objects of nnx is asked of every name that traced
code may see, and most of them are functions and arrays. To find out all that one can be, the
evaluator may go in circles through a whole package; one value that is no such object is enough.

Callers, operators, and what is stored in objects are left alone. Each value that is found is in the
evaluator's answer too, or that answer holds something that is not known, which is no object either:
so it is where an answer has too many values or does not settle.
"""

from __future__ import annotations

from collections.abc import Sequence

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.lattice import item_of
from nnx_migrate.analysis.callgraph.transformed import CAPTURED, auxiliary, defined, under_transform
from nnx_migrate.analysis.domain.unknown import Unknown, unknown
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    PLAIN,
    Basic,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Located,
    Scope,
    TupleValue,
    Value,
    Values,
    is_unknown,
    scope_around,
    union,
)
from nnx_migrate.analysis.flax.names import nnx_name
from nnx_migrate.analysis.flax.transforms import spec
from nnx_migrate.analysis.interp.annotations import annotated_at
from nnx_migrate.analysis.interp.attributes import NAMESPACES
from nnx_migrate.analysis.interp.calls import GETTING
from nnx_migrate.analysis.interp.names import of_library, unbound
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import (
    gives_own_result,
    is_transform,
    result_of_any_arguments,
)
from nnx_migrate.analysis.symbols.higher_order import TAKERS, Taker, implied_calls
from nnx_migrate.analysis.symbols.library_names import canonical
from nnx_migrate.analysis.symbols.reaching_definitions import meant_at

#: Steps that are followed; of what is further away nothing is known.
_STEPS = 16
#: What syntax is recorded as a call of.
_SYNTAX = (ir.ANNOTATED, ir.SLICED, ir.OPERATED, ir.ENTERED)
#: Functions of which the arguments say all.
_DECIDED = NAMESPACES | {
    "builtins.dict",
    "builtins.getattr",
    "builtins.type",
    "collections.defaultdict",
}


class CertainValues:
    """Finds some of the values of expressions, numbers and None left out."""

    def __init__(self, evaluator: Evaluation) -> None:
        self._evaluator = evaluator
        self._project = evaluator.project
        self._known: dict[tuple[Scope, str], Values] = {}

    def of_name(self, scope: Scope, name: str) -> Values:
        """Values that a name certainly has, among others; nothing where none is found."""
        if self._project.observed is not None:
            return NOTHING  # what runs have shown stands for an answer that is not known whole
        return self._of(scope, ir.Name(name), _STEPS)

    def _of(self, scope: Scope, expr: ir.Expr, steps: int) -> Values:
        if steps == 0:
            return NOTHING
        match expr:
            case ir.Name(id=name):
                found = self._named(scope, name, steps - 1)
            case ir.Attribute():
                found = self._attribute(scope, expr, steps - 1)
            case ir.Call():
                found = self._call(scope, expr, steps - 1)
            case ir.Unpacked(base=base, index=index):
                found = union(_item(v, index) for v in self._of(scope, base, steps - 1))
            case ir.Choice(options=options):
                found = self._any(scope, options, steps - 1)
            case ir.Sequence(elements=parts, is_tuple=True) if not _starred(parts):
                found = frozenset({TupleValue(tuple(self._of(scope, p, steps - 1) for p in parts))})
            case ir.Sequence():
                found = frozenset({ContainerValue(NOTHING)})
            case ir.FunctionRef(key=key):
                found = frozenset({defined(self._evaluator, Scope(scope.module, key))})
            case ir.ClassRef(key=key):
                found = frozenset({ClassValue(f"{scope.module}:{key}")})
            case ir.ImportRef(target=target):
                found = self._imported(target, steps - 1)
            case ir.Within(key=key, expr=inner):
                found = self._of(Scope(scope.module, key), inner, steps - 1)
            case _:
                found = NOTHING
        return found - PLAIN

    def _any(self, scope: Scope, parts: Sequence[ir.Expr], steps: int) -> Values:
        return union(self._of(scope, each, steps) for each in parts)

    def _named(self, scope: Scope, name: str, steps: int) -> Values:
        key = scope, name
        if key not in self._known:
            self._known[key] = NOTHING  # a name that is made of itself
            bindings = self._project.bindings(scope, name)
            self._known[key] = self._bound(bindings, steps) if bindings else unbound(name)
        return self._known[key]

    def _bound(self, bindings: Sequence[object], steps: int) -> Values:
        return union(
            self._of(each.scope, each.expr, steps) for each in bindings if isinstance(each, Located)
        )

    def _imported(self, target: str, steps: int) -> Values:
        followed = self._project.follow(target)
        if followed is None:
            return unknown(Unknown.SEVERAL_MEANINGS)
        bindings = self._project.member(followed) or []
        return self._bound(bindings, steps) if bindings else of_library(followed)

    def _attribute(self, scope: Scope, expr: ir.Attribute, steps: int) -> Values:
        """A member of a module; what objects and classes have under a name is left alone."""
        dotted = self._project.dotted(scope, expr)
        if dotted is None or self._project.member(dotted.rpartition(".")[0]):
            return NOTHING
        return self._imported(dotted, steps)

    def _call(self, scope: Scope, call: ir.Call, steps: int) -> Values:
        if call.func in _SYNTAX or ir.last_name(call.func) in GETTING:
            return NOTHING
        func = meant_at(self._project, scope, call.func, call.line)
        called = self._of(scope, func, steps)
        return union(self._called(scope, call, each, steps) for each in called)

    def _called(self, scope: Scope, call: ir.Call, called: Value, steps: int) -> Values:
        match called:
            case ClassValue(class_name=class_name):
                return frozenset({Instance(class_name)})
            case FunctionValue():
                return self._result(called, steps)
            case LibraryValue(dotted=dotted):
                return self._of_library(scope, call, dotted, steps)
            case Basic() | ContainerValue():
                return frozenset({called})
            case _:
                return NOTHING

    def _result(self, function: FunctionValue, steps: int) -> Values:
        """What a call of a function of the project gives through its transforms."""
        given = {spec(name).result for name in function.transforms}
        if "error and own" in given or any(t.startswith(CAPTURED) for t in function.transforms):
            return NOTHING
        if "gradient" in given:
            gradient = unknown(Unknown.GRADIENT)
            if not auxiliary(self._project.function(function.scope)):
                return gradient
            return frozenset({TupleValue((gradient, NOTHING))})
        if "value and gradient" in given:
            return frozenset({TupleValue((NOTHING, unknown(Unknown.GRADIENT)))})
        if not all(map(gives_own_result, function.transforms)):
            return unknown(Unknown.RESULT_OF_DECORATED)
        return self._returned(function.scope, steps)

    def _returned(self, scope: Scope, steps: int) -> Values:
        function = self._project.function(scope)
        annotation = function.return_annotation
        if annotation is not None:  # it stands for what is not known of what is returned
            around = scope_around(scope, function)
            if not is_unknown(
                annotated_at(self._evaluator.hierarchy, around, annotation, function.line)
            ):
                return NOTHING
        if function.yields:
            return frozenset({ContainerValue(NOTHING)})
        return self._any(scope, function.returns, steps)

    def _of_library(self, scope: Scope, call: ir.Call, dotted: str, steps: int) -> Values:
        """What a function of a library gives, as far as its arguments do not decide."""
        name = nnx_name(dotted)
        known = spec(name or dotted)
        by_operands = len(call.args) > 1 and known.operands is not None and not known.is_loop
        if by_operands or known.collects or dotted in _DECIDED:
            return NOTHING
        if is_transform(dotted):
            functions = [value for keyword, value in call.keywords if keyword in {"f", "fun"}]
            functions = functions[-1:] or list(call.args[:1])
            if not functions:
                return frozenset({LibraryValue(dotted)})
            held = self._functions(scope, functions, steps)
            short = name.removeprefix("compat.") if name else dotted
            return frozenset(under_transform(v, short) for v in held)
        if known.carried is not None:
            return NOTHING
        taker = TAKERS.get(canonical(dotted))
        if taker is not None and taker.gives:
            return self._given_by(scope, call, taker, steps)
        return NOTHING if name == "merge" else result_of_any_arguments(dotted, name)

    def _given_by(self, scope: Scope, call: ir.Call, taker: Taker, steps: int) -> Values:
        made = tuple(implied_calls(call, taker))
        match taker.gives:
            case "function":
                return self._functions(scope, [each.func for each in made], steps)
            case "result":
                return self._any(scope, made, steps)
            case "results":
                return frozenset({ContainerValue(NOTHING)})
            case _:
                return NOTHING

    def _functions(self, scope: Scope, functions: Sequence[ir.Expr], steps: int) -> Values:
        """What can be called and is no object: that may be replaced by its method."""
        held = self._any(scope, functions, steps)
        return frozenset(v for v in held if not isinstance(v, Instance))


def _starred(parts: Sequence[ir.Expr]) -> bool:
    return any(isinstance(part, ir.Starred) for part in parts)


def _item(value: Value, index: int) -> Values:
    return NOTHING if isinstance(value, Instance) else item_of(value, index)
