"""Why an Rngs stays where it is."""

from __future__ import annotations

import ast
import enum

from nnx_migrate.core.refusal import Cause, Refusal
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import NotRewritten


class NotLifted(NotRewritten):
    """What is missing for the parts of a Module to be handed their Rngs."""


@enum.unique
class RngsCause(Cause):
    """What stands in the way."""

    NO_CLASS_OF_MODULE = "{name} is not a class of the module, or one of several with that name"
    IS_DECORATED = "{name} is decorated, or made with options"
    NOT_MODULE_ALONE = "{name} does not inherit from nnx.Module alone"
    HAS_SUBCLASSES = "other classes inherit from {name}"
    NO_PLAIN_CONSTRUCTOR = "{name} has no plain constructor"
    OWN_ATTRIBUTE_ACCESS = "{name} defines its own attribute access"
    RNGS_BESIDE = "the call passes an Rngs and an object that keeps one"
    NOT_SEEN_IN_FILE = "this file does not show how {name} keeps its Rngs"
    KEYWORD_PASSED = "a call of a {name} already passes {keyword}, or may pass it"
    IN_F_STRING = "an f-string reads it ({place})"
    IS_EXPORTED = "{name} is in __all__"
    OF_PACKAGE = "a package exports {name}"
    USED_IN_FILE = "{path} may also use {name}"
    PARTS_WALKED = "{path} finds parts of Modules by {word}"
    OWN_BOUND_ANEW = "{name}.{method} rebinds {own}"
    CLASS_SETS = "the class {name} defines {attribute} itself"
    MORE_THAN_METHODS = "the body of {name} has more than methods"
    HANDED_ON = "{name}.{method} passes {own} on ({place})"
    READS_DICT = "{name}.{method} reads __dict__"
    SET_ANEW = "{name} sets {attribute} again ({place})"
    METHOD_OF_MORE_THAN_CALLED = "{method} of {name} is also used as a value ({place})"
    NO_PLAIN_METHOD = "{method} is not a plain method"
    METHOD_DECORATED = "{method} is decorated ({place})"
    SPECIAL_METHOD_DRAWS = "{method} draws from the Rngs ({place})"
    KEYWORD_TAKEN = "{keyword} already means something else in {method} ({place})"
    TAKES_ALL_KEYWORDS = "{method} takes all keywords ({place})"
    FILE_NOT_SEEN = "nnx-migrate cannot see what {path} does with {attribute}"
    USES_ATTRIBUTE = "{name} uses {attribute}"
    USES_ON_ITSELF = "{name} uses {function} of its own object"
    MAY_BE_OWNERS = "{text} may belong to a {name} ({place})"
    ASKED_FOR = "{text} reads it ({place})"
    MADE_NOWHERE = "no code in this file creates a {name}"
    SEVERAL_GIVEN = "{name} passes several Rngs to its parts"
    ATTRIBUTE_TAKEN = "{attribute} is something else in {name}"
    OF_EXPRESSION = "for {text}, {why} ({place})"
    MORE_THAN_MADE = "the code uses it beyond creating it"
    NOT_IN_CONSTRUCTOR = "code other than a constructor creates it"
    ARGUMENTS_UNPACKED = "its arguments are unpacked"
    OTHER_RNGS = "it does not get the Rngs of the object that creates it"
    OTHERS_IN_CONTAINER = "its container also holds other objects"
    NOT_KEPT = "it is not stored in an attribute, or in a list there"
    NAME_BOUND_ANEW = "{name} is rebound"
    SET_TO_OTHER = "{attribute} is also set to something else"
    NOT_ALL_KNOWN = "some of its possible values are unknown"
    METHOD_MORE_THAN_CALLED = "its method {name} is also used as a value"
    PART_MORE_THAN_CALLED = "a {name} is also used as a value"
    OUTSIDE_OF_METHOD = "it is called outside of a method"
    MORE_THAN_GONE_THROUGH = "the code does more than loop over its parts"
    SILENCED = "a comment keeps {name} as it is"
    SEVERAL_CLASSES = "several classes keep it"
    SEVERAL_OWNERS = "several classes create a {name}"
    OWNER_KEEPS = "{name} keeps it too"
    OWNER_INSIDE = "{name} is itself a part of another object"
    MADE_IN_SEVERAL_LINES = "several statements create what {attribute} holds"
    NOT_MADE_ALWAYS = "the constructor creates {attribute} in a branch, or in nested lists"
    FIRST_MAY_BE_NONE = "the list {attribute} may be empty, and other parts keep it too"
    GIVEN_TO_JAX = "{text} may get an object that holds them ({place})"
    FIRST_KEEPS = "only the first {name} of {owner} keeps the Rngs"
    LIFTED = "{name} gets the Rngs of {owners} at its calls, and keeps none"
    TAKEN_APART = "the code unpacks its parts"


def not_lifted(context: FileContext, node: ast.expr, why: Refusal) -> NotLifted:
    """That an expression stands in the way.

    Args:
        node: the expression, of the file of `context`.
        why: what is wrong with it.
    """
    text = context.text.of(node)
    return NotLifted(RngsCause.OF_EXPRESSION.about(context.where(node), text=text, why=why))
