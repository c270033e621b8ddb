"""Why code is not rewritten: the causes of each family of rewrites, and the words for them."""

from __future__ import annotations

import enum

from nnx_migrate.core.refusal import Cause


@enum.unique
class ThreadCause(Cause):
    """Why what a function captures cannot become an argument of it."""

    HIDDEN_ARGUMENTS = "not all arguments of the transform are to be seen"
    OTHER_TRANSFORMS = "other transforms stand around the function"
    CALL_FROM_SEQUENCE = "the arguments of a call are unpacked from a sequence"
    CALL_WITHOUT_SOME = "a call does not pass all arguments"
    CALL_NOT_BY_PLACE = "a call does not pass all arguments by their places"
    OTHER_DECORATORS = "other decorators stand around the function"
    NOT_IN_FILE = "the function is not defined in this file"
    USED_ELSEWHERE = "the function is used in other places too"
    NO_CALL_FOUND = "no call of the result was found"
    ARGUMENTS_NOT_BY_PLACE = "not all arguments are passed by their places"
    UNPLACED_PARAMETERS = "the function has defaults, or parameters without a place"
    ONLY_DEFAULTS = "all parameters of the function have defaults"
    PARAMETER_NAME_TAKEN = "a parameter of the function has the name of what it would be given"
    IS_METHOD = "the function is a method"
    BRANCH_NOT_IN_FILE = "a branch is not defined in this file"
    BRANCH_USED_ELSEWHERE = "a branch is used in other places too"
    BRANCH_DEFAULT_PASSED = "a default of a branch is passed to it"
    DEFAULT_HOLDS_OBJECT = "a default of the function holds an object"
    BINDS_NAMES_AROUND = "the function binds names around it"
    NAME_BOUND_ANEW = "{name} is bound anew in the function"
    FOLLOWS_GENERATOR = "an argument would follow a generator"
    NO_PLACE_FOR_PARAMETER = "the parameters leave no place for another one"
    KEYWORDS_FROM_MAPPING = "the keywords of a call are unpacked from a mapping"
    NOT_SPELLED_OUT = "the functions of the site cannot be spelled out"
    CALLS_NOT_BY_PLACE = "the calls do not pass all arguments by their places"
    BOUND_OBJECT_MAY_CHANGE = (
        "what the function is bound to may be another object when it is called"
    )
    MORE_THAN_CALLED = "{function} is more than called, or in other files too"
    OTHER_MEANING_AT_CALL = "{name} is something else where {function} is called"
    SHOWN_CALL_NOT_BY_PLACE = "the call does not pass all arguments by their places"
    OBJECT_BOUND_IN_CALL = "the object is bound in the call"
    OBJECT_IN_PARENTHESES = "the object stands in parentheses"
    PARTLY_UPDATED = "a part of what the scan captures is updated in it, and a part is not"
    OPTION_NOT_KNOWN = "what the option {option} of {transform} is to nnx is not known"
    MAP_ARGUMENTS = "the map is not called with a function and what it maps over"
    MAP_OF_SEVERAL = "the map would carry more than one object"
    MAP_HAS_COMMENTS = "comments or parentheses stand among the arguments of the map"
    NOT_ALL_RETURN = "the function does not return something on all its ways"
    RESULT_IN_PARENTHESES = "what the function returns stands in parentheses"
    SCAN_BODY_IN_PLACE = "the body of the scan is no function of its own"
    SCAN_ARGUMENTS = "the scan is not called with a function, a carry and what it scans over"
    SCAN_FROM_SEQUENCE = "the arguments of the scan are unpacked from a sequence"
    SCAN_HAS_COMMENTS = "comments stand among the arguments of the scan"
    SCAN_PARENTHESES = "an argument of the scan stands in parentheses"
    ARGUMENT_HAS_COMMENT = "something else stands between the arguments"
    AXES_NOT_WRITTEN = "in_axes is not written out"
    SPEC_NOT_SPELLED = "the site does not show how it writes a PartitionSpec"
    OPTION_OF_EVERY_ARGUMENT = "an option says something of every argument"
    SPECS_NOT_WRITTEN = "in_specs is not written out"
    SPECS_OTHER_NUMBER = "in_specs has not one entry for each argument"
    COUNTED_FROM_LAST = "an option counts arguments from the last one"
    AXES_OTHER_NUMBER = "in_axes has not one entry for each argument"
    SCAN_OPTIONS = "not all options of the scan can be followed"
    SCAN_BODY_NOT_PLAIN = "the body of the scan is no plain function"
    NO_CARRY = "the scan carries nothing so far"
    NO_PAIR_RETURNED = "the body does not return its carry and outputs as a tuple"
    NOTHING_RETURNED = "the body of the scan returns nothing"
    UNDERSCORE_IN_USE = "the name _ is in use where the scan is called"
    CARRY_NOT_SHOWN = "a call does not show what is carried"
    RNGS_BESIDE_CODE = "the statement that keeps the Rngs shares its line with others"
    RNGS_COMMENT = "a comment belongs to the statement that keeps the Rngs"
    METHOD_PARAMETERS = "the parameters of {method} leave no place for another one"
    CODE_BEHIND_BASE = "other code stands behind the call of the base class"
    ONLY_BASE_CALLED = "the constructor does nothing else"


@enum.unique
class LoopCause(Cause):
    """Why the functions of a loop cannot be given, and return, another carry."""

    UNPACKED_BESIDE_CODE = "the carry is unpacked on a line with other code"
    NOTHING_RETURNED = "the body of the loop returns nothing"
    COMMENT_IN_ANNOTATION = "a comment stands in the annotation of what the function returns"
    NOT_ALL_RETURN = "the body of the loop does not return a carry on all its ways"
    OTHER_SIZE_RETURNED = "the body does not return as many elements as the loop carries"
    HIDDEN_ARGUMENTS = "not all arguments of the loop are to be seen"
    NOT_IN_FILE = "a function of the loop is not defined in this file"
    USED_ELSEWHERE = "a function of the loop is used in other places too"
    CONDITION_USED_ELSEWHERE = "the condition of the loop is used in other places too"
    CONDITION_NOT_KNOWN = "the condition of the loop is not known"
    OTHER_PARAMETERS = "a function of the loop has other parameters than its carry"
    NOT_PLAIN = "a function of the loop is no plain function"
    BINDS_NAMES_AROUND = "a function of the loop binds names around it"
    IS_PARAMETER = "{name} is a parameter of a function of the loop"
    BOUND_ANEW = "{name} is bound anew in a function of the loop"
    RESULTS_NOT_UNPACKED = "the results are not taken apart where it is called, and {reason}"
    NO_PLACE_IN_FRONT = "there is no place for that in front of its statement"
    TARGET_READ_BEFORE = "what it is added to is read before"
    NAME_BOUND_IN_CALL = "a name is bound in it"
    PROPERTY_READ_BEFORE = "the property {name} is read before"
    PARTS_COMPUTED_BEFORE = "other parts of the statement are computed before"
    TWO_CALLS = "two calls stand in one statement"
    ON_SEVERAL_LINES = "the call is on several lines by the parentheses around it"


@enum.unique
class PoppedCause(Cause):
    """Why what is sown cannot come out beside the result of a call."""

    FUNCTION_NOT_SEEN = "the function of the transform is not to be seen"
    COMMENT_IN_MODULE_CALL = "a comment stands in the call of the Module"
    COMMENT_IN_POP = "a comment stands in the call of nnx.pop"
    ANNOTATION_NO_PAIR = "the annotation of what the loss returns is not written as a pair"
    PARAMETER_DEFAULT = "the Module's parameter has a default"
    GRADIENTS_NOT_BOUND = "the gradients are not bound to a name where they are taken"
    CODE_BEHIND_GRADIENTS = "other code stands behind the gradients on their line"
    NO_RETURN_AT_END = "the function does not end with what it returns"
    COMMENT_IN_CALL = "a comment stands in the call"
    CODE_BESIDE_CALL = "other code stands on the line of the call"
    RESULT_NO_PAIR = "what the function returns is not written as a pair"
    UNPACKED_FURTHER = "the result of the gradient is unpacked further"
    NOT_UNPACKABLE = "the call stands where its result cannot be unpacked"
    GRADIENT_NOT_UNPACKED = "the result of the gradient is not unpacked where it is taken"
    UNPACKED_INTO_STAR = "the result is unpacked into a starred name"


@enum.unique
class SplitCause(Cause):
    """Why a Module cannot go in and come out as a graphdef and States."""

    MODULE_ARGUMENT_NOT_SHOWN = "the call does not show which argument is the Module"
    KEYWORDS_BEFORE_MODULE = "the Module is passed by keyword, with other keywords before it"
    POSITIONAL_ONLY = "the function has positional-only parameters"
    CALL_FROM_SEQUENCE = "the arguments of the call are unpacked from a sequence"
    DIFFERENTIATED_BY_KEYWORD = "an argument that is differentiated too is passed by keyword"
    NOT_ONLY_A_NAME = "the argument does more than name an object"
    NOT_POSITIONAL = "the Module is not a positional parameter of the function"
    PARAMETER_DEFAULT = "the Module's parameter has a default"
    NOT_IN_FILE = "the function is not defined in this file"
    USED_ELSEWHERE = "the function is used in other places too"
    ARGUMENTS_NOT_SHOWN = "its parameters do not show the arguments"
    LAMBDA_READS_TWICE = "the lambda reads the argument more than once"
    NO_CALL_FOUND = "no call of the result was found"
    RESULT_SPLIT = "the result is split, not an argument"
    LAMBDA_DEFAULTS = "the lambda has defaults"
    LAMBDA_NEEDS_TWICE = "the lambda needs its Module more than once"
    FUNCTION_NOT_SEEN = "the function of the transform is not to be seen"
    METHOD_KEPT_WITH_CLASS = "it is a method, and what it compiled is kept with the class"
    ONLY_DOCSTRING = "the function is nothing but its docstring"
    IS_ASYNC = "the function is async"
    NOT_ALL_RETURN = "the function does not return a value on all its ways"
    IS_GENERATOR = "the function is a generator"
    USES_SUPER = "the method uses super()"
    CODE_BESIDE_DOCSTRING = "code stands on the line of the docstring"
    RESULT_NO_TUPLE = "what the function returns is not written as a tuple"
    SIGNATURE_NOT_KNOWN = "the signature of the function is not known"
    SIGNATURE_ELSEWHERE = "the signature of the function is in another file"
    DEFAULTS_OR_VARIABLE = "the function has defaults or variable arguments"
    DECORATOR_NOT_KNOWN = "whether {wrapper} can be a decorator is not known"
    NO_DECORATOR_FORM = "the transform is written in a way that has no decorator form"
    ASSIGNED_BEHIND_CODE = "the assignment stands behind other code on its line"
    RESULT_OF_CLASS = "its result is an attribute of a class"
    ONE_OF_SEVERAL = "one of several results is split"
    HIDDEN_OPTIONS = "its options are not all to be seen"
    NEWER_OPTION = "an option on several lines is written for a newer Python"
    RESULT_NO_CARRY_PAIR = "what the function returns is not written as (carry, output)"
    RESULTS_NOT_COUNTED = "how many results the function returns is not known"
    SEQUENCE_AND_KEYWORD = "the call passes arguments both from a sequence and by keyword"
    DIFFERENT_KEYWORDS = "the calls pass different keywords"
    KEYWORD_TAKEN = "the keyword {keyword} is the name of something new"
    KEYWORDS_FROM_DICTIONARY = "the call passes keywords from a dictionary"


@enum.unique
class LayoutCause(Cause):
    """Why new code has no place in the text, or no name there."""

    SPELLED_OUT_REPLACED = "a part of a function that is spelled out would be replaced"
    BOUND_IN_STATEMENT = "{name} is bound in the statement of the call"
    CALL_FOLLOWS_ANOTHER = "the argument is computed by a call that must follow another"
    GIVEN_TO_ANOTHER = "{text} is given to another call in the statement of the call"
    HEADER_END = "the end of the definition's header was not found"
    IN_ELIF = "the call stands in an elif, where no statement can go before it"
    CALL_BEHIND_CODE = "the call stands behind other code on its line"
    CODE_BESIDE_DOCSTRING = "code stands on the line of the docstring"
    POP_BESIDE_CODE = "nnx.pop shares its line with other statements"
    TABLE_MAY_SAY = "{told} (its table may say so: passes, or renamed)"
    NO_BRACKETS = "{wrapper} stands without brackets, and may take no options so"
    OPTION_BEHIND_GENERATOR = "an option would follow a generator"
    NO_FLAX_IMPORT = "the file has no import from flax at its top to put `from flax import nnx` by"
    NO_IMPORT = "the file has no import at its top to put `import {module}` by"
    MODULE_NAME_TAKEN = "the name {module} stands for something else here"
    NNX_NAME_TAKEN = "the name nnx stands for something else here"


@enum.unique
class HoistCause(Cause):
    """Why statements of a function cannot stand before its calls."""

    CODE_BESIDE_CALL = "other code stands on the line of the call"
    SETTING_LONGER = "what sets the mode is longer than a line"
    SETTING_BESIDE_CODE = "what sets the mode shares its line with other code"


@enum.unique
class FunctionCause(Cause):
    """Why a function cannot become what a LibCST transformer makes of it."""

    CHANGES_NOTHING = "the rewrite changes nothing"
    NOT_READ = "LibCST does not read {function}: {error}"
    NOT_GIVEN_BACK = "LibCST does not give {function} back as it is written"
    LEAVES_FUNCTION = "the rewrite leaves the function that it is for"


@enum.unique
class EmitCause(Cause):
    """Why what rules want at a site cannot be done there; {escape} and {why} are told elsewhere."""

    WRAPPER_NOT_KNOWN = "what {wrapper} does beside nnx.{transform} is not known"
    COPIED_AND_SPLIT = "arguments are copied at a site where others are split"
    ATTRIBUTE_READ = "{name}.{attribute} is read, which a plain function does not have"
    NOT_ALL_CALLS = "{escape}"
    CALLED_IN_OTHER_SCOPE = "its result is called in another scope"
    RETURNS_ALONE = "the last return of {name} shares its line, or is all that it does"
    NO_PLACE_IN_DOCUMENT = "{why}"


@enum.unique
class PinCause(Cause):
    """Why a site cannot be kept in graph mode."""

    NO_MODE = "nnx.{transform} has no mode of its own"
    NO_GRAPH_FORM = (
        'no form of {wrapper} for graph mode is known; say compat = "..." or '
        'passes = ["graph", "graph_updates"] in [tool.nnx-migrate.transforms."{wrapper}"]'
    )


@enum.unique
class GateCause(Cause):
    """Why a rewritten text may not replace the old one."""

    NOT_PARSED = "the result would not parse: {error}"
    NOT_COMPILED = "the result would not compile: {error}"
    COMMENT_LOST = "a comment would be lost: {comment}"
    NAMES_UNBOUND = "the result would read names that nothing binds: {names}"
    LINE_CHANGED = "line {line} would mean something else, although nothing is to change there"
    LINE_APPEARED = "line {line} of the result is none that was there or was to be written"
