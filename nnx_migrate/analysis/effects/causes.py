"""Why something happens to an object: what decisions are made on, and its words for a finding.

Rules ask for the type of a cause and for its fields. Its words are for people alone.
"""

from __future__ import annotations

from typing import Literal, assert_never

from nnx_migrate.analysis.callgraph.call_form import CallForm
from nnx_migrate.analysis.domain.values import NAMED_AT_RUN_TIME, Hidden
from nnx_migrate.analysis.flax.names import nnx_name
from nnx_migrate.analysis.ir.records import record


@record
class AttributeWritten:
    """`model.cache = v`, `model.n += 1`, `del model.cache`."""

    name: str
    how: Literal["set", "updated", "deleted"]


@record
class VariableAdded:
    """`self.kl = Loss(v)`: a Variable of a type that nothing else makes, as if it were sown."""

    name: str
    type: str


@record
class ElementReplaced:
    """`model.blocks[0] = v`.

    Args:
        of_attributes: what is written is the dictionary of an object's attributes, `vars(model)`.
        of_object: it is an object, or kept by one, and no list that is given.
    """

    of_attributes: bool = False
    of_object: bool = False


@record
class PropertyCached:
    name: str


@record
class MethodChanges:
    """`model.train()`.

    Args:
        layer: the layer of Flax whose method it is; empty where that does not matter.
        of_attributes: it is a method of the dictionary of an object's attributes.
        of_object: it is one of an object, or of what one keeps, and of no list that is given.
    """

    name: str
    layer: str = ""
    of_attributes: bool = False
    of_object: bool = False


@record
class FunctionChanges:
    """`setattr(model, "n", 1)`, `nnx.pop(model, T)`.

    Args:
        dotted: the absolute name of the function.
        of_attributes: it is given the dictionary of an object's attributes.
    """

    dotted: str
    of_attributes: bool = False

    @property
    def function(self) -> str:
        """Its name as a program writes it."""
        name = nnx_name(self.dotted)
        return f"nnx.{name}" if name else self.dotted


@record
class KeywordAsks:
    """`layer(x, sow_weights=True)`: a layer of Flax does more when a keyword asks it to."""

    layer: str
    keyword: str
    sows: bool


@record
class UpdateAdds:
    """`nnx.update(model, state)` may do more than give Variables their values.

    Args:
        types: the classes of Variables that it may add, where these were popped.
    """

    what: Literal["", "with a dictionary", "arrays", "sown values"]
    types: frozenset[str] = frozenset()


@record
class Returned:
    pass


@record
class Kept:
    pass


@record
class PassedTo:
    """It is given to code that is not to be seen.

    Args:
        what: that code, in words.
        called: the name by which it is called; empty where there is none.
        because: why it is not known which code that is, in words.
        hidden: what hides it.
        library: it is code of another package.
        form: how that code is called, where all of the call is to be seen.
    """

    what: str
    called: str = ""
    because: str = ""
    hidden: Hidden = ""
    library: bool = False
    form: CallForm | None = None


@record
class MethodUnknown:
    """What one of its methods runs is not known, and why in words.

    Args:
        of_nnx: it is an object of nnx for sure, of whatever class.
    """

    name: str
    because: str = ""
    hidden: Hidden = ""
    form: CallForm | None = None
    of_nnx: bool = False


@record
class CalleeUnknown:
    """It is called, or something that it holds, and what that runs is not known."""

    because: str
    hidden: Hidden = ""
    form: CallForm | None = None


@record
class TextExecuted:
    """`exec(text)`: any object in sight may be named in it."""

    function: str


@record
class Unseen:
    """Something else is not to be seen, in words."""

    words: str


Cause = (
    AttributeWritten
    | VariableAdded
    | ElementReplaced
    | PropertyCached
    | MethodChanges
    | FunctionChanges
    | KeywordAsks
    | UpdateAdds
    | Returned
    | Kept
    | PassedTo
    | MethodUnknown
    | CalleeUnknown
    | TextExecuted
    | Unseen
)

#: What an object is passed to, where it is not known which code that is.
UNKNOWN_CODE = "unknown code"
#: Methods of objects that no array, list or dictionary has.
_OF_OBJECTS = frozenset(
    {
        "eval",
        "perturb",
        "set_attributes",
        "set_metadata",
        "set_mode",
        "sow",
        "train",
        "__delattr__",
        "__setattr__",
    }
)
_FUNCTIONS_OF_OBJECTS = frozenset(
    {
        "builtins.setattr",
        "builtins.delattr",
        "builtins.object.__setattr__",
        "builtins.object.__delattr__",
        "functools.update_wrapper",
    }
)


def explain(cause: Cause) -> str:
    """A cause in words, with why no more is known of it."""
    reason = reason_of(cause)
    return f"{told(cause)}: {reason}" if reason else told(cause)


def reason_of(cause: Cause) -> str:
    """Why it is not known which code runs, in words; empty where that is not the question."""
    match cause:
        case PassedTo() | MethodUnknown() | CalleeUnknown():
            return cause.because
        case _:
            return ""


def told(cause: Cause) -> str:
    """A cause in words, for the message of a finding."""
    match cause:
        case AttributeWritten(name=name, how=how):
            return f"attribute {name} is {how}"
        case VariableAdded(name=name):
            return f"attribute {name} is set"
        case ElementReplaced():
            return "one of its elements is replaced"
        case PropertyCached(name=name):
            return f"it caches the property {name}"
        case MethodChanges(name=name, layer=layer):
            return f"{layer}.{name}() changes it"
        case FunctionChanges():
            return f"{cause.function}() changes it"
        case KeywordAsks(layer=layer, keyword="**", sows=sows):
            return f"{layer} {'sows' if sows else 'changes'} if the ** of its call asks for it"
        case KeywordAsks(layer=layer, keyword=keyword, sows=sows):
            return f"{layer} {'sows' if sows else 'changes'} ({keyword})"
        case UpdateAdds(what=what):
            return _UPDATES[what]
        case Returned():
            return "it, or a part of it, is returned"
        case Kept():
            return "it is stored where it outlives the call"
        case PassedTo(what=what):
            return f"it is passed to {what}"
        case MethodUnknown(name=name) if name != "__call__":
            return f"the code that .{name}() runs is unknown"
        case CalleeUnknown() | MethodUnknown():
            return "the called code is unknown"
        case TextExecuted(function=function):
            return f"the code that {function}() runs is {NAMED_AT_RUN_TIME}"
        case Unseen(words=words):
            return words
        case _:
            assert_never(cause)


def only_of_objects(cause: Cause) -> bool:
    """Whether what happens can happen to nothing but an object with attributes.

    All else may happen to a list or dictionary of arrays, where the class is not known.
    """
    match cause:
        case AttributeWritten() | VariableAdded() | TextExecuted():
            return True
        case ElementReplaced(of_attributes=of_attributes):
            return of_attributes
        case MethodChanges(name=name, of_attributes=of_attributes):
            return of_attributes or name in _OF_OBJECTS
        case FunctionChanges(of_attributes=of_attributes):
            named = cause.dotted in _FUNCTIONS_OF_OBJECTS or changes_by(cause, "pop", *_OF_OBJECTS)
            return of_attributes or named
        case _:
            return False


def of_object(cause: Cause) -> bool:
    """Whether what happens happens to an object, or to what one keeps, and to no list around it."""
    match cause:
        case ElementReplaced(of_object=of_object) | MethodChanges(of_object=of_object):
            return of_object or only_of_objects(cause)
        case KeywordAsks() | PropertyCached() | UpdateAdds():
            return True
        case _:
            return only_of_objects(cause)


def shows_after_loop(cause: Cause) -> bool:
    """Whether a loop that carries the object may end differently in tree mode for it.

    What adds or takes away attributes, `eval()` and `sow` raise in both modes, or do the same.
    """
    match cause:
        case AttributeWritten(how=how):
            return how != "deleted"
        case MethodChanges(name=name):
            return name not in _OF_OBJECTS | {"append", "extend", "insert"}
        case PropertyCached() | KeywordAsks():
            return False
        case _:
            return True


def changes_by(cause: Cause, *names: str) -> bool:
    """Whether a function of nnx of one of these names changes it."""
    if not isinstance(cause, FunctionChanges):
        return False
    name = nnx_name(cause.dotted)
    return name is not None and name.removeprefix("compat.") in names


def changes_by_method(cause: Cause, *names: str) -> bool:
    """Whether a method of one of these names changes it, and none that a layer of Flax adds."""
    return isinstance(cause, MethodChanges) and not cause.layer and cause.name in names


_UPDATES = {
    "": "nnx.update() may add to it",
    "with a dictionary": "nnx.update() with a dictionary may add to it",
    "arrays": "nnx.update() may set its array attributes",
    "sown values": "nnx.update() may add sown values to it",
}
