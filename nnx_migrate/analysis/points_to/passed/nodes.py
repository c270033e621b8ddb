"""Whether objects of nnx can be in a value at all, whoever passes what is in it.

Which objects a value holds, and which twice, is followed through calls one by one, each with all
that it passes. Of plain arrays that go through hundreds of functions there are thousands of ways.
Only objects of nnx are told to be there twice, so where none is on any way, no way is followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nnx_migrate.analysis.domain.components import reached_bits
from nnx_migrate.analysis.domain.containers import any_leaf
from nnx_migrate.analysis.domain.values import (
    Basic,
    Instance,
    Located,
    Scope,
    Value,
    Values,
    is_unknown,
)
from nnx_migrate.analysis.heap.reachable_variables import ContentsFinder
from nnx_migrate.analysis.heap.tied_attributes import TieFinder
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    Anything,
    Held,
    MadeBy,
    Object,
    Variable,
    step,
)
from nnx_migrate.analysis.points_to.call_results import passed_for
from nnx_migrate.analysis.points_to.containers.elements import any_element
from nnx_migrate.analysis.points_to.object_finder import ObjectFinder

#: A part of what a function is passed for a parameter.
_Part = tuple[Variable, tuple[str, ...]]
#: Bits for an object of nnx, and for what may be any objects.
_NODE, _OPEN = 1, 2
#: Parts of parts count as one beyond that.
_MOST_NAMES = 3


class PassedNodes:
    """Looks at what objects may be, and at what calls pass for the parameters among them."""

    def __init__(
        self,
        evaluator: Evaluator,
        objects: ObjectFinder,
        ties: TieFinder,
        contents: ContentsFinder,
    ) -> None:
        self._evaluator = evaluator
        self._objects = objects
        self._ties = ties
        self._contents = contents
        self._nodes: dict[Located, bool] = {}
        self._told: dict[Located, bool] = {}
        #: Of each part of a parameter what calls pass there, in bits.
        self._known: dict[_Part, int] = {}
        #: An expression that gives it.
        self._places: dict[_Part, Located] = {}
        #: What calls pass themselves, and the parts of parameters that they pass.
        self._passed: dict[_Part, tuple[int, tuple[_Part, ...]]] = {}

    def may_be_node(self, values: Values) -> bool:
        """Whether values are objects of nnx, or containers of such."""
        return any_leaf(
            values,
            lambda value: (
                self._ties.is_node(value) or value == Basic("state") or self._holds_variables(value)
            ),
        )

    def _holds_variables(self, value: Value) -> bool:
        """Whether it is a NamedTuple or another tree, with Variables somewhere in it."""
        if not isinstance(value, Instance) or not self._evaluator.hierarchy.is_plain_tree(
            value.class_name
        ):
            return False
        return bool(self._contents.of(frozenset({value})).variables)

    def is_node(self, one: Object) -> bool:
        """Whether the expression that gives an object gives one of nnx."""
        place = one.place
        if place not in self._nodes:
            values = self._evaluator.values(place.scope, place.expr)
            self._nodes[place] = self.may_be_node(values)
        return self._nodes[place]

    def is_told(self, made: MadeBy) -> bool:
        """Whether a call is known to give an object of nnx, or of any class, which may hold one."""
        place = Located(made.scope, made.call)
        if place not in self._told:
            values = self._evaluator.values(made.scope, made.call)
            has_class = any_leaf(values, lambda value: isinstance(value, Instance))
            self._told[place] = has_class or self.may_be_node(values)
        return self._told[place]

    def is_open(self, one: Object) -> bool:
        """Whether it may be any objects of nnx: nothing says that it is or holds none."""
        if not isinstance(one.root, Anything):
            return False
        values = self._evaluator.values(one.place.scope, one.place.expr)
        return not values or is_unknown(values) or self.may_be_node(values)

    def reaching(self, whole: Held, *, told: bool) -> Held:
        """A value without the parts in which no object is one of nnx, whatever calls pass there.

        Each part of a parameter counts for all that any call passes there. What a way through the
        calls finds are these objects, and parts of them by expressions that are looked at here.

        Args:
            told: what may be any objects counts for none.
        """
        wanted = _NODE if told else _NODE | _OPEN

        def reaches(one: Object) -> bool:
            return bool(wanted & self._sort(one) or wanted & self._passed_for(one))

        return _with_such(whole, reaches, {})

    def _sort(self, one: Object) -> int:
        """What an object may be, in bits."""
        return (_NODE if self.is_node(one) else 0) | (_OPEN if self.is_open(one) else 0)

    def _passed_for(self, one: Object) -> int:
        """What calls pass in the place of an object, in bits."""
        part = self._part(one)
        if part is None:
            return 0
        return reached_bits(part, self._parts_within, self._holds, self._known)

    def _part(self, one: Object) -> _Part | None:
        """The part of a parameter that an object is."""
        if not isinstance(one.root, Variable) or one.root.version:
            return None
        part = one.root, any_element(one).path[:_MOST_NAMES]
        self._places.setdefault(part, one.place)
        return part

    def _holds(self, part: _Part) -> int:
        """What any call passes there, in bits."""
        return self._given(part)[0]

    def _parts_within(self, part: _Part) -> tuple[_Part, ...]:
        """The parts of parameters of the callers that calls pass there."""
        return self._given(part)[1]

    def _given(self, part: _Part) -> tuple[int, tuple[_Part, ...]]:
        if part not in self._passed:
            holds, within = 0, dict[_Part, None]()
            for held in self._held(*part):
                for one in all_objects(held):
                    holds |= self._sort(one)
                    if (inner := self._part(one)) is not None:
                        within[inner] = None
            self._passed[part] = holds, tuple(within)
        return self._passed[part]

    def _held(self, passed: Variable, path: tuple[str, ...]) -> Iterator[Held]:
        scope, place = passed.scope, self._places[passed, path]
        is_own = self.is_first(passed)
        callers = self._evaluator.callers
        for where, call, value in (*callers.of(scope), *callers.implied(scope)):
            at = call.line
            first = {}
            if value.bound:
                first[0] = self.own_object(where, call, at) if is_own else NOTHING
            found = passed_for(
                self._objects, scope, passed.name, call, first, where, at, value.partial_args
            )
            for name in path:
                found = step(found, name, place)
            yield found

    def is_first(self, passed: Variable) -> bool:
        """Whether it is the first parameter of a function: of a method its own object."""
        parameters = self._evaluator.project.function(passed.scope).parameters
        return bool(parameters) and parameters[0].name == passed.name

    def holds_first(self, scope: Scope, whole: Held) -> bool:
        """Whether a part of the first parameter of a function may be in a value."""
        roots = {one.root for one in all_objects(whole)}
        variables = (root for root in roots if isinstance(root, Variable))
        return any(root.scope == scope and self.is_first(root) for root in variables)

    def own_object(self, where: Scope, call: ir.Call, at: float) -> Held:
        """The object of which a method is called."""
        own = call.func.base if isinstance(call.func, ir.Attribute) else ir.UNSEEN
        parameters = self._evaluator.project.function(where).parameters
        if ir.is_super(own) and parameters:
            own = ir.Name(parameters[0].name)
        return self._objects.held(where, own, at)


def all_objects(held: Held) -> Iterator[Object]:
    """All objects in a value, also in what jax does not look into: a function may unpack it."""
    seen: set[int] = set()
    waiting = [held]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen:
            seen.add(id(each))
            if each.object is not None:
                yield each.object
            waiting += each


def _with_such(held: Held, wanted: Callable[[Object], bool], done: dict[int, Held]) -> Held:
    """A value without the parts that have none of certain objects in them.

    What holds one of them stays, as messages name it. So does each of several of which it is one,
    as without the others it would be that one for sure. A part that is reached in several ways is
    one part again.
    """
    if (known := done.get(id(held))) is not None:
        return known
    found = held
    parts = tuple((name, _with_such(part, wanted, done)) for name, part in held.parts)
    kept = tuple(each for each in parts if each[1] is not NOTHING)
    if not kept and (held.object is None or not wanted(held.object)):
        found = NOTHING
    elif held.way != "some" and kept != held.parts:
        found = Held(held.object, kept, held.way, held.closed)
    done[id(held)] = found
    return found
