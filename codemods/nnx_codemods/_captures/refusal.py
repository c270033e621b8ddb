"""Why what a traced function captures is not passed to it, and what is said where it is."""

from __future__ import annotations

import enum

from nnx_codemods._captures.by_hand import ByHand
from nnx_migrate.core.refusal import Cause


@enum.unique
class CaptureCause(Cause):
    """How a captured object ends; {what} is told by the analysis."""

    PASSED = "{names} is now an argument"
    CARRIED = "{names} is now part of the carry"
    PASSED_TO_EVAL_SHAPE = "{text} is now an argument of eval_shape"
    MAY_NOT_BE_UPDATED = "the captured object may or may not be updated: unchanged"
    ONLY_READ = "the function only reads the captured object, which works in both modes"
    UPDATES = (
        "{function} updates {updated} ({what}, {place}), but does not get it as an argument. That "
        "raises TraceContextError in both modes. nnx-migrate cannot pass {names}: {reason}"
    )
    BOUND_UPDATES = (
        "{names} updates the object that it is bound to ({what}, {place}), and {transform} does "
        "not get that object as an argument. That raises TraceContextError in both modes. "
        "nnx-migrate cannot pass the object: {reason}"
    )
    CALLED_UPDATES = (
        "{function}, which the traced function calls, updates {name} ({what}, {place}), but does "
        "not get it as an argument. That raises TraceContextError in both modes. nnx-migrate "
        "cannot pass {name}: {reason}"
    )
    GLOBAL_UPDATED = (
        "the function updates {which} ({what}, {place}{way}), but does not get it as an "
        "argument. That raises TraceContextError in both modes",
        ByHand.PASS_ON,
    )
    OF_NNX = "nnx-migrate does not replace jax.{name} with nnx.{name}"
    NOT_OF_NNX = "nnx has no {name} that works in both modes"
    MAY_CHANGE = (
        "the object may change between its calls, and a compiled function does not see that"
    )
    RETURNS_OBJECT = "it returns an object, or its State, which nnx and jax do differently"
    SOWS = "tree mode does not keep what a transform sows on its arguments"
    EFFECT = "{what} ({place})"
    HELD_BY_DEFAULT = "{name} holds an object by default"
    IS_PARTIAL = "{name} is a partial of the object"
    IN_HOLDERS = "the objects are reached through a container or a bound method"
    NOT_FOLLOWED = "nnx-migrate cannot follow how {name} holds an object"
    FUNCTION_CAPTURES = "the function {name} uses an object from outside too"
    CODE_UNKNOWN = "the code that {name}() runs is unknown"
    IS_PART = "{name} is a part of {holder}"
    SAME_HELD = "{name} and {other} hold the same object"
    MAY_BE_ONE = "{name} and {other} may be one object or share Variables: {reason}"
    PASSED_MAY_SHARE = "{text}, which is passed already, may share Variables with it: {reason}"
    MODULE_HIDDEN = "nnx-migrate cannot see what functions of {place} read from outside"
    READ_OUTSIDE = "{text} is read from outside ({place}) too"
    OTHER_AT_CALL = "{name} is something else where the function is called"
    CAPTURED_AROUND = "a function around the loop captures {name} too"
    CALLER_CAPTURES = "it is called with an object that the caller captures ({place})"
    STATIC_IN_JAX = "a transform of jax traces {function} with static arguments"
    BOUND_BEFORE = "{name} is bound to {function} before it is called"
    METHOD_TRACED = "{function} is traced as a method of an object from outside"
    METHOD_HANDED_ON = "{function} is passed on as a method of an object"
