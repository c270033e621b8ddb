"""What calls give: what a constructor makes and keeps, what a function returns."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from nnx_migrate.analysis.callgraph.binding import argument_for, caught
from nnx_migrate.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    Located,
    Scope,
    scope_around,
)
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.interp.record_fields import fields_of, init_only, new_containers
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import CACHES
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    Anything,
    Held,
    MadeBy,
    Object,
    Variable,
    either,
    element,
    is_some,
    mapped,
    step,
    together,
)
from nnx_migrate.analysis.points_to.container_calls import (
    LIKE,
    SAME,
    given_by_library,
    given_by_method,
    library_name,
    makes_named_tuple,
)
from nnx_migrate.analysis.points_to.containers.cached import made_once
from nnx_migrate.analysis.points_to.containers.displays import container
from nnx_migrate.analysis.points_to.containers.elements import any_element, sliced
from nnx_migrate.analysis.points_to.containers.places import as_passed
from nnx_migrate.analysis.points_to.containers.under_transforms import (
    given_through,
    is_followed,
    may_give_objects,
)
from nnx_migrate.analysis.points_to.plain_calls import plainer
from nnx_migrate.analysis.points_to.queries import LAST, Objects
from nnx_migrate.analysis.points_to.widening import are_few, summarized
from nnx_migrate.analysis.symbols.reaching_definitions import meant_at

#: What makes a function of a generator that `with` enters.
_MANAGING = frozenset({"contextlib.contextmanager", "contextlib.asynccontextmanager"})
#: So many parts of what a function of another file gives are followed.
_MOST_ELSEWHERE = 400
_NOTHING_KNOWN: Mapping[str, Held] = {}


def called(objects: Objects, scope: Scope, call: ir.Call, at: float) -> Held:
    """What a call gives, or what stands in the place of one."""
    func, args = call.func, call.args
    if func == ir.ANNOTATED:
        return objects.held(scope, args[1], at) if len(args) > 1 else NOTHING
    if func == ir.SLICED:
        return sliced(objects.held(scope, args[0], at), args[1:], Located(scope, call))
    if func == ir.ENTERED:
        return _entered(objects, scope, call, at)
    if func == ir.OPERATED:
        return NOTHING
    if other := plainer(objects.project, scope, call):
        return objects.held(scope, other, at)
    if isinstance(func, ir.Attribute):
        found = given_by_method(objects, scope, func, call, at)
        if found is not None:
            return found
    func = meant_at(objects.project, scope, func, call.line)
    dotted = library_name(objects, scope, func)
    known = None if dotted is None else given_by_library(objects, scope, call, dotted, at)
    if known is not None:
        return known
    class_name = objects.hierarchy.class_name(scope, func)
    if class_name is None:
        return _function_result(objects, scope, call, func, at)
    if objects.project.member(class_name):
        return _given_elsewhere(objects, scope, call, func, at)
    return _constructed(objects, scope, call, class_name, at)


def _given_elsewhere(
    objects: Objects, scope: Scope, call: ir.Call, func: ir.Expr, at: float
) -> Held:
    """What a call of a function of another file gives, where that is not too much to follow."""
    made = Held(Object(MadeBy(scope, call), (), Located(scope, call)))
    if not may_give_objects(objects, scope, call):
        return made
    found = _function_result(objects, scope, call, func, at)
    return found if are_few(found, _MOST_ELSEWHERE) else made


def _entered(objects: Objects, scope: Scope, call: ir.Call, at: float) -> Held:
    """What `with manager as name` binds: of what a call makes nobody knows what that enters."""
    (manager,) = call.args
    entered = objects.held(scope, manager, at)
    if by_method := _given_by_entering(objects, scope, call, entered):
        return either(by_method)
    if entered.is_container:  # a generator function
        return element(entered, Located(scope, call))
    makes = isinstance(manager, ir.Call) and library_name(objects, scope, manager.func) not in SAME
    made = entered.object is not None and isinstance(entered.object.root, MadeBy)
    return NOTHING if makes and made else entered


def _given_by_entering(objects: Objects, scope: Scope, call: ir.Call, entered: Held) -> list[Held]:
    """What `__enter__` of a class of the project gives."""
    found = []
    for value in in_order(objects.evaluator.values(scope, call.args[0])):
        if isinstance(value, Instance) and layer_of(value.class_name) is None:
            method = objects.hierarchy.method(value.class_name, "__enter__")
            if isinstance(method, Scope):
                via = scope, call
                found.append(given_by(objects, method, {0: entered}, ir.UNSEEN, via))
    return found


def _constructed(objects: Objects, scope: Scope, call: ir.Call, class_name: str, at: float) -> Held:
    made = Object(MadeBy(scope, call), (), Located(scope, call))
    if layer_of(class_name) is not None:
        return Held(made, _kept_by_layer(objects, scope, call, class_name, at))
    hierarchy = objects.hierarchy
    closed = hierarchy.kind(class_name) == "plain" and not hierarchy.is_tree(class_name)
    method = hierarchy.method(class_name, "__init__")
    own = Held(made)
    parts: dict[str, list[Held]] = {}
    if not isinstance(method, Scope):
        fields = _fields(objects, scope, call, class_name, at)
        method = hierarchy.method(class_name, "__post_init__")
        if not isinstance(method, Scope):
            own = Held(made, fields, closed=closed)
            return _with_elements(objects, scope, call, class_name, own, at)
        own = Held(made, fields)
        parts = {name: [part] for name, part in fields}
    parameters = objects.project.function(method).parameters
    for place, held, _ in objects.stored(method, parameters[0].name) if parameters else ():
        given = in_terms_of(objects, method, held, call, {0: own}, (scope, call), at)
        parts.setdefault(".".join(place), []).append(given)
    kept = tuple((place, either(each)) for place, each in parts.items())
    return Held(made, kept, closed=closed)


def _with_elements(
    objects: Objects, scope: Scope, call: ir.Call, class_name: str, own: Held, at: float
) -> Held:
    """An object of a class below a list or the like, with what it is made of."""
    for above in objects.hierarchy.ancestry(class_name).classes:
        if above in {"builtins.list", "builtins.dict", *LIKE}:
            return either([own, given_by_library(objects, scope, call, above, at) or NOTHING])
    return own


def _kept_by_layer(
    objects: Objects, scope: Scope, call: ir.Call, class_name: str, at: float
) -> tuple[tuple[str, Held], ...]:
    layer = layer_of(class_name)
    if layer is None or "argument" not in layer.attributes.values():
        return ()
    args = call.args[:1] if layer.name == "ModelAndOptimizer" else call.args
    parts = container(objects, scope, args, at).parts
    if len(parts) == 1 and parts[0][1].is_container:
        parts = parts[0][1].parts
    named = [(name or "", v) for name, v in call.keywords if name != "rngs"]
    held = ((name, objects.held(scope, value, at)) for name, value in named)
    return (*parts, *held)


def _fields(
    objects: Objects, scope: Scope, call: ir.Call, class_name: str, at: float
) -> tuple[tuple[str, Held], ...]:
    """What a dataclass or a NamedTuple is given."""
    names = [each.name for each in fields_of(objects.evaluator, class_name)]
    if not names:
        return ()
    made = sorted(new_containers(objects.evaluator, class_name))
    given = container(objects, scope, call.args, at).parts
    parts = [(name, part) for name, (_, part) in zip(names, given, strict=False)]
    parts += [(name or "", objects.held(scope, v, at)) for name, v in call.keywords]
    passed_on = init_only(objects.evaluator, class_name)
    given_by_name = {name for name, _ in parts}
    parts += [(name, NOTHING) for name in made if name not in given_by_name]
    return tuple(part for part in parts if part[0] not in passed_on)


def _function_result(
    objects: Objects, scope: Scope, call: ir.Call, func: ir.Expr, at: float
) -> Held:
    """What a call of a function gives, or of an object.

    Args:
        func: what its name means where it is called.
    """
    made = Held(Object(MadeBy(scope, call), (), Located(scope, call)))
    if makes_named_tuple(objects, scope, func):
        given = [("", objects.held(scope, value, at)) for _, value in call.keywords]
        return together([*container(objects, scope, call.args, at).parts, *given])
    options: list[Held] = []
    values = objects.evaluator.values(scope, func)
    for value in in_order(values):
        if isinstance(value, ClassValue):  # `cls(...)`, or a class from a table
            options.append(_constructed(objects, scope, call, value.class_name, at))
        if isinstance(value, Instance) and layer_of(value.class_name) is None:
            method = objects.hierarchy.method(value.class_name, "__call__")
            if isinstance(method, Scope):
                value = FunctionValue(method, "", bound=True)
        if not isinstance(value, FunctionValue):
            continue
        through = not set(value.transforms) <= CACHES | _MANAGING
        if through and not (
            is_followed(objects, value, scope, call)
            and may_give_objects(objects, scope, call, anything=False)
        ):
            continue
        first: dict[int, Held] = {}
        if value.bound:
            first = {0: objects.held(scope, _own_object(func), at)}
        via = scope, call
        held = given_by(objects, value.scope, first, call, via, at, value.partial_args)
        if not CACHES.isdisjoint(value.transforms):
            held = made_once(objects, value.scope, held, via, at)
        if through:
            held = given_through(value, held, Located(scope, call))
        options.append(held)
    return either(options) if options else made


def _own_object(method: ir.Expr) -> ir.Expr:
    """The object of which a method is called: `base` of `base.method` and `getattr(base, name)`."""
    match method:
        case ir.Attribute(base=base) | ir.Call(func=ir.Name(id="getattr"), args=(base, *_)):
            return base
        case _:
            return method


def what_is_returned(objects: Objects, scope: Scope) -> Held:
    """What a function returns, or yields, in terms of its parameters."""
    function = objects.project.function(scope)
    if function.yields:
        yields = [objects.held(scope, each) for each in function.yields]
        return together(("", part) for part in yields)
    return either(objects.held(scope, each) for each in function.returns)


def given_by(
    objects: Objects,
    function: Scope,
    first: dict[int, Held],
    call: ir.Call,
    via: tuple[Scope, ir.Call] | None,
    at: float = LAST,
    bound: int = 0,
) -> Held:
    """What a call of a function gives.

    Args:
        function: which one.
        first: what its first parameters are bound to: the object of a method.
        call: the call.
        via: where that stands; None where all calls give the same.
        at: the line.
        bound: how many arguments a partial passes that is not seen here.
    """
    return in_terms_of(objects, function, objects.returned(function), call, first, via, at, bound)


def in_terms_of(
    objects: Objects,
    callee: Scope,
    held: Held,
    call: ir.Call,
    first: dict[int, Held],
    via: tuple[Scope, ir.Call] | None,
    at: float,
    bound: int = 0,
    known: Mapping[str, Held] = _NOTHING_KNOWN,
    in_turn: bool = False,
) -> Held:
    """What a function gives or keeps, with what a call passes in the place of parameters.

    Args:
        callee: the function.
        held: what it gives or keeps, in its own terms.
        call, first, via, at, bound: as of `given_by`.
        known: what some parameters are, whatever the call passes.
        in_turn: of what is each element in turn it is all of them.
    """
    passed = dict(known)

    def change(each: Held) -> Held:
        own = each.object
        assert own is not None
        if isinstance(own.root, Variable) and own.root.is_local_of(callee):
            return _element_of_local(own.root, each, via)
        if own.path:  # which element it is only names of the callee say
            where = via[0] if via is not None else callee
            own, known_places = as_passed(objects, own, callee, call, where, len(first) + bound)
            # What a loop around a nested function gives in turn is that when it is called, too.
            own = any_element(own, in_turn or own.home not in {callee, None}, known_places)
            each = Held(own, each.parts, each.way, each.closed)
        match own.root:
            case MadeBy(outermost=(made_in, _)):
                if made_in != callee or via is None:
                    return each
                if via in own.root.within:
                    # By a call within a call, and so on without end: the outermost is told apart.
                    return dataclasses.replace(each, object=None)
                root = MadeBy(own.root.scope, own.root.call, (via, *own.root.within))
                made = Object(root, own.path, own.place, own.label)
                return Held(made, each.parts, each.way, each.closed)
            case Variable(scope=scope, name=variable, within=within):
                if within or scope != callee:
                    return each
                if variable not in passed:
                    where = via[0] if via is not None else callee
                    passed[variable] = passed_for(
                        objects, callee, variable, call, first, where, at, bound
                    )
                found = passed[variable]
                for name in own.path:
                    found = step(found, name, own.place)
                return found
            case Anything():
                return each

    found = mapped(held, change)
    return found if via is None else summarized(found, via)


def _element_of_local(root: Variable, part: Held, via: tuple[Scope, ir.Call] | None) -> Held:
    """An element of what a variable of a function means, as the code that calls it sees it.

    Of the variable itself nothing is said: it may be bound again, to what holds what it was. Nor is
    anything of what a function that calls itself had in an inner round.
    """
    own = part.object
    around = {root.scope, *(where for where, _ in root.within)}
    if own is None or via is None or via[0] in around or not any(map(is_some, own.path[:1])):
        return dataclasses.replace(part, object=None)
    root = dataclasses.replace(root, within=(via, *root.within))
    return dataclasses.replace(part, object=dataclasses.replace(own, root=root))


def passed_for(
    objects: Objects,
    callee: Scope,
    name: str,
    call: ir.Call,
    first: dict[int, Held],
    where: Scope,
    at: float,
    bound: int,
) -> Held:
    """What a call passes for a parameter.

    Args:
        name: the parameter.
        where: where the call stands.
        callee, call, first, at, bound: as of `in_terms_of`.
    """
    function = objects.project.function(callee)
    parameter = next((each for each in function.parameters if each.name == name), None)
    if parameter is None:
        return NOTHING
    place = function.parameters.index(parameter)
    if place in first:
        return first[place]
    if bound:
        return NOTHING
    if parameter.kind == "star":
        rest = caught(function, parameter, call, len(first)).elements
        return container(objects, where, rest, at)
    if parameter.kind == "double_star":
        names = {each.name for each in function.parameters}
        named = [(k, objects.held(where, v, at)) for k, v in call.keywords if k not in names]
        if len(named) == 1 and named[0][0] is None:
            return named[0][1]
        parts = [[(k, held)] if k or not held.is_container else held.parts for k, held in named]
        return together((k or "", held) for several in parts for k, held in several)
    argument = argument_for(function.parameters, parameter, call, len(first), placed=True)
    if argument is not None:
        return objects.held(where, argument, at)
    hidden = any(k is None for k, _ in call.keywords)
    if parameter.default is None or hidden:
        return NOTHING
    return objects.held(scope_around(callee, function), parameter.default)
