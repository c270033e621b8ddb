"""What would help Modules that keep the Rngs that they are given: to keep none, or a fork."""

from __future__ import annotations

from nnx_codemods._claims import RuleClaim
from nnx_migrate.analysis.domain.values import Instance, Values, short_name
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.rewrite.classes.held import classes_held, keeps_rngs
from nnx_migrate.rewrite.model.context import FileContext


def forks_wanted(context: FileContext, values: Values) -> tuple[Evidence, ...]:
    """What a user would have to allow for objects to share no Rngs; empty where it is none of that.

    Args:
        values: the objects that share something.
    """
    if context.options.allows(Permission.FORK_RNGS):
        return ()
    held = classes_held(context.evaluator, values)
    held |= {value.class_name for value in values if isinstance(value, Instance)}
    keeping = sorted({short_name(name) for name in held if keeps_rngs(context.evaluator, name)})
    if not keeping:
        return ()
    claim = RuleClaim.FORK_DRAWS_OTHERS.about(names=" and ".join(keeping))
    return (Evidence(str(claim), Proof.ASSUMED, None, Permission.FORK_RNGS),)


def drops_wanted(context: FileContext, values: Values) -> tuple[Evidence, ...]:
    """What a user would have to allow for classes to keep no Rngs that they do not read.

    Args:
        values: the objects that share something.
    """
    drops = context.drops
    if not drops.stays:
        return ()
    if context.analysis.sharing_without(drops.unread).of(values):
        return ()
    held = classes_held(context.evaluator, values)
    held |= {value.class_name for value in values if isinstance(value, Instance)}
    return tuple(
        Evidence(
            str(RuleClaim.RNGS_UNREAD.about(name=short_name(name), why=drops.stays[name])),
            Proof.ASSUMED,
            None,
            Permission.DROP_RNGS,
        )
        for name in sorted(held.intersection(drops.stays))
    )
