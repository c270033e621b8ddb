"""Why objects may share something."""

from __future__ import annotations

import enum

from nnx_migrate.core.refusal import Cause


@enum.unique
class TogetherCause(Cause):
    """Why two objects may be one, or hold something in common."""

    MAKER_HIDDEN = "the code that creates {text} is out of sight"
    PART_OF_OTHER = "one is a part of the other, or may be stored in it"
    OTHER_FUNCTIONS = "they are parameters of different functions"
    MADE_BY_ONE_CALL = "one call creates both"
    OTHER_PARAMETER = "{name} is a parameter of another function"
    MAY_HOLD_OLDER = "objects created in {place} may hold older ones"
    IN_OTHER_FILE = "{function} is a function of another file"
    USED_AS_VALUE = (
        "{function} is also used as a value in this file, so any call may pass one for both"
    )
    ARGUMENTS_HIDDEN = "the code does not show everything that it passes"
    OF_CALL = "for the call in {place}, {reason}"
    NO_CALL = "no call of {function} is seen"
