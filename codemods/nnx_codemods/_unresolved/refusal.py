"""Why code that the analysis cannot resolve keeps graph mode."""

from __future__ import annotations

import enum

from nnx_migrate.core.refusal import Cause


@enum.unique
class UnresolvedCause(Cause):
    """What is not resolved; {what} is told by the analysis."""

    COMPUTED_HIDDEN = (
        "which function of nnx {text} is cannot be seen: name it, or all that it may be"
    )
    COMPUTED_NOT_IN_COMPAT = (
        "{text} may be {names}, of which not all are in nnx.compat; name them apart"
    )
    COMPUTED = "{text} is one of {names}"
    NOT_LOOKED_AT = (
        "{package} is not part of the project, and its code was not looked at: where {called} "
        "calls functions of nnx on what it is given, tree mode raises"
    )
    REACHES = (
        "{package} is not part of the project, and {called} reaches {what} with what it is given: "
        "tree mode raises there"
    )
    NOT_ALL_SEEN = (
        "{package} is not part of the project, and not all that {called} runs was seen: {what}; "
        "where it calls functions of nnx on what it is given, tree mode raises"
    )
    HANDED_OUT = (
        "{seen}, for {reason}; put nnx.set_graph_mode(True) around the call, unless {package} is "
        "known to work in tree mode"
    )
    EFFECT = (
        "unknown effect on {name}: {what} ({place}); annotate what it is, or name what is called, "
        "where neither changes structure"
    )
    EFFECT_BY = (
        "unknown effect on {name}: {what} ({place}); it may be {function}, where {does} ({where}); "
        "annotate what it is, or name what is called, where neither changes structure"
    )
