"""What is in several values twice, or in one: as the code shows it, and as all callers pass it."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.domain.values import Instance, Scope, is_unknown
from nnx_migrate.analysis.effects.never_ran import NeverRan
from nnx_migrate.analysis.heap.reachable_variables import ContentsFinder
from nnx_migrate.analysis.heap.tied_attributes import TieFinder
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.records import record
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    REST,
    Held,
    MadeBy,
    Object,
    Variable,
    mapped,
)
from nnx_migrate.analysis.points_to.containers.elements import without
from nnx_migrate.analysis.points_to.object_finder import ObjectFinder
from nnx_migrate.analysis.points_to.passed.calls import PassedCalls
from nnx_migrate.analysis.points_to.passed.nodes import PassedNodes
from nnx_migrate.analysis.points_to.passed.pairs import PassedPairs
from nnx_migrate.analysis.points_to.queries import LAST, is_in_variable
from nnx_migrate.analysis.points_to.repeated_objects import (
    IS_PASSED,
    Found,
    in_other_words,
    in_words,
    objects,
    twice,
    untold,
)
from nnx_migrate.analysis.points_to.widening import flat, roughly
from nnx_migrate.core.place import Place

#: In so many ways may a function be passed objects before parts of them are told apart no more: all
#: of them in a function that calls itself, parts of different objects in another one. The ways are
#: finitely many, but through a tree, or through classes that hold each other, there are millions.
_MOST_EXACT = 20
#: In so many before arrays and the like are told by less of the calls that lead to them.
_MOST_IN_FULL = 5
#: And so many before nothing is told apart: ten parameters have millions of orders.
_MOST_STATES = 200


@record
class _Passed:
    """What a call passes.

    Args:
        scope: where it stands.
        whole: what it passes in the place of a value, in terms of that function.
        place: the same for a person.
        around: the functions that the value was followed through.
        own: the object of which the first of these is a method; None where that does not matter.
        in_short: it is told by less of the calls that lead to what is not known to be an object.
    """

    scope: Scope
    whole: Held
    place: Place
    around: frozenset[Scope]
    own: Held | None
    in_short: bool = False


@record
class _Reason:
    """Why a value holds something twice, or may.

    Args:
        one: what is in it twice, or what nothing is known of.
        other: the same, or what it is a part of; None where that is not known.
        place: of the call that passes the value; None where the code shows it by itself.
    """

    one: Found
    other: Found | None
    place: Place | None = None

    def told(self, does: str) -> str:
        """The same in words."""
        one, other = self.one, self.other
        words = untold(one.object) if other is None else in_words(one, other, does)
        return words if self.place is None else in_other_words(words, f"{words} ({self.place})")


def _are_apart(whole: Held) -> bool:
    """Whether no two objects in a value come from the same place, whatever parts of it they are."""
    roots = [each.object.root for each in objects(whole, guessed=True)]
    return len(set(roots)) == len(roots)


def _is_named_in(returned: Iterable[ir.Expr], name: str) -> bool:
    """Whether a name stands in what is returned, by itself or in a tuple or the like."""
    waiting = list(returned)
    while waiting:
        match waiting.pop():
            case ir.Sequence(elements=elements, each=False):
                waiting += elements
            case ir.Choice(options=options):
                waiting += options
            case ir.Name(id=found) if found == name:
                return True
    return False


class PassedObjects:
    """Looks at values for what is there twice, and at what calls pass for parameters in them."""

    def __init__(
        self,
        evaluator: Evaluator,
        objects: ObjectFinder,
        ties: TieFinder,
        contents: ContentsFinder,
    ) -> None:
        self._evaluator = evaluator
        self._never_ran = NeverRan(evaluator.project)
        self._objects = objects
        self._nodes = PassedNodes(evaluator, objects, ties, contents)
        self._calls = PassedCalls(evaluator, objects, self._nodes)
        self._pairs = {
            told: PassedPairs(self._nodes, self._calls, told=told) for told in (False, True)
        }
        self._reasons: dict[tuple[Scope, tuple[ir.Expr, ...], float, bool], _Reason | None] = {}

    def twice(
        self,
        scope: Scope,
        given: tuple[ir.Expr, ...],
        at: float = LAST,
        *,
        does: str = IS_PASSED,
        shown: bool = False,
    ) -> str:
        """What is in several values twice, in words: in two of them, or in one.

        Args:
            does: what happens to the values.
            shown: that it is not known what they hold is no answer.
        """
        key = scope, given, at, shown
        if self._evaluator.fixpoint.computing:
            found = self._reason(*key)
        elif key in self._reasons:
            found = self._reasons[key]
        else:
            found = self._reasons[key] = self._reason(*key)
        return "" if found is None else found.told(does)

    def _reason(
        self, scope: Scope, given: tuple[ir.Expr, ...], at: float, shown: bool
    ) -> _Reason | None:
        expr = ir.Sequence(given, is_tuple=True)
        whole = self._objects.resolved(scope, expr, at)
        reason = self._within(whole, shown) or self._passed(scope, whole, shown)
        if reason is not None:
            return reason
        # `self.model` is what the caller's object has under that name, and not only what its class
        # stores there.
        unresolved = self._objects.held(scope, expr, at)
        function = self._evaluator.project.function(scope)
        if unresolved == whole or function.owner is None or not function.parameters:
            return None
        own = self._objects.held(scope, ir.Name(function.parameters[0].name))
        return self._passed(scope, unresolved, True, own)

    def _within(self, whole: Held, shown: bool, in_short: bool = False) -> _Reason | None:
        doubt: Found | None = None
        for one, other in twice(whole):
            if self.is_in_both(one, other):
                root = one.object.root
                if not in_short or not isinstance(root, MadeBy) or self._nodes.is_told(root):
                    return _Reason(one, other)
                doubt = doubt or one
        unknown = doubt if shown or doubt is not None else self._unknown_in(whole)
        return None if unknown is None else _Reason(unknown, None)

    def untold(self, whole: Held) -> str:
        """Why it is not known whether something is in a value twice, in words."""
        found = self._unknown_in(whole)
        return "" if found is None else untold(found.object)

    def _unknown_in(self, whole: Held) -> Found | None:
        found = objects(whole, guessed=True)
        return next((each for each in found if self._nodes.is_open(each.object)), None)

    def _passed(
        self, scope: Scope, whole: Held, shown: bool, own: Held | None = None
    ) -> _Reason | None:
        """The same of what calls of the function pass for its parameters, and calls of those.

        Args:
            own: the object of a method, which has to have it; None for any.
        """
        # Arrays beside objects of nnx are not followed with these: only objects are told twice.
        whole = self._nodes.reaching(whole, told=shown)
        if whole is NOTHING or not self._pairs[shown].may_repeat(scope, whole):
            return None
        seen = collections.defaultdict(set, {scope: {whole}})
        begun = _Passed(scope, whole, Place(scope.module, 0), frozenset(), own)
        waiting = [self._passed_on(begun)]
        looked_at = {whole}
        doubt: _Reason | None = None
        owner = f"{scope.module}:{self._evaluator.project.function(scope).owner}"
        while waiting:
            passed = next(waiting[-1], None)
            if passed is None:
                waiting.pop()
                continue
            known = seen[passed.scope]
            whole = self._nodes.reaching(passed.whole, told=shown)
            if whole is NOTHING:
                continue
            in_short = passed.in_short or len(known) >= _MOST_IN_FULL
            whole = self._in_short(whole) if in_short else whole
            if whole in known and whole in looked_at:
                continue
            if passed.own is not None and (
                not self._may_be_of(passed.own, owner)
                or any(REST in found.object.path for found in objects(whole))
            ):
                continue
            looked_at.add(whole)
            if reason := self._within(whole, shown, in_short):
                reason = dataclasses.replace(reason, place=passed.place)
                if reason.other is not None or not in_short:
                    return reason
                doubt = doubt or reason  # another way may show it
            again = passed.scope in passed.around
            if again:
                whole = without(whole, self._is_surely_none)
                whole = flat(whole) if len(known) < _MOST_EXACT else roughly(whole)
            elif len(known) >= _MOST_EXACT and _are_apart(whole):
                whole = roughly(whole)
            if whole not in known:
                first = next(iter(objects(whole)), None)
                if again and len(known) >= _MOST_STATES and first is not None:
                    return doubt if shown else _Reason(first, None, passed.place)
                known.add(whole)
                passed = dataclasses.replace(passed, whole=whole, in_short=in_short)
                waiting.append(self._passed_on(passed))
        return doubt

    def _in_short(self, whole: Held) -> Held:
        """The same, of what is made with the outermost call alone that leads to it.

        A function that is called in many ways makes as many results, which are told apart where
        they are known to be objects. Parts of two others may be taken for one part.
        """

        def change(each: Held) -> Held:
            own = each.object
            if own is None or not isinstance(own.root, MadeBy) or len(own.root.within) < 2:
                return each
            if self._nodes.is_told(own.root):
                return each
            root = dataclasses.replace(own.root, within=own.root.within[:1])
            return dataclasses.replace(each, object=dataclasses.replace(own, root=root))

        return mapped(whole, change)

    def _passed_on(self, passed: _Passed) -> Iterator[_Passed]:
        """What calls of a function pass in the place of a value."""
        around = passed.around | {passed.scope}
        for each in self._calls.of(passed.scope, passed.whole, passed.own):
            place = Place(each.scope.module, each.line)
            yield _Passed(each.scope, each.whole, place, around, each.own, passed.in_short)

    def _may_be_of(self, own: Held, class_name: str) -> bool:
        """Whether an object may be one of a class, or of a class below it."""
        if own.object is None:
            return True
        place = own.object.place
        values = self._evaluator.values(place.scope, place.expr)
        known = [value.class_name for value in values if isinstance(value, Instance)]
        hierarchy = self._evaluator.hierarchy
        return (
            len(known) < len(values)
            or not known
            or any(
                class_name in hierarchy.ancestry(name).classes
                or name in hierarchy.ancestry(class_name).classes
                for name in known
            )
        )

    def gives_back(self, scope: Scope, name: str, known: bool) -> bool:
        """Whether a function returns what it is passed by that name, a part of it or its State.

        Args:
            known: what it is passed is an object, or holds one, whatever else is not known of it.
        """
        if self._never_ran.gave_back(scope, name):
            return False
        passed = Variable(scope, name, 0)
        # `return model, run(model)` says so by itself: what `run` gives may take minutes.
        function = self._evaluator.project.function(scope)
        if _is_named_in(function.yields or function.returns, name):
            direct = self._objects.held(scope, ir.Name(name))
            if self._is_given(direct, passed, known):
                return True
        return self._is_given(self._objects.returned(scope), passed, known)

    def _is_given(self, whole: Held, passed: Variable, known: bool) -> bool:
        for found in objects(whole, guessed=True):
            if self._nodes.is_open(found.object):
                return True
            if found.object.root == passed:
                place = found.object.place
                if is_in_variable(self._evaluator, place):
                    continue
                values = self._evaluator.values(place.scope, place.expr)
                if (known and is_unknown(values)) or self._nodes.may_be_node(values):
                    return True
        return False

    def is_in_both(self, one: Found, other: Found) -> bool:
        """Whether it may be an object of nnx, or hold one, and so may what it is a part of."""
        same = one.object.path == other.object.path
        if same and (self._is_read_as_data(one.object) or self._is_read_as_data(other.object)):
            return False
        return all(map(self._nodes.is_node, (one.object,) if same else (one.object, other.object)))

    def _is_read_as_data(self, one: Object) -> bool:
        """Whether it is told as the attribute that it is, which is known to be no object of nnx."""
        match one.place.expr:
            case ir.Attribute(name=name) if one.path[-1:] == (name,):
                return self._is_surely_none(one)
            case _:
                return False

    def _is_surely_none(self, one: Object) -> bool:
        """Whether it is known what it is, and that is no object of nnx and holds none."""
        values = self._evaluator.values(one.place.scope, one.place.expr)
        return bool(values) and not is_unknown(values) and not self._nodes.may_be_node(values)
