"""Why a mode is not set before the calls of a function."""

from __future__ import annotations

import enum

from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.decisions import NotRewritten


class NotHoisted(NotRewritten):
    """What is missing for a mode to be set before the calls of a function."""


@enum.unique
class ModeCause(Cause):
    """What stands in the way; {what} is told by the analysis."""

    EFFECT = "{what} ({place})"
    GIVEN_NOT_CLEAR = "its argument in line {line} is not clear"
    NO_NAME_IN_CALL = "the object has no name in the call (line {line})"
    MADE_BY_CODE = "code may compute the result of {text}"
    NOT_HOISTED = "the mode is not set before the calls: {why}"
    MAY_DEPEND = "{text} may depend on it (line {line})"
