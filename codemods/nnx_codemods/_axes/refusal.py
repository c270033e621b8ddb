"""Why prefix filters stay, and what becomes of them where they do not."""

from __future__ import annotations

import enum

from nnx_codemods._next_steps import NextStep
from nnx_migrate.core.refusal import Cause


@enum.unique
class AxisCause(Cause):
    """How a site with prefix filters ends."""

    BUILT_ELSEWHERE = (
        "{text} is built in a way that cannot be read from the code",
        NextStep.WRITE_FILTERS,
    )
    FILTERS_HIDDEN = (
        "the filters of {class_name} cannot be read from the code",
        NextStep.WRITE_FILTERS,
    )
    FILTERS_GO_ON = ("the filters of {class_name} continue after `...`", NextStep.DOTS_LAST)
    OPTIONS_HIDDEN = ("the code does not show all its options", NextStep.WRITE_OPTIONS)
    FOR_ALL_ARGUMENTS = ("{class_name} stands for all arguments at once", NextStep.WRITE_AXES)
    SOWN_AXES = (
        "its axes are also for Variables that the function sows, which need nnx.capture",
        NextStep.CAPTURE_SOWN,
    )
    MAY_BE_HIDDEN = (
        "{class_name} may be among options that the code does not show",
        NextStep.WRITE_OPTIONS,
    )
    MAY_BE_PASSED_ON = ("{text} is passed on, perhaps with {class_name}", NextStep.NAME_TRANSFORM)
    AXIS_NOT_WRITTEN = (
        "an axis is not written out, and None or Carry would need another rewrite",
        NextStep.WRITE_NUMBERS,
    )
    RESULTS_CARRIED = "results are carried by a prefix filter"
    CARRY_IS_NO_AXIS = "nnx.Carry is not an axis of this transform"
    PLACES_CHANGE = "arguments are static or donated by number or name, and their places change"
    ARGUMENT_RETURNED = (
        "{name}, an argument of the function, is in its result ({place})",
        NextStep.RETURN_COMPUTED,
    )
    CARRY_DOES_NOT_FIT = ("the result of the scan does not fit its carry", NextStep.RETURN_CARRY)
    SPLIT = "each group of Variables is an argument or a result with its own axis"
    CARRIED = "the scan carries the State that StateAxes carried"
