"""Why code that the analysis cannot resolve keeps graph mode."""

from __future__ import annotations

import enum

from nnx_codemods._next_steps import NextStep
from nnx_migrate.core.refusal import Cause


@enum.unique
class UnresolvedCause(Cause):
    """What is not resolved; {what} is told by the analysis."""

    COMPUTED_HIDDEN = ("cannot tell which nnx function {text} is", NextStep.CALL_BY_NAME)
    COMPUTED_NOT_IN_COMPAT = (
        "{text} may be {names}, and nnx.compat does not have all of these",
        NextStep.CALL_NNX_BY_NAME,
    )
    COMPUTED = "{text} is one of {names}"
    NOT_LOOKED_AT = (
        "{package} is outside of the project, so nnx-migrate did not read its code. If {called} "
        "calls nnx functions on its arguments, tree mode raises, because it does not allow shared "
        "objects: {reason}",
        NextStep.SET_AROUND,
    )
    REACHES = (
        "{package} is outside of the project, and {called} calls {what} on its arguments. Tree "
        "mode raises there, because it does not allow shared objects: {reason}",
        NextStep.SET_AROUND,
    )
    NOT_ALL_SEEN = (
        "{package} is outside of the project, and nnx-migrate did not find some code that "
        "{called} runs: {what}. If that calls nnx functions on its arguments, tree mode raises, "
        "because it does not allow shared objects: {reason}",
        NextStep.SET_AROUND,
    )
    FUNCTIONS_HIDDEN = "cannot tell which functions it runs"
    FUNCTION_HIDDEN = "cannot tell which function it runs: {function}"
    HANDED_ON = "cannot tell what {text} is applied to, because it is passed on as a value"
    EFFECT = "cannot tell what happens to {name}: {what} ({place})"
    UNSEEN = "what runs there is unknown: {reason}"
    MAY_BE = "it may be {function}: {does}"
