"""Which of the Rngs that no method reads again leave their Modules, and which stay, and why.

Nothing that is computed changes, but the paths of a State do, so somebody has to allow it: what a
call leaves in its Modules is compared with the old code by `nnx-migrate check`, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nnx_migrate.analysis.domain.values import Instance, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.classes.held import classes_held
from nnx_migrate.rewrite.classes.rngs_readers import Read, is_read_by_methods, possible_reader
from nnx_migrate.rewrite.classes.unread_rngs import UnreadRngs, kept_by_name, may_keep, unread_rngs
from nnx_migrate.rewrite.classes.whole_states import StateReaders
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.drops import Drops

_OBJECTS = frozenset({"module", "metric"})
_Stored = tuple[Scope, str]


def plan_drops(contexts: Sequence[FileContext]) -> Drops:
    """Decide which Rngs leave the Modules of a project: those without which nothing is shared.

    Args:
        contexts: of the files that may change.
    """
    keeping = [each for each in contexts if may_keep(_record(each))]
    if not keeping:
        return Drops()
    # What other files are read for is kept by the context that they are read for.
    context = keeping[0]
    if not any(each.options.allows(Permission.DROP_RNGS) for each in keeping):
        by_name = [kept for each in keeping for kept in kept_by_name(_record(each))]
        modules = frozenset(each.tree.module for each in keeping)
        taken = StateReaders(context, modules, frozenset()).first()
        if taken is not None:  # what is taken is not known: it may be of any class
            return Drops(
                stays={name: taken for name, _ in by_name},
                unread=frozenset(stored for _, stored in by_name),
            )
    found: dict[_Stored, UnreadRngs] = {}
    allowing: set[_Stored] = set()
    for each in keeping:
        kept = {k.stored: k for k in unread_rngs(each) if not is_read_by_methods(each, k)}
        found |= kept
        if each.options.allows(Permission.DROP_RNGS):
            allowing.update(kept)
    return _decided(context, found, frozenset(allowing)) if found else Drops()


def _record(context: FileContext) -> ir.ModuleIndex:
    return context.project.modules[context.tree.module]


def _decided(
    context: FileContext, found: Mapping[_Stored, UnreadRngs], allowing: frozenset[_Stored]
) -> Drops:
    helpful = _helpful(context, found)
    why = _possible_readers(context, {stored: found[stored] for stored in helpful})
    allowed = {s: found[s] for s in helpful if s in allowing}
    wanted = helpful if len(allowed) == len(helpful) else _helpful(context, allowed)
    stays = {found[s].of: why[s] or _moves_paths(found[s]) for s in helpful if s not in wanted}
    return Drops({stored: why[stored] for stored in sorted(wanted)}, stays, frozenset(found))


def _moves_paths(kept: UnreadRngs) -> Refusal:
    return Read.LEAVES_STATE.about(attribute=kept.attribute)


def _helpful(context: FileContext, unread: Mapping[_Stored, UnreadRngs]) -> frozenset[_Stored]:
    """Those of which a class is rid of all that it holds twice, if all of them go."""
    if not unread:
        return frozenset()
    analysis, hierarchy = context.analysis, context.evaluator.hierarchy
    without = analysis.sharing_without(frozenset(unread))
    found: set[_Stored] = set()
    for name in hierarchy.all_classes:
        if hierarchy.kind(name) not in _OBJECTS:
            continue
        made = frozenset({Instance(name)})
        if analysis.sharing.of(made) and not without.of(made):
            held = set(_with_bases(context, name))
            found.update(stored for stored, kept in unread.items() if kept.of in held)
    return frozenset(found)


def _with_bases(context: FileContext, name: str) -> Iterator[str]:
    """A class, all that its objects hold, and what these inherit from."""
    held = classes_held(context.evaluator, frozenset({Instance(name)}))
    for each in {name, *held}:
        yield from context.evaluator.hierarchy.ancestry(each).classes


def _possible_readers(
    context: FileContext, unread: Mapping[_Stored, UnreadRngs]
) -> dict[_Stored, Refusal | None]:
    """What may read each of them, or takes it with all other Variables of an object."""
    if not unread:
        return {}
    keeping = {kept.of for kept in unread.values()}
    holders = {
        name
        for name in context.evaluator.hierarchy.all_classes
        if keeping.intersection(_with_bases(context, name))
    }
    modules = frozenset(kept.init.module for kept in unread.values())
    taken = StateReaders(context, modules, frozenset(holders)).first()
    if taken is not None:
        return dict.fromkeys(unread, taken)
    return {stored: possible_reader(context, kept) for stored, kept in unread.items()}
