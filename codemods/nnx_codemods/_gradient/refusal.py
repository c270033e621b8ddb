"""Why gradients of Modules stay in graph mode, and what becomes of those that do not."""

from __future__ import annotations

import enum

from nnx_codemods._next_steps import NextStep
from nnx_migrate.core.refusal import Cause


@enum.unique
class GradientCause(Cause):
    """How the gradient of a Module ends."""

    ARGNUMS_HIDDEN = ("argnums={text} cannot be read from the code", NextStep.WRITE_ARGNUMS)
    TWICE_IN_ARGNUMS = ("one argument is named twice in argnums", NextStep.NAME_ONCE)
    DIFF_STATE_HIDDEN = (
        "the argument number of DiffState cannot be read from the code",
        NextStep.WRITE_ARGNUMS,
    )
    CONDITIONAL = ("argnums depends on a condition", NextStep.CALL_IN_BRANCHES)
    PASSED_ON = ("{text} is passed on as a value", NextStep.CALL_GRADIENT)
    OPTIONS_HIDDEN = ("the code does not show all its options", NextStep.WRITE_OPTIONS)
    NO_MODULE = "the differentiated argument is not a Module"
    RETURNS_CAPTURED = (
        "tree mode does not return captured objects: {what}",
        NextStep.RETURN_NO_CAPTURED,
    )
    ONLY_PARAMS = "the model holds only Params, and no code depends on the type of the gradients"
    SPLIT = (
        "the Module is split, and the gradient is taken with respect to its differentiable State"
    )
    SPLIT_AND_CHECKED = (
        "the Module is split, and the gradient is taken with respect to its differentiable "
        "State; when the loss is traced, a check makes sure that it keeps the structure"
    )
