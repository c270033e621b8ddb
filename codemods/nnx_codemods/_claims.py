"""What the evidence of the rules says."""

from __future__ import annotations

from nnx_migrate.core.refusal import Claim


class RuleClaim(Claim):
    """What was shown, or is taken as true; the causes of what follows stand with the rules."""

    # About arguments and classes.
    ARGUMENT_IS = "argument {index} is {kinds}"
    CLASS_UNKNOWN = "the class of argument {index} is unknown: {because}"
    KEEPS_STRUCTURE = "the function keeps the structure of argument {index}"
    NOTHING_IN_SIGHT_CHANGES = "no code in sight changes the structure of argument {index}"
    PARTS_UNKNOWN = "some of its parts are unknown: {why}"
    PASSED_PARTS_UNKNOWN = "the parts of {text}, which is passed already, are unknown"
    DROPS_UPDATES = "{text} is already an argument: jax drops its updates, and nnx would keep them"
    LAZY = "nnx.bridge.lazy_init runs it, and {name} may hold a ToNNX"
    NO_PYTREE = "{name} cannot become a pytree: {why}"
    HOLDS_VARIABLES = "{name} holds Variables, and {because}"

    # About calls and results.
    RETURNED = "{name} is returned"
    PASSED_TWICE = "{argument} is passed twice"
    REASSIGNED = "all calls assign the result to the name that they pass"
    REASSIGNED_WITH_STATE = "all calls assign {model} and its State to names"
    ALL_PASS = "all calls pass {source}"
    NEW_CARRY = "the body creates a new carry"
    UPDATES_ALONE = "the function only updates Variables of its arguments"
    FUNCTIONS_UNKNOWN = "its functions are not known"
    NAME_UNKNOWN = "{text} is not known"

    # About the Rngs that objects keep.
    RNGS_STAY = "the Rngs of the parts cannot move to their owner: {why}"
    ALL_KEEP = "the first of the parts cannot keep the Rngs alone: {why}"
    CALLED_BY_OWNER = "{owner} makes each {name}, and nothing else in the project calls one"
    NO_OUTSIDE_USE = "no code outside of this file creates or calls {name}"
    FORK_DRAWS_OTHERS = "{names} may keep a fork of the Rngs, and then draw other random numbers"
    RNGS_UNREAD = "{name} keeps an Rngs that its methods do not read: {why}"

    # About sown values and the mode.
    POPPED_BEHIND = "the sown values are popped after the call"
    PUT_BACK = "the popped values are put back on the object"
    SAME_PASS_BEFORE = "the same forward pass before it creates the perturbations"
    POPPED_OR_UNSEEN = "they are popped after it, or no other code sees them"
    FREE_BEFORE = "no code before it depends on the mode"
    SET_BEFORE = "it is set before this call"

    # About what flax does.
    CUSTOM_VJP = "it is nnx.custom_vjp"
    PARTIAL_SAME = "functools.partial gives the same results in both modes"
    SHARDINGS_MAY_BE_READ = "code may read the shardings of what it gives"
    COPY_IN_BODY = "with a copy in the body, both modes give the results of graph mode"
    DONATED = "the donated parameters are {names}"
    NAMES_PARTITION = "the metadata names a partition"
