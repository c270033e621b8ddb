"""Calls that a pin has broken over lines, because it made them too long."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Sequence

from nnx_migrate.rewrite.pinned.syntax import Syntax
from nnx_migrate.rewrite.text.edits import MAX_LINE, Edit, apply_edits

_BREAK = re.compile(r"\s*[\r\n]\s*")


def joined(syntax: Syntax, call: ast.Call, edits: Sequence[Edit]) -> list[Edit]:
    """Edits that also put a call back on one line, where the pin was what took it off that.

    Args:
        edits: what takes the pin out of the call, and out of other places.
    """
    breaks = _breaks(syntax, call, edits)
    if not breaks:
        return list(edits)
    start, end = syntax.text.span(call)
    inside = [e for e in edits if start <= e.start and e.end <= end]
    kept = [e for e in edits if e not in inside]
    whole = [*inside, *breaks]
    line = syntax.text.line_start(call.lineno)
    rest = len(re.split(r"[\r\n]", syntax.text.text[end:], maxsplit=1)[0])
    head = start - line

    def length(changes: Sequence[Edit]) -> int:
        moved = [Edit(e.start - start, e.end - start, e.replacement) for e in changes]
        return head + len(apply_edits(syntax.text.text[start:end], moved)) + rest

    # The pin breaks no line that is short enough with it.
    if length(whole) > MAX_LINE or length(breaks) <= MAX_LINE:
        return list(edits)
    if any(a.end > b.start for a, b in itertools.pairwise(sorted(whole))):
        return list(edits)
    return [*kept, *whole]


def _breaks(syntax: Syntax, call: ast.Call, edits: Sequence[Edit]) -> list[Edit]:
    """What joins the lines of a call: a space for each break, nothing beside its brackets."""
    text = syntax.text.text
    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    parts = sorted(given, key=syntax.text.span)
    if call.lineno == call.end_lineno or not parts:
        return []
    if any(part.lineno != part.end_lineno for part in parts):
        return []
    end = syntax.text.span(call)[1] - 1
    start = text.index("(", syntax.text.span(call.func)[1]) + 1
    first, last = syntax.text.span(parts[0])[0], syntax.text.span(parts[-1])[1]
    outer = [(start, first), (last, end)]
    if not all(re.fullmatch(r"\s*", text[start:first]) and "\n" in text[a:b] for a, b in outer):
        return []
    if not re.fullmatch(r",?\s*", text[last:end]):
        return []
    found = [Edit(start, first, ""), Edit(last, end, "")]
    for one, other in itertools.pairwise(parts):
        gap = syntax.text.span(one)[1], syntax.text.span(other)[0]
        if text[slice(*gap)].strip() != ",":
            return []
        if _BREAK.search(text[slice(*gap)]):
            found.append(Edit(*gap, ", "))
    return found
