"""What a person does to be rid of a pin: the next step for each thing that happens to an object."""

from __future__ import annotations

import enum

from nnx_migrate.analysis.domain.values import Hidden
from nnx_migrate.analysis.effects.causes import (
    AttributeWritten,
    CalleeUnknown,
    ElementReplaced,
    FunctionChanges,
    Kept,
    KeywordAsks,
    MethodChanges,
    MethodUnknown,
    PassedTo,
    PropertyCached,
    Returned,
    TextExecuted,
    UpdateAdds,
)
from nnx_migrate.analysis.effects.causes import Cause as EffectCause
from nnx_migrate.core.refusal import Cause, Reason


@enum.unique
class NextStep(Cause):
    """Each begins with what to do."""

    OBSERVE = "let a run show it: nnx-migrate observe -- COMMAND, then --facts facts.json"
    CALL_BY_NAME = "call the function by name, or from a dictionary that lists all candidates"
    CALL_NNX_BY_NAME = "call each function of nnx by its name, as in: nnx.jit(f)"
    APPLY_BY_NAME = "apply it to the function by name, as in: step = nnx.jit(step)"
    PASS_BY_NAME = "call the function by name, or add a call to the project that passes it by name"
    ANNOTATE_ARGUMENT = "annotate the name that is passed with its class, as in: model: Net"
    ANNOTATE_PARAMETER = (
        "annotate that parameter with its class (model: Net, or blocks: list[Block]), or add a "
        "call to the project that shows it"
    )
    ANNOTATE_ATTRIBUTE = "annotate the attribute in its class, as in: encoder: Encoder"
    ANNOTATE_CONTAINER = (
        "annotate the container where it is assigned, as in: self.blocks: list[Block] = ..."
    )
    ANNOTATE_CLASS = "name a class of this project in that annotation, as in: model: Net"
    ANNOTATE_RESULT = "annotate the name that the result is assigned to, as in: net: Net = make()"
    ANNOTATE = "annotate what is called with its class, or call it by name"
    PASS_STATE = "pass a State to {what} in place of the object: nnx.state({name})"
    KEEP_IN_VARIABLE = (
        "return the value, or keep it in a Variable that __init__ makes, and write to that, "
        "as in: self.{attribute}[...] = value"
    )
    DELETE_OUTSIDE = "delete {attribute} outside of the transform"
    CALL_OUTSIDE = "call {function}() outside of the transform"
    REPLACE_OUTSIDE = "replace the element outside of the transform, or keep it in a Variable"
    READ_OUTSIDE = "read {attribute} once before the first call, or compute it without caching"
    POP_INSIDE = "pop in the traced function and return the popped values, or use nnx.capture"
    NO_SOWING = "call the layer without {keyword}, or collect what it sows with nnx.capture"
    NO_STARS = (
        "name the keywords of that call, without **, or collect what it sows with nnx.capture"
    )
    PASS_ONCE = "pass the object once, and keep it in one place"
    IGNORE_IF_ONCE = (
        "if no call passes an object twice, add # nnx-migrate: ignore[shared-reference] to the "
        "line: tree mode raises if a call does"
    )
    PASS_HOLDER = "pass only the object that holds the other, and read it from there"
    RETURN_ONCE = "return the object that holds the other alone, and read it from there"
    KEEP_ONCE = "keep the shared object in one place, and pass it to the others when you call them"
    MAKE_TREE = (
        "make the class a pytree: remove pytree=False, and put nnx.data around its lists of Modules"
    )
    PASS_BY_POSITION = "pass {name} by position in that call"
    BIND_BY_POSITION = "bind {name} by position, or pass it by position in the call"
    WRITE_KEYWORDS = "write out the arguments of that call by position, without **"
    WRITE_DEFAULT = "pass {name} in that call too, by position"
    RETURN_OTHERS = (
        "do not return {name}: its Variables are updated in place, so the caller can go on using it"
    )
    WRITE_OPTIONS = "write out the options of the transform, without **"
    WRITE_AXES = "write in_axes and out_axes out: a tuple with an axis for each argument"
    WRITE_NUMBERS = "write each axis out as a number"
    WRITE_FILTERS = (
        "write the filters out in the call, as in: nnx.StateAxes({{nnx.Param: 0, ...: None}})"
    )
    DOTS_LAST = "put `...` last in {class_name}"
    NAME_FUNCTION = "pass a function of this project by name"
    NAME_TRANSFORM = "call the transform by name, with its axes: nnx.vmap(f, in_axes=...)"
    CAPTURE_SOWN = "collect the sown values with nnx.capture"
    KEEP_COMPUTED = "keep only computed values beyond the call, not {name} or a part of it"
    RETURN_COMPUTED = "return only what the function computes, without {name}"
    RETURN_CARRY = "return (carry, outputs), and give out_axes one axis for each"
    CARRY_OR_RETURN = "let the scan carry the object (nnx.Carry), or return the updated values"
    WRITE_ARGNUMS = "write argnums out: a number, or nnx.DiffState(0, nnx.Param)"
    NAME_ONCE = "name each argument once in argnums"
    CALL_IN_BRANCHES = "put the gradient in each branch of an if statement, with its argnums"
    CALL_GRADIENT = "call it with the loss by name, as in: {text}(loss_fn)(model, x)"
    RETURN_NO_CAPTURED = "return only computed values: the caller has the captured object already"
    UPDATE_ALONE = (
        "pass a function of this project that only updates Variables of its arguments, and returns "
        "none of them"
    )
    WRITE_METADATA = "write it out, as in: transform_metadata={{nnx.PARTITION_NAME: None}}"
    WRITE_DONATED = "write out the donated arguments, as in: donate_argnums=0"
    JIT_BY_NAME = "pass the function in the same expression, as in: nnx.jit(step, donate_argnums=0)"
    KEEP_PLAIN_APART = (
        "take numbers and strings out of nnx.data, and keep them in static attributes"
    )
    PASS_PLAIN_APART = "pass numbers and strings beside it, not in it"
    OBJECT_ON_ALL_WAYS = (
        "make it the object alone on every path; if it always is, add "
        "# nnx-migrate: ignore[plain-leaves] to the line"
    )
    SET_AROUND = (
        "put `with nnx.set_graph_mode(True):` around the call, unless you know that {package} "
        "works in tree mode"
    )
    USE_IN_GRAPH_MODE = "use its result under `with nnx.set_graph_mode(True):`"
    CALL_IN_GRAPH_MODE = "call its result under `with nnx.set_graph_mode(True):`"
    OPTIMIZER_IN_GRAPH_MODE = "use nnx.Optimizer(..., graph=True)"
    MAKE_IN_GRAPH_MODE = "make the graphdef with nnx.compat.split"
    SPLIT_AROUND = "use it as the decorator of a function, as in: @nnx.split_rngs(splits=4)"
    VISIT_BY_CALL = "call it in a for loop that begins with: if isinstance(value, nnx.Variable)"
    CHECK_CLASS = "check the class first, as in: if isinstance(value, nnx.Variable)"


def next_steps(cause: EffectCause, name: str) -> tuple[Reason, ...]:
    """What a person does about something that happens to an object; the likeliest first.

    Args:
        cause: what happens.
        name: of the parameter that the object is given by.
    """
    match cause:
        case AttributeWritten(name=attribute, how="deleted"):
            return (NextStep.DELETE_OUTSIDE.about(attribute=attribute),)
        case AttributeWritten(name=attribute):
            return (NextStep.KEEP_IN_VARIABLE.about(attribute=attribute),)
        case ElementReplaced():
            return (NextStep.REPLACE_OUTSIDE,)
        case PropertyCached(name=attribute):
            return (NextStep.READ_OUTSIDE.about(attribute=attribute),)
        case MethodChanges(name="sow" | "perturb"):
            return (NextStep.POP_INSIDE,)
        case MethodChanges(name=method):
            return (NextStep.CALL_OUTSIDE.about(function=f".{method}"),)
        case FunctionChanges():
            return (NextStep.CALL_OUTSIDE.about(function=cause.function),)
        case UpdateAdds():
            return (NextStep.CALL_OUTSIDE.about(function="nnx.update"),)
        case KeywordAsks(keyword="**", sows=True):
            return (NextStep.NO_STARS,)
        case KeywordAsks(keyword=keyword, sows=True):
            return (NextStep.NO_SOWING.about(keyword=keyword),)
        case Returned():
            return (NextStep.RETURN_OTHERS.about(name=name),)
        case Kept():
            return (NextStep.KEEP_COMPUTED.about(name=name),)
        case TextExecuted():
            return (NextStep.CALL_BY_NAME,)
        case PassedTo(hidden="run time"):
            return (NextStep.CALL_BY_NAME,)
        case PassedTo(library=True, what=what):
            return (NextStep.PASS_STATE.about(what=what, name=name), NextStep.OBSERVE)
        case PassedTo(hidden="parameter"):
            return (NextStep.PASS_BY_NAME, NextStep.OBSERVE)
        case PassedTo() | CalleeUnknown() | MethodUnknown():
            return (_SHOWING[cause.hidden], NextStep.OBSERVE)
        case _:
            return ()


_SHOWING: dict[Hidden, NextStep] = {
    "": NextStep.ANNOTATE,
    "parameter": NextStep.ANNOTATE_PARAMETER,
    "attribute": NextStep.ANNOTATE_ATTRIBUTE,
    "element": NextStep.ANNOTATE_CONTAINER,
    "annotation": NextStep.ANNOTATE_CLASS,
    "result": NextStep.ANNOTATE_RESULT,
    "run time": NextStep.CALL_BY_NAME,
}
