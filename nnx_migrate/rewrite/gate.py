"""The gate: what a rewritten file must satisfy before it may replace the old one."""

from __future__ import annotations

import ast
import builtins
import collections
import io
import tokenize

from nnx_migrate.facts.parsing import parse
from nnx_migrate.facts.syntax import FunctionNode


def gate(before: str, after: str) -> str:
    """Why `after` may not be written; empty when it may.

    Checks that it parses, that no comment was lost, and that no name is read that nothing binds
    and that was bound, or not read, before.
    """
    try:
        tree = parse(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"the result would not parse: {error}"
    lost = _comments(before) - _comments(after)
    if lost:
        return f"a comment would be lost: {next(iter(lost))}"
    unbound = _unbound(tree) - _unbound(parse(before))
    if unbound:
        return f"the result would read names that nothing binds: {', '.join(sorted(unbound))}"
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
    for node in ast.walk(tree):
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
            case ast.ClassDef(name=name):
                bound.add(name)
        if isinstance(node, FunctionNode):
            bound.add(node.name)
        bound |= {p.name for p in getattr(node, "type_params", ())}
    return read - bound
