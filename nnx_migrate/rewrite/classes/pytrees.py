"""Modules that become pytrees: `class Net(nnx.Module, pytree=False)` without the keyword.

Tree mode takes no object that is no pytree (docs/semantics.md: JIT-E). What keeps a class from
being one is, most of the time, a list of Modules in an attribute, which `nnx.data` marks. The list
stays a list, and lies at the same path of `nnx.state`.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator, Mapping

from nnx_migrate.analysis.domain.values import Scope, short_name
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.findings import Evidence, Finding, Outcome, Proof
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.claims import ClassClaim
from nnx_migrate.rewrite.classes.attribute_stores import (
    NoPytree,
    Stores,
    is_dataclass,
    stores_of,
)
from nnx_migrate.rewrite.classes.change import RULE_NAME, ClassChange
from nnx_migrate.rewrite.classes.definitions import defined_classes
from nnx_migrate.rewrite.classes.pytree_conditions import (
    check_above,
    check_leaves,
    check_mode_asked,
    check_outside,
    says_no_pytree,
)
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, NotRewritten
from nnx_migrate.rewrite.style.line_width import shown, within_width
from nnx_migrate.rewrite.style.spelling import Spelling
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.sources.suppressions import Suppression, Suppressions, parse_suppressions

_FALSE = ir.Constant("number", "False")
_OBJECT = "flax.nnx.Object"


@dataclasses.dataclass(frozen=True, slots=True)
class PytreeClass:
    """A class that becomes a pytree.

    Args:
        names: the attributes that are marked as data.
        unseen: the attributes of which not all is known.
    """

    names: tuple[str, ...]
    unseen: tuple[str, ...]


def is_candidate(record: ir.ModuleIndex) -> bool:
    """Whether a file says of some class that it is no pytree."""
    return any(says_no_pytree(each) for each in record.classes.values())


@dataclasses.dataclass(frozen=True, slots=True)
class Conversions:
    """What becomes of the classes that are no pytrees.

    Args:
        pytrees: those that become some, by name.
        stays: why others do not.
    """

    pytrees: Mapping[str, PytreeClass]
    stays: Mapping[str, Refusal]


def conversions(contexts: Iterable[FileContext]) -> Conversions:
    """Decide which classes of a project become pytrees.

    Args:
        contexts: of the files that may change.
    """
    found: dict[str, PytreeClass] = {}
    stays: dict[str, Refusal] = {}
    seen: dict[str, FileContext] = {}
    for context in contexts:
        suppressions = parse_suppressions(context.text.text)
        for name, node in _candidates(context):
            if _is_silenced(context, node, suppressions):
                stays[name] = Refusal(NoPytree.SILENCED)
                continue
            try:
                stores = _checked(context, name, node)
            except (NotRewritten, CannotEmit) as refused:
                stays[name] = refused.refusal
                continue
            found[name] = PytreeClass(stores.names, stores.unseen)
            seen[name] = context
    while left := {
        name: above for name in found if (above := _stays_above(seen[name], name, found))
    }:
        for name, above in left.items():
            stays[name] = NoPytree.ABOVE.about(name=short_name(above))
            del found[name]
    return Conversions(found, stays)


def silencing(context: FileContext, suppressions: Suppressions) -> Iterator[Suppression]:
    """The comments of a file that keep a class as it is."""
    for _, node in _candidates(context):
        by = suppressions.match(RULE_NAME, *_header_lines(node))
        if by is not None:
            yield by


def _is_silenced(context: FileContext, node: ast.ClassDef, suppressions: Suppressions) -> bool:
    first, last = _header_lines(node)
    kept = any(place.line == first for place in context.options.kept)
    return kept or suppressions.match(RULE_NAME, first, last) is not None


def _header_lines(node: ast.ClassDef) -> tuple[int, int]:
    said = [*node.bases, *(each.value for each in node.keywords)]
    return node.lineno, max((each.end_lineno or 0 for each in said), default=node.lineno)


def pytrees_in(context: FileContext, wanted: Mapping[str, PytreeClass]) -> Iterator[ClassChange]:
    """What makes the classes of a file pytrees, of those that are wanted."""
    for name, node in _candidates(context):
        if name not in wanted:
            continue
        stores = stores_of(context, name, node)
        spelling = Spelling.at(context, node.bases[0])
        edits = [*spelling.import_edits, *_header(context, node)]
        for value in stores.marked:
            edits += _marked(context, value, f"{spelling.nnx}.data")
        finding = _finding(context, name, node, wanted[name])
        yield ClassChange(*_header_lines(node), tuple(edits), finding)


def _candidates(context: FileContext) -> Iterator[tuple[str, ast.ClassDef]]:
    """The classes of the file that say that they are no pytrees, by their names in the project."""
    record = context.project.modules[context.tree.module]
    if not is_candidate(record):
        return
    for name, node in defined_classes(context):
        if _is_no_pytree(context, name):
            yield name, node


def _is_no_pytree(context: FileContext, name: str) -> bool:
    located = context.project.class_of(name)
    if located is None or not says_no_pytree(located[1]):
        return False
    hierarchy = context.evaluator.hierarchy
    scope = Scope(located[0], located[1].scope)
    bases = [hierarchy.class_name(scope, base) for base in located[1].bases]
    told = ("pytree", _FALSE) in located[1].keywords
    return hierarchy.kind(name) not in {"plain", None} and (told or _OBJECT in bases)


def _checked(context: FileContext, name: str, node: ast.ClassDef) -> Stores:
    """What a class keeps, once it is known that nothing forbids that it is a pytree.

    Raises:
        NotRewritten, CannotEmit: something does.
    """
    ancestry = context.evaluator.hierarchy.ancestry(name)
    if not ancestry.closed:
        raise NotRewritten(NoPytree.BASES)
    if node.decorator_list and not is_dataclass(context, node):
        raise NotRewritten(NoPytree.DECORATED)
    Spelling.at(context, node.bases[0])
    list(_header(context, node))
    stores = stores_of(context, name, node)
    if stores.unseen and not context.options.trace_checks:
        raise NotRewritten(NoPytree.HIDDEN.about(name=stores.unseen[0]))
    check_above(context, name, stores)
    check_outside(context, name, stores)
    check_leaves(context, name)
    check_mode_asked(context, name)
    return stores


def _stays_above(context: FileContext, name: str, found: Mapping[str, PytreeClass]) -> str:
    """A class above another one that stays no pytree, "" where there is none."""
    above = context.evaluator.hierarchy.ancestry(name).classes[1:]
    staying = (each for each in above if _is_no_pytree(context, each) and each not in found)
    return next(staying, "")


def _header(context: FileContext, node: ast.ClassDef) -> Iterator[Edit]:
    """The bases and keywords without what says that the class is no pytree.

    Raises:
        NotRewritten: a comment stands there, or nnx.Object has a name of its own.
    """
    for base in node.bases:
        if context.tree.dotted(base) == _OBJECT:
            if not isinstance(base, ast.Attribute):
                raise NotRewritten(NoPytree.SPELLING.about(name=context.text.of(base)))
            end = context.text.span(base)[1]
            yield Edit(end - len(base.attr), end, "Pytree")
    parts = sorted([*node.bases, *(each.value for each in node.keywords)], key=_start)
    for keyword in node.keywords:
        if keyword.arg != "pytree":
            continue
        before = parts[parts.index(keyword.value) - 1] if keyword.value is not parts[0] else None
        start = context.text.span(before)[1] if before else -1
        end = context.text.span(keyword.value)[1]
        if before is None or "#" in context.text.text[start:end]:
            raise NotRewritten(NoPytree.SPELLING.about(name="pytree=False"))
        yield Edit(start, end, "")


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _marked(context: FileContext, value: ast.expr, function: str) -> list[Edit]:
    """A value within a call of `nnx.data`, on lines of its own where it would be too long."""
    start, end = context.text.span(value)
    first = context.text.line_start(value.lineno)
    if value.lineno == value.end_lineno:
        head, text = context.text.text[first:start], context.text.of(value)
        indent = len(head) - len(head.lstrip())
        unit, width = context.continuation_unit, context.options.width
        new = f"{head.strip()} {function}({text})"
        lines = within_width(new, shown(head[:indent]), unit, width)
        if len(lines) > 1 and lines[0].endswith(f"{function}("):
            inner = (context.newline + head[:indent]).join(lines)
            return [Edit(first + indent, end, inner)]
    return [Edit(start, start, f"{function}("), Edit(end, end, ")")]


def _finding(context: FileContext, name: str, node: ast.ClassDef, wanted: PytreeClass) -> Finding:
    start = context.text.offset(node.lineno, node.col_offset)
    column = start - context.text.line_start(node.lineno) + 1
    short = short_name(name)
    message = f"{short} becomes a pytree, as tree mode needs"
    if wanted.names:
        *others, last = wanted.names
        names = f"{', '.join(others)} and {last}" if others else last
        message += f"; nnx.data marks {names}"
    where = context.where(node)
    evidence = [Evidence(str(ClassClaim.NO_OTHER_CONTAINER.about(name=short)), Proof.PROVED, where)]
    for attribute in wanted.unseen:
        claim = ClassClaim.NO_CONTAINER_OF_MODULES.about(attribute=attribute, name=short)
        evidence.append(Evidence(str(claim), Proof.CHECKED, where))
    outcome = Outcome.REWRITTEN_CHECKED if wanted.unseen else Outcome.REWRITTEN
    return Finding(RULE_NAME, node.lineno, column, outcome, message, tuple(evidence))
