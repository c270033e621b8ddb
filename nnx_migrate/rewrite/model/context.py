"""All that rules and emitters need of the file at hand."""

from __future__ import annotations

import ast
import dataclasses
import functools
import io
import tokenize
import weakref
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Concatenate, ParamSpec, TypeVar

from nnx_migrate.analysis.domain.values import NOTHING, Instance, Scope, Value, Values
from nnx_migrate.analysis.effects.effect import Effect, Effects
from nnx_migrate.analysis.effects.transfer import EffectsOfCall
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.analysis.sites.find import SiteFinder
from nnx_migrate.analysis.sites.reaching_statements import ReachingStatements
from nnx_migrate.analysis.sites.tree import AnyFunction, Tree, names_in
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.model.drops import Drops
from nnx_migrate.rewrite.pinned.withdrawn import Followed
from nnx_migrate.rewrite.text.edits import Text
from nnx_migrate.sources.configuration import Options
from nnx_migrate.sources.text import Source, newline_of

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")


@dataclasses.dataclass(frozen=True, slots=True)
class Readable:
    """A file of the project as others may see it.

    Args:
        options: what counts for it; None where this run leaves it out.
    """

    source: Source
    options: Options | None


#: Gives a file of the project by the name of its module; None when it cannot be read.
Reader = Callable[[str], Readable | None]


def same_line(line: int) -> int:
    """The line of a file that is as it was."""
    return line


def nothing_else(_module: str) -> Readable | None:
    """No other file is to be seen."""
    return None


@dataclasses.dataclass(frozen=True, eq=False)
class FileContext:
    """One file in one round of planning.

    Args:
        path: the file's name as shown to the user.
        text: its text with line offsets.
        tree: its syntax tree.
        refuses: why a new text cannot be written back, for code that stands in something else.
        read: gives the other files of the project.
        asked_by: the file that this one was read for, which is not kept alive by it.
        pins: those of earlier runs that were taken out of the text.
        stays: why classes that are no pytrees stay so, by class.
        drops: what becomes of the Rngs that its classes keep and do not read.
        kept_variables: where methods replace Variables that something else may have, and what.
        original_line: gives the line of the file as it was.
        original_place: gives the line and the column there, of a span of this text; None where
            the text is the file as it was.
    """

    path: str
    text: Text
    tree: Tree
    analysis: Analysis
    options: Options
    refuses: Callable[[str], str] | None = None
    read: Reader = nothing_else
    asked_by: weakref.ref[FileContext] | None = None
    pins: tuple[Followed, ...] = ()
    stays: Mapping[str, Refusal] = dataclasses.field(default_factory=dict)
    drops: Drops = dataclasses.field(default_factory=Drops)
    kept_variables: Mapping[Place, Refusal] = dataclasses.field(default_factory=dict)
    original_line: Callable[[int], int] = same_line
    original_place: Callable[[int, int], tuple[int, int]] | None = None

    def place_as_it_was(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The line and the column that code has in the file as it was."""
        start, end = self.text.span(node)
        if self.original_place is None:
            return self.text.line_and_column(start)
        return self.original_place(start, end)

    @functools.cached_property
    def answers(self) -> dict[object, Any]:
        """What functions that are `remembered` said of the file."""
        return {}

    @functools.cached_property
    def _others(self) -> dict[str, FileContext | None]:
        """The other files that were asked for, by this one or by any of them."""
        return {}

    @property
    def _first(self) -> FileContext:
        """The file that all others were read for."""
        return (self.asked_by and self.asked_by()) or self

    def effects_of(self, scope: Scope, parameter: str, passed: Values = NOTHING) -> Effects:
        """What a function does to its parameter of that name, where code of this file calls it.

        Args:
            passed: what the calls pass that are asked about; nothing for all calls of the project.
        """
        finder = self.analysis.effects
        found = finder.of(scope, parameter)
        if passed and found:
            found = EffectsOfCall(finder, scope, ((parameter, passed),)).of(scope, parameter)
        if all(map(self._may_happen, found)):  # as nearly always
            return found
        return frozenset(filter(self._may_happen, found))

    def _may_happen(self, effect: Effect) -> bool:
        """Whether an effect is one of the programs that run this file."""
        module = self.tree.module
        may_meet = self.analysis.imports.may_meet
        if not may_meet(module, effect.where.module):
            return False
        if effect.home and not self.analysis.imports.may_set(module, effect.home):
            return False
        settled = self.analysis.settled_fields
        return effect.field is None or not settled.is_never_true(module, effect.field)

    def at(self, module: str) -> FileContext | None:
        """Another file of the project, the same each time; None when it cannot be read."""
        first = self._first
        if module == first.tree.module:
            return first
        if module not in first._others:
            first._others[module] = first._neighbour(module)
        return first._others[module]

    def _neighbour(self, module: str) -> FileContext | None:
        found = self.read(module)
        if found is None:
            return None
        try:
            tree = Tree(parse(found.source.text), module, self.project)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return FileContext(
            str(found.source.path),
            Text(found.source.text),
            tree,
            self.analysis,
            found.options or self.options,
            read=self.read,
            asked_by=weakref.ref(self),
        )

    @functools.cached_property
    def unobserved(self) -> FileContext | None:
        """The same file without what runs have shown; None where nothing was observed."""
        plain = self.analysis.unobserved
        if plain is None:
            return None
        tree = Tree(self.tree.root, self.tree.module, plain.project)
        return dataclasses.replace(self, tree=tree, analysis=plain)

    @property
    def evaluator(self) -> Evaluator:
        return self.analysis.evaluator

    @property
    def project(self) -> Project:
        return self.analysis.project

    @functools.cached_property
    def finder(self) -> SiteFinder:
        return SiteFinder(self.tree)

    @property
    def reaching(self) -> ReachingStatements:
        return self.finder.reaching

    @functools.cached_property
    def free_names(self) -> dict[AnyFunction, tuple[ast.Name, ...]]:
        """What `functions.free_names` has found."""
        return {}

    @functools.cached_property
    def newline(self) -> str:
        return newline_of(self.text.text)

    @functools.cached_property
    def indent_unit(self) -> str:
        """One level of indentation, as the file has it."""
        units = (self._unit_within(node) for node in ast.walk(self.tree.root))
        return next((unit for unit in units if unit), "    ")

    def indent_unit_at(self, node: ast.AST) -> str:
        """One level of indentation, as the block has it that a node stands in.

        Cells of one notebook, and functions of one file, mix two and four spaces.
        """
        units = map(self._unit_within, self.tree.ancestors(node))
        return next((unit for unit in units if unit), self.indent_unit)

    def _unit_within(self, node: ast.AST) -> str:
        """How far the body of a statement is indented; nothing where that is not to be seen."""
        body = getattr(node, "body", None)
        if not isinstance(node, ast.stmt) or not isinstance(body, list) or not body:
            return ""
        outer = self.text.indent_of_line(node.lineno)
        inner = self.text.indent_of_line(body[0].lineno)
        stands = body[0].lineno > node.lineno and inner.startswith(outer)
        return inner.removeprefix(outer) if stands else ""

    @functools.cached_property
    def continuation_unit(self) -> str:
        """How far arguments on lines of their own are indented, as most calls of the file do it."""
        found: Counter[str] = Counter()
        for node in ast.walk(self.tree.root):
            if not isinstance(node, ast.Call) or not (node.args or node.keywords):
                continue
            given: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
            first = min(given, key=self.text.span)
            assert node.func.end_lineno is not None
            outer = self.text.indent_of_line(node.func.end_lineno)
            inner = self.text.indent_of_line(first.lineno)
            if first.lineno > node.func.end_lineno and inner.startswith(outer) and inner != outer:
                found[inner[len(outer) :]] += 1
        return found.most_common(1)[0][0] if found else self.indent_unit

    def comments_between(self, start: int, end: int) -> list[str]:
        return [text for place, text in self.text.comments if start <= place < end]

    @functools.cached_property
    def string_lines(self) -> frozenset[int]:
        """Lines that begin inside a string: their white space is content."""
        inside: set[int] = set()
        # The tokenizer of 3.11 knows no lone "\r"; the lines are the same with "\n".
        unified = self.text.readable.replace("\r\n", "\n").replace("\r", "\n")
        middle = getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)
        for token in tokenize.generate_tokens(io.StringIO(unified).readline):
            if token.type in {tokenize.STRING, middle}:
                inside.update(range(token.start[0] + 1, token.end[0] + 1))
        return frozenset(inside)

    def old_pin(self, reference: ast.expr) -> Followed | None:
        """The pin of an earlier run that was taken from a name of a transform."""
        if not self.pins:
            return None
        start = self.text.span(reference)[0]
        return next((each for each in self.pins if each.at == start), None)

    def values(self, node: ast.expr) -> Values:
        """What an expression of this file can evaluate to."""
        found = self.evaluator.values(self.tree.scope(node), self.reaching.lowered(node))
        return self.met(found)

    def met(self, values: Values) -> Values:
        """Those of some values that code of this file can have: no class of another program."""
        if all(map(self._may_come, values)):  # as nearly always
            return values
        return frozenset(filter(self._may_come, values)) or values

    def _may_come(self, value: Value) -> bool:
        if not isinstance(value, Instance):
            return True
        home, colon, _ = value.class_name.partition(":")
        return not colon or self.analysis.imports.may_meet(self.tree.module, home)

    @property
    def file(self) -> Place:
        """The file as a whole, to be named in a sentence."""
        return Place(self.tree.module)

    def where(self, node: ast.AST) -> Place:
        """The place of a node, to be named in a sentence."""
        return Place(self.tree.module, getattr(node, "lineno", 0))

    def outermost_function(self, node: ast.AST) -> AnyFunction | None:
        """The outermost function that holds a node, which is as far as its locals can be seen."""
        found: AnyFunction | None = None
        current = self.tree.function_around(node)
        while current is not None:
            found = current
            current = self.tree.function_around(current)
        return found

    def taken_names(self, node: ast.AST) -> set[str]:
        """Identifiers that a new name at `node` must not collide with."""
        outer = self.outermost_function(node)
        return names_in(self.tree.root if outer is None else outer)

    def scope(self, node: ast.AST) -> Scope:
        return self.tree.scope(node)


def remembered(
    question: Callable[Concatenate[FileContext, _Asked], _Answer],
) -> Callable[Concatenate[FileContext, _Asked], _Answer]:
    """Ask a question about a file once for as long as its context lives.

    Args:
        question: what it is asked with beside the context is hashed, and passed by place. Its
            answer names no context: these would hold each other, and nobody looks for circles.
    """

    @functools.wraps(question)
    def answer(file: FileContext, /, *args: _Asked.args, **keywords: _Asked.kwargs) -> _Answer:
        key = question, args
        if key not in file.answers:
            file.answers[key] = question(file, *args, **keywords)
        found: _Answer = file.answers[key]
        return found

    return answer
