"""When a Variable can be set in place, where a method puts a new one of the same type there."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import ARRAY, PLAIN, short_name
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.passed_on import writes_in
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.classes.rngs_readers import may_be
from nnx_migrate.rewrite.classes.variables.candidates import (
    ReplacedVariable,
    value_given,
    variable_made,
)
from nnx_migrate.rewrite.classes.whole_states import lets_through
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import NotRewritten

#: Stores that put another object there; the rest gives the same one other contents.
_REPLACING = frozenset({"set", "augment", "delete", "outer"})
#: Methods of classes that decide themselves what an attribute is.
_OWN_ACCESS = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__delattr__"})
#: What gives a Variable metadata that a new one would not have, or a reference for its value.
_METADATA = frozenset(
    {"set_metadata", "with_metadata", "with_partitioning", "with_logical_partitioning"}
    | {"VariableMetadata", "var_defaults", "use_hijax", "use_refs", "use_eager_sharding"}
)
#: Classes of flax whose Variables are what they are made of, and nothing else.
_PLAIN_VARIABLES = frozenset(
    {"Variable", "Param", "BatchStat", "Cache", "Intermediate", "MetricState"}
)
_BY_NAME = frozenset({"getattr", "setattr", "delattr", "attrgetter", "__setattr__", "__delattr__"})
#: What reads the value of what it is given, and keeps no Variable.
_NUMERIC = ("jax.numpy.", "jax.nn.", "jax.lax.", "jax.random.", "numpy.")
_OF_NUMBERS = frozenset({"float", "int", "bool", "abs", "print", "str", "repr", "len"})


@enum.unique
class ReplacedCause(Cause):
    """Why a Variable is not set in place."""

    CLASSES = "a base class or subclass of {name} is out of sight, or makes {attribute}"
    TYPES = "{attribute} is set to other things, too"
    METADATA = "code may give Variables metadata, and a new one would have none"
    VALUE = "it is not certain that {attribute} is made of arrays"
    BEFORE = "a method may run before the constructor makes {attribute}"
    ELSEWHERE = "other code may set {attribute} ({place})"
    POPPED = "code may pop {attribute} ({place})"
    READ = "code may keep the Variable in {attribute} ({place})"


def check_in_place(context: FileContext, found: ReplacedVariable) -> None:
    """The attribute is one Variable from the constructor on, if its methods set it in place.

    Raises:
        NotRewritten: it may be another one, or none.
    """
    _check_type(context, found)
    _check_classes(context, found)
    _check_before(context, found)
    _check_files(context, found)


def _check_type(context: FileContext, found: ReplacedVariable) -> None:
    hierarchy, project = context.evaluator.hierarchy, context.project
    for each in (found.variable, *hierarchy.ancestry(found.variable).classes):
        located = project.class_of(each)
        if located is not None:  # a hook, or a value of its own
            if located[1].methods or located[1].attributes:
                raise NotRewritten(ReplacedCause.TYPES.about(attribute=found.attribute))
        elif (layer := layer_of(each)) is not None and layer.name not in _PLAIN_VARIABLES:
            raise NotRewritten(ReplacedCause.TYPES.about(attribute=found.attribute))
    if not hierarchy.ancestry(found.variable).closed:
        raise NotRewritten(ReplacedCause.TYPES.about(attribute=found.attribute))
    for store in (found.made, *found.stores):
        if variable_made(context, store) != found.variable:
            raise NotRewritten(ReplacedCause.TYPES.about(attribute=found.attribute))
        values = context.values(value_given(store))
        if not values or not values <= ARRAY | PLAIN:
            raise NotRewritten(ReplacedCause.VALUE.about(attribute=found.attribute))


def _check_classes(context: FileContext, found: ReplacedVariable) -> None:
    """Its own class alone has a constructor, and sets the attribute.

    Raises:
        NotRewritten: another one may do so.
    """
    hierarchy, project = context.evaluator.hierarchy, context.project
    below = (found.of, *hierarchy.descendants(found.of))
    related = {a for each in below for a in hierarchy.ancestry(each).classes}
    refusal = ReplacedCause.CLASSES.about(name=short_name(found.of), attribute=found.attribute)
    if not all(hierarchy.ancestry(each).closed for each in below):
        raise NotRewritten(refusal)
    stored = 0
    for each in sorted(related):
        layer, located = layer_of(each), project.class_of(each)
        if layer is not None and layer.attribute(found.attribute):
            raise NotRewritten(refusal)
        if located is None:
            continue
        module, record = located
        if _OWN_ACCESS & record.methods.keys() or found.attribute in record.methods:
            raise NotRewritten(refusal)
        if each != found.of and {"__init__", "__new__", "__post_init__"} & record.methods.keys():
            raise NotRewritten(refusal)
        if found.attribute in {*record.attributes, *record.annotations}:
            raise NotRewritten(refusal)
        for _, function in project.methods_of(module, record.key):
            stored += sum(1 for _ in _replacing(function, found.attribute))
    if stored != 1 + len(found.stores):
        raise NotRewritten(refusal)


def _replacing(function: ir.Function, attribute: str) -> Iterator[ir.Write]:
    """The stores of a method to an attribute of that name, of whichever object."""
    for write in writes_in(function):
        match write.target:
            case ir.Attribute(name=name) if name == attribute and write.how in _REPLACING:
                yield write


def _check_before(context: FileContext, found: ReplacedVariable) -> None:
    """Nothing runs a method of the object before the constructor makes the Variable.

    Raises:
        NotRewritten: something may, or the constructor may end before.
    """
    own = [*found.init.args.posonlyargs, *found.init.args.args][0].arg
    refusal = ReplacedCause.BEFORE.about(attribute=found.attribute)
    for statement in found.init.body[: found.init.body.index(found.made) + 1]:
        for node in ast.walk(statement):
            if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom):
                raise NotRewritten(refusal)
            if not (isinstance(node, ast.Name) and node.id == own):
                continue
            read = context.tree.parents[node]
            if not isinstance(read, ast.Attribute):
                raise NotRewritten(refusal)
            if isinstance(read.ctx, ast.Load) and _may_run(context, found, read.attr):
                raise NotRewritten(refusal)


def _may_run(context: FileContext, found: ReplacedVariable, name: str) -> bool:
    """Whether to read an attribute of the object may run, or give, one of its methods."""
    hierarchy = context.evaluator.hierarchy
    below = (found.of, *hierarchy.descendants(found.of))
    return any(hierarchy.method(each, name) is not None for each in below)


def _check_files(context: FileContext, found: ReplacedVariable) -> None:
    """No code keeps the Variable itself, takes it away, or says more of it than its value.

    Raises:
        NotRewritten: some may.
    """
    for record in context.project.modules.values():
        if not context.analysis.imports.in_one_program(context.tree.module, record.module):
            continue
        if record.says(_METADATA):
            raise NotRewritten(ReplacedCause.METADATA)
        if not record.says(frozenset({found.attribute, "pop", "setattr", "delattr"})):
            continue
        other = context.at(record.module)
        if other is None:
            raise NotRewritten(
                ReplacedCause.ELSEWHERE.about(Place(record.module), attribute=found.attribute)
            )
        for node, cause in _uses(other, found):
            raise NotRewritten(cause.about(other.where(node), attribute=found.attribute))


def _uses(context: FileContext, found: ReplacedVariable) -> Iterator[tuple[ast.AST, ReplacedCause]]:
    """Code of a file that may take the Variable away, or keep it."""
    for call in context.tree.of_kind(ast.Call):
        if _may_pop(context, call, found.variable):
            yield call, ReplacedCause.POPPED
        if _names(call, found.attribute):
            yield call, ReplacedCause.READ
        if _sets_by_name(call) and may_be(context, found.of, context.values(call.args[0])):
            yield call, ReplacedCause.ELSEWHERE
    own = {id(store.targets[0]) for store in (found.made, *found.stores)}
    for used in context.tree.of_kind(ast.Attribute):
        if used.attr != found.attribute or id(used) in own:
            continue
        read = isinstance(used.ctx, ast.Load)
        if read and _is_number(context, used):
            continue
        if may_be(context, found.of, context.values(used.value)):
            yield used, ReplacedCause.READ if read else ReplacedCause.ELSEWHERE
    for pattern in context.tree.of_kind(ast.MatchClass):
        if found.attribute in pattern.kwd_attrs:
            yield pattern, ReplacedCause.READ


def _may_pop(context: FileContext, call: ast.Call, variable: str) -> bool:
    name = (context.tree.nnx_name(call.func) or "").removeprefix("compat.")
    if name != "pop":
        return False
    filters = call.args[1:]
    return not filters or any(lets_through(context, each, variable) for each in filters)


def _names(call: ast.Call, attribute: str) -> bool:
    """Whether a call asks for the attribute by its name as a text."""
    if not isinstance(call.func, ast.Name | ast.Attribute):
        return False
    func = call.func.id if isinstance(call.func, ast.Name) else call.func.attr
    return func in _BY_NAME and any(
        isinstance(each, ast.Constant) and each.value == attribute for each in call.args
    )


def _sets_by_name(call: ast.Call) -> bool:
    """Whether a call sets or deletes an attribute with a computed name."""
    match call:
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[_, ast.Constant(), *_]):
            return False
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[_, *_]):
            return True
        case _:
            return False


def _is_number(context: FileContext, read: ast.Attribute) -> bool:
    """Whether what is read is used up where it stands: what keeps it keeps a value."""
    parent = context.tree.parents[read]
    match parent:
        case ast.BinOp() | ast.UnaryOp() | ast.FormattedValue():
            return True
        case ast.Compare(ops=ops):
            return not any(isinstance(each, ast.Is | ast.IsNot) for each in ops)
        case ast.Subscript(value=value) | ast.Attribute(value=value):
            return value is read
        case ast.Call(func=func) if func is read:
            return True  # a method of that name; nothing calls what a Variable has
        case ast.Call(func=func):
            dotted = context.tree.dotted(func) or ""
            plain = isinstance(func, ast.Name) and func.id in _OF_NUMBERS
            return dotted.startswith(_NUMERIC) or plain
        case _:
            return False
