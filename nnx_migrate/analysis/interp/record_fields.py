"""Fields of classes that have no constructor of their own: dataclasses, NamedTuples."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.binding import argument_for
from nnx_migrate.analysis.domain.values import Instance, Located, Scope, Values
from nnx_migrate.analysis.domain.witnesses import in_order, with_one_witness
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import is_new_container


def passed_for_field(evaluator: Evaluation, class_name: str, name: str) -> Iterator[Located]:
    """What the calls in sight of a class, and of those below it, pass for one of its fields."""
    callers, hierarchy = evaluator.callers, evaluator.hierarchy
    for made in hierarchy.descendants(class_name):
        named = name in hierarchy.fields(made)
        fields = fields_of(evaluator, made) if named else ()
        field = next((each for each in fields if each.name == name), None)
        for where, call in callers.constructing(made) if field is not None else ():
            assert field is not None
            given = argument_for(fields, field, call)
            if given is not None:
                yield Located(where, given)
            else:
                hidden = [value for keyword, value in call.keywords if keyword is None]
                yield from (Located(where, ir.Element(value)) for value in hidden)
        yield from _made_by_default(evaluator, made, name)


def seen_among(evaluator: Evaluation, passed: Values) -> Values:
    """Objects of the project among what calls pass for what may be anything.

    Others may pass anything: this adds what one of them does to what is not known of the rest.
    """
    seen: dict[str, Instance] = {}
    for value in in_order(with_one_witness(passed)):
        if isinstance(value, Instance) and evaluator.project.class_of(value.class_name):
            known = seen.setdefault(value.class_name, value)
            seen[value.class_name] = min(known, value, key=lambda v: sorted(v.keywords))
    return frozenset(seen.values())


def fields_of(evaluator: Evaluation, class_name: str) -> tuple[ir.Parameter, ...]:
    """The fields in the order of the arguments, those of base classes first."""
    names = evaluator.hierarchy.fields(class_name)
    return tuple(ir.Parameter(name, "positional", None, None) for name in names)


def init_only(evaluator: Evaluation, class_name: str) -> frozenset[str]:
    """Arguments of a dataclass that only its `__post_init__` gets: `rngs: InitVar[nnx.Rngs]`."""
    found: dict[str, bool] = {}
    for above in reversed(evaluator.hierarchy.ancestry(class_name).classes):
        located = evaluator.project.class_of(above)
        if located is None:
            continue
        scope = Scope(located[0], located[1].scope)
        for name, annotation in located[1].annotations.items():
            found[name] = evaluator.project.dotted(scope, annotation) == "dataclasses.InitVar"
    return frozenset(name for name, only in found.items() if only)


def new_containers(evaluator: Evaluation, class_name: str) -> frozenset[str]:
    """Fields that hold a new container where no call passes one: `field(default_factory=dict)`."""
    return frozenset(
        name
        for above in evaluator.hierarchy.ancestry(class_name).classes
        if (located := evaluator.project.class_of(above)) is not None
        for name in located[1].annotations
        for made in _made_by_default(evaluator, above, name)
        if is_new_container(made.expr)
    )


def _made_by_default(evaluator: Evaluation, class_name: str, name: str) -> Iterator[Located]:
    """What `field(default_factory=Net)` makes."""
    located = evaluator.project.class_of(class_name)
    if located is None:
        return
    scope = Scope(located[0], located[1].scope)
    for value in located[1].attributes.get(name, ()):
        match value:
            case ir.Call(func=ir.Name(id="<annotated>"), args=(_, ir.Call() as made)):
                for keyword, factory in made.keywords:
                    if keyword in _MAKING:
                        call = ir.Call(factory, (), (), made.line)
                        yield Located(scope, call if keyword == "default_factory" else factory)


#: Keywords of `field()` that say what a field is that no call passes.
_MAKING = frozenset({"default", "default_factory"})
