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
from nnx_migrate.analysis.ir.records import record
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
from nnx_migrate.analysis.points_to.containers.elements import all_objects, any_element
from nnx_migrate.analysis.points_to.object_finder import ObjectFinder

#: Bits for an object of nnx, and for what may be any objects.
_NODE, _OPEN = 1, 2
#: Parts of parts count as one beyond that.
_MOST_NAMES = 3


@record
class Part:
    """A part of what a function is passed for a parameter.

    Args:
        parameter: which one.
        path: the attributes that lead to it, or to what it is in.
        may_be: what an expression that gives it may be, in bits. Another expression may be known
            to be something else, so that it is another part.
    """

    parameter: Variable
    path: tuple[str, ...]
    may_be: int


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
        self._nodes: dict[Located, int] = {}
        self._told: dict[Located, bool] = {}
        #: Of each part of a parameter what calls pass there, in bits.
        self._known: dict[Part, int] = {}
        #: An expression that gives it: of those that may be the same, no answer hangs on which.
        self._places: dict[Part, Located] = {}
        #: What calls pass themselves, and the parts of parameters that they pass.
        self._passed: dict[Part, tuple[int, tuple[Part, ...]]] = {}

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
        return bool(self._may_be(one.place) & _NODE)

    def _may_be(self, place: Located) -> int:
        """What an expression may give, in bits."""
        if place not in self._nodes:
            values = self._evaluator.values(place.scope, place.expr)
            if self.may_be_node(values):
                self._nodes[place] = _NODE | _OPEN
            else:
                self._nodes[place] = _OPEN if not values or is_unknown(values) else 0
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
        return isinstance(one.root, Anything) and bool(self._may_be(one.place) & _OPEN)

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
        part = self.part(one, any_element(one).path[:_MOST_NAMES])
        if part is None:
            return 0
        return reached_bits(part, self._parts_within, self._holds, self._known)

    def part(self, one: Object, path: tuple[str, ...]) -> Part | None:
        """The part of a parameter that an object is; None for one that is made.

        Args:
            path: the names on its path that count.
        """
        root = one.root
        if not isinstance(root, Variable) or root.version:
            return None
        part = Part(root, path, self._may_be(one.place))
        self._places.setdefault(part, one.place)
        return part

    def object_of(self, part: Part) -> Object:
        """What a function finds there."""
        return Object(part.parameter, part.path, self._places[part])

    def _holds(self, part: Part) -> int:
        """What any call passes there, in bits."""
        return self._given(part)[0]

    def _parts_within(self, part: Part) -> tuple[Part, ...]:
        """The parts of parameters of the callers that calls pass there."""
        return self._given(part)[1]

    def _given(self, part: Part) -> tuple[int, tuple[Part, ...]]:
        if part not in self._passed:
            holds, within = 0, dict[Part, None]()
            for held in self._held(part):
                for one in all_objects(held):
                    holds |= self._sort(one)
                    if (inner := self.part(one, any_element(one).path[:_MOST_NAMES])) is not None:
                        within[inner] = None
            self._passed[part] = holds, tuple(within)
        return self._passed[part]

    def _held(self, part: Part) -> Iterator[Held]:
        passed = part.parameter
        is_own = self.is_first(passed)
        callers = self._evaluator.callers
        for where, call, value in (*callers.of(passed.scope), *callers.implied(passed.scope)):
            at = call.line
            first = {}
            if value.bound:
                first[0] = self.own_object(where, call, at) if is_own else NOTHING
            found = passed_for(
                self._objects, passed.scope, passed.name, call, first, where, at, value.partial_args
            )
            for name in part.path:
                found = step(found, name, self._places[part])
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
