"""The gate: what a rewritten file must satisfy before it may replace the old one."""

from __future__ import annotations

import ast
import builtins
import collections
import functools
import io
import tokenize

from nnx_migrate.facts.parsing import parse, walk

#: Nodes that may have them; of all Pythons, as 3.11 has none.
_WITH_TYPE_PARAMETERS = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    getattr(ast, "TypeAlias", ast.ClassDef),
)


class Refused(Exception):
    """A text that may not be written; the message says why."""


class Gate:
    """Lets the texts pass that may replace one.

    Args:
        before: the text that they are made from.
    """

    def __init__(self, before: str) -> None:
        self._before = before

    @functools.cached_property
    def _comments(self) -> collections.Counter[str]:
        return _comments(self._before)

    @functools.cached_property
    def _unbound(self) -> set[str]:
        return _unbound(parse(self._before))

    def passed(self, after: str) -> ast.Module:
        """The syntax tree of a text that may be written.

        Raises:
            Refused: it does not parse, a comment is lost, or a name is read that nothing binds and
                that was bound, or not read, before.
        """
        try:
            tree = parse(after)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Refused(f"the result would not parse: {error}") from None
        lost = self._comments - _comments(after)
        if lost:
            raise Refused(f"a comment would be lost: {next(iter(lost))}")
        unbound = _unbound(tree)
        if unbound and (fresh := unbound - self._unbound):
            names = ", ".join(sorted(fresh))
            raise Refused(f"the result would read names that nothing binds: {names}")
        return tree


def gate(before: str, after: str) -> str:
    """Why `after` may not be written; empty when it may."""
    try:
        Gate(before).passed(after)
    except Refused as refused:
        return str(refused)
    return ""


def _comments(text: str) -> collections.Counter[str]:
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return collections.Counter(
        token.string.rstrip()
        for token in tokenize.generate_tokens(io.StringIO(unified).readline)
        if token.type == tokenize.COMMENT
    )


def _unbound(tree: ast.Module) -> set[str]:
    """Names that are read somewhere but bound nowhere in the file, at any depth of scope."""
    bound = set(dir(builtins)) | {"__file__", "__name__", "__doc__", "__class__"}
    read: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                read.add(name)
            case ast.Name(id=name):
                bound.add(name)
            case ast.arg(arg=name):
                bound.add(name)
            case ast.alias(name=name, asname=asname):
                if name == "*":
                    return set()
                bound.add(asname or name.split(".")[0])
            case ast.ExceptHandler(name=name) if name:
                bound.add(name)
            case ast.MatchAs(name=name) | ast.MatchStar(name=name) if name:
                bound.add(name)
            case ast.MatchMapping(rest=rest) if rest:
                bound.add(rest)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                bound.add(name)
            case ast.ClassDef(name=name):
                bound.add(name)
        if isinstance(node, _WITH_TYPE_PARAMETERS):
            bound |= {p.name for p in getattr(node, "type_params", ())}
    return read - bound
