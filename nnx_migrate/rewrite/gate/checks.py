"""The gate: what a rewritten file must satisfy before it may replace the old one.

The result must be Python as much as the old text was: it parses, compiles, keeps every comment and
reads no name that nothing binds. And the edits must have changed nothing but what they touch
(`untouched`).
"""

from __future__ import annotations

import ast
import collections
import functools
import re
import warnings
from collections.abc import Sequence

from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.gate.unbound_names import Names, names_of
from nnx_migrate.rewrite.gate.untouched_nodes import Version, disturbed
from nnx_migrate.rewrite.model.causes import GateCause
from nnx_migrate.rewrite.text.edits import Edit, Text, apply_edits

#: What comments and strings begin or end with, but for the ends of lines.
_BOUNDS = re.compile(r"[#'\"\\]")
_NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)


class Refused(Exception):
    """A text that may not be written.

    Args:
        why: the refusal.
    """

    def __init__(self, why: Refusal) -> None:
        self.refusal = why
        super().__init__(str(why))


class Gate:
    """Lets the texts pass that may replace one.

    Args:
        before: the text that they are made from, with its tree.
    """

    def __init__(self, before: Version) -> None:
        self._before = before

    @functools.cached_property
    def _comments(self) -> collections.Counter[str]:
        return _comments(self._before.text)

    @functools.cached_property
    def _names(self) -> Names | None:
        try:
            return names_of(self._before.text.text, self._before.tree)
        except _NO_PYTHON:
            return None

    def changed(self, version: Version, edits: Sequence[Edit]) -> Version:
        """What edits make of a version of the text.

        Raises:
            Refused: the result may not be written, or is not what the edits alone account for.
        """
        text = Text(apply_edits(version.text.text, edits))
        apart = all(_is_apart_from_comments(version.text, edit) for edit in edits)
        after = Version(text, self.passed(text, keeps_comments=apart))
        if reason := disturbed(version, after, edits):
            raise Refused(reason)
        return after

    def passed(self, after: Text, *, keeps_comments: bool = False) -> ast.Module:
        """The syntax tree of a text that may be written.

        Args:
            keeps_comments: where that is known.

        Raises:
            Refused: it does not parse, does not compile where the old one does, a comment is lost,
                or a name is read that nothing binds and that was bound, or not read, before.
        """
        try:
            tree = parse(after.text)
        except _NO_PYTHON as error:
            raise Refused(GateCause.NOT_PARSED.about(error=error)) from None
        self._require_compiling(tree)
        if not keeps_comments and (lost := self._comments - _comments(after)):
            raise Refused(GateCause.COMMENT_LOST.about(comment=next(iter(lost))))
        if fresh := self._fresh(after.text, tree):
            names = ", ".join(sorted(fresh))
            raise Refused(GateCause.NAMES_UNBOUND.about(names=names))
        return tree

    def _require_compiling(self, tree: ast.Module) -> None:
        # A cell of a notebook may wait for something.
        for flags in (0, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT):
            reason = _error(tree, flags)
            if not reason:
                return
            if not _error(self._before.tree, flags):
                raise Refused(GateCause.NOT_COMPILED.about(error=reason))

    def _fresh(self, after: str, tree: ast.Module) -> set[str]:
        try:
            names = names_of(after, tree)
        except _NO_PYTHON:  # nor has the old text scopes, else it would not have compiled
            return set()
        if not names.unbound or self._names is None:
            return set()
        return names.fresh(self._names)


def _error(tree: ast.Module, flags: int) -> str:
    """What Python says of a tree that it does not compile."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(tree, "<text>", "exec", flags, dont_inherit=True)
    except _NO_PYTHON as error:
        place = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
        return f"{error.msg if isinstance(error, SyntaxError) else error}{place}"
    return ""


def _is_apart_from_comments(text: Text, edit: Edit) -> bool:
    """Whether an edit leaves each comment and each string as long as it is.

    It takes and gives nothing that begins or ends one, and does not stand in a comment.
    """
    above = text.text[text.line_start(text.line_of(edit.start)) : edit.start]
    taken = text.text[edit.start : edit.end]
    return "#" not in above and not _BOUNDS.search(taken + edit.replacement)


def _comments(text: Text) -> collections.Counter[str]:
    return collections.Counter(comment for _, comment in text.comments)
