"""What may be meant by a name that is computed when the program runs: `getattr(m, f"block{i}")`."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    Instance,
    Located,
    ParameterOf,
    Scope,
    Values,
)
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.ir import nodes as ir

#: Modules of libraries in whose functions nothing of the program is kept: `getattr(nnx, "gelu")`
#: may do anything to what it is given, and nothing to an object that only holds it.
FUNCTIONS_BY_NAME = frozenset({"flax.nnx", "jax.nn", "jax.numpy"})
#: Where a file has these, its classes may store something under any name.
_STORING_BY_NAME = frozenset({"__dict__", "vars"})
#: Where these are used, attributes may be set under any name.
_SETTING_BY_NAME = ("__dict__", "vars", "__setattr__", "set_attributes", "__getattr__")


def literal_names(evaluator: Evaluation, scope: Scope, expr: ir.Expr) -> frozenset[str] | None:
    """The texts that an expression can be; None where they are not all in sight."""
    names: set[str] = set()
    sources = [Located(scope, expr)]
    seen = set(sources)
    for source in sources:  # grows while it is walked
        match source.expr:
            case ir.Constant(type="str", text=text) if text:
                names.add(text)
                continue
        more = _sources(evaluator, source)
        if not more:
            return None
        for each in more:  # thousands where many calls pass one: hashed once
            known = len(seen)
            seen.add(each)
            if len(seen) > known:
                sources.append(each)
    return frozenset(names) or None


def _sources(evaluator: Evaluation, place: Located) -> list[Located]:
    """The expressions one of which an expression stands for; none where that is not seen."""
    scope = place.scope
    match place.expr:
        case ir.Choice(options=parts) | ir.Element(base=ir.Sequence(elements=parts)):
            return [Located(scope, part) for part in parts]
        case ir.Element(base=ir.Name(id=name)):
            match evaluator.project.bindings(scope, name):
                case [Located(scope=around, expr=ir.Sequence() as held)]:
                    return [Located(around, ir.Element(held))]
        case ir.Name(id=name):
            found: list[Located] = []
            for binding in evaluator.project.bindings(scope, name):
                if isinstance(binding, Located):
                    found.append(binding)
                    continue
                passed = list(_passed(evaluator, binding))
                if not passed:
                    return []
                found += passed
            return found
        case ir.Attribute(base=base, name=name):
            return _stored_texts(evaluator, scope, base, name)
    return []


def _stored_texts(evaluator: Evaluation, scope: Scope, base: ir.Expr, name: str) -> list[Located]:
    """What an attribute can be: what classes bind it to, and what code in sight stores there."""
    found: list[Located] = []
    for value in evaluator.values(scope, base):
        if not isinstance(value, Instance) or value.probable:
            return []
        # A mixin may have it from a class that stands beside it.
        related = map(evaluator.hierarchy.ancestry, evaluator.hierarchy.classes_of(value))
        for class_name in dict.fromkeys(each for above in related for each in above.classes):
            if not _shows_what_it_stores(evaluator, class_name, name):
                return []
            found += evaluator.stored(class_name, name)
    mentions = evaluator.callers.mentions
    for where, write in (*mentions.outside_writes(name), *mentions.set_elsewhere(name)):
        found += [Located(where, write.value)] if write.value is not None else []
    # `setattr(self, self.kind, x)` must not store in `kind` itself.
    itself = any(isinstance(each.expr, ir.Constant) and each.expr.text == name for each in found)
    return [] if itself else found


def _shows_what_it_stores(evaluator: Evaluation, class_name: str, name: str) -> bool:
    """Whether an attribute of a class is plain, and nothing is stored in it by a computed name.

    What is named by the attribute itself (`setattr(self, self.kind, x)`) is another attribute.
    """
    located = evaluator.project.class_of(class_name)
    if not evaluator.hierarchy.ancestry(class_name).closed:
        return False
    if located is None:
        return True
    module, record = located
    if record.decorators or record.keywords or name in {*record.methods, *record.annotations}:
        return False
    for _, function in evaluator.project.methods_of(module, record.key):
        for call in function.calls:
            match call:
                case ir.Call(func=ir.Name(id="setattr"), args=(_, key, _)):
                    if not isinstance(key, ir.Attribute) or key.name != name:
                        return False
                case ir.Call(func=ir.Attribute(name="__setattr__" | "set_attributes")):
                    return False
    return not evaluator.project.modules[module].says(_STORING_BY_NAME)


def _passed(evaluator: Evaluation, binding: ParameterOf) -> Iterator[Located]:
    """What the calls in sight pass for a parameter, and its default when there is such a call."""
    function = evaluator.project.function(binding.scope)
    found = list(evaluator.callers.arguments(binding.scope, function, binding.parameter))
    called = found or evaluator.callers.of(binding.scope)
    yield from found
    if called and binding.parameter.default is not None:
        yield Located(binding.scope, binding.parameter.default)


def methods_by_any_name(evaluator: Evaluation, instance: Instance) -> Iterator[str]:
    """The names of the methods that the project's classes of an object define."""
    classes = evaluator.hierarchy.ancestry(instance.class_name).classes
    if not instance.exact:
        classes += evaluator.hierarchy.descendants(instance.class_name)
    for class_name in dict.fromkeys(classes):
        located = evaluator.project.class_of(class_name)
        for name in located[1].methods if located is not None else ():
            if not name.startswith("__"):
                yield name


def stored_by_any_name(evaluator: Evaluation, instance: Instance) -> Values:
    """What the object's own methods store in it under names that they compute."""
    found: Values = NOTHING
    for class_name in evaluator.hierarchy.ancestry(instance.class_name).classes:
        located = evaluator.project.class_of(class_name)
        if located is None:
            continue
        for key, function in evaluator.project.methods_of(located[0], located[1].key):
            for value in _stored(function):
                found |= evaluator.values(Scope(located[0], key), value)
    return found


def beginning(evaluator: Evaluation, scope: Scope, expr: ir.Expr) -> str:
    """What a text that is computed begins with, `f"block{i}"` or `"block" + name`; else ""."""
    if isinstance(expr, ir.Name):
        bound = evaluator.project.bindings(scope, expr.id)
        if len(bound) != 1 or not isinstance(bound[0], Located):
            return ""
        expr = bound[0].expr
    match expr:
        case ir.Computed(operands=(ir.Constant(type="str", text=text), *_)):
            return text
        case _:
            return ""


def attributes_beginning(
    evaluator: Evaluation, instance: Instance, start: str
) -> frozenset[str] | None:
    """The names of an object's attributes that begin like that, but for those that its own methods
    compute; None where there may be others."""
    if not start or any(map(evaluator.project.has_word, _SETTING_BY_NAME)):
        return None
    if any(name.startswith(start) for name in evaluator.callers.mentions.names_written_outside()):
        return None
    if any(not _is_own(evaluator, *row) for row in evaluator.callers.mentions.calls_of("setattr")):
        return None
    found: set[str] = set()
    hierarchy = evaluator.hierarchy
    for class_name in hierarchy.classes_of(instance):
        if not hierarchy.ancestry(class_name).closed:
            return None
        for above in hierarchy.ancestry(class_name).classes:
            located, layer = evaluator.project.class_of(above), layer_of(above)
            of_flax = layer.structural_methods | layer.attributes.keys() if layer else frozenset()
            if any(name.startswith(start) for name in of_flax):
                return None
            if located is not None:
                module, record = located
                found |= {*record.methods, *record.attributes, *record.annotations}
                for _, method in evaluator.project.methods_of(module, record.key):
                    found |= _written(method)
    return frozenset(name for name in found if name.startswith(start))


def _is_own(evaluator: Evaluation, scope: Scope, call: ir.Call) -> bool:
    """Whether it is `setattr(self, ...)`, in a method, or names the attribute in sight."""
    function = evaluator.project.function(scope)
    own = function.parameters[:1] if function.owner is not None else ()
    match call.args:
        case (_, ir.Constant(text=name), _) if name:
            return True
        case (first, *_):
            return any(first == ir.Name(parameter.name) for parameter in own)
        case _:
            return False


def _written(method: ir.Function) -> set[str]:
    own = ir.Name(method.parameters[0].name) if method.parameters else None
    targets = [each.target for each in method.writes]
    return {t.name for t in targets if isinstance(t, ir.Attribute) and t.base == own}


def _stored(method: ir.Function) -> Iterator[ir.Expr]:
    own = ir.Name(method.parameters[0].name) if method.parameters else None
    for call in method.calls:
        match call:
            case ir.Call(func=ir.Name(id="setattr"), args=(base, name, value)):
                if base == own and not isinstance(name, ir.Constant):
                    yield value
