"""Attributes that a constructor settles: `self.sow_weights = sow_weights`, and nobody sets again.

What an object makes for itself, and asks for nothing, does not sow whoever made the object:
`self.encoder = Encoder(rngs=rngs)`. Who makes objects elsewhere, and how, makes no difference.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import Located, ParameterOf, Scope
from nnx_migrate.analysis.effects.flags.own_stores import OwnStores, own_stores, put_by
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.records import record
from nnx_migrate.analysis.library.effect_model import CHANGING_METHODS

#: A parameter of a constructor that settles an attribute, or one of the answers below.
Settled = tuple[Scope, str]
#: It is always false.
NEVER: Settled = Scope("", ""), "never"
#: The object is of another class.
OTHER: Settled = Scope("", ""), "other"
#: Wrappers of a container, or of an element of one, that hold what they are given.
_HOLDING = frozenset({"List", "data"})
_BUILT_IN = frozenset({"list", "tuple", "reversed"})


@record
class Construction:
    """A call of a class of the project, and where it stands."""

    scope: Scope
    call: ir.Call
    class_name: str


def attribute_of_own(flag: str) -> str:
    """`flag` of "self.flag"; "" of a name alone."""
    return flag.partition(".")[2]


class ConstructorFlags:
    """Says by which calls objects are made, and which arguments settle their attributes."""

    def __init__(self, evaluator: Evaluation) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.hierarchy = evaluator.hierarchy
        self._own_stores: dict[str, OwnStores] = {}
        # Each effect of what a call runs asks the same of that call.
        self._known_made: dict[Located, frozenset[Construction]] = {}
        self._known_setting: dict[str, frozenset[str]] = {}

    def owner(self, scope: Scope) -> str:
        """The class that a method is of, "" of another function."""
        owner = self.project.function(scope).owner
        return f"{scope.module}:{owner}" if owner else ""

    def is_own(self, scope: Scope, expr: ir.Expr) -> bool:
        """Whether it is the name of a method's own object, in the method itself."""
        function = self.project.function(scope)
        if not function.owner or not function.parameters or not isinstance(expr, ir.Name):
            return False
        own = function.parameters[0].name
        bindings = self.project.bindings(scope, own)
        return expr.id == own and bindings == [ParameterOf(scope, function.parameters[0])]

    def is_own_method(self, scope: Scope, func: ir.Attribute) -> bool:
        """Whether it is a method of the object whose method the code stands in."""
        method = self.hierarchy.method(self.owner(scope), func.name)
        return self.is_own(scope, func.base) and isinstance(method, Scope)

    def are_of_one_object(self, one: Scope, other: Scope) -> bool:
        """Whether two methods are of one class, or of one that is above the other."""
        classes = self.owner(one), self.owner(other)
        if not all(classes):
            return False
        above = [self.hierarchy.ancestry(each).classes for each in classes]
        return classes[0] in above[1] or classes[1] in above[0]

    def made(self, scope: Scope, expr: ir.Expr) -> frozenset[Construction]:
        """All calls that may make what an expression gives; none where others may."""
        asked = Located(scope, expr)
        if asked not in self._known_made:
            found = frozenset(self._made(scope, expr, frozenset()))
            known = frozenset[Construction]() if None in found else frozenset(filter(None, found))
            self._known_made[asked] = known
        return self._known_made[asked]

    def _made(
        self, scope: Scope, expr: ir.Expr, seen: frozenset[tuple[Scope, ir.Expr]]
    ) -> Iterator[Construction | None]:
        if (scope, expr) in seen:
            return
        seen |= {(scope, expr)}
        match expr:
            case ir.Constant(type="none"):
                return
            case ir.Element(base=base) | ir.Unpacked(base=base):
                yield from self._inside(scope, base, seen)
            case ir.Call(func=ir.ANNOTATED, args=(_, value)):
                yield from self._made(scope, value, seen)
            case ir.Call(func=func, args=args):
                class_name = self.hierarchy.class_name(scope, func)
                if class_name is not None and self.project.class_of(class_name) is not None:
                    yield Construction(scope, expr, class_name)
                elif len(args) == 1 and self.project.nnx_name(scope, func) == "data":
                    yield from self._made(scope, args[0], seen)
                else:
                    yield None
            case _:
                sources = self._sources(scope, expr)
                if not sources:
                    yield None
                for source in sources:
                    yield from self._made(source.scope, source.expr, seen)

    def _inside(
        self, scope: Scope, expr: ir.Expr, seen: frozenset[tuple[Scope, ir.Expr]]
    ) -> Iterator[Construction | None]:
        """The same of the elements of a container."""
        if (scope, expr) in seen:
            return
        match expr:
            case ir.Sequence(elements=elements):
                for each in elements:
                    if isinstance(each, ir.Starred):
                        yield from self._inside(scope, each.value, seen)
                    else:
                        yield from self._made(scope, each, seen)
            case ir.Iterated(base=ir.Call(func=ir.Name(id="enumerate"), args=args)):
                yield from self._inside(scope, args[0], seen)
            case ir.Call(func=ir.ANNOTATED, args=(_, held)):
                yield from self._inside(scope, held, seen)
            case ir.Call(func=func, args=(held,)) if self._holds(scope, func):
                yield from self._inside(scope, held, seen)
            case ir.Attribute() | ir.Name():
                seen |= {(scope, expr)}
                sources = self._sources(scope, expr)
                if not sources:
                    yield None
                for source in sources:
                    yield from self._inside(source.scope, source.expr, seen)
            case _:
                yield None

    def _holds(self, scope: Scope, func: ir.Expr) -> bool:
        if isinstance(func, ir.Name) and func.id in _BUILT_IN:
            return not self.project.bindings(scope, func.id)
        return self.project.nnx_name(scope, func) in _HOLDING

    def _sources(self, scope: Scope, expr: ir.Expr) -> list[Located]:
        """What a name or an own attribute is bound to, or gets; nothing where that is not sure."""
        match expr:
            case ir.Attribute(base=base, name=name) if self.is_own(scope, base):
                return self._stored(self.owner(scope), name)
            case ir.Name(id=name):
                return self._bound(scope, name)
            case ir.Choice(options=options):
                return [Located(scope, each) for each in options]
            case _:
                return []

    def _bound(self, scope: Scope, name: str) -> list[Located]:
        found: list[Located] = []
        for bound in self.project.bindings(scope, name):
            if not isinstance(bound, Located):
                return []
            found.append(bound)
            for inner in self.project.within(bound.scope):
                for write in self.project.function(inner).writes:
                    if write.target == ir.Name(name) and write.value is not None:
                        found.append(Located(inner, put_by(write)))
        return found

    def _stored(self, class_name: str, name: str) -> list[Located]:
        """What the classes of an object, and those below, store in an attribute of it."""
        if self.setting(name):
            return []
        return self._stored_by_classes(class_name, name)

    def _stored_by_classes(self, class_name: str, name: str) -> list[Located]:
        """The same, whoever else may set it."""
        if not class_name:
            return []
        below = self.hierarchy.descendants(class_name)
        above = self.hierarchy.ancestry(class_name)
        if not above.closed or not all(self.hierarchy.ancestry(each).closed for each in below):
            return []
        found: list[Located] = []
        for each in dict.fromkeys((*above.classes, *below)):
            stored = self._stored_in(each, name)
            if stored is None:
                return []
            found += stored
        return found

    def _stored_in(self, class_name: str, name: str) -> list[Located] | None:
        """What the body and the methods of a class store in an attribute; None for anything."""
        located = self.project.class_of(class_name)
        if located is None:
            return []
        module, cls = located
        if name in cls.methods:
            return None
        found = [Located(Scope(module, cls.scope), each) for each in cls.attributes.get(name, ())]
        found = [each for each in found if not _is_declared(each.expr)]
        if class_name not in self._own_stores:
            self._own_stores[class_name] = own_stores(self.project, module, cls.key)
        stored = self._own_stores[class_name].of(name)
        return None if stored is None else [*found, *stored]

    def setting(self, name: str) -> frozenset[str]:
        """The files with code that may set such an attribute, and is no method of the object."""
        if name not in self._known_setting:
            self._known_setting[name] = frozenset(self._setting(name))
        return self._known_setting[name]

    def _setting(self, name: str) -> Iterator[str]:
        mentions = self.evaluator.callers.mentions
        for scope, _ in itertools.chain(
            mentions.outside_writes(name), mentions.set_elsewhere(name)
        ):
            yield scope.module
        for scope, call in mentions.calls_with_keyword(name):
            if call_sets(call):
                yield scope.module
        for scope, call in mentions.calls_of("set_attributes"):
            if any(keyword is None for keyword, _ in call.keywords):
                yield scope.module

    def argument(self, made: Construction, owner: str, name: str) -> Settled | None:
        """What settles an attribute of what is made; None where that is not sure.

        What other code sets (`setting`) is another matter.

        Args:
            owner: the class whose method asks for it.
        """
        above = self.hierarchy.ancestry(made.class_name)
        if owner not in above.classes:
            return OTHER if above.closed else None
        init = self.hierarchy.method(made.class_name, "__init__")
        stored = [] if not above.closed else self._stored_by_classes(made.class_name, name)
        if len(stored) != 1 or stored[0].scope != init or not isinstance(init, Scope):
            return None
        value = stored[0].expr
        if isinstance(value, ir.Call) and value.func == ir.ANNOTATED:
            value = value.args[-1]
        if value in (ir.Constant("none"), ir.Constant("number", "False")):
            return NEVER
        if not isinstance(value, ir.Name):
            return None
        parameters = self.project.function(init).parameters
        given = [each for each in parameters if each.name == value.id]
        if len(given) != 1 or self.project.bindings(init, value.id) != [
            ParameterOf(init, given[0])
        ]:
            return None
        return init, value.id

    def own_attribute(self, scope: Scope, passed: ir.Expr | None) -> str:
        """The attribute of its own object that a method passes, or a parameter kept in one."""
        if isinstance(passed, ir.Attribute) and self.is_own(scope, passed.base):
            return passed.name
        function = self.project.function(scope)
        if function.name != "__init__" or not isinstance(passed, ir.Name):
            return ""
        kept = (
            write.target.name
            for write in function.writes
            if isinstance(write.target, ir.Attribute)
            and self.is_own(scope, write.target.base)
            and write.how == "set"
            and write.value == passed
        )
        return next(kept, "")


def call_sets(call: ir.Call) -> bool:
    """Whether it is of a method that sets attributes by keywords: `model.set_attributes(n=1)`."""
    return ir.last_name(call.func) in CHANGING_METHODS


def _is_declared(expr: ir.Expr) -> bool:
    """Whether it is a lone `name: bool`."""
    return isinstance(expr, ir.Call) and expr.func == ir.ANNOTATED and len(expr.args) == 1
