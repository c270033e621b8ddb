"""What the evidence of plans and of changed classes says."""

from __future__ import annotations

from nnx_migrate.core.refusal import Claim


class ClassClaim(Claim):
    """What was shown, or is taken as true, of a class that is changed."""

    OTHER_NUMBERS = "{name} may draw other random numbers"
    PATH_LEAVES_STATE = "the path {attribute} may leave nnx.state"
    NOTHING_READS = "nothing reads {attribute} of {name}, or takes it with other Variables"
    NO_OTHER_CONTAINER = "no other attribute of {name} holds a container of objects"
    NO_CONTAINER_OF_MODULES = (
        "{attribute} holds no list or dict of Modules: flax raises when {name} is made"
    )
    NOTHING_KEEPS = "nothing else has {attribute} of {name}, or a State with it"
    NOTHING_ELSE_SETS = "nothing else sets {name} or {read}"


class PlanClaim(Claim):
    """What was shown of a site by the code around it, or by runs."""

    SET_AROUND = "graph mode is set around it"
    KEEPS_AND_RETURNS_NONE = (
        "the function keeps the structure of its arguments, and returns none of them"
    )
    RAN = "this ran in {runs}"
    RAN_SOMETIMES = "this ran in {runs}, one of them {test}"
    ALWAYS_IN_TREE_MODE = "each run of this line was in tree mode"
    SOMETIMES_IN_TREE_MODE = "some runs were in tree mode"
    NEVER_UNDER_A_MESH = "no run of this line was under a mesh"
    NEVER_RAN = "{name} in {function} never ran in {runs} of it"
    NEVER_WRITTEN = "{name} was never written in {function} in {runs} of it"
    NEVER_SET = "{name} of {function} was never set in {runs} of it"
    NEVER_TOOK = "**{name} of {function} never took {keywords} in {runs} of it"
    FUNCTION_NEVER_UNDER_A_MESH = "{function} never ran under a mesh in {runs} of it"
    STRUCTURE_NEVER_CHANGED = "the structure of {name} never changed in {function} in {runs} of it"
    NEVER_HELD_TWICE = "{name} of {function} never held one thing in two places in {runs} of it"
    NEVER_HELD_PLAIN = "{name} of {function} never had a leaf that is not an array in {runs} of it"
    NEVER_GAVE_BACK = "{function} never returned {name} in {runs} of it"
    WAS_SEEN = "{name} was {what} in a recorded run of {function}"
    WAS_OF_CLASS = "{name} of {function} was {kind} in a recorded run"
