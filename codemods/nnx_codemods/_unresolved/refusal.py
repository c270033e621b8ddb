"""Why code that the analysis cannot resolve keeps graph mode."""

from __future__ import annotations

import enum

from nnx_migrate.core.refusal import Cause


@enum.unique
class UnresolvedCause(Cause):
    """What is not resolved; {what} is told by the analysis."""

    COMPUTED_HIDDEN = (
        "cannot tell which nnx function {text} is: call it by name, or from a dictionary that "
        "lists all candidates"
    )
    COMPUTED_NOT_IN_COMPAT = (
        "{text} may be {names}, and nnx.compat does not have all of these; call each by name"
    )
    COMPUTED = "{text} is one of {names}"
    NOT_LOOKED_AT = (
        "{package} is outside of the project, so its code was not read: if {called} calls nnx "
        "functions on its arguments, tree mode raises"
    )
    REACHES = (
        "{package} is outside of the project, and {called} calls {what} on its arguments: "
        "tree mode raises there"
    )
    NOT_ALL_SEEN = (
        "{package} is outside of the project, and some code that {called} runs was not found: "
        "{what}; "
        "if it calls nnx functions on its arguments, tree mode raises"
    )
    HANDED_OUT = (
        "{seen}, because {reason}; put nnx.set_graph_mode(True) around the call, unless you know "
        "that {package} works in tree mode"
    )
    FUNCTIONS_HIDDEN = "cannot tell which functions it runs"
    FUNCTION_HIDDEN = "cannot tell which function it runs: {function}"
    HANDED_ON = "cannot tell what {text} is applied to, because it is passed on as a value"
    EFFECT = "cannot tell what happens to {name}: {what} ({place})"
    UNSEEN = "what runs there is unknown: {reason}"
    MAY_BE = "it may be {function}: {does}"
