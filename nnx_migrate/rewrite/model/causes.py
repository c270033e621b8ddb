"""Why code is not rewritten: the causes of each family of rewrites, and the words for them."""

from __future__ import annotations

import enum

from nnx_migrate.core.refusal import Cause


@enum.unique
class Step(Cause):
    """What a person can do about a cause below; each begins with what to do."""

    WRITE_ARGUMENTS = "write out the arguments of each call by position, without * and **"
    NAME_ARGUMENT = "assign the object to a name, and pass that name"
    PLAIN_PARAMETERS = "give the function plain parameters without defaults, and pass by position"
    SAME_FILE = "apply the transform in the file that defines the function"
    OWN_FUNCTION = "define the function inside the one that applies the transform, for that alone"
    DEF_FOR_LAMBDA = "define the function with def in place of the lambda"
    OTHER_NAME = "give what is bound to that name another one"
    CALL_HERE = "call the result of the transform by its name in this file"
    PLAIN_FUNCTION = "transform a plain function that gets the object as an argument"
    RETURN_ALWAYS = "end the function with one return statement that returns a value"
    OWN_LINE = "put each statement on a line of its own"
    RETURN_TUPLE = "write the returned value as a tuple, as in: return carry, output"
    TRANSFORM_BY_CALL = "write the transform as the only decorator, or call it: f = nnx.jit(f)"
    NAME_RESULT = "assign the result of the transform to a name, and call that name there"
    WRITE_OPTIONS = "write out the options of the transform, without **"
    ASSIGN_FIRST = "compute the argument in a statement before, and pass its name"
    OWN_STATEMENT = "write the other call in a statement of its own"
    NESTED_IF = "write the elif as an if statement inside else"
    IMPORT_NNX = "import nnx at the top of the file: from flax import nnx"
    OWN_BLOCK = "make it a statement: an if or a for statement, or a function with def"
    OWN_FUNCTION_IN_CELL = "move this code of the cell into a function, and call that"
    MOVE_COMMENT = "move the comment above the statement"


@enum.unique
class ThreadCause(Cause):
    """Why what a function captures cannot become an argument of it."""

    HIDDEN_ARGUMENTS = "the code does not show all arguments of the transform"
    OTHER_TRANSFORMS = "the function is under other transforms too"
    CALL_FROM_SEQUENCE = "a call unpacks its arguments from a sequence"
    CALL_WITHOUT_SOME = "a call does not pass all arguments"
    CALL_NOT_BY_PLACE = "a call does not pass all arguments by position"
    OTHER_DECORATORS = "the function has other decorators"
    NOT_IN_FILE = "the function is not defined in this file"
    USED_ELSEWHERE = "the function is also used elsewhere"
    NO_CALL_FOUND = "no call of the result was found"
    ARGUMENTS_NOT_BY_PLACE = "not all arguments are passed by position"
    UNPLACED_PARAMETERS = "the function has defaults, or parameters that are not positional"
    ONLY_DEFAULTS = "all parameters of the function have defaults"
    PARAMETER_NAME_TAKEN = "a parameter of the function already has the name of the new argument"
    IS_METHOD = "the function is a method"
    BRANCH_NOT_IN_FILE = "a branch is not defined in this file"
    BRANCH_USED_ELSEWHERE = "a branch is also used elsewhere"
    BRANCH_DEFAULT_PASSED = "a default of a branch is passed to it"
    DEFAULT_HOLDS_OBJECT = "a default of the function holds an object"
    BINDS_NAMES_AROUND = "the function rebinds names of the code around it"
    NAME_BOUND_ANEW = "the function rebinds {name}"
    FOLLOWS_GENERATOR = "the argument would come after a generator expression"
    NO_PLACE_FOR_PARAMETER = "the parameter list has no place for another parameter"
    KEYWORDS_FROM_MAPPING = "a call unpacks its keywords from a mapping"
    NOT_SPELLED_OUT = "the functions of the site cannot be written out"
    CALLS_NOT_BY_PLACE = "the calls do not pass all arguments by position"
    BOUND_OBJECT_MAY_CHANGE = (
        "the object that the function is bound to may be another one at the call"
    )
    MORE_THAN_CALLED = "{function} is also used as a value, or in other files"
    OTHER_MEANING_AT_CALL = "{name} means something else where {function} is called"
    SHOWN_CALL_NOT_BY_PLACE = "the call does not pass all arguments by position"
    OBJECT_BOUND_IN_CALL = "the call itself binds the object to a name"
    OBJECT_IN_PARENTHESES = "the object is in parentheses"
    PARTLY_UPDATED = "the scan updates only a part of what it captures"
    OPTION_NOT_KNOWN = (
        "nnx-migrate does not know what the option {option} of {transform} means to nnx"
    )
    MAP_ARGUMENTS = "the map is not called with a function and the values to map over"
    MAP_OF_SEVERAL = "the map would carry more than one object"
    MAP_HAS_COMMENTS = "there are comments or parentheses between the arguments of the map"
    NOT_ALL_RETURN = "the function does not return something on every path"
    RESULT_IN_PARENTHESES = "the returned value is in parentheses"
    SCAN_BODY_IN_PLACE = "the body of the scan is written in place, not as a separate function"
    SCAN_ARGUMENTS = "the scan is not called with a function, a carry, and the values to scan over"
    SCAN_FROM_SEQUENCE = "the arguments of the scan are unpacked from a sequence"
    SCAN_HAS_COMMENTS = "there are comments between the arguments of the scan"
    SCAN_PARENTHESES = "an argument of the scan is in parentheses"
    ARGUMENT_HAS_COMMENT = "there is other text between the arguments"
    AXES_NOT_WRITTEN = "in_axes is not written out"
    SPEC_NOT_SPELLED = "the code does not show how it writes a PartitionSpec"
    OPTION_OF_EVERY_ARGUMENT = "an option applies to every argument"
    SPECS_NOT_WRITTEN = "in_specs is not written out"
    SPECS_OTHER_NUMBER = "in_specs does not have one entry for each argument"
    COUNTED_FROM_LAST = "an option counts arguments from the last one"
    AXES_OTHER_NUMBER = "in_axes does not have one entry for each argument"
    SCAN_OPTIONS = "not all options of the scan can be followed"
    SCAN_BODY_NOT_PLAIN = "the body of the scan is not a plain function"
    NO_CARRY = "the scan has no carry yet"
    NO_PAIR_RETURNED = "the body does not return its carry and outputs as a tuple"
    NOTHING_RETURNED = "the body of the scan returns nothing"
    UNDERSCORE_IN_USE = "the name _ is in use where the scan is called"
    CARRY_NOT_SHOWN = "a call does not show what is carried"
    RNGS_BESIDE_CODE = "the statement that keeps the Rngs shares its line with others"
    RNGS_COMMENT = "a comment belongs to the statement that keeps the Rngs"
    METHOD_PARAMETERS = "the parameter list of {method} has no place for another parameter"
    CODE_BEHIND_BASE = "other code follows the call of the base class"
    CODE_BEHIND_PARTS = "other code follows the statement that creates the parts"


@enum.unique
class LoopCause(Cause):
    """Why the functions of a loop cannot be given, and return, another carry."""

    UNPACKED_BESIDE_CODE = ("other code shares the line that unpacks the carry", Step.OWN_LINE)
    NOTHING_RETURNED = ("the body of the loop returns nothing", Step.RETURN_ALWAYS)
    COMMENT_IN_ANNOTATION = "there is a comment in the return annotation of the function"
    NOT_ALL_RETURN = (
        "the body of the loop does not return a carry on every path",
        Step.RETURN_ALWAYS,
    )
    OTHER_SIZE_RETURNED = "the body does not return as many elements as the loop carries"
    HIDDEN_ARGUMENTS = ("the code does not show all arguments of the loop", Step.WRITE_ARGUMENTS)
    NOT_IN_FILE = ("a function of the loop is not defined in this file", Step.OWN_FUNCTION)
    USED_ELSEWHERE = ("a function of the loop is also used elsewhere", Step.OWN_FUNCTION)
    CONDITION_USED_ELSEWHERE = (
        "the condition of the loop is also used elsewhere",
        Step.OWN_FUNCTION,
    )
    CONDITION_NOT_KNOWN = ("the condition of the loop is unknown", Step.OWN_FUNCTION)
    OTHER_PARAMETERS = "a function of the loop has parameters besides its carry"
    NOT_PLAIN = ("a function of the loop is not a plain function", Step.OWN_FUNCTION)
    BINDS_NAMES_AROUND = "a function of the loop rebinds names of the code around it"
    IS_PARAMETER = "{name} is a parameter of a function of the loop"
    BOUND_ANEW = "a function of the loop rebinds {name}"
    RESULTS_NOT_UNPACKED = "the results are not unpacked at the call, and {reason}"
    NO_PLACE_IN_FRONT = "no statement can go before this one to unpack them"
    TARGET_READ_BEFORE = "the value that it is added to is read first"
    NAME_BOUND_IN_CALL = "it binds a name"
    PROPERTY_READ_BEFORE = "the property {name} is read first"
    PARTS_COMPUTED_BEFORE = "other parts of the statement are computed first"
    TWO_CALLS = "two calls are in one statement"
    ON_SEVERAL_LINES = "only the parentheses around the call let it span several lines"


@enum.unique
class PoppedCause(Cause):
    """Why what is sown cannot come out beside the result of a call."""

    FUNCTION_NOT_SEEN = ("the code does not show the function of the transform", Step.OWN_FUNCTION)
    COMMENT_IN_MODULE_CALL = ("there is a comment in the call of the Module", Step.MOVE_COMMENT)
    COMMENT_IN_POP = ("there is a comment in the call of nnx.pop", Step.MOVE_COMMENT)
    ANNOTATION_NO_PAIR = "the return annotation of the loss is not written as a pair"
    PARAMETER_DEFAULT = ("the Module's parameter has a default", Step.PLAIN_PARAMETERS)
    CODE_BEHIND_GRADIENTS = ("other code follows the gradients on their line", Step.OWN_LINE)
    NO_RETURN_AT_END = ("the function does not end with a return statement", Step.RETURN_ALWAYS)
    COMMENT_IN_CALL = ("there is a comment in the call", Step.MOVE_COMMENT)
    CODE_BESIDE_CALL = ("there is other code on the line of the call", Step.OWN_LINE)
    RESULT_NO_PAIR = ("the returned value is not written as a pair", Step.RETURN_TUPLE)
    UNPACKED_FURTHER = "the result of the gradient is unpacked further"
    NOT_UNPACKABLE = "the result of the call cannot be unpacked where it is used"
    GRADIENT_NOT_UNPACKED = "the result of the gradient is not unpacked where it is computed"
    UNPACKED_INTO_STAR = "the result is unpacked into a starred name"


@enum.unique
class SplitCause(Cause):
    """Why a Module cannot go in and come out as a graphdef and States."""

    MODULE_ARGUMENT_NOT_SHOWN = (
        "the call does not show which argument is the Module",
        Step.WRITE_ARGUMENTS,
    )
    KEYWORDS_BEFORE_MODULE = (
        "the Module is passed by keyword, with other keywords before it",
        Step.WRITE_ARGUMENTS,
    )
    POSITIONAL_ONLY = ("the function has positional-only parameters", Step.PLAIN_PARAMETERS)
    CALL_FROM_SEQUENCE = ("the call unpacks its arguments from a sequence", Step.WRITE_ARGUMENTS)
    DIFFERENTIATED_BY_KEYWORD = (
        "another differentiated argument is passed by keyword",
        Step.WRITE_ARGUMENTS,
    )
    NOT_ONLY_A_NAME = ("the argument is more than the name of an object", Step.NAME_ARGUMENT)
    NOT_POSITIONAL = (
        "the Module is not a positional parameter of the function",
        Step.PLAIN_PARAMETERS,
    )
    PARAMETER_DEFAULT = ("the Module's parameter has a default", Step.PLAIN_PARAMETERS)
    NOT_IN_FILE = ("the function is not defined in this file", Step.OWN_FUNCTION)
    USED_ELSEWHERE = ("the function is also used elsewhere", Step.OWN_FUNCTION)
    ARGUMENTS_NOT_SHOWN = (
        "its parameters do not show which arguments it gets",
        Step.PLAIN_PARAMETERS,
    )
    LAMBDA_READS_TWICE = ("the lambda reads the argument more than once", Step.DEF_FOR_LAMBDA)
    NO_CALL_FOUND = ("no call of the result was found", Step.CALL_HERE)
    RESULT_SPLIT = "the result is split, not an argument"
    LAMBDA_DEFAULTS = ("the lambda has defaults", Step.PLAIN_PARAMETERS)
    LAMBDA_NEEDS_TWICE = ("the lambda needs its Module more than once", Step.DEF_FOR_LAMBDA)
    FUNCTION_NOT_SEEN = ("the code does not show the function of the transform", Step.OWN_FUNCTION)
    METHOD_KEPT_WITH_CLASS = (
        "it is a method, and its compiled code is kept with the class",
        Step.PLAIN_FUNCTION,
    )
    ONLY_DOCSTRING = "the function has only a docstring"
    IS_ASYNC = ("the function is async", Step.PLAIN_FUNCTION)
    NOT_ALL_RETURN = ("the function does not return a value on every path", Step.RETURN_ALWAYS)
    NAME_BOUND_ANEW = ("the function rebinds {name}", Step.OTHER_NAME)
    IS_GENERATOR = ("the function is a generator", Step.PLAIN_FUNCTION)
    USES_SUPER = ("the method uses super()", Step.PLAIN_FUNCTION)
    CODE_BESIDE_DOCSTRING = ("there is code on the line of the docstring", Step.OWN_LINE)
    CODE_BESIDE_RETURN = ("there is other code on the line of the return statement", Step.OWN_LINE)
    RESULT_NO_TUPLE = ("the returned value is not written as a tuple", Step.RETURN_TUPLE)
    SIGNATURE_NOT_KNOWN = ("the signature of the function is unknown", Step.OWN_FUNCTION)
    SIGNATURE_ELSEWHERE = ("the signature of the function is in another file", Step.SAME_FILE)
    DEFAULTS_OR_VARIABLE = (
        "the function has defaults or variable arguments",
        Step.PLAIN_PARAMETERS,
    )
    DECORATOR_NOT_KNOWN = (
        "nnx-migrate does not know whether {wrapper} can be a decorator",
        Step.TRANSFORM_BY_CALL,
    )
    NO_DECORATOR_FORM = (
        "the transform is written in a way that has no decorator form",
        Step.TRANSFORM_BY_CALL,
    )
    ASSIGNED_BEHIND_CODE = ("the assignment comes after other code on its line", Step.OWN_LINE)
    RESULT_OF_CLASS = ("its result is an attribute of a class", Step.NAME_RESULT)
    HIDDEN_OPTIONS = ("the code does not show all its options", Step.WRITE_OPTIONS)
    NEWER_OPTION = "an option on several lines is written for a newer Python"
    RESULT_NO_CARRY_PAIR = (
        "the returned value is not written as (carry, output)",
        Step.RETURN_TUPLE,
    )
    RESULTS_NOT_COUNTED = (
        "the number of results that the function returns is unknown",
        Step.RETURN_TUPLE,
    )
    SEQUENCE_AND_KEYWORD = (
        "the call passes arguments both from a sequence and by keyword",
        Step.WRITE_ARGUMENTS,
    )
    DIFFERENT_KEYWORDS = ("the calls pass different keywords", Step.WRITE_ARGUMENTS)
    KEYWORD_TAKEN = (
        "the keyword {keyword} has the name of something that the rewrite adds",
        Step.WRITE_ARGUMENTS,
    )
    KEYWORDS_FROM_DICTIONARY = ("the call passes keywords from a dictionary", Step.WRITE_ARGUMENTS)


@enum.unique
class LayoutCause(Cause):
    """Why new code has no place in the text, or no name there."""

    SPELLED_OUT_REPLACED = "the rewrite would replace a part of a function that is written out"
    BOUND_IN_STATEMENT = ("the statement of the call binds {name}", Step.ASSIGN_FIRST)
    CALL_FOLLOWS_ANOTHER = (
        "the argument is computed by a call that must follow another",
        Step.ASSIGN_FIRST,
    )
    GIVEN_TO_ANOTHER = ("another call in the same statement also gets {text}", Step.OWN_STATEMENT)
    NOT_HOISTABLE = ("{what}", Step.OWN_BLOCK)
    HEADER_END = "the end of the definition's header was not found"
    IN_ELIF = ("the call is in an elif, and no statement can go before it", Step.NESTED_IF)
    CALL_BEHIND_CODE = ("the call comes after other code on its line", Step.OWN_LINE)
    CODE_BESIDE_DOCSTRING = ("there is code on the line of the docstring", Step.OWN_LINE)
    POP_BESIDE_CODE = ("nnx.pop shares its line with other statements", Step.OWN_LINE)
    TABLE_MAY_SAY = (
        "{wrapper} might not pass {option} on to nnx.{transform} "
        "(its table may say so: passes, or renamed)"
    )
    NO_BRACKETS = "{wrapper} is used without parentheses, and might not accept options then"
    OPTION_BEHIND_GENERATOR = "the option would come after a generator expression"
    NO_FLAX_IMPORT = ("the file imports nothing from flax at its top", Step.IMPORT_NNX)
    NO_IMPORT = "the file has no import at its top to put `import {module}` by"
    MODULE_NAME_TAKEN = "the name {module} means something else here"
    NNX_NAME_TAKEN = ("the name nnx means something else here", Step.OTHER_NAME)


@enum.unique
class HoistCause(Cause):
    """Why statements of a function cannot stand before its calls."""

    CODE_BESIDE_CALL = "there is other code on the line of the call"
    SETTING_LONGER = "the code that sets the mode is longer than a line"
    SETTING_BESIDE_CODE = "the code that sets the mode shares its line with other code"


@enum.unique
class FunctionCause(Cause):
    """Why a function cannot become what a LibCST transformer makes of it."""

    CHANGES_NOTHING = "the rewrite changes nothing"
    NOT_READ = "LibCST cannot read {function}: {error}"
    NOT_GIVEN_BACK = "LibCST does not reproduce {function} as it is written"
    LEAVES_FUNCTION = "the rewrite changes code outside of its function"


@enum.unique
class EmitCause(Cause):
    """Why what rules want at a site cannot be done there; {why} is told elsewhere."""

    WRAPPER_NOT_KNOWN = (
        "nnx-migrate does not know what {wrapper} does in addition to nnx.{transform}"
    )
    COPIED_AND_SPLIT = "some arguments are copied here, and others are split"
    ATTRIBUTE_READ = "the code reads {name}.{attribute}, which a plain function does not have"
    CALLED_IN_OTHER_SCOPE = ("its result is called in another scope", Step.NAME_RESULT)
    NAME_BOUND_LATER = (
        "{name} may mean something else where the result is called",
        Step.OTHER_NAME,
    )
    NO_PLACE_FOR_CHECK = ("the check of another argument has no place", Step.CALL_HERE)
    RETURNS_ALONE = (
        "the last return of {name} shares its line, or is all that it does",
        Step.OWN_LINE,
    )
    NO_PLACE_IN_DOCUMENT = "{why}"
    NEW_NAMES_IN_CELL = (
        "the new code would bind {names} in a cell, and no two cells of a marimo notebook may bind "
        "one name",
        Step.OWN_FUNCTION_IN_CELL,
    )


@enum.unique
class PlanCause(Cause):
    """How places end that stay as they are; {reason} is what the rule says of them."""

    SET_AROUND = "the code around it sets the mode"
    LEFT_ALONE = "unchanged: {reason}"
    DEFAULT_SET = "the code reads or sets Flax's default here, with {name}"
    MODE_SET = "the mode is set here, by nnx.{name}"
    MODE_SAID = "nnx.{name} chooses its mode, with {said}"
    IN_REGION = "unchanged: it runs inside the function that is kept in graph mode at {place}"
    LEFT_IN_DEFAULT = "unchanged, in the default mode: {reason}"
    NOT_PINNED_EITHER = "{reason}; nor can it be pinned: {error}"
    KEPT = "kept in graph mode: {reason}"
    STILL_KEPT = "still kept in graph mode: {reason}"
    KEPT_WITHOUT_UPDATES = "kept in mid mode: {reason}"
    DID_NOT_OCCUR = "the cause that would keep it in graph mode did not occur; observed in {runs}"
    NO_RUN_CALLS = "{reason}; no recorded run calls it"
    OBSERVED = "{reason}; observed in {runs}"
    CONTRADICTED = (
        "{seen}, but the code says that it is {proved}, so rewrites that rely on it may be "
        "wrong: correct the annotation, or report a bug if there is none"
    )


@enum.unique
class PinCause(Cause):
    """Why a site cannot be kept in graph mode."""

    NO_MODE = "nnx.{transform} has no mode of its own"
    NO_GRAPH_FORM = (
        '{wrapper} has no known form for graph mode; set compat = "..." or '
        'passes = ["graph", "graph_updates"] in [tool.nnx-migrate.transforms."{wrapper}"]'
    )


@enum.unique
class GateCause(Cause):
    """Why a rewritten text may not replace the old one."""

    NOT_PARSED = "the result would not parse: {error}"
    NOT_COMPILED = "the result would not compile: {error}"
    COMMENT_LOST = "a comment would be lost: {comment}"
    NAMES_UNBOUND = "the result would read names that nothing binds: {names}"
    LINE_CHANGED = "line {line} would mean something else, and no edit is meant for it"
    LINE_APPEARED = "line {line} of the result is neither an old line nor a planned one"
