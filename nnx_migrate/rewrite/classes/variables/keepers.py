"""What may keep a Variable behind the back of its object: a State, a copy, another object."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Instance, short_name
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Cause, Refusal
from nnx_migrate.rewrite.classes.held import classes_held
from nnx_migrate.rewrite.classes.rngs_readers import may_be
from nnx_migrate.rewrite.classes.variables.candidates import ReplacedVariable
from nnx_migrate.rewrite.classes.whole_states import StateReaders
from nnx_migrate.rewrite.model.context import FileContext

#: What makes a second object of the same Variables, or looks at all that an object has.
_SHARING = frozenset(
    {"copy", "deepcopy", "view", "with_attributes", "merge", "iter_graph", "iter_modules"}
    | {"iter_children", "recursive_map", "vars", "__dict__", "tree_map", "ToTree", "to_arrays"}
    | {"as_pure", "call", "pickle", "attrgetter", "eval", "exec"}
)
_CLONES = frozenset({"flax.nnx.clone", "flax.nnx.compat.clone"})


@enum.unique
class Keeping(Cause):
    """Why more than its object may have a Variable."""

    NAMED = "{path} has code that may keep Variables of {name}: {word}"
    COMPUTED = "{text} may return the Variable ({place})"


def first_keeper(context: FileContext, found: ReplacedVariable) -> Refusal | None:
    """What may keep the Variable that a method replaces; None where nothing does, in sight."""
    module = context.tree.module
    for record in context.project.modules.values():
        if not context.analysis.imports.in_one_program(module, record.module):
            continue
        for word in sorted(_SHARING.intersection(record.words)):
            name = short_name(found.of)
            return Keeping.NAMED.about(path=record.path, name=name, word=word)
    other = next(_other_ways(context, found), None)
    if other is not None:
        return other
    readers = StateReaders(context, frozenset({module}), _holders(context, found), found.variable)
    return readers.first()


def _other_ways(context: FileContext, found: ReplacedVariable) -> Iterator[Refusal]:
    """Attributes of such an object that are asked for by computed names, and copies of objects
    that keep the Variables."""
    mentions, evaluator = context.evaluator.callers.mentions, context.evaluator
    for scope, call in mentions.calls_of("getattr"):
        match call.args:
            case (_, ir.Constant(), *_):
                continue
            case (given, *_) if may_be(context, found.of, evaluator.values(scope, given)):
                yield Keeping.COMPUTED.about(Place(scope.module, call.line), text="getattr")
    for scope, call in mentions.calls_with_keyword("variables"):
        if context.project.dotted(scope, call.func) in _CLONES:
            yield Keeping.COMPUTED.about(Place(scope.module, call.line), text="clone")


def _holders(context: FileContext, found: ReplacedVariable) -> frozenset[str]:
    """The class with all below it, and all that may hold objects of one of them."""
    hierarchy = context.evaluator.hierarchy
    own = {found.of, *hierarchy.descendants(found.of)}

    def holds(name: str) -> bool:
        return bool(own & classes_held(context.evaluator, frozenset({Instance(name)})))

    return frozenset(own | {name for name in hierarchy.all_classes if holds(name)})
