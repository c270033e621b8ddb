"""What the names in the pattern of a `case` are bound to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import literal_key


def captured(pattern: ast.pattern, part: ir.Expr) -> Iterator[tuple[str, ir.Expr]]:
    """The names that a pattern binds, each with what of the subject it is.

    Args:
        part: the part of the subject that the pattern is for.
    """
    match pattern:
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name, part
        case ast.MatchMapping(rest=str(name)):
            yield name, ir.Element(part)
    for inner, below in _parts(pattern, part):
        yield from captured(inner, below)


def _parts(pattern: ast.pattern, whole: ir.Expr) -> Iterator[tuple[ast.pattern, ir.Expr]]:
    match pattern:
        case ast.MatchAs(pattern=ast.pattern() as inner):
            yield inner, whole
        case ast.MatchOr(patterns=patterns):
            yield from ((each, whole) for each in patterns)
        case ast.MatchMapping(keys=keys, patterns=patterns):
            for key, each in zip(keys, patterns, strict=True):
                yield each, ir.Element(whole, literal_key(key))
        case ast.MatchClass(patterns=patterns, kwd_attrs=names, kwd_patterns=named):
            yield from ((each, ir.Element(whole)) for each in patterns)
            for name, each in zip(names, named, strict=True):
                yield each, ir.Attribute(whole, name)
        case ast.MatchSequence(patterns=patterns):
            starred = any(isinstance(each, ast.MatchStar) for each in patterns)
            for place, each in enumerate(patterns):
                yield each, ir.Element(whole) if starred else ir.Unpacked(whole, place)
