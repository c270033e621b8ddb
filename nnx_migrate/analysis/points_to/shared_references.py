"""Modules that are no trees, which tree mode refuses: they hold one object in two places
(docs/semantics.md: ALI-1, ALI-3), or are told to be none (JIT-E)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nnx_migrate.analysis.callgraph.binding import argument_for, passed_none
from nnx_migrate.analysis.domain.containers import all_leaves, parts_of
from nnx_migrate.analysis.domain.fixpoint import Lasts
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    PLAIN,
    Instance,
    Scope,
    Value,
    Values,
    short_name,
)
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.heap.reachable_variables import ContentsFinder
from nnx_migrate.analysis.heap.retention import (
    arguments_of,
    whose,
)
from nnx_migrate.analysis.heap.tied_attributes import OBJECTS, TieFinder
from nnx_migrate.analysis.interp.attributes import member
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import Anything, Variable
from nnx_migrate.analysis.points_to.kept_twice import kept_twice
from nnx_migrate.analysis.points_to.object_finder import ObjectFinder
from nnx_migrate.analysis.points_to.passed.objects import PassedObjects
from nnx_migrate.analysis.points_to.queries import LAST
from nnx_migrate.analysis.points_to.repeated_objects import in_other_words, objects
from nnx_migrate.core.place import Place, refers_to


def _own(method: ir.Function) -> ir.Expr:
    """The name of a method's own object."""
    return ir.Name(method.parameters[0].name) if method.parameters else ir.UNSEEN


#: Classes of objects, each with the place where its State is given to another.
_States = tuple[tuple[str, Place], ...]
_FALSE = ir.Constant("number", "False")
_NO_TREES = frozenset({"flax.nnx.bridge.Module", "flax.nnx.Object"})


def _is_data(value: Value) -> bool:
    """Whether it can be no object, and hold none."""
    return value in ARRAY | PLAIN


class SharingFinder:
    """Finds references that a class and what it is made of hold twice.

    Args:
        before: of the project that this one is but for a file.
        without: attributes that are taken not to be there: methods, and what these store.
        lasting: gives those answers about objects of the one before that still hold.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        contents: ContentsFinder,
        before: SharingFinder | None = None,
        without: frozenset[tuple[Scope, str]] = frozenset(),
        lasting: Lasts | None = None,
    ) -> None:
        self._before = before
        self.evaluator = evaluator
        self.project = evaluator.project
        self.hierarchy = evaluator.hierarchy
        self.ties = TieFinder(evaluator)
        earlier = None if before is None else before.objects
        self.objects: ObjectFinder = ObjectFinder(evaluator, without, earlier, lasting)
        self.passed = PassedObjects(evaluator, self.objects, self.ties, contents)
        self._reasons: dict[str, str] = {}
        #: The same of objects for which constructors are passed None by some names.
        self._given_none: dict[tuple[str, frozenset[str]], str] = {}
        #: What only their own code holds twice.
        self._own_reasons: dict[str, str] = {}
        self._states: dict[str, _States] = {}

    def of(self, values: Values) -> str:
        """Why an object that can be any of `values` holds something twice; empty when unseen."""
        return min((reason for value in values if (reason := self._value(value))), default="")

    def of_expression(
        self,
        scope: Scope,
        expr: ir.Expr,
        at: float = LAST,
        *,
        read: ir.Expr | None = None,
        shown: bool = False,
    ) -> str:
        """The same of what an expression gives, which may be known to be made by some call.

        What other code stores in objects that other calls made is none of its concern.

        Args:
            read: the expression as it is read at that line, where `expr` is what its name is bound
                to: in `net = Wrap(net)`, what stands on the right is another one by then.
            shown: that it is not known what it holds is no answer.
        """
        values = self.evaluator.values(scope, expr)
        if shown and all_leaves(values, _is_data):
            return ""  # most of what other packages are given, and dear to follow to its callers
        found = self._of_made(scope, expr, values, at)
        return found or self.passed.twice(scope, (read or expr,), at, shown=shown)

    def _of_made(self, scope: Scope, expr: ir.Expr, values: Values, at: float) -> str:
        made = self.ties.made_by(scope, expr)
        if made is None:
            return self.of(values)
        reasons = (self._made(value, made, scope, at) for value in in_order(values))
        return next(filter(None, reasons), "")

    def _made(self, value: Value, made: ir.Call, scope: Scope, at: float) -> str:
        """Why an object that a call makes holds something twice at a line."""
        if not isinstance(value, Instance) or not value.exact:
            return self._value(value)
        calls = self.ties.calls.get(value.class_name, frozenset())
        tied = calls is None or made in calls
        if tied and not self.ties.is_done_below(value.class_name, scope, at):
            return self._value(value)
        return self._own_reason(value.class_name) or self.of(value.wraps)

    def _value(self, value: Value) -> str:
        match value:
            case Instance(class_name=class_name, exact=exact, wraps=wraps):
                names = [class_name]
                if not exact and class_name != "flax.nnx.Module":
                    names += self.hierarchy.descendants(class_name)
                if not exact and self._makes_no_trees(class_name):
                    return f"{short_name(class_name)} makes its subclasses with pytree=False"
                found = next((reason for n in names if (reason := self._class(n))), "")
                found = found or self.of(wraps)
                if value.probable and found:
                    told = f"{found}, if it is a {short_name(class_name)} (which is likely)"
                    return in_other_words(found, told)
                return found
            case _:
                return next(filter(None, map(self.of, parts_of(value))), "")

    def _class(self, class_name: str) -> str:
        if class_name not in self._reasons:
            known = None
            if self._before is not None:
                known = self._known_before(class_name, self._before._reasons)
            self._reasons[class_name] = known or ""
            if known is None:
                self._reasons[class_name] = self._class_reason(class_name)
        return self._reasons[class_name]

    def _of_stored(self, scope: Scope, target: ir.Expr, expr: ir.Expr) -> str:
        """Why what a method stores holds something twice; with None for an object it does not."""
        if isinstance(expr, ir.Sequence) and expr.elements:
            found = (self._of_stored(scope, target, each) for each in expr.elements)
            return next(filter(None, found), "")
        values = self.evaluator.values(scope, expr)
        made = self.ties.made_by(scope, expr)
        elsewhere = self.evaluator.callers.mentions.outside_writes(ir.last_name(target))
        if made is None or next(elsewhere, None) is not None:
            return self.of(values)
        return min((reason for v in values if (reason := self._of_new(v, made))), default="")

    def _of_new(self, value: Value, made: ir.Call) -> str:
        """The same of what a call of its class makes."""
        if not isinstance(value, Instance):
            return self._value(value)
        reason = self._value(value)
        none = passed_none(self.hierarchy, value.class_name, made) if reason else frozenset[str]()
        if not none:
            return reason
        key = value.class_name, none
        if key not in self._given_none:
            self._given_none[key] = ""
            self._given_none[key] = self._class_reason(*key)
        return self._given_none[key] or self.of(value.wraps)

    def _own_reason(self, class_name: str) -> str:
        """Why a class holds something twice, whatever other code stores in its instances."""
        if class_name not in self._own_reasons:
            known = None
            if self._before is not None:
                known = self._known_before(class_name, self._before._own_reasons)
            found = self._reason_within(class_name) if known is None else known
            self._own_reasons[class_name] = found
        return self._own_reasons[class_name]

    def _known_before(self, class_name: str, reasons: Mapping[str, str]) -> str | None:
        """What was found of a class before the edit of a file that it tells nothing of."""
        renewed = self.project.renewed
        known = reasons.get(class_name)
        if known is None or class_name.partition(":")[0] in renewed:
            return None
        return None if any(refers_to(known, module) for module in renewed) else known

    def _makes_no_trees(self, class_name: str) -> bool:
        """Whether subclasses are made with pytree=False by `__init_subclass__`."""
        located = self.project.class_of(class_name)
        key = located[1].methods.get("__init_subclass__") if located else None
        if located is None or key is None:
            return False
        return any(
            ir.last_name(call.func) == "__init_subclass__" and ("pytree", _FALSE) in call.keywords
            for call in self.project.function(Scope(located[0], key)).calls
        )

    def _class_reason(self, class_name: str, none: frozenset[str] = frozenset()) -> str:
        if self.hierarchy.is_plain_tree(class_name):
            return self._of_fields(class_name)
        tied = "" if self._was_seen_apart(class_name) else self.ties.reasons.get(class_name, "")
        return self._reason_within(class_name, none) or tied

    def _was_seen_apart(self, class_name: str) -> bool:
        """Whether runs have shown objects of a class, and none that holds something twice."""
        observed = self.project.observed
        return observed is not None and observed.was_seen_apart(self.project.modules, class_name)

    def _of_fields(self, class_name: str) -> str:
        """Why what a NamedTuple or another tree keeps in a field holds something twice."""
        fields = self.hierarchy.fields(class_name)
        found = (self.of(member(self.evaluator, Instance(class_name), f)) for f in fields)
        return next(filter(None, found), "")

    def _reason_within(self, class_name: str, none: frozenset[str] = frozenset()) -> str:
        """What a class, or what it is made of, holds twice by what its own code does.

        Args:
            none: the parameters of its constructor that are None.
        """
        init = self.hierarchy.method(class_name, "__init__") if none else None
        if self.hierarchy.kind(class_name) not in OBJECTS - {"variable"}:
            return ""
        made = self.project.class_of(class_name)
        if made is not None and ("pytree", _FALSE) in made[1].keywords:
            return f"{made[1].name} is made with pytree=False"
        for base in _NO_TREES.intersection(self.hierarchy.ancestry(class_name).classes):
            return f"{base.removeprefix('flax.nnx.')} is made with pytree=False"
        for above in self.hierarchy.ancestry(class_name).classes[1:]:
            if self._makes_no_trees(above):
                return f"{short_name(above)} makes its subclasses with pytree=False"
        if self._was_seen_apart(class_name):
            return ""
        for ancestor in self.hierarchy.ancestry(class_name).classes:
            located = self.project.class_of(ancestor)
            if located is None:
                continue
            module, record = located
            for key in record.methods.values():
                scope = Scope(module, key)
                reason = self._in_method(scope, none if scope == init else frozenset())
                if reason:
                    return reason
                for write in self.project.function(scope).writes:
                    if write.value is None or write.how not in {"set", "grow"}:
                        continue
                    if self._is_own(scope, write.target):
                        reason = self._of_stored(scope, write.target, write.value)
                        if reason:
                            return reason
        return ""

    def _in_method(self, scope: Scope, none: frozenset[str]) -> str:
        """What a method stores in its own object that is there already."""
        function = self.project.function(scope)
        for write in self._stores(scope):
            if write.value == _own(function):
                return f"it holds itself ({Place(scope.module, write.line)})"
        return kept_twice(self.objects, scope, none, self.passed.is_in_both, self.passed.untold)

    def _stores(self, scope: Scope) -> Iterator[ir.Write]:
        """What a method stores in its own object, or in a container that this keeps."""
        function = self.project.function(scope)
        for write in (*function.writes, *function.repeated):
            if write.value is None or write.how not in {"set", "grow", "key"}:
                continue
            if self._is_own(scope, write.target) or write.target == _own(function):
                yield write

    def _is_own(self, scope: Scope, expr: ir.Expr) -> bool:
        """Whether an expression is an attribute of the method's own object, at any depth."""
        own = _own(self.project.function(scope))
        return isinstance(expr, ir.Attribute) and ir.root_name(expr) == own

    def _is_graph_node(self, scope: Scope, expr: ir.Expr) -> bool:
        values = self.evaluator.values(scope, expr)
        return bool(values) and all(map(self.ties.is_node, values))

    def kept_arguments(self, scope: Scope, call: ir.Call) -> Iterator[ir.Expr]:
        """Names and own attributes passed to a constructor that keeps them, or their State."""
        class_name = self.hierarchy.class_name(scope, call.func)
        method = self.hierarchy.method(class_name, "__init__") if class_name else None
        if not isinstance(method, Scope):
            return
        kept = {
            found.object.root
            for _, held, _ in self.objects.kept(method)
            for found in objects(held)
            if not found.object.path
        }
        parameters = self.project.function(method).parameters
        for parameter in parameters[1:]:
            given = whose(self.project, scope, argument_for(parameters, parameter, call, 1))
            known = isinstance(given, ir.Name) or self._is_own(scope, given)
            is_kept = Variable(method, parameter.name, 0) in kept or Anything() in kept
            if known and is_kept and self._is_graph_node(scope, given):
                yield given

    def states_kept(self, class_name: str) -> _States:
        """The classes of objects whose State is given to a class that keeps it, and where."""
        if class_name not in self._states:
            known = self._states_before(class_name)
            found = tuple(self._states_kept(class_name)) if known is None else known
            self._states[class_name] = found
        return self._states[class_name]

    def _states_before(self, class_name: str) -> _States | None:
        renewed = self.project.renewed
        if self._before is None or class_name.partition(":")[0] in renewed:
            return None
        known = self._before.states_kept(class_name)
        told = any(
            place.module in renewed or kept.partition(":")[0] in renewed for kept, place in known
        )
        return None if told else known

    def _states_kept(self, class_name: str) -> Iterator[tuple[str, Place]]:
        method = self.hierarchy.method(class_name, "__init__")
        if not isinstance(method, Scope):
            return
        for where, call, _ in self.evaluator.callers.of(method):
            place = Place(where.module, call.line)
            for kept in self.kept_arguments(where, call):
                if kept not in tuple(arguments_of(call)):
                    for value in in_order(self.evaluator.values(where, kept)):
                        if isinstance(value, Instance):
                            yield value.class_name, place
