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

    NO_CLASS_OF_MODULE = "{name} is no class of the module, or one of several of that name"
    IS_DECORATED = "{name} is decorated, or made with options"
    NOT_MODULE_ALONE = "{name} is not made from nnx.Module alone"
    HAS_SUBCLASSES = "other classes are made from {name}"
    NO_PLAIN_CONSTRUCTOR = "{name} has no plain constructor"
    OWN_ATTRIBUTE_ACCESS = "{name} says itself what its attributes are"
    RNGS_BESIDE = "an Rngs goes in beside what keeps one"
    NOT_SEEN_IN_FILE = "how {name} keeps its Rngs is not to be seen in this file"
    KEYWORD_PASSED = "a call of a {name} passes {keyword} already, or may"
    IN_F_STRING = "an f-string reads it ({place})"
    IS_EXPORTED = "{name} is in __all__"
    OF_PACKAGE = "{name} is offered by a package"
    USED_IN_FILE = "{name} may be used in {path} too"
    PARTS_WALKED = "{path} finds parts of Modules by {word}"
    OWN_BOUND_ANEW = "{name}.{method} binds {own} anew"
    CLASS_SETS = "the class {name} says itself what {attribute} is"
    MORE_THAN_METHODS = "{name} has more than methods"
    HANDED_ON = "{name}.{method} hands {own} on ({place})"
    READS_DICT = "{name}.{method} reads __dict__"
    SET_ANEW = "{name} sets {attribute} anew ({place})"
    METHOD_OF_MORE_THAN_CALLED = "{method} of {name} is more than called ({place})"
    NO_PLAIN_METHOD = "{method} is no plain method"
    METHOD_DECORATED = "{method} is decorated ({place})"
    SPECIAL_METHOD_DRAWS = "{method} draws from the Rngs ({place})"
    KEYWORD_TAKEN = "{keyword} is another name in {method} ({place})"
    TAKES_ALL_KEYWORDS = "{method} takes all keywords ({place})"
    FILE_NOT_SEEN = "what {path} does with {attribute} is not seen"
    USES_ATTRIBUTE = "{name} uses {attribute}"
    USES_ON_ITSELF = "{name} uses {function} of its own object"
    MAY_BE_OWNERS = "{text} may be that of a {name} ({place})"
    ASKED_FOR = "{text} asks for it ({place})"
    MADE_NOWHERE = "nothing in this file makes a {name}"
    SEVERAL_GIVEN = "{name} gives its parts several"
    ATTRIBUTE_TAKEN = "{attribute} is something else in {name}"
    OF_EXPRESSION = "of {text}, {why} ({place})"
    MORE_THAN_MADE = "it is more than made"
    NOT_IN_CONSTRUCTOR = "it is made by something else than a constructor"
    ARGUMENTS_UNPACKED = "its arguments are unpacked"
    OTHER_RNGS = "it is not given the Rngs of what makes it"
    OTHERS_IN_CONTAINER = "others are kept in one container with it"
    NOT_KEPT = "it is not kept as an attribute, or in a list of one"
    NAME_BOUND_ANEW = "{name} is bound anew"
    SET_TO_OTHER = "{attribute} is set to something else, too"
    NOT_ALL_KNOWN = "not all that it may be is known"
    METHOD_MORE_THAN_CALLED = "its method {name} is more than called"
    PART_MORE_THAN_CALLED = "a {name} is more than called"
    OUTSIDE_OF_METHOD = "it is called outside of a method"
    MORE_THAN_GONE_THROUGH = "its parts are more than gone through"
    TAKEN_APART = "its parts are taken apart"


def not_lifted(context: FileContext, node: ast.expr, why: Refusal) -> NotLifted:
    """That an expression stands in the way.

    Args:
        node: the expression, of the file of `context`.
        why: what is wrong with it.
    """
    text = context.text.of(node)
    return NotLifted(RngsCause.OF_EXPRESSION.about(context.where(node), text=text, why=why))
