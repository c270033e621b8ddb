"""Why what an expression gives is not known: one table, and the values made of it."""

from __future__ import annotations

import enum
import functools

from nnx_migrate.analysis.domain.values import (
    NAMED_AT_RUN_TIME,
    Basic,
    Hidden,
    Values,
    short_name,
)


class Unknown(enum.Enum):
    """A reason; names in braces stand for what it is about.

    Behind the words stands what kind of code hides the value, where a person can do something about
    it.
    """

    words: str
    hidden: Hidden

    NOT_RESOLVED = "not resolved"
    NOT_FOUND = "it was not found"
    CALLED_NOT_FOUND = "the called code was not found"
    TAKER_NOT_IN_PROJECT = "the function that gets it is not defined in the project"
    SEVERAL_MEANINGS = "several meanings"
    NAME_WITH_MEANINGS = "{name} has several meanings"
    NOT_BOUND = "{name} is not bound in this file"
    TOO_MANY = "too many possibilities"
    IN_A_CIRCLE = "it is defined in terms of itself"
    BRANCH = "what a branch gives"
    WITH_STATEMENT = "what a with statement gives"
    UNPACKED_ARGUMENTS = "the call unpacks its arguments from a sequence"
    NO_CALL_SHOWS = (
        "no call of {function} in this project shows what {parameter} is",
        "parameter",
    )
    BY_NAME = NAMED_AT_RUN_TIME + ", by {function}()", "run time"

    # Results of calls.
    RESULT = "the result of {name}", "result"
    RESULT_OF_CALLING = "the result of calling {name}", "result"
    RESULT_OF_DECORATED = "the result of a decorated function", "result"
    RESULT_OF_TYPE = "the result of type()"
    RESULT_OF_GETATTR = "the result of getattr()"
    UNEXPECTED_CALL = "a call of something unexpected"
    GIVEN = "whatever is given"
    ERROR = "an error"
    GRADIENT = "a gradient"
    ABSTRACT_MODEL = "an abstract model"
    KEPT_BY_LIBRARY = "an argument that the library keeps"
    MODULE_AS_FUNCTION = "a Module used as a function"
    TRANSFORM_OF_UNKNOWN = "a transform of something unknown"
    TRANSFORM_OF_OTHER = "a transform of {name}, which is not in the project"

    # Parts of objects and of containers.
    ATTRIBUTE = "attribute {name} of {owner}", "attribute"
    ATTRIBUTE_OF_CLASS = "{name} of a class"
    ATTRIBUTE_OF_LIBRARY = "its {name}"
    OLDER_ATTRIBUTE = "{name} of nnx.{layer}, which newer versions of Flax do not have"
    HELD_BY_VARIABLE = "what a Variable of a State holds"
    ENUM_MEMBER = "a member of an Enum"
    SUPER_OUTSIDE = "super() outside of a method"
    SUPER_NOT_DEFINED = "super().{name} is not defined in the project"
    SLICE = "a slice of something unknown"
    NESTED = "containers in containers"
    ELEMENT = "an element of an unknown container", "element"
    LIBRARY_ELEMENT = "an element of a library container", "element"

    # Classes and annotations.
    DECISIVE_ARGUMENTS = "a {name} with arguments that decide what it holds"
    NO_CLASS = "the annotation is not a known class", "annotation"
    OTHER_CLASS = "{name} is not a class that this project defines", "annotation"
    PROTOCOL = "{name} is a protocol, and may be any class", "annotation"
    VAGUE = "{name} says too little", "annotation"

    def __new__(cls, words: str, hidden: Hidden = "") -> Unknown:
        """A member: by its words it is unique."""
        member = object.__new__(cls)
        member._value_ = member.words = words
        member.hidden = hidden
        return member


def unknown(why: Unknown, **names: str) -> Values:
    """The value of which nothing is known.

    Args:
        why: the reason.
        names: what it is about.
    """
    words = why.words.format(**names) if names else why.words
    return frozenset({Basic("unknown", words, why.hidden)})


# By the words alone; asked for in every round of every circle.
@functools.lru_cache(4096)
def unknown_attribute(name: str, class_name: str) -> Values:
    """An attribute of an object whose class does not show it."""
    return unknown(Unknown.ATTRIBUTE, name=name, owner=short_name(class_name))


def unknown_by_name(function: str) -> Values:
    """What a function gives for a text that is not in sight: `getattr(m, name)`."""
    return unknown(Unknown.BY_NAME, function=function)
