"""Who may read an Rngs that a Module keeps: by its attribute, by its name as a text, in a State.

The constructor of the class is left out: it has the same Rngs under another name.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Collection, Iterator

from nnx_migrate.analysis.domain.values import Instance, Values, is_unknown
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Cause, Refusal
from nnx_migrate.rewrite.classes.kept_rngs import target_of
from nnx_migrate.rewrite.classes.unread_rngs import UnreadRngs, method_reads
from nnx_migrate.rewrite.model.context import FileContext

_BY_NAME = frozenset({"getattr", "hasattr", "setattr", "delattr"})
_ALL_NAMES = frozenset({"vars", "dir"})
#: Arguments that name parameters of functions.
_OF_PARAMETERS = frozenset({"static_argnames", "donate_argnames", "nondiff_argnames"})


@enum.unique
class Read(Cause):
    """Why an Rngs that a class does not read stays in its objects."""

    OF_ANOTHER = "{text} may read it ({place})"
    NAMED = "the text {text} may name it ({place})"
    NOT_SEEN = "nnx-migrate cannot see what {path} does with {attribute}"
    IN_STATE = "{text} may take it with all other Variables ({place})"
    LEAVES_STATE = "without it, the path {attribute} leaves nnx.state"
    GIVEN_AWAY = "{text} is given an object that keeps it ({place})"


def is_read_by_methods(context: FileContext, kept: UnreadRngs) -> bool:
    """Whether a method of the class, or of one above or below it, reads what is kept."""
    hierarchy = context.evaluator.hierarchy
    below = {kept.of, *hierarchy.descendants(kept.of)}
    for name in sorted({each for one in below for each in hierarchy.ancestry(one).classes}):
        located = context.project.class_of(name)
        if located is not None:
            record = context.project.modules[located[0]]
            if method_reads(record, located[1], kept.attribute, all_methods=name != kept.of):
                return True
    return False


def possible_reader(context: FileContext, kept: UnreadRngs) -> Refusal | None:
    """Code that may read what is kept, or ask for it by its name."""
    return next(_readers(context, kept), None) or next(_named(context, kept), None)


def _readers(context: FileContext, kept: UnreadRngs) -> Iterator[Refusal]:
    """Reads of the attribute of such an object."""
    own = {(each.lineno, each.col_offset) for each in (*kept.reads, target_of(kept.statement))}
    wanted = {kept.attribute, "__dict__"}
    for record in context.project.modules.values():
        if not wanted.intersection(record.words):
            continue
        if not context.analysis.imports.in_one_program(kept.init.module, record.module):
            continue
        other = context.at(record.module)
        if other is None:
            if kept.attribute in record.words and _occurs(kept.attribute, record):
                yield Read.NOT_SEEN.about(path=record.path, attribute=kept.attribute)
            continue
        for node in other.tree.of_kind(ast.Attribute):
            its_own = record.module == kept.init.module and (node.lineno, node.col_offset) in own
            if node.attr not in wanted or its_own:
                continue
            if may_be(context, kept.of, other.values(node.value)):
                yield Read.OF_ANOTHER.about(other.where(node), text=other.text.of(node))
        for pattern in other.tree.of_kind(ast.MatchClass):
            if kept.attribute in pattern.kwd_attrs:
                place = Place(record.module, pattern.lineno)
                yield Read.OF_ANOTHER.about(place, text=f"{kept.attribute}=...")


def may_be(context: FileContext, class_name: str, values: Values) -> bool:
    """Whether some values may be objects of a class or of one above or below it."""
    hierarchy = context.evaluator.hierarchy
    below = {class_name, *hierarchy.descendants(class_name)}
    above = {each for name in below for each in hierarchy.ancestry(name).classes}
    return is_unknown(values) or any(
        isinstance(each, Instance)
        and (each.class_name in below or (each.class_name in above and not each.exact))
        for each in values
    )


def _named(context: FileContext, kept: UnreadRngs) -> Iterator[Refusal]:
    """Texts that may name the attribute, and code that goes through all names of such objects."""
    for record in context.project.modules.values():
        if not context.analysis.imports.in_one_program(kept.init.module, record.module):
            continue
        other = context.at(record.module) if _may_name(context, record, kept.attribute) else None
        if other is not None:
            for node in other.tree.of_kind(ast.Constant):
                if _names(node.value, kept.attribute) and _is_used(other, node):
                    yield Read.NAMED.about(other.where(node), text=repr(node.value))
    mentions = context.evaluator.callers.mentions
    for function in sorted(_BY_NAME | _ALL_NAMES):
        for scope, call in mentions.calls_of(function):
            if call.func != ir.Name(function) or not call.args:
                continue
            if not context.analysis.imports.in_one_program(kept.init.module, scope.module):
                continue
            told = call.args[1] if len(call.args) > 1 else None
            if function in _BY_NAME and isinstance(told, ir.Constant):
                continue  # a text
            if may_be(context, kept.of, context.evaluator.values(scope, call.args[0])):
                place = Place(scope.module, call.line)
                yield Read.OF_ANOTHER.about(place, text=f"{function}(...)")


def _may_name(context: FileContext, record: ir.ModuleIndex, attribute: str) -> bool:
    """Whether the text of a file may have the attribute in a string."""
    found = context.read(record.module)
    if record.module == context.tree.module:
        text = context.text.text
    elif found is not None:
        text = found.source.text
    else:
        return True
    around = (("'", "'"), ('"', '"'), ("/", ""), ("", "/"), (".", '"'), (".", "'"), ("'", "."))
    return any(f"{one}{attribute}{other}" in text for one, other in (*around, ('"', ".")))


def _names(value: object, attribute: str) -> bool:
    """Whether a text is a name, or a path that leads over it."""
    return isinstance(value, str) and attribute in value.replace("/", ".").split(".")


def _is_used(context: FileContext, node: ast.Constant) -> bool:
    """Whether code may look for an attribute by a text: not by a docstring, or a parameter's."""
    is_remark = isinstance(context.tree.parents.get(node), ast.Expr)
    return not is_remark and not _is_of_parameters(context, node)


def _is_of_parameters(context: FileContext, node: ast.Constant) -> bool:
    keywords = (each for each in context.tree.ancestors(node) if isinstance(each, ast.keyword))
    return any(each.arg in _OF_PARAMETERS for each in keywords)


def _occurs(attribute: str, record: ir.ModuleIndex) -> bool:
    """Whether a file that cannot be read again reads the attribute of anything, or names it."""
    return any(_is_in(attribute, function) for function in record.functions.values())


def _is_in(attribute: str, part: object) -> bool:
    match part:
        case ir.Attribute(name=name) if name == attribute:
            return True
        case ir.Constant(type="str", text=text):
            return _names(text, attribute)
        case tuple() | frozenset():
            return any(_is_in(attribute, each) for each in part)
        case _ if hasattr(part, "values") and hasattr(part, "keys"):
            return any(_is_in(attribute, each) for each in part.values())
    fields: Collection[str] = getattr(part, "__match_args__", ())
    return any(_is_in(attribute, getattr(part, field)) for field in fields)
